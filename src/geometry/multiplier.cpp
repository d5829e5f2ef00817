// The gyroscopic force of a reduced system: invariant measure, φ-simplicity, Chaplygin's multiplier.

#include "rattleback/geometry/multiplier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../expr/determinant.hpp"
#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "potential.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

constexpr int points_of_multiplier = 40;
constexpr double multiplier_tolerance = 1e-9;
constexpr double coarse_rounding = 1e-13;
constexpr std::size_t most_candidates = 60;  ///< for closed forms, besides determinants

Vector forces_of(const System& reduced) {
  return reduced.applied_forces().empty() ? Vector(reduced.dimension()) : reduced.applied_forces();
}

Substitution at_rest(const System& reduced) {
  Substitution rest;
  for (const Expression& v : reduced.velocities()) rest.emplace(v, Expression(0.0));
  return rest;
}

/// ∂²F_i/∂ṙ^j∂ṙ^k, [i][j][k].
std::vector<ExpressionMatrix> second_derivatives(const System& reduced) {
  std::vector<ExpressionMatrix> result;
  for (const Expression& f : forces_of(reduced)) {
    result.push_back(dense(hessian(f, reduced.velocities())));
    for (Vector& row : result.back()) {
      for (Expression& e : row) e = tidy(e);
    }
  }
  return result;
}

ExpressionMatrix inverse_metric(const System& reduced, const ExpressionMatrix& metric) {
  ExpressionMatrix identity(metric.size(), Vector(metric.size()));
  for (std::size_t i = 0; i < metric.size(); ++i) identity[i][i] = Expression(1.0);
  return reduced.dimension() == 0 ? metric : solved(metric, identity);
}

ExpressionMatrix metric_of(const System& reduced) {
  ExpressionMatrix metric = dense(reduced.mass_matrix());
  for (Vector& row : metric) {
    for (Expression& e : row) e = tidy(e);
  }
  return metric;
}

/// Why the theory does not apply, or nothing.
std::string why_not(const System& reduced, std::span<const double> parameters, const std::vector<double>& near) {
  if (reduced.depends_on_time()) return "the system depends on time explicitly";
  Vector metric;
  for (const auto& entry : reduced.mass_matrix().entries) metric.push_back(tidy(entry.value));
  for (const Expression& symbol : free_symbols(metric)) {
    if (std::find(reduced.velocities().begin(), reduced.velocities().end(), symbol) != reduced.velocities().end()) {
      return fmt::format("the Lagrangian is not quadratic in the velocity {}", symbol.name());
    }
  }
  // p(r, 0) = 0, and F(r, 2ṙ) = 4 F(r, ṙ).
  Substitution doubled;
  for (const Expression& v : reduced.velocities()) doubled.emplace(v, 2.0 * v);
  const Vector force = forces_of(reduced);
  Vector checked = substitute(reduced.momenta(), at_rest(reduced));
  const Vector twice = substitute(force, doubled);
  for (std::size_t i = 0; i < force.size(); ++i) checked.push_back(twice[i] - 4.0 * force[i]);
  const Vector sizes = joined({reduced.momenta(), force});
  Interpreter<double> program(make_program(state_and_parameters(reduced), joined({checked, sizes})));
  RandomPoints random;
  for (int k = 0; k < points_of_multiplier; ++k) {
    const State state{random.near(near, 1.0), random.near(std::vector<double>(near.size(), 0.0), 1.0)};
    const auto values = program(joined_data(state, parameters));
    for (std::size_t i = 0; i < checked.size(); ++i) {
      if (!std::isfinite(values[i])) continue;
      double size = 0.0;
      for (std::size_t j = checked.size(); j < values.size(); ++j) size = std::max(size, std::abs(values[j]));
      if (std::abs(values[i]) <= 1e-8 * size) continue;
      return i < reduced.dimension() ? "the Lagrangian has terms that are linear in the velocities"
                                     : "the applied forces are not quadratic in the velocities";
    }
  }
  return "";
}

