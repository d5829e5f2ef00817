#pragma once

#include <span>
#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// q(t) from the exact solution that the system was given, for a start at t = 0; NaN for coordinates without one.
std::vector<double> exact_position(const System& system, std::span<const double> parameters, const State& start,
                                   double time);

}  // namespace rattleback
