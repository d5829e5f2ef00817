// The discrete Euler–Lagrange (DEL) equations in position–momentum form (J. E. Marsden and M. West, Discrete mechanics
// and variational integrators, Acta Numerica 10 (2001) 357–514, sections 1.5.3 and 3.2):
//
//     D₁L_d(q_k, q_{k+1}) + p_k + F⁻ = 0,     p_{k+1} = D₂L_d(q_k, q_{k+1}) + F⁺
//
// Order 2 for symmetric rules, 1 in general. Symplectic, and keeps the momenta of symmetries of L_d, if there are no
// applied forces. With F⁻ = F⁺ = (h/2) F_d this is the forced DEL equation.

#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "variational.hpp"

namespace rattleback {
namespace {

Method del(const System& system, const Interval& interval) {
  if (!system.velocity_rows().empty()) {
    throw MethodError("del is for systems without constraints, and this one has some; dla takes them into account");
  }
  Method method = position_momentum_method(system, interval);
  const std::vector<Expression> p = momentum_symbols(system);
  const std::vector<Expression> p_in_body = in_body(system, p, system.coordinates());
  std::unordered_map<Expression, Expression> first;
  method.step.unknowns = interval.increments;
  method.step.guess.assign(system.dimension(), Expression(0.0));
  std::vector<Expression> next_p;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    const Expression& increment = interval.increments[i];
    method.step.residuals.push_back(p_in_body[i] - interval.left[i]);
    next_p.push_back(p[i] + interval.change[i]);
    first.emplace(increment, step_symbol() * system.velocities()[i]);
  }
  give_next(method.step, system, joined({moved(system), next_p}));
  method.step.give(Slot::increments, interval.increments);
  add_predictor(method, first);
  return method;
}

/// Without applied forces the step is a canonical transformation, in coordinates if there are no rotations; the same
/// one in every step if t does not matter.
void set_canonical(Method& method, const System& system, const Expression& discrete_lagrangian) {
  if (!system.applied_forces().empty() || system.depends_on_time() || !system.rotations().empty()) return;
  const std::size_t n = system.dimension();
  method.canonical = CanonicalStep{discrete_lagrangian, entries_from(0, n), entries_from(n, n), system, {}};
}

}  // namespace

Method del(const System& system, const Rule& rule) {
  Method method = del(system, differentiate(system, rule));
  set_canonical(method, system, discrete_lagrangian(system, rule));
  method.interval = interval_functions(system, rule);
  method.structure = {rule.order(), Structure::Constraint::between_nodes, rule.is_symmetric(), true, true};
  method.structure.order_gained_from_two_positions = order_gained_from_two_positions(system, rule, rule);
  return method;
}

Method del(const System& system, const Expression& discrete_lagrangian, int order, bool symmetric) {
  if (!system.applied_forces().empty()) {
    throw MethodError("del for a given discrete Lagrangian knows no rule for applied forces, and this system has some");
  }
  Method method = del(system, differentiate(system, discrete_lagrangian));
  set_canonical(method, system, discrete_lagrangian);
  method.interval = {discretise(system.energy(), system, midpoint()), discrete_lagrangian, {}};
  method.structure = {order, Structure::Constraint::between_nodes, symmetric, true, true};
  return method;
}

}  // namespace rattleback