/// A residual and the terms it is a sum of, which tell how large it would be if it were not zero.
struct Residual {
  Expression value;
  Vector terms;
};

/// Where and with what a reduced system is looked at.
struct Scene {
  const System& reduced;
  std::span<const double> parameters;
  std::vector<double> near;
  double radius = 1.0;

  State random_state(RandomPoints& random) const {
    return {random.near(near, radius), random.near(std::vector<double>(near.size(), 0.0), 1.0)};
  }
};

/// Half-width of a box about the start in which at least half of the points are in the domain of the expressions.
double usable_radius(const Scene& scene, const Vector& expressions) {
  Interpreter<double> program(make_program(state_and_parameters(scene.reduced), expressions));
  for (Scene trial = scene; trial.radius > 1e-9; trial.radius *= 0.1) {
    RandomPoints random;
    int finite = 0;
    for (int k = 0; k < points_of_multiplier; ++k) {
      const auto values = program(joined_data(trial.random_state(random), scene.parameters));
      finite += std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }) ? 1 : 0;
    }
    if (2 * finite >= points_of_multiplier) return trial.radius;
  }
  return scene.radius;
}

/// The worst of the residuals at random (r, ṙ), each relative to its terms. What is below the rounding of `coarse`,
/// the numbers that the terms are made of, is zero.
Certificate certify(const Scene& scene, const std::vector<Residual>& residuals, const Vector& coarse,
                    bool with_velocities) {
  Certificate certificate{true, 0.0, multiplier_tolerance, 0, {}};
  Vector outputs = coarse;
  for (const Residual& r : residuals) outputs = joined({outputs, std::span(&r.value, 1), r.terms});
  Interpreter<double> program(make_program(state_and_parameters(scene.reduced), outputs));
  RandomPoints random;
  for (int attempt = 0; attempt < 4 * points_of_multiplier && certificate.points < points_of_multiplier; ++attempt) {
    const State state = scene.random_state(random);
    const auto values = program(joined_data(state, scene.parameters));
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
    ++certificate.points;
    double size = 0.0;
    for (std::size_t i = 0; i < coarse.size(); ++i) size = std::max(size, std::abs(values[i]));
    double worst = 0.0;
    std::size_t next = coarse.size();
    for (const Residual& r : residuals) {
      const double value = std::abs(values[next++]);
      double terms = 0.0;
      for (std::size_t t = 0; t < r.terms.size(); ++t) terms = std::max(terms, std::abs(values[next++]));
      if (value > 0.0) worst = std::max(worst, value > coarse_rounding * size ? value / terms : value / size);
    }
    if (certificate.points > 1 && worst <= certificate.residual) continue;
    certificate.residual = worst;
    certificate.worst = state.q;
    if (with_velocities) certificate.worst.insert(certificate.worst.end(), state.v.begin(), state.v.end());
  }
  certificate.holds = certificate.points > 0 && certificate.residual <= multiplier_tolerance;
  return certificate;
}

