// The Poincaré transformed Hamiltonized discrete Euler–Lagrange (PTHDEL) equations, Fernandez, Bloch & Olver (46): the
// discrete Euler–Lagrange equations, in steps of t, of
//
//     Λ_E(r, ṙ) = N(r) (l(r, ṙ) + E)                                                    (44)
//
// with the multiplier N and the energy E of the initial condition. On the level set of E the Euler–Lagrange equations
// of Λ_E are the reduced equations. The energy of Λ_E, N (E_l − E), is nearly constant; the energy of the motion
// departs from E by 1/N times that (50).
//
// Where N changes its sign the inertia N G of a direction does too. In a step whose midpoint is there two solutions of
// the discrete equations meet: the method stops before, or passes `through` by the solution nearest to the extrapolated
// increments, if there is one.

#include <algorithm>

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

Method pthdel(const System& system, const Hamiltonization& h, const AlteredRule& rule, bool through) {
  const System& reduced = h.chaplygin.reduced;
  const Expression& multiplier = h.multiplier.exponential;
  const System shape = altered(reduced, multiplier);
  const Expression energy = Expression::symbol(energy_name);
  const Expression action = rule.factor ? step_symbol() * discretise(multiplier, shape, *rule.factor) *
                                              (discretise(reduced.lagrangian(), shape, rule.lagrangian) + energy)
                                        : discrete_lagrangian(shape, rule.lagrangian);
  ShapeStep step =
      shape_step(shape, rule.factor ? differentiate(shape, action) : differentiate(shape, rule.lagrangian));
  step.constants = {reduced.energy()};
  step.discrete_lagrangian = action;
  Method method = reduced_method(system, h.chaplygin, rule.lagrangian, step);
  if (rule.factor) {
    method.structure.symmetric &= rule.factor->is_symmetric();
    method.structure.order = std::min(method.structure.order, rule.factor->order());
  }
  method.canonical->conformal = CanonicalStep::Conformal{multiplier, energy, method.state_size() - 1};
  guard_multiplier(method, system, h, step, through);
  return method;
}

}  // namespace rattleback
