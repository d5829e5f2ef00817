// The Hamiltonized discrete Euler–Lagrange (HDEL) equations, Fernandez, Bloch & Olver (33): the discrete Euler–Lagrange
// equations, in steps of τ with dτ = N(r) dt, of the Hamiltonized Lagrangian
//
//     𝓛(r, r') = l(r, N r') = ½ N² G r' r' − V,     r' = dr/dτ
//
// The time of a node is the integral of 1/N over τ, (34): see time_map.hpp. Where N = 0, τ has a turning point as a
// function of t: the method stops before.

#include "rattleback/expr/graph.hpp"
#include "reduced.hpp"

namespace rattleback {

Method hdel(const System& system, const Hamiltonization& h, const Rule& rule, Quadrature quadrature) {
  const Expression& multiplier = h.multiplier.exponential;
  const System shape = hamiltonized(h.chaplygin.reduced, multiplier);
  ShapeStep step = shape_step(shape, differentiate(shape, rule));
  step.discrete_lagrangian = discrete_lagrangian(shape, rule);
  step.speed = multiplier;
  Method method = reduced_method(system, h.chaplygin, rule, step);
  guard_multiplier(method, system, h, step);

  // The midpoint's energy, with the velocity N Δ/h.
  Substitution in_tau;
  Substitution at_midpoint;
  const auto increments = increment_symbols(system);
  for (std::size_t i = 0; i < increments.size(); ++i) {
    const Expression& q = system.coordinates()[i];
    in_tau.emplace(system.velocities()[i], multiplier * system.velocities()[i]);
    at_midpoint.emplace(system.velocities()[i], increments[i] / step_symbol());
    at_midpoint.emplace(q, q + 0.5 * increments[i]);
  }
  method.interval->energy = substitute(substitute(system.energy(), in_tau), at_midpoint);
  method.own_time = OwnTime{1.0 / multiplier, quadrature, false, shape, h.chaplygin.shape};
  return method;
}

}  // namespace rattleback
