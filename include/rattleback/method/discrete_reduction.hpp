#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/geometry/chaplygin.hpp"
#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/method/rule.hpp"

namespace rattleback {

/// The discrete Lagrange–d'Alembert principle of a Chaplygin system on its shape space, Cortés & Martínez, section
/// 5.3.2. The discrete constraints determine s₁ by (r₀, s₀, r₁), and on them L_d is
///
///     L_d*(r₀, r₁) = L_d(r₀, s₀, r₁, s₁)
///
/// so that the shape moves by
///
///     D₁L_d*(r_k, r_{k+1}) + D₂L_d*(r_{k−1}, r_k) = F⁻(r_k, r_{k+1}) + F⁺(r_{k−1}, r_k)                          (32)
///
///     F⁻ = ∂L_d/∂s₁ ∂s₁/∂r₀ + ∂L_d/∂s₀ Γ(q₀),     F⁺ = ∂L_d/∂s₁ ∂s₁/∂r₁ + ∂L_d/∂s₁ Γ(q₁)
///
/// with ṡ = −Γ ṙ. The sign of F⁻ + F⁺ is that of the paper: they tend to −h times the force on the shape. Where L_d and
/// the discrete constraints are invariant under the group, none of this depends on s₀. All is written in q₀, Δr = r₁ −
/// r₀ and h.
struct DiscreteReduction {
  std::vector<Expression> shape_increments;  ///< Δr
  std::vector<Expression> fibre_increments;  ///< Δs
  /// (q₀, Δr, where Δs is looked for, h, parameters) ↦ (L_d*, F⁻, F⁺) as `others`, Δs as `increments`. The first output
  /// is L_d*, the first data are q₀ and Δr.
  ImplicitSystem map;

  struct Formulas {
    std::vector<Expression> fibre;  ///< Δs
    Expression lagrangian;          ///< L_d*
    std::vector<Expression> minus;  ///< F⁻
    std::vector<Expression> plus;   ///< F⁺
  };
  /// Where the discrete constraints are linear in Δs, as they are for abelian groups.
  std::optional<Formulas> formulas = {};
};

/// For any L_d(q₀, Δ) and any discrete constraints, one for each coordinate of the fibre. Throws MethodError if there
/// are not as many.
DiscreteReduction reduce_discretely(const System& system, const ChaplyginSystem& chaplygin,
                                    const Expression& discrete_lagrangian, std::span<const Expression> constraints);
/// L and the constraints under a rule.
DiscreteReduction reduce_discretely(const System& system, const ChaplyginSystem& chaplygin, const Rule& rule);

}  // namespace rattleback
