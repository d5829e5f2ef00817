#pragma once

#include "rattleback/model/system.hpp"

namespace rattleback {

/// A conformally Hamiltonian system in canonical coordinates (García-Naranjo & Vermeeren (2.2)):
///
///     q̇ = N ∂H/∂p,   ṗ = −N ∂H/∂q,     N(q) > 0
struct ConformalDefinition {
  std::vector<Expression> coordinates;
  std::vector<Expression> momenta;  ///< symbols p, as many
  Expression hamiltonian;           ///< H(q, p), quadratic in p
  Expression factor = Expression(1.0);
  std::vector<Parameter> parameters;
};

/// The same as a mechanical system with the gyroscopic force of the multiplier N: with L_H(q, u) the Legendre transform
/// of H, L(q, v) = L_H(q, v/N) and m = L_v = p/N it is d/dt m − L_q = ⟨m, v⟩ ∇φ − ⟨∇φ, v⟩ m, φ = log N (3.1), (3.2).
/// The energy of L is H. Throws SystemError.
SystemDefinition mechanical(const ConformalDefinition& definition);

}  // namespace rattleback
