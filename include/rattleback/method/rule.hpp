#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/expr/graph.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {

/// How functions on TQ become functions of two neighbouring points of a discrete path: a quadrature of the straight
/// line from q₀ to q₁ = q₀ + Δ,
///
///     f_d(q₀, q₁) = Σ ωᵢ f(q₀ + αᵢ Δ, Δ/h, t₀ + αᵢ h).
///
/// Lagrangians, constraints and forces are discretised by the same rule (Cortés & Martínez, Remark 3.1), unless the
/// constraints are given one of their own.
struct Rule {
  struct Node {
    double weight;    ///< ω
    double position;  ///< α
  };
  std::vector<Node> nodes;
  TurnRate turn = TurnRate::quarter;  ///< where coordinates are rotations: Δ/h is this angular velocity

  /// One of its nodes alone.
  Rule at(double position) const { return {{{1.0, position}}, turn}; }
  /// f_d(q₀, q₁) with step h is f_d(q₁, q₀) with step −h.
  bool is_symmetric() const;
  /// Of variational methods under the rule: 2 if Σ ωα = ½ (Σ ω = 1 is required), as for all symmetric rules; else 1.
  int order() const;
};

Rule alpha(double position);  ///< one node
Rule sym(double position);    ///< two nodes, mirror images of each other
Rule midpoint();              ///< alpha(½)
Rule trapezoidal();           ///< sym(0)

/// A rule as people write it: midpoint, trapezoidal, alpha=0.3 or sym=0.25. Throws MethodError; `what` is for the
/// message.
Rule rule_of(const std::string& text, std::string_view what = "the rule");

/// The symbols Δ(x), … for the increments. q₀ has the symbols of the coordinates, h is step_symbol().
std::vector<Expression> increment_symbols(const System& system);

/// q₀ moved by a fraction of its increments, q₀ + α Δ, and as model/space.hpp says: methods move in no other way.
std::vector<Expression> moved(const System& system, double fraction = 1.0);
/// Functions of q and t there: q ↦ q₀ + α Δ, t ↦ t₀ + α h.
Substitution moved_there(const System& system, double fraction = 1.0);

/// Functions of coordinates and velocities under a rule, as expressions in q₀, Δ, t₀ and h. Products of functions under
/// different rules are products of these expressions.
std::vector<Expression> discretise(std::span<const Expression> functions, const System& system, const Rule& rule);
Expression discretise(const Expression& function, const System& system, const Rule& rule);

/// L_d = h · (L under the rule).
Expression discrete_lagrangian(const System& system, const Rule& rule);

}  // namespace rattleback
