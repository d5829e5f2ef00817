// Mestdag, Bloch & Fernandez: associated second-order systems (4), (5), (14) and free Lagrangians (6), (7).

#include <algorithm>

#include "rattleback/expr/tidy.hpp"
#include "rattleback/geometry/steered.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

// r̈₁ = −⟨Y, ∂V⟩/I₁ and ẍ = Y r̈₁ + X' ṙ₁ u + X u̇ with u̇ = −⟨X, ∂V⟩, for each direction; u is ẋ₂/X₂, or each ẋ_i/X_i.
SecondOrderSystem associated_system(const System& system, const SteeredSystem& s, Associated which) {
  SecondOrderSystem equations{system.coordinates(), system.velocities(), system.parameters(),
                              Vector(system.dimension())};
  const Expression& r1 = system.coordinates()[s.steering];
  const Expression& r1_dot = system.velocities()[s.steering];
  const auto moving = [&](std::size_t i) { return system.velocities()[s.moved[i]] - s.shear[i] * r1_dot; };
  Expression steering = derivative(s.potential, r1);
  Vector acceleration(s.directions());
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    const Expression slope = derivative(s.potential, system.coordinates()[s.moved[i]]);
    steering += s.shear[i] * slope;
    acceleration[s.branch[i]] -= s.direction[i] * slope;
  }
  steering = tidy(-steering / s.inertia);
  equations.accelerations[s.steering] = steering;
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    Expression turning(0.0);
    if (!s.direction[i].is_constant(0.0)) {
      const std::size_t known = which == Associated::by_base ? s.base_of(i) : i;
      turning = tidy(derivative(s.direction[i], r1) / s.direction[known]) * r1_dot * moving(known);
    }
    equations.accelerations[s.moved[i]] =
        s.shear[i] * steering + turning + tidy(s.direction[i] * acceleration[s.branch[i]]);
  }
  return equations;
}

double free_sign(const SteeredSystem& s, std::size_t moved) { return s.is_base(moved) ? 1.0 : -1.0; }

bool keeps_kinetic_energy(const SteeredSystem& s, FreeForm form, std::size_t moved) {
  return s.direction[moved].is_constant(0.0) || (s.is_base(moved) && form == FreeForm::constant_density);
}

namespace {

/// A symbol that is neither coordinate nor parameter.
Expression unused_symbol(std::string name, const SystemDefinition& definition) {
  const auto is_parameter = [&](const Parameter& p) { return p.name == name; };
  const auto is_coordinate = [&](const Expression& q) { return q.name() == name; };
  while (std::ranges::any_of(definition.parameters, is_parameter) ||
         std::ranges::any_of(definition.coordinates, is_coordinate)) {
    name += "_";
  }
  return Expression::symbol(name);
}

}  // namespace

FreeLagrangian free_lagrangian(const System& system, const SteeredSystem& s, FreeForm form) {
  const Expression& r1_dot = system.velocities()[s.steering];
  SystemDefinition definition;
  definition.coordinates = system.coordinates();
  definition.parameters = system.parameter_list();
  Vector p;
  for (const Expression& q : system.coordinates()) p.push_back(unused_symbol("p_" + q.name(), definition));
  Vector constants;
  Expression lagrangian = 0.5 * s.inertia * sq(r1_dot);
  Expression kinetic;                   // Σ p²/2m
  Expression steering = p[s.steering];  // p₁ + Σ Y p + ½ Σ ± X p²/C = I₁ ṙ₁
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    const Expression moving = system.velocities()[s.moved[i]] - s.shear[i] * r1_dot;
    const Expression& momentum = p[s.moved[i]];
    steering += s.shear[i] * momentum;
    if (keeps_kinetic_energy(s, form, i)) {
      constants.emplace_back(0.0);
      lagrangian += 0.5 * s.masses[i] * sq(moving);
      kinetic += 0.5 * sq(momentum) / s.masses[i];
      continue;
    }
    const std::string name = unused_symbol("C_" + system.coordinates()[s.moved[i]].name(), definition).name();
    definition.parameters.push_back({name, 1.0});
    constants.push_back(Expression::symbol(name));
    lagrangian += 0.5 * free_sign(s, i) * constants[i] * tidy(1.0 / s.direction[i]) * sq(moving) / r1_dot;
    steering += 0.5 * free_sign(s, i) * s.direction[i] * sq(momentum) / constants[i];
  }
  definition.lagrangian = lagrangian;

  // p_i = ± C_i ẋ_i/(X_i ṙ₁), which is ± C_i u/ṙ₁ on the constraints; p₂ = I₂ X₂ u if r₂ keeps its kinetic energy.
  Vector constraints;
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    if (s.is_base(i)) continue;
    const std::size_t base = s.base_of(i);
    const Expression& p2 = p[s.moved[base]];
    const Expression& momentum = p[s.moved[i]];
    if (keeps_kinetic_energy(s, form, i)) {
      constraints.push_back(momentum);
    } else if (form == FreeForm::constant_density) {
      const Expression speed = tidy(s.masses[base] * s.direction[base] / s.inertia) * steering;
      constraints.push_back(speed * momentum + constants[i] * p2);
    } else {
      constraints.push_back(constants[base] * momentum + constants[i] * p2);
    }
  }
  return {System(std::move(definition)), std::move(constants), p, kinetic + 0.5 * sq(steering) / s.inertia,
          std::move(constraints)};
}

}  // namespace rattleback
