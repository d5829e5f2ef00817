#pragma once

#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// Second-order equations q̈ = f(q, v), however they came about.
struct SecondOrderSystem {
  std::vector<Expression> coordinates;
  std::vector<Expression> velocities;
  std::vector<Expression> parameters;
  std::vector<Expression> accelerations;

  std::size_t dimension() const { return coordinates.size(); }
  /// q, v, parameters: what the accelerations are functions of.
  std::vector<Expression> inputs() const;
  /// df/dt along the motion, the derivative along Γ = v ∂_q + f ∂_v.
  std::vector<Expression> rates(const std::vector<Expression>& functions) const;
};

/// The equations of motion of a system without constraints. Throws ExpressionError if they are too large to be solved
/// for the accelerations.
SecondOrderSystem second_order(const System& system);

}  // namespace rattleback
