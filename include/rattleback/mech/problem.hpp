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

  /// (q, v, parameters) at the start: the data of the maps of mech/dynamics.hpp.
  std::vector<double> start_data() const {
    std::vector<double> data = start.q;
    data.insert(data.end(), start.v.begin(), start.v.end());
    data.insert(data.end(), parameters.begin(), parameters.end());
    return data;
  }
};

}  // namespace rattleback
