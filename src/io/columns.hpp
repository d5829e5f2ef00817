#pragma once

#include <span>
#include <string>
#include <vector>

#include "rattleback/flow/run.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {

/// A part of a row: one or several numbers under one name.
struct Column {
  std::string name;                     ///< of the dataset
  std::vector<std::string> labels;      ///< of its numbers; empty for a single number
  ColumnKind kind = ColumnKind::other;  ///< residuals of all rows are of the kind `constraint`
  std::size_t width() const { return labels.empty() ? 1 : labels.size(); }
};

/// The parts of a row of a trajectory, in the order in which a Sample has them.
std::vector<Column> columns_of(const System& system, const std::vector<ObservedQuantity>& observed);

/// The names of columns about all of these.
std::vector<std::string> velocity_columns(const System& system);
std::vector<std::string> momentum_columns(const System& system);

/// A name for each number of a part, or of a row.
std::vector<std::string> labels(const Column& column);
std::vector<std::string> labels(const std::vector<Column>& columns);

}  // namespace rattleback
