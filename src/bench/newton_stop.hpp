#pragma once

#include <cmath>

namespace hand {

/// Newton stops after a correction Δ with |Δ| ≤ tolerance (1+|u|), or when Δ no longer shrinks (round-off).
struct NewtonStop {
  double tolerance, previous = HUGE_VAL;

  bool operator()(double correction, double scale) {
    if (correction <= tolerance * (1 + scale) || (correction >= 0.5 * previous && correction < 1e-8 * (1 + scale))) {
      return true;
    }
    previous = correction;
    return false;
  }
};

constexpr int max_iterations = 50;

}  // namespace hand
