// The exact discrete Lagrangian, L_d(q₀, q₁) = ∫ L dt along the motion of L from q₀ to q₁ in time h (J. E. Marsden and
// M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001), section 1.6; Evensberget, section
// 2.3), where it is known in closed form: coordinates that do not act on each other, each with
//
//     L = ½ m v² − ½ k q² − f q + a v + c.
//
// With ω² = k/m and φ = tan(ωh/2)/(ωh/2) it is the midpoint rule with other constants,
//
//     L_d = h (½ (m/φ) (Δ/h)² − ½ k φ (q + Δ/2)² − φ f (q + Δ/2)) + a Δ + h (c + (1 − φ) f²/(2k)).
//
// φ is tanh(κh/2)/(κh/2) with κ² = −k/m if k/m < 0, and 1 if k = 0, where the last term is −h³f²/(24m). Where ωh is a
// multiple of π the motion does not know where q₁ is, and there is no L_d.

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {
namespace {

/// Throws MethodError.
[[noreturn]] void refuse_exact(const std::string& why) {
  throw MethodError(
      fmt::format("the rule exact is for Lagrangians that are sums of 0.5*m*x'^2 - 0.5*k*x^2 - f*x with constants m, k "
                  "and f, one for each coordinate: {}",
                  why));
}

/// A derivative of L that has to be a constant: nothing but parameters.
Expression constant(const Expression& derivative, const System& system, const std::string& what) {
  const Expression value = tidy(derivative);
  for (const Expression& symbol : free_symbols(value)) {
    if (std::ranges::find(system.parameters(), symbol) == system.parameters().end()) {
      refuse_exact(fmt::format("{} depends on {}", what, symbol.name()));
    }
  }
  return value;
}

}  // namespace

Expression exact_discrete_lagrangian(const System& system, std::span<const double> parameters) {
  if (!system.rotations().empty()) refuse_exact(fmt::format("{} is a rotation", system.rotations()[0].name));
  if (!system.applied_forces().empty()) refuse_exact("there are applied forces");
  const auto& q = system.coordinates();
  const auto& v = system.velocities();
  const Expression h = step_symbol();
  std::unordered_map<Expression, double> values;
  for (std::size_t i = 0; i < parameters.size(); ++i) values.emplace(system.parameters()[i], parameters[i]);
  Substitution origin;
  for (std::size_t i = 0; i < q.size(); ++i) {
    origin.emplace(q[i], Expression(0.0));
    origin.emplace(v[i], Expression(0.0));
  }
  Expression action = h * substitute(system.lagrangian(), origin);
  const auto coupled = [&](const Expression& slope, const Expression& symbol, const std::string& what) {
    if (!tidy(derivative(slope, symbol)).is_constant(0.0)) {
      refuse_exact(fmt::format("{} depends on {}", what, symbol.name()));
    }
  };
  for (std::size_t i = 0; i < q.size(); ++i) {
    const std::string momentum = "the momentum of " + q[i].name();
    const std::string force = "the force on " + q[i].name();
    for (std::size_t j = 0; j < q.size(); ++j) {
      coupled(system.momenta()[i], q[j], momentum);
      if (j == i) continue;
      coupled(system.momenta()[i], v[j], momentum);
      coupled(system.forces()[i], q[j], force);
    }
    const Expression mass = constant(derivative(system.momenta()[i], v[i]), system, "the mass of " + q[i].name());
    const Expression stiffness =
        constant(-derivative(system.forces()[i], q[i]), system, "the spring constant of " + q[i].name());
    const Expression load = -substitute(system.forces()[i], origin);
    const Expression drift = substitute(system.momenta()[i], origin);
    const double m = evaluate(mass, values);
    const double k = evaluate(stiffness, values);
    if (!(m != 0.0)) refuse_exact(fmt::format("{} has no mass", q[i].name()));
    if (k == 0.0 && !stiffness.is_constant(0.0)) {
      refuse_exact(fmt::format("the spring constant of {} happens to be 0; leave it out of the model", q[i].name()));
    }
    const bool oscillates = k / m > 0.0;
    const Expression half_angle = 0.5 * h * sqrt(oscillates ? stiffness / mass : -stiffness / mass);
    const Expression phi = k == 0.0     ? Expression(1.0)
                           : oscillates ? sin(half_angle) / (cos(half_angle) * half_angle)
                                        : tanh(half_angle) / half_angle;
    const Expression increment = increment_symbols(system)[i];
    const Expression middle = moved(system, 0.5)[i];
    action += 0.5 * mass / phi * sq(increment) / h - h * phi * (0.5 * stiffness * sq(middle) + load * middle) +
              drift * increment;
    action += k == 0.0 ? -pow(h, 3) * sq(load) / (24.0 * mass) : h * (1.0 - phi) * sq(load) / (2.0 * stiffness);
  }
  return action;
}

}  // namespace rattleback
