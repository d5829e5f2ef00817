// The geometric nonholonomic integrator: Evensberget's Hd (midpoint rule) and HdS (trapezoidal rule), equation (2.21),
// which has the signs right; the geometric nonholonomic integrator of S. Ferraro, D. Iglesias and D. Martín de Diego,
// Momentum and energy preserving integrators for nonholonomic dynamics, Nonlinearity 21 (2008) 1911–1928:
//
//     p_k − A(q_k)ᵀλ_k = −D₁L_d(q_k, q_{k+1}),     p_{k+1} = D₂L_d(q_k, q_{k+1}) − A(q_{k+1})ᵀλ_{k+1}
//     A(q_{k+1}) v_{k+1} + b(q_{k+1}) = 0  with  L_v(q_{k+1}, v_{k+1}) = p_{k+1}
//
// Holonomic constraints enter as in RATTLE (H. C. Andersen, Journal of Computational Physics 52 (1983) 24–34), which is
// what these equations are without velocity constraints: a multiplier μ_k of the left end, with which g(q_{k+1}) = 0,
//
//     p_k − A(q_k)ᵀλ_k − ∇g(q_k) μ_k = −D₁L_d(q_k, q_{k+1}),     g(q_{k+1}) = 0
//
// and one of the right end, with which ∇g(q_{k+1})·v_{k+1} = 0. Neither is carried on.
//
// The multiplier λ is carried from step to step, and a wrong first one keeps alternating: the momentum that enters a
// step is reflected at the constraint, D₂L_d − 2Aᵀλ. As λ is an impulse, the state keeps ℓ with λ = −(h/2) ℓ, which
// tends to the continuous multiplier and does not change its sign with h.

#include "../base/signed_size.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "variational.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// The factor of the continuous multiplier in ℓ₀.
Expression first_factor(FirstMultiplier first) {
  switch (first) {
    case FirstMultiplier::consistent: return 1.0;
    case FirstMultiplier::zero: return 0.0;
    case FirstMultiplier::thesis: return -1.0;
    case FirstMultiplier::literal: return -2.0 / step_symbol();
  }
  return 1.0;
}

Vector with_suffix(const Vector& symbols, const char* suffix) {
  Vector result;
  for (const Expression& s : symbols) result.push_back(Expression::symbol(s.name() + suffix));
  return result;
}

}  // namespace

Method gni(const System& system, const Rule& rule, FirstMultiplier first_multiplier) {
  const std::size_t n = system.dimension();
  const std::size_t carried = system.constraints().size();
  const Interval interval = differentiate(system, rule);
  const Vector p = momentum_symbols(system);
  const Vector left_multiplier = multiplier_symbols(system);            // ℓ_k, then those of ∇g
  const Vector next_multiplier = multiplier_symbols(system, "(next)");  // ℓ_{k+1}
  const Vector next_v = with_suffix(system.velocities(), "(next)");     // v_{k+1}
  const Expression half_step = 0.5 * step_symbol();

  const Vector next_q = moved(system);
  Substitution at_next = moved_there(system);
  for (std::size_t i = 0; i < n; ++i) at_next.emplace(system.velocities()[i], next_v[i]);
  const Vector multiplier(left_multiplier.begin(), left_multiplier.begin() + signed_size(carried));
  const Vector position_multiplier(left_multiplier.begin() + signed_size(carried), left_multiplier.end());
  Vector impulse(n);  // −A(q_k)ᵀλ_k − ∇g(q_k) μ_k
  add_constraint_forces(system, left_multiplier, half_step, impulse);
  Vector next_impulse(n);  // the same of q_{k+1}
  add_constraint_forces(system, next_multiplier, half_step, next_impulse);
  next_impulse = substitute(next_impulse, at_next);
  const Vector next_momenta = substitute(system.momenta(), at_next);

  const Vector impulse_in_space = in_space(system, impulse, system.coordinates());
  const Vector next_impulse_in_space = in_space(system, next_impulse, next_q);
  Vector motion = in_body(system, p, system.coordinates());
  Vector next_p;
  std::unordered_map<Expression, Expression> first;
  for (std::size_t i = 0; i < n; ++i) {
    motion[i] = motion[i] + impulse[i] - interval.left[i];
    next_p.push_back(p[i] + impulse_in_space[i] + interval.change[i] + next_impulse_in_space[i]);
    first.emplace(interval.increments[i], step_symbol() * system.velocities()[i]);
    first.emplace(next_v[i], system.velocities()[i]);
  }
  const Vector legendre = in_body(system, next_p, next_q) - next_momenta;

  Method method = position_momentum_method(system, interval);
  method.from_two_positions.reset();
  method.state.add(Slot::multipliers, multiplier.size());
  ImplicitSystem& step = method.step = map_from_state(system, joined({system.coordinates(), p, multiplier}));
  step.known_slopes = interval.turns;
  step.unknowns = joined({interval.increments, position_multiplier, next_v, next_multiplier});
  step.residuals =
      joined({motion, substitute(system.holonomic(), at_next), legendre, substitute(system.velocity_rows(), at_next)});
  step.guess.assign(step.unknowns.size(), Expression(0.0));
  const Vector next_carried(next_multiplier.begin(), next_multiplier.begin() + signed_size(carried));
  give_next(step, system, joined({next_q, next_p, next_carried}));
  step.give(Slot::increments, interval.increments);
  // The node map has unknowns called λ of its own.
  method.node = node_by_momenta(system, joined({system.coordinates(), p, with_suffix(multiplier, "(kept)")}));

  const ImplicitSystem motion_at_start = accelerations(system);
  Vector first_multipliers;
  for (const Expression& lambda : motion_at_start.given(Slot::multipliers).first(carried)) {
    first_multipliers.push_back(first_factor(first_multiplier) * lambda);
  }
  method.start = map_from_node(system);
  method.start.solve_as(motion_at_start);
  method.start.give(Slot::state, joined({system.coordinates(), in_space(system, system.momenta(), system.coordinates()),
                                         first_multipliers}));
  method.needs_inertia = true;

  method.equations.clear();
  for (const Expression& x : system.freedoms()) method.equations.push_back("the momentum of " + x.name());
  for (std::size_t k = carried; k < left_multiplier.size(); ++k) method.equations.push_back(system.row_name(k));
  for (const Expression& x : system.freedoms()) method.equations.push_back("the next momentum of " + x.name());
  for (std::size_t k = 0; k < left_multiplier.size(); ++k) method.equations.push_back(system.row_name(k));
  method.interval = interval_functions(system, rule);
  // What the literal multiplier errs by does not vanish with h.
  const int order = first_multiplier == FirstMultiplier::literal ? 0 : rule.order();
  method.structure = {order, Structure::Constraint::at_nodes, rule.is_symmetric(), true, false, 4};
  solve_at_nodes(method, system, interval, first);
  add_predictor(method, first);
  return method;
}

}  // namespace rattleback
