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

  Substitution in_tau;  // the midpoint's energy, with the velocity N Δ/h
  for (const Expression& v : system.velocities()) in_tau.emplace(v, multiplier * v);
  method.interval->energy = discretise(substitute(system.energy(), in_tau), system, midpoint());
  method.own_time = OwnTime{1.0 / multiplier, quadrature, false, shape, h.chaplygin.shape};
  return method;
}

}  // namespace rattleback
