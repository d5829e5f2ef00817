#pragma once

#include "rattleback/method/method.hpp"

namespace rattleback {

/// The first step of a method that starts from two positions: it is given, not computed.
struct SecondPosition {
  /// Throws MethodError if the method cannot start so, or the position violates the constraints.
  SecondPosition(const Method& method, const Problem& problem);

  std::vector<double> state;       ///< at q₁
  std::vector<double> increments;  ///< q₁ − q₀
  bool is_next = true;
};

}  // namespace rattleback
