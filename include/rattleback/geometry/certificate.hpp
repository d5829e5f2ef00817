#pragma once

#include <vector>

namespace rattleback {

/// What a verdict rests on: the largest residual at random points, relative to the size of its terms, what it is
/// compared with, and the point where it was found.
struct Certificate {
  bool holds = false;
  double residual = 0.0;
  double tolerance = 0.0;
  int points = 0;
  std::vector<double> worst;  ///< a position, or position and velocity; where the statement fails, a counterexample
};

}  // namespace rattleback
