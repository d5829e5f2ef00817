// The Hamiltonized discrete Euler–Lagrange (HDEL) equations, Fernandez, Bloch & Olver (33): the discrete Euler–Lagrange
// equations, in steps of τ with dτ = N(r) dt, of the Hamiltonized Lagrangian
//
//     𝓛(r, r') = l(r, N r') = ½ N² G r' r' − V,     r' = dr/dτ
//
// Equal steps of τ: the time of a node is the integral of 1/N over τ, (34): see time_map.hpp. Where N = 0, τ has a
// turning point as a function of t: the method stops before.
//
// Steps of τ that belong to equal steps h of t change with the trajectory, η = h N(r) under the rule, or are given by a
// reference solution: see paced_stepper.cpp. η changes its sign together with N, so that zeros of N can be passed. With
// η = h N under the midpoint rule the equations are those of pthdel with the energy of the step, ṙ·l_ṙ − l at the
// midpoint, instead of E: symmetric, of order 2, and no longer those of one Lagrangian.

#include "rattleback/expr/graph.hpp"
#include "reduced.hpp"

namespace rattleback {
namespace {

/// The equations with another size of the step.
ShapeStep with_step(ShapeStep step, const Expression& size) {
  const Substitution resized{{step_symbol(), size}};
  for (auto* equations : {&step.left, &step.right, &step.next}) *equations = substitute(*equations, resized);
  return step;
}

}  // namespace

Method hdel(const System& system, const Hamiltonization& h, const Rule& rule, const TauSteps& steps) {
  const Expression& multiplier = h.multiplier.exponential;
  const System shape = hamiltonized(h.chaplygin.reduced, multiplier);
  ShapeStep step = shape_step(shape, differentiate(shape, rule));
  step.speed = multiplier;
  if (steps.size == TauSteps::Size::equal_time) {
    step = with_step(std::move(step), step_symbol() * discretise(multiplier, shape, rule));
  }
  if (steps.size == TauSteps::Size::equal) {
    step.pace = multiplier;
    step.discrete_lagrangian = discrete_lagrangian(shape, rule);
  }
  Method method = reduced_method(system, h.chaplygin, rule, step);
  guard_multiplier(method, system, h, step, steps.through);
  if (steps.size == TauSteps::Size::equal_time) return method;

  Substitution in_tau;  // the midpoint's energy, with the velocity N Δ/h
  for (const Expression& v : system.velocities()) in_tau.emplace(v, multiplier * v);
  method.interval->energy = discretise(substitute(system.energy(), in_tau), system, midpoint());
  const bool is_paced = steps.size == TauSteps::Size::of_reference;
  method.own_time =
      OwnTime{1.0 / multiplier, steps.quadrature, is_paced ? OwnTime::Nodes::of_reference : OwnTime::Nodes::of_steps,
              shape, h.chaplygin.shape};
  return method;
}

}  // namespace rattleback
