#pragma once

#include <optional>
#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// What there is to integrate.
struct Problem {
  System system;
  std::vector<double> parameters;
  State start;
  double step = 0.0;
  /// q₁, for methods that are to start from two positions instead of a position and a momentum.
  std::optional<std::vector<double>> second_position = std::nullopt;
};

}  // namespace rattleback
