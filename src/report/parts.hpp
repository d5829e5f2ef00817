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

/// Rows at equal distances and the last one, at most about so many.
std::vector<std::size_t> evenly(std::size_t rows, std::size_t most);
std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& rows);

/// A trajectory of the bodies that the model has a view of.
Track track_of(const std::string& name, const Model& model, const Table& table);
/// The line that the first point of a track leaves behind, or its first body: x, y and z.
const std::array<std::vector<double>, 3>& path_of(const Track& track);

}  // namespace rattleback::report
