#pragma once

#include <unordered_map>

#include "method_maps.hpp"

namespace rattleback {

/// One interval of a discrete path, from q to q + Δ in time h: what follows from L_d(q, Δ) and the discrete forces
/// F⁻, F⁺ by differentiation.
struct Interval {
  std::vector<Expression> increments;  ///< Δ
  std::vector<Expression> left;        ///< −D₁L_d − F⁻, the momentum at the left end
  std::vector<Expression> right;       ///< D₂L_d + F⁺, the momentum at the right end
  std::vector<Expression> change;      ///< right − left

  /// Where applied forces contain multipliers: accelerations and multipliers at each node of the rule as unknowns.
  struct AtNodes {
    ImplicitSystem equations;        ///< that determine them, for steps that know where to start
    ImplicitSystem equations_anew;   ///< for maps that know nothing of them
    std::vector<std::string> names;  ///< of the equations
    /// What they are at the start: unknowns of `accelerations`.
    std::unordered_map<Expression, Expression> first;
  };
  AtNodes at_nodes;
  std::vector<KnownSlopes> turns;  ///< of rotations, where the rule has nodes, and at the right end
};

/// Throws MethodError if the rule has a word about rotations, and there are none.
void require_turns(const System& system, const Rule& rule);

/// L_d under a rule, and F⁻ = F⁺ = (h/2) F_d. Multipliers in F are those of the motion, functions of (q, v, t) like the
/// rest of F: Λ(q, v, t) with which, and with some a, the equations of motion hold at (q, v, t). The discrete
/// multipliers are no substitute, being impulses that depend on the representative of p modulo Aᵀ.
Interval differentiate(const System& system, const Rule& rule);
/// Any L_d, without forces.
Interval differentiate(const System& system, const Expression& discrete_lagrangian);

/// Lets a step solve for the unknowns of the nodes of the rule, too. They are added to `first`.
void solve_at_nodes(Method& method, const System& system, const Interval& interval,
                    std::unordered_map<Expression, Expression>& first);

/// first, first + 1, …
std::vector<std::size_t> entries_from(std::size_t first, std::size_t count);

/// The admissible velocity at a node from a state that begins with (q, p), whose symbols are given.
ImplicitSystem node_by_momenta(const System& system, const std::vector<Expression>& state);

/// What all methods on (q, p) have in common: the start p = L_v, two positions, the admissible velocity at a node, the
/// data of the step. Equations are added by the method.
Method position_momentum_method(const System& system, const Interval& interval);

/// h (A_d + b_d) = Σ ωᵢ (A(qᵢ) Δ + h b(qᵢ)), then g(q + Δ).
std::vector<Expression> discrete_constraints(const System& system, const Rule& rule);

/// E at the midpoint, L_d under the rule, and A v + b under the rule or under one of their own.
IntervalFunctions interval_functions(const System& system, const Rule& rule,
                                     const std::optional<Rule>& constraints = {});

/// By how much the order of the positions is higher if the start is two of them.
int order_gained_from_two_positions(const System& system, const Rule& rule, const Rule& constraint_rule);

/// The unknowns of the step that are iterated start from an extrapolation of their last three values. `first` tells for
/// unknowns of the step what to take before there are any, in the data of the start.
void add_predictor(Method& method, const std::unordered_map<Expression, Expression>& first);

}  // namespace rattleback
