#pragma once

#include <optional>
#include <vector>

#include "rattleback/geometry/multiplier.hpp"

namespace rattleback {

/// A system that a multiplier N makes Hamiltonian, in formulas (Fernandez, Bloch & Olver, section 4). In both times the
/// momenta are P = N l_ṙ(r, ṙ).
///
///     in τ, dτ = N dt:   𝓛(r, r') = l(r, N r'),    𝓗(r, P),         r' = 𝓗_P,  P' = −𝓗_r
///     in t:              Λ(r, ṙ) = N (l + E),      K = N (𝓗 − E)    ṙ = K_P,   Ṗ = −K_r
///
/// (31), (41)–(44). K is the Hamiltonian of the Poincaré transformation: where it is 0, that is on the level set E of
/// the energy, its motion is ṙ = N 𝓗_P, Ṗ = −N 𝓗_r (43), the reduced one.
struct HamiltonizedForms {
  std::vector<Expression> momenta;  ///< symbols for P
  Expression energy;                ///< the symbol E
  Expression lagrangian;            ///< 𝓛
  Expression poincare_lagrangian;   ///< Λ
  /// 𝓗 and K; nothing where there are too many coordinates for formulas.
  std::optional<Expression> hamiltonian;
  std::optional<Expression> poincare_hamiltonian;
};

HamiltonizedForms hamiltonized_forms(const System& reduced, const Expression& multiplier);

}  // namespace rattleback
