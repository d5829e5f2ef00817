#pragma once

#include <string>
#include <vector>

#include "rattleback/flow/run.hpp"

namespace rattleback {

/// A part of a row: one or several numbers under one name.
struct Column {
  std::string name;                 ///< of the dataset
  std::vector<std::string> labels;  ///< of its numbers; empty for a single number
  std::size_t width() const { return labels.empty() ? 1 : labels.size(); }
};

/// The parts of a row of a trajectory, in the order in which a Sample has them.
std::vector<Column> columns_of(const System& system, const std::vector<ObservedQuantity>& observed);

/// A name for each number of a row.
std::vector<std::string> labels(const std::vector<Column>& columns);

}  // namespace rattleback
