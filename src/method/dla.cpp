// The discrete Lagrange–d'Alembert (DLA) equations, Cortés & Martínez (6), in position–momentum form:
//
//     D₁L_d(q_k, q_{k+1}) + p_k + F⁻ = A(q_k)ᵀλ_k,   A_d(q_k, q_{k+1}) + b_d = 0,   p_{k+1} = D₂L_d(q_k, q_{k+1}) + F⁺
//
// and with holonomic constraints, Cortés & Martínez (17), also ∇g(q_k) μ_k on the right-hand side and g(q_{k+1}) = 0.
//
// Where F contains multipliers, they are not λ_k (variational.hpp), and each node of the rule has the equations of
// motion as further equations of the step: F stays a function of (q, v, t), and nothing of what follows changes.
//
// A_d may have a rule of its own, apart from that of L_d. Order 2 if both rules are symmetric, 1 in general. The
// momentum changes by the impulses of the applied and of the constraint forces, p_{k+1} = p_k + D₁L_d + D₂L_d + F⁻ + F⁺
// − Aᵀλ_k, and this is what is computed: rounding then acts like a slight change of the masses, not like a force
// (docs/kernels.md). Where the system depends on time, A(q_k)ᵀ is that of t_k, the nodes of the rules are at t_k + αᵢ
// h, and g(q_{k+1}) = 0 is that of t_{k+1}. Only p modulo A(q)ᵀ matters: λ_k absorbs the rest. On that quotient the map
// is its own adjoint if the rules are symmetric.
//
// Of a rotation, Δ/4 is the unknown ζ of model/space.hpp, equations are those of directions of the body at q_k, and p
// is the angular momentum in space: a body that is free keeps its bits.

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "variational.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

namespace {

/// `rows` are the discrete constraints, those on positions last.
Method dla(const System& system, const Interval& interval, const Vector& rows) {
  const Vector p = momentum_symbols(system);
  const Vector lambda = multiplier_symbols(system);
  const Vector& increments = interval.increments;
  Vector motion = in_body(system, p, system.coordinates());
  Vector next_p;
  std::unordered_map<Expression, Expression> first;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    motion[i] -= interval.left[i];
    next_p.push_back(p[i] + interval.change[i]);
    first.emplace(increments[i], step_symbol() * system.velocities()[i]);
  }
  add_constraint_forces(system, lambda, -1.0, motion);
  add_constraint_forces(system, lambda, -1.0, next_p, SeenFrom::space);

  Method method = position_momentum_method(system, interval);
  method.step.unknowns = joined({increments, lambda});
  method.step.residuals = joined({motion, rows});
  method.step.guess.assign(method.step.unknowns.size(), Expression(0.0));
  give_next(method.step, system, joined({moved(system), next_p}));
  method.step.give(Slot::multipliers, lambda);
  method.step.give(Slot::increments, increments);
  for (std::size_t k = 0; k < lambda.size(); ++k) method.equations.push_back("the discrete " + system.row_name(k));
  solve_at_nodes(method, system, interval, first);
  add_predictor(method, first);
  return method;
}

}  // namespace

Method dla(const System& system, const Rule& rule, const std::optional<Rule>& own_rule) {
  const Rule& constraint_rule = own_rule ? *own_rule : rule;
  Method method = dla(system, differentiate(system, rule), discrete_constraints(system, constraint_rule));
  method.interval = interval_functions(system, rule, own_rule);
  method.structure = {std::min(rule.order(), constraint_rule.order()), Structure::Constraint::between_nodes,
                      rule.is_symmetric() && constraint_rule.is_symmetric(), true, true};
  method.structure.order_gained_from_two_positions = order_gained_from_two_positions(system, rule, constraint_rule);
  return method;
}

Method dla(const System& system, const Expression& discrete_lagrangian, const Vector& constraints, int order,
           bool symmetric) {
  if (!system.applied_forces().empty()) {
    throw MethodError("dla for a given discrete Lagrangian knows no rule for applied forces, and this system has some");
  }
  if (constraints.size() != system.constraints().size()) {
    throw MethodError(
        fmt::format("dla needs as many discrete constraints as the system has velocity constraints, {}, "
                    "found {}",
                    system.constraints().size(), constraints.size()));
  }
  const Vector positions = discretise(system.holonomic(), system, alpha(1.0));
  Method method = dla(system, differentiate(system, discrete_lagrangian), joined({constraints, positions}));
  method.interval = {discretise(system.energy(), system, midpoint()), discrete_lagrangian, constraints};
  method.structure = {order, Structure::Constraint::between_nodes, symmetric, true, true};
  return method;
}

}  // namespace rattleback
