// The gyroscopic force of a reduced system: invariant measure, φ-simplicity, Chaplygin's multiplier.

#include "rattleback/geometry/multiplier.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "../mech/sampling.hpp"
#include "determinant.hpp"
#include "potential.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

constexpr int points = 40;
constexpr double tolerance = 1e-9;

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
  for (int k = 0; k < points; ++k) {
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

/// Evaluates residuals and the sizes they are compared with, at random (r, ṙ), and keeps the worst.
Certificate certify(const System& reduced, const Vector& residuals, const Vector& sizes,
                    std::span<const double> parameters, const std::vector<double>& near, bool with_velocities) {
  Certificate certificate{true, 0.0, tolerance, 0, {}};
  Interpreter<double> program(make_program(state_and_parameters(reduced), joined({residuals, sizes})));
  RandomPoints random;
  for (int attempt = 0; attempt < 4 * points && certificate.points < points; ++attempt) {
    const State state{random.near(near, 1.0), random.near(std::vector<double>(near.size(), 0.0), 1.0)};
    const auto values = program(joined_data(state, parameters));
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
    ++certificate.points;
    double largest = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i) largest = std::max(largest, std::abs(values[i]));
    for (std::size_t i = residuals.size(); i < values.size(); ++i) size = std::max(size, std::abs(values[i]));
    const double relative = largest == 0.0 ? 0.0 : largest / std::max(size, 1e-300);
    if (certificate.points > 1 && relative <= certificate.residual) continue;
    certificate.residual = relative;
    certificate.worst = state.q;
    if (with_velocities) certificate.worst.insert(certificate.worst.end(), state.v.begin(), state.v.end());
  }
  certificate.holds = certificate.points > 0 && certificate.residual <= tolerance;
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
  try {
    sources.push_back(determinant(metric));
    for (std::size_t i = 0; metric.size() > 2 && i < metric.size(); ++i) {  // principal minors
      ExpressionMatrix minor = metric;
      minor.erase(minor.begin() + static_cast<std::ptrdiff_t>(i));
      for (Vector& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
      sources.push_back(determinant(minor));
    }
    sources.push_back(tidy(substitute(determinant(dense(system.mass_matrix())), on_fibre)));
  } catch (const ExpressionError&) {  // too large to be written down
  }
  return functions_in(sources, c.reduced.coordinates(), c.reduced.parameters());
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

  Expression power;
  Expression kinetic;  // 2T
  Vector sizes;
  for (std::size_t i = 0; i < m; ++i) {
    power += force[i] * r_dot[i];
    kinetic += p[i] * r_dot[i];
    sizes.push_back(force[i] * r_dot[i]);
  }
  g.gyroscopic = certify(reduced, {power}, sizes, parameters, r, true);
  if (!g.gyroscopic.holds) {
    g.reason = "the applied forces do work";
    return g;
  }
  g.applies = true;

  // Θ_j = −Σ ∂²F_k/∂ṙ^l∂ṙ^j G^lk
  const ExpressionMatrix metric = metric_of(reduced);
  const ExpressionMatrix inverse = inverse_metric(reduced, metric);
  const auto second = second_derivatives(reduced);
  for (std::size_t j = 0; j < m; ++j) {
    Expression total;
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t l = 0; l < m; ++l) total -= second[k][l][j] * inverse[l][k];
    }
    g.one_form.push_back(tidy(total));
  }
  // The logarithmic derivative of the metric tells how large B may be expected to be.
  Vector metric_slopes;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) {
        metric_slopes.push_back(derivative(metric[j][k], reduced.coordinates()[i]) * inverse[j][k]);
      }
    }
  }
  Vector rotation;
  Vector rotation_sizes;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const Expression slope = derivative(g.one_form[j], reduced.coordinates()[i]);
      rotation_sizes.push_back(slope);
      rotation_sizes.push_back(g.one_form[i] * g.one_form[j]);
      if (i < j) rotation.push_back(slope - derivative(g.one_form[i], reduced.coordinates()[j]));
    }
  }
  for (const Expression& e : metric_slopes) rotation_sizes.push_back(sq(e));
  g.closed = certify(reduced, rotation, rotation_sizes, parameters, r, false);

  // F = ⟨p, ṙ⟩ φ' − ⟨φ', ṙ⟩ p
  Vector slope = g.one_form;
  if (m > 1) {
    for (Expression& e : slope) e = e / static_cast<double>(m - 1);
  }
  Expression along;
  for (std::size_t i = 0; i < m; ++i) along += slope[i] * r_dot[i];
  Vector residuals;
  Vector force_sizes;
  for (std::size_t i = 0; i < m; ++i) {
    residuals.push_back(force[i] - kinetic * slope[i] + along * p[i]);
    force_sizes.push_back(force[i]);
    force_sizes.push_back(kinetic * slope[i]);
    force_sizes.push_back(along * p[i]);
  }
  for (const Expression& e : metric_slopes) force_sizes.push_back(e * kinetic);
  g.simple = certify(reduced, residuals, force_sizes, parameters, r, true);

  if (!g.closed.holds) return g;
  const Vector functions = candidates(system, c, metric, near);
  const std::vector<double> values(parameters.begin(), parameters.end());
  if (g.simple.holds) {
    g.multiplier = integrate_form({reduced.coordinates(), reduced.parameters(), slope, values, r}, functions);
    g.measure = g.multiplier;
    if (m > 2) g.measure->exponential = tidy(pow(g.multiplier->exponential, static_cast<double>(m - 1)));
    if (m > 2) g.measure->error = static_cast<double>(m - 1) * g.multiplier->error;
  } else {
    g.measure = integrate_form({reduced.coordinates(), reduced.parameters(), g.one_form, values, r}, functions);
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

System hamiltonized(const System& reduced, const Expression& multiplier) {
  const ExpressionMatrix metric = metric_of(reduced);
  const Vector& v = reduced.velocities();
  Expression lagrangian = substitute(reduced.lagrangian(), at_rest(reduced));
  for (std::size_t i = 0; i < metric.size(); ++i) {
    for (std::size_t j = i; j < metric.size(); ++j) {
      lagrangian += (i == j ? 0.5 : 1.0) * tidy(sq(multiplier) * metric[i][j]) * v[i] * v[j];
    }
  }
  SystemDefinition definition;
  definition.coordinates = reduced.coordinates();
  definition.lagrangian = lagrangian;
  definition.parameters = reduced.parameter_list();
  return System(std::move(definition));
}

}  // namespace rattleback
