#pragma once

#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback::answer {

/// The equations of Lagrange and d'Alembert, d/dt L_v − L_q = Aᵀλ + F, for people: with the symbols x'' and lambda1, or
/// lambda_slip for a row that has this name.
struct EquationsOfMotion {
  std::vector<Expression> multipliers;  ///< symbols
  std::vector<Expression> left, right;
  /// Solved for the accelerations and multipliers, if that leaves formulas that can be read; else empty.
  std::vector<Expression> solved_accelerations = {};
  std::vector<Expression> solved_multipliers = {};
};

/// The symbols lambda1 or lambda_slip.
std::vector<Expression> multipliers_of(const System& system);

EquationsOfMotion equations_of_motion(const System& system);

}  // namespace rattleback::answer
