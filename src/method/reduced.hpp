#pragma once

// What methods on the shape space of a Chaplygin system have in common: they solve for the motion of r, and s follows
// by the discrete constraints, so that the full motion is always there.

#include "variational.hpp"

namespace rattleback {

/// A step for r.
struct ShapeStep {
  /// Position r and velocity w at a node, P = L_w(r, w). Parameters beyond those of the model are constants of the
  /// motion.
  System system;
  Expression speed = Expression(1.0);                  ///< ṙ = speed(r) · w
  std::vector<Expression> increments;                  ///< Δr
  std::vector<Expression> left;                        ///< P_k as a function of (r_k, Δr)
  std::vector<Expression> right;                       ///< P_{k+1} as a function of (r_k, Δr)
  std::vector<Expression> next;                        ///< P_{k+1} as a function of (r_k, P_k, Δr)
  std::vector<Expression> constants;                   ///< values of the further parameters, in (q, v) of the start
  std::optional<Expression> discrete_lagrangian = {};  ///< where there are no forces
  Expression pace = Expression(1.0);                   ///< of the method's time relative to t: Δq is about h v/pace
};

/// Symbols for the momenta P of the shape.
std::vector<Expression> shape_momenta(const System& shape);

/// For L_d and forces on the shape space: next = P + change.
ShapeStep shape_step(System shape, const Interval& interval);

/// The state is (q, P, constants).
Method reduced_method(const System& system, const ChaplyginSystem& chaplygin, const Rule& rule, const ShapeStep& shape);

/// Where the constraints cannot be solved for the fibre the reduced equations are singular: the method ends there, or
/// tells that it passed.
void guard_transversality(Method& method, const System& system, const ChaplyginSystem& chaplygin,
                          const ShapeStep& shape, bool ends);

/// At N = 0 the inertia of the step's equations vanishes in one direction, and two of their solutions meet: the method
/// ends before, or passes by the solution that continues the motion.
void guard_multiplier(Method& method, const System& system, const Hamiltonization& h, const ShapeStep& shape,
                      bool through);

}  // namespace rattleback
