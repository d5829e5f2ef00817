#include "free_motion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {

std::vector<std::vector<Expression>> discrete_rows(const System& system, const SteeredSystem& steered,
                                                   const Rule& rule) {
  std::vector<std::vector<Expression>> rows;
  for (const auto& row : steered.rows) rows.push_back(discretise(row, system, rule));
  return rows;
}

namespace {

using Vector = std::vector<Expression>;

/// The direction that the constraints leave under the rule.
Vector admissible_direction(const System& system, const SteeredSystem& steered, const Rule& rule) {
  if (rule.nodes.size() == 1) return discretise(steered.direction, system, rule);
  return steered_direction(system, steered, discrete_rows(system, steered, rule));
}

/// 1/Σ ωᵢ/X(r₁ + αᵢδ), without poles where one of the values vanishes.
Expression harmonic_mean(const Expression& x, const System& system, const Rule& rule) {
  Vector values;
  for (const auto& [weight, position] : rule.nodes) values.push_back(discretise(x, system, alpha(position)));
  Expression product(1.0);
  Expression others;
  for (std::size_t i = 0; i < values.size(); ++i) {
    product *= values[i];
    Expression rest(rule.nodes[i].weight);
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (j != i) rest *= values[j];
    }
    others += rest;
  }
  return product / others;
}

/// The constants C unless others are given, relative to a number c that belongs to the start: with c = |ṙ₁|³/2T the
/// terms of L̃ that C multiplies are at most a thousandth of ½ I₁ ṙ₁² along the motion. What C is does not matter to the
/// continuous motion; the discrete one departs from it in proportion to C.
constexpr double relative_constant = 1e-3;

}  // namespace

std::vector<Expression> scaled(std::vector<Expression> list, const Expression& factor) {
  for (Expression& e : list) e = e * factor;
  return list;
}

Expression FreeMotion::carried(const Vector& x) const {
  Expression total;
  for (std::size_t i = 0; i < moved(); ++i) {
    total += steered.shear[i] * momentum(i);
    if (!kinetic(i)) total += 0.5 * sq(momentum(i)) * x[i] / weights[i];
  }
  return total;
}

Expression FreeMotion::routhian() const {
  return 0.5 * steered.inertia * sq(delta()) / step_symbol() - delta() * carried(direction);
}

Expression FreeMotion::right() const { return derivative(routhian(), delta()); }
Expression FreeMotion::change() const { return derivative(routhian(), r1()); }

Expression FreeMotion::lever(std::size_t i) const {
  return direction[i] == admissible[i] ? Expression(1.0) : admissible[i] / direction[i];
}

Substitution FreeMotion::momenta_at_node(const Vector& ratio, const Vector& speed) const {
  Substitution momenta;
  for (std::size_t i = 0; i < moved(); ++i) {
    const std::size_t a = steered.branch[i];
    momenta.emplace(momentum(i), kinetic(i) ? weights[i] * steered.direction[i] * speed[a] : weights[i] * ratio[a]);
  }
  return momenta;
}

Substitution FreeMotion::momenta_of_interval(const Vector& ratio, const Vector& speed) const {
  Substitution momenta;
  for (std::size_t i = 0; i < moved(); ++i) {
    const std::size_t a = steered.branch[i];
    momenta.emplace(momentum(i), kinetic(i) ? weights[i] * admissible[i] * speed[a] : weights[i] * ratio[a] * lever(i));
  }
  return momenta;
}

Substitution FreeMotion::momenta_at_start(const Vector& ratio, const Vector& speed, const FreeOptions& options) const {
  Substitution momenta = momenta_at_node(ratio, speed);
  if (options.from_momentum) return momenta;
  const Substitution first_step{{delta(), step_symbol() * r1_dot()}};
  for (std::size_t i = 0; i < moved(); ++i) {
    if (!kinetic(i)) momenta.at(momentum(i)) *= substitute(lever(i), first_step);
  }
  return momenta;
}

Substitution FreeMotion::momenta_between() const {
  const Expression h = step_symbol();
  const auto shift = [&](std::size_t i) { return increments[steered.moved[i]] - steered.shear[i] * delta(); };
  Vector advance(steered.directions());  // ⟨X_a, M Δx⟩
  for (const auto& e : system.mass_matrix().entries) {
    const auto row = std::ranges::find(steered.moved, static_cast<std::size_t>(e.row));
    const auto column = std::ranges::find(steered.moved, static_cast<std::size_t>(e.column));
    if (row == steered.moved.end() || column == steered.moved.end()) continue;
    const auto i = static_cast<std::size_t>(row - steered.moved.begin());
    advance[steered.branch[i]] +=
        admissible[i] * e.value * shift(static_cast<std::size_t>(column - steered.moved.begin()));
  }
  return momenta_of_interval(scaled(advance, 1.0 / delta()), scaled(advance, 1.0 / h));
}

Expression FreeMotion::vis_viva() const {
  Expression total;
  for (const auto& e : system.mass_matrix().entries) {
    total += e.value * system.velocities()[static_cast<std::size_t>(e.row)] *
             system.velocities()[static_cast<std::size_t>(e.column)];
  }
  return total;
}

Expression FreeMotion::constant_of_start() const { return sq(r1_dot()) * sqrt(sq(r1_dot())) / vis_viva(); }

FreeMotion FreeMotion::make(const System& system, const SteeredSystem& steered, const Rule& rule,
                            const FreeOptions& options, const char* method) {
  const bool constant = steered.density_is_constant;
  if (options.form == 7 && !constant) {
    throw MethodError(
        fmt::format("{}: the Lagrangian (7) needs a constant N, and here it depends on {}; form=6 does not", method,
                    system.coordinates()[steered.steering].name()));
  }
  const FreeForm form = options.form == 6 || !constant ? FreeForm::both_scaled : FreeForm::constant_density;
  FreeMotion motion{system, steered, form, {}, momentum_symbols(system), increment_symbols(system), {}, {}, {}};
  if (!options.constant) motion.constants.push_back(Expression::symbol("C(0)"));
  for (std::size_t i = 0; i < motion.moved(); ++i) {
    if (motion.kinetic(i)) {
      motion.weights.push_back(motion.steered.masses[i]);
    } else {
      const SteeredSystem& s = motion.steered;
      motion.weights.push_back(free_sign(motion.steered, i) *
                               (options.constant
                                    ? Expression(*options.constant)
                                    : relative_constant * s.inertia * sqrt(s.masses[i]) * motion.constants[0]));
    }
  }
  motion.admissible = motion.direction = admissible_direction(system, motion.steered, rule);
  if (options.mean == FreeMean::direction || rule.nodes.size() == 1) return motion;
  for (std::size_t i = 0; i < motion.moved(); ++i) {
    if (!motion.kinetic(i)) motion.direction[i] = harmonic_mean(motion.steered.direction[i], system, rule);
  }
  return motion;
}

std::vector<StartRemark> FreeMotion::remarks() const {
  Substitution start;
  if (!constants.empty()) start.emplace(constants[0], constant_of_start());
  std::vector<StartRemark> list;
  for (std::size_t i = 0; i < moved(); ++i) {
    if (kinetic(i)) continue;
    const std::string name = "C_" + system.coordinates()[steered.moved[i]].name();
    list.push_back({name, substitute(free_sign(steered, i) * weights[i], start),
                    fmt::format("the constant {} of the free Lagrangian ({})", name, static_cast<int>(form))});
  }
  return list;
}

}  // namespace rattleback
