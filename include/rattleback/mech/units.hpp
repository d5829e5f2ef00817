#pragma once

#include <vector>

#include "rattleback/mech/problem.hpp"

namespace rattleback {

/// How velocities compare with each other at the start of a problem, by Λ = Z (Zᵀ M Z)⁻¹ Zᵀ, the inverse inertia on the
/// admissible directions Z = ker A. In other units q_i = c_i q̃_i it is c_i c_j Λ̃_ij, so that tolerances made of it say
/// the same in all units.
struct VelocityUnits {
  explicit VelocityUnits(const Problem& problem);

  /// √Λ_ii: how fast each coordinate can be at unit kinetic energy.
  std::vector<double> each;
  /// |Λ_ij| / Λ_jj, row by row: how fast i becomes when a push makes j as fast as 1. Empty for large systems.
  std::vector<double> together;
};

}  // namespace rattleback
