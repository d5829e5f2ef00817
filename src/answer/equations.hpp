#pragma once

#include <optional>
#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback::answer {

/// The equations of Lagrange and d'Alembert, d/dt L_v − L_q = Aᵀλ + F, for people: with the symbols x'' and lambda1, or
/// lambda_slip for a row that has this name. Of rotations d/dt L_Ω − L_Ω × Ω − L_R = Aᵀλ + F, in the body, with
/// R.omega1'.
struct EquationsOfMotion {
  std::vector<Expression> multipliers;  ///< symbols
  std::vector<Expression> left, right;
  /// Solved for the accelerations and multipliers, if that leaves formulas that can be read; else empty.
  std::vector<Expression> solved_accelerations = {};
  std::vector<Expression> solved_multipliers = {};
};

/// The symbols lambda1 or lambda_slip.
std::vector<Expression> multipliers_of(const System& system);

/// Symbols for the derivatives of velocities: x'' and R.omega1'.
std::vector<Expression> accelerations_of(const System& system);

/// `written` is A by other names, for the right sides (WrittenModel).
EquationsOfMotion equations_of_motion(const System& system, const std::optional<SparseMatrix>& written = {});

}  // namespace rattleback::answer