/// Functions that multipliers are made of.
Vector candidates(const System& system, const ChaplyginSystem& c, const ExpressionMatrix& metric, const State& near) {
  Substitution on_fibre;  // determinants of the whole system count at one point of the fibre: they change by a factor
  for (const std::size_t i : c.fibre) on_fibre.emplace(system.coordinates()[i], Expression(near.q[i]));
  Vector sources;
  for (const Vector& row : metric) sources = joined({sources, row});
  for (const Vector& row : c.connection) sources = joined({sources, row});
  for (const auto& entry : system.constraint_matrix().entries) sources.push_back(entry.value);
  for (const auto& entry : system.mass_matrix().entries) sources.push_back(entry.value);
  for (const Expression& f : forces_of(c.reduced)) sources.push_back(f);
  sources.push_back(system.lagrangian());
  sources.push_back(tidy(substitute(c.transversality, on_fibre)));
  Vector determinants;
  try {
    for (std::size_t i = 0; metric.size() > 2 && i < metric.size(); ++i) {  // principal minors
      ExpressionMatrix minor = metric;
      minor.erase(minor.begin() + static_cast<std::ptrdiff_t>(i));
      for (Vector& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
      sources.push_back(determinant(minor));
    }
    determinants = {determinant(metric), tidy(substitute(determinant(dense(system.mass_matrix())), on_fibre))};
  } catch (const ExpressionError&) {  // too large to be written down
  }
  Vector small = functions_in(joined({sources, determinants}), c.reduced.coordinates(), c.reduced.parameters());
  // In other coordinates the metric has other entries, but its determinant relative to that of the full one is the same
  // function: the determinants are never left out.
  for (const Expression& d : determinants) {
    if (std::find(small.begin(), small.end(), d) != small.end()) std::erase(small, d);
  }
  if (small.size() > most_candidates) small.resize(most_candidates);
  for (const Expression& d : determinants) {
    small.push_back(without_common_factors(d));
    small.push_back(d);
  }
  return small;
}

}  // namespace

GyroscopicStructure examine_gyroscopic(const System& system, const ChaplyginSystem& c,
                                       std::span<const double> parameters, const State& near) {
  const System& reduced = c.reduced;
  const std::size_t m = reduced.dimension();
  std::vector<double> r;
  for (const std::size_t i : c.shape) r.push_back(near.q[i]);
  GyroscopicStructure g;
  g.reason = why_not(reduced, parameters, r);
  if (!g.reason.empty()) return g;
  const Vector force = forces_of(reduced);
  const Vector& r_dot = reduced.velocities();
  const Vector& p = reduced.momenta();

  Scene scene{reduced, parameters, r};
  scene.radius = usable_radius(scene, joined({force, std::span(&reduced.lagrangian(), 1)}));
  // Θ_j = −Σ ∂²F_k/∂ṙ^l∂ṙ^j G^lk
  const ExpressionMatrix metric = metric_of(reduced);
  const ExpressionMatrix inverse = inverse_metric(reduced, metric);
  const auto second = second_derivatives(reduced);
  Vector form_terms;
  for (std::size_t j = 0; j < m; ++j) {
    Expression total;
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t l = 0; l < m; ++l) {
        form_terms.push_back(second[k][l][j] * inverse[l][k]);
        total -= form_terms.back();
      }
    }
    g.one_form.push_back(tidy(total));
  }
  // The logarithmic slopes of the metric, of which B is made together with those of the connection: what is small
  // compared with their rounding is zero.
  Vector slopes = form_terms;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) {
        slopes.push_back(derivative(metric[j][k], reduced.coordinates()[i]) * inverse[j][k]);
      }
    }
  }
  Residual power;
  Expression kinetic;  // 2T
  for (std::size_t i = 0; i < m; ++i) {
    const Expression term = force[i] * r_dot[i];
    power.value += term;
    power.terms.push_back(term);
    kinetic += p[i] * r_dot[i];
  }
  Vector forces;  // as large as they may be expected to be
  for (const Expression& e : slopes) forces.push_back(e * kinetic);
  g.gyroscopic = certify(scene, {power}, forces, true);
  if (g.gyroscopic.points == 0) {
    g.reason = "the reduced system is not defined at random points about the initial position";
    return g;
  }
  if (!g.gyroscopic.holds) {
    g.reason = "the applied forces do work";
    return g;
  }
  g.applies = true;

  const Vector for_any_parameters = g.one_form;
  for (Expression& theta : g.one_form) {
    if (certify(scene, {{theta, {theta}}}, slopes, false).holds) theta = Expression(0.0);
  }
  std::vector<Residual> rotation;
  Vector squares;
  for (const Expression& e : slopes) squares.push_back(sq(e));
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = i + 1; j < m; ++j) {
      const Expression there = derivative(g.one_form[j], reduced.coordinates()[i]);
      const Expression back = derivative(g.one_form[i], reduced.coordinates()[j]);
      rotation.push_back({there - back, {there, back, g.one_form[i] * g.one_form[j]}});
    }
  }
  g.closed = certify(scene, rotation, squares, false);

  // F = ⟨p, ṙ⟩ φ' − ⟨φ', ṙ⟩ p
  const auto scaled = [&](Vector form) {
    for (Expression& e : form) e = e / static_cast<double>(std::max<std::size_t>(m, 2) - 1);
    return form;
  };
  const Vector slope = scaled(g.one_form);
  Expression along;
  for (std::size_t i = 0; i < m; ++i) along += slope[i] * r_dot[i];
  std::vector<Residual> misfit;
  for (std::size_t i = 0; i < m; ++i) {
    misfit.push_back({force[i] - kinetic * slope[i] + along * p[i], {force[i], kinetic * slope[i], along * p[i]}});
  }
  g.simple = certify(scene, misfit, forces, true);

  if (!g.closed.holds) return g;
  const Vector functions = candidates(system, c, metric, near);
  const std::vector<double> values(parameters.begin(), parameters.end());
  if (g.simple.holds) {
    if (system.conformal_factor()) {
      g.multiplier = Potential{*system.conformal_factor(), true, true, 0.0, Expression(0.0)};
    } else {
      g.multiplier = integrate_form(
          {reduced.coordinates(), reduced.parameters(), slope, values, r, scene.radius, scaled(for_any_parameters)},
          functions);
    }
    g.measure = g.multiplier;
    if (m != 2) g.measure->exponential = tidy(pow(g.multiplier->exponential, static_cast<double>(m - 1)));
    if (m != 2) g.measure->error = static_cast<double>(m - 1) * g.multiplier->error;
  } else {
    g.measure = integrate_form(
        {reduced.coordinates(), reduced.parameters(), g.one_form, values, r, scene.radius, for_any_parameters},
        functions);
  }
  return g;
}

