#pragma once

#include "rattleback/model/system.hpp"

namespace rattleback::test {

/// An oscillator on the plane that is φ-simple by construction, F = ⟨p, ṙ⟩ dφ − ⟨dφ, ṙ⟩ p, with a function of x and y.
inline System simple_by_construction(const Expression& phi) {
  const auto [x, y] = coordinates("x", "y");
  SystemDefinition d;
  d.coordinates = {x, y};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y))) - 0.5 * (sq(x) + sq(y));
  const auto slope = gradient(phi, d.coordinates);
  const Expression along = slope[0] * dot(x) + slope[1] * dot(y);
  const Expression twice_kinetic = sq(dot(x)) + sq(dot(y));
  d.applied_forces = {twice_kinetic * slope[0] - along * dot(x), twice_kinetic * slope[1] - along * dot(y)};
  return System(d);
}

/// A φ that no product of powers of functions in the system fits.
inline Expression phi_without_closed_form() {
  const auto [x, y] = coordinates("x", "y");
  return 0.3 * atan(x * y) + 0.2 * sin(x) * y;
}

}  // namespace rattleback::test
