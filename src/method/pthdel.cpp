// The Poincaré transformed Hamiltonized discrete Euler–Lagrange (PTHDEL) equations, Fernandez, Bloch & Olver (46): the
// discrete Euler–Lagrange equations, in steps of t, of
//
//     Λ_E(r, ṙ) = N(r) (l(r, ṙ) + E)                                                    (44)
//
// with the multiplier N and the energy E of the initial condition. On the level set of E the Euler–Lagrange equations
// of Λ_E are the reduced equations. The energy of Λ_E, N (E_l − E), is nearly constant; the energy of the motion
// departs from E by 1/N times that (50). At a zero of N the equations have a pole: the method stops before.

#include "reduced.hpp"

namespace rattleback {
namespace {

constexpr const char* energy_name = "E(0)";

/// Λ_E, with E as a parameter.
System altered(const System& reduced, const Expression& multiplier) {
  SystemDefinition definition;
  definition.coordinates = reduced.coordinates();
  definition.parameters = reduced.parameter_list();
  definition.parameters.push_back({energy_name, 0.0});
  definition.lagrangian =
      scaled_lagrangian(reduced, multiplier, multiplier) + multiplier * Expression::symbol(energy_name);
  return System(std::move(definition));
}

}  // namespace

Method pthdel(const Problem& problem, const Rule& rule) {
  const Hamiltonization h = hamiltonization_of(problem, "pthdel");
  const System shape = altered(h.chaplygin.reduced, h.multiplier.exponential);
  ShapeStep step = shape_step(shape, differentiate(shape, rule));
  step.constants = {h.chaplygin.reduced.energy()};
  Method method = reduced_method(problem.system, h.chaplygin, rule, step);
  guard_multiplier(method, problem.system, h, step);
  return method;
}

}  // namespace rattleback
