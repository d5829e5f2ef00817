#pragma once

#include <string>
#include <vector>

#include "rattleback/experiment/table.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/report/report.hpp"

namespace rattleback::report {

/// Points that draw the same curve, but at most about so many. Extremes of y over x stay where they are.
void thin(Series& series, FigureKind kind, std::size_t most = 2000);

SystemEntry system_of(const Model& model);

/// A trajectory of the body that the model has a picture of.
Track track_of(const std::string& name, const Model& model, const Table& table);
/// Without tracks.
Animation animation_of(const std::string& title, const Picture& picture);

}  // namespace rattleback::report
