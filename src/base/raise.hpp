#pragma once

#include <cmath>

namespace rattleback {

/// Makes `largest` the larger one of both; NaN stays.
inline void raise(double& largest, double value) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

}  // namespace rattleback