std::vector<Expression> gyroscopic_tensor(const System& reduced) {
  // S_ijl = ½ ∂²F_i/∂ṙ^j∂ṙ^l, B_ijl = ⅔ (S_ijl − S_jil): its symmetric part in (j, l) is S because F·ṙ = 0.
  const std::size_t m = reduced.dimension();
  const auto second = second_derivatives(reduced);
  const ExpressionMatrix inverse = inverse_metric(reduced, metric_of(reduced));
  Vector tensor;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = i + 1; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) {
        Expression total;
        for (std::size_t l = 0; l < m; ++l) {
          total += (1.0 / 3.0) * (second[i][j][l] - second[j][i][l]) * inverse[l][k];
        }
        tensor.push_back(tidy(total));
      }
    }
  }
  return tensor;
}

Expression scaled_lagrangian(const System& reduced, const Expression& factor, const Expression& potential_factor) {
  const Expression potential = substitute(reduced.lagrangian(), at_rest(reduced));
  const Expression whole = tidy(factor) * (reduced.lagrangian() - potential);
  const ExpressionMatrix metric = metric_of(reduced);
  const Vector& v = reduced.velocities();
  Expression by_entries;
  for (std::size_t i = 0; i < metric.size(); ++i) {
    for (std::size_t j = i; j < metric.size(); ++j) {
      by_entries += (i == j ? 0.5 : 1.0) * tidy(factor * metric[i][j]) * v[i] * v[j];
    }
  }
  const bool entries_are_shorter = operation_count(by_entries) <= operation_count(whole);
  return (entries_are_shorter ? by_entries : whole) + potential_factor * potential;
}

System hamiltonized(const System& reduced, const Expression& multiplier) {
  SystemDefinition definition;
  definition.coordinates = reduced.coordinates();
  definition.lagrangian = scaled_lagrangian(reduced, sq(multiplier), 1.0);
  definition.parameters = reduced.parameter_list();
  return System(std::move(definition));
}

}  // namespace rattleback
