// Whether a Lagrangian without constraints describes the motion of a system.

#include <algorithm>
#include <cmath>

#include "../expr/determinant.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/geometry/helmholtz.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "regularity.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

constexpr int points_of_check = 20;
constexpr double check_tolerance = 1e-10;
constexpr double hessian_singular_below = 1e-10;

/// d/dt L_v − L_q = D + L_vv a with D = L_vq v − L_q, for accelerations a that are given; in quadruple precision, so
/// that a total derivative in L, which D does not see, may be large.
class EulerLagrange {
 public:
  EulerLagrange(const Expression& lagrangian, const Vector& q, const Vector& v, const Vector& parameters)
      : n_(q.size()), program_([&] {
          const Vector p = gradient(lagrangian, v);
          const Vector drift = directional_derivative(p, q, v);
          const Vector slopes = gradient(lagrangian, q);
          Vector outputs(n_ * n_);
          for (const auto& e : jacobian(p, v).entries)
            outputs[static_cast<std::size_t>(e.row) * n_ + static_cast<std::size_t>(e.column)] = e.value;
          for (std::size_t i = 0; i < n_; ++i) outputs.push_back(tidy(drift[i] - slopes[i]));
          outputs.push_back(lagrangian);
          return make_program_with_magnitudes(joined({q, v, parameters}), outputs);
        }()) {}

  /// Residuals relative to their terms; NaN if the Lagrangian is not defined here.
  double operator()(std::span<const double> data, std::span<const double> accelerations) {
    values_ = program_(std::vector<float128>(data.begin(), data.end()));
    if (!isfinite(values_[n_ * n_ + n_])) return std::nan("");
    float128 worst = 0;
    // An acceleration that vanishes because forces balance has rounding errors relative to the others.
    double noise = 0.0;
    for (std::size_t j = 0; j < n_; ++j) noise = std::max(noise, 1e-4 * std::abs(accelerations[j]));
    for (std::size_t i = 0; i < n_; ++i) {
      float128 total = values_[n_ * n_ + i];
      float128 size = abs(total);
      for (std::size_t j = 0; j < n_; ++j) {
        const float128 inertia = entry(i * n_ + j);
        total += inertia * accelerations[j];
        size += abs(inertia) * std::max(std::abs(accelerations[j]), noise);
      }
      if (!isfinite(size)) return std::nan("");
      if (size > 0) worst = std::max(worst, float128(abs(total) / size));
    }
    return static_cast<double>(worst);
  }

  /// Of L_vv where it was last looked at.
  double regularity() const {
    const auto n = static_cast<Eigen::Index>(n_);
    Eigen::MatrixXd hessian(n, n);
    for (std::size_t k = 0; k < n_ * n_; ++k) hessian.data()[k] = static_cast<double>(entry(k));
    return relative_regularity<double>(hessian, 0.0);
  }

 private:
  /// An entry of L_vv, or zero where it is nothing but rounding of the constants it is made of.
  float128 entry(std::size_t k) const {
    constexpr double rounding = 0x1p-45;
    const float128 magnitude = values_[values_.size() / 2 + k];
    return abs(values_[k]) <= rounding * magnitude ? float128(0) : values_[k];
  }

  std::size_t n_;
  Interpreter<float128> program_;
  std::vector<float128> values_;  ///< L_vv, D, L, and their magnitudes
};

void take(Certificate& certificate, double residual, std::span<const double> place) {
  ++certificate.points;
  if (certificate.points > 1 && residual <= certificate.residual) return;
  certificate.residual = residual;
  certificate.worst.assign(place.begin(), place.end());
}

/// Factors of a product by the sign of their exponents.
void find_factors(const Expression& e, double sign, Vector& zeros, Vector& poles) {
  if (e.kind() == Kind::product) {
    for (const Term& t : e.operands()) find_factors(t.expression, t.weight > 0.0 ? sign : -sign, zeros, poles);
  } else if (e.kind() == Kind::power && e.operands()[1].expression.is_constant()) {
    const double exponent = e.operands()[1].expression.value();
    find_factors(e.operands()[0].expression, exponent > 0.0 ? sign : -sign, zeros, poles);
  } else if (e.kind() == Kind::function && e.function() == Function::sqrt) {
    find_factors(e.operands()[0].expression, sign, zeros, poles);
  } else if (!e.is_constant()) {
    (sign > 0.0 ? zeros : poles).push_back(e);
  }
}

/// Those of the functions that change their sign somewhere about the start.
Vector with_zeros(const Vector& functions, const System& system, std::span<const double> parameters,
                  const State& near) {
  Interpreter<double> program(make_program(state_and_parameters(system), functions));
  std::vector<double> low(functions.size(), 1.0);
  std::vector<double> high(functions.size(), -1.0);
  RandomPoints random;
  for (int k = 0; k < 200; ++k) {
    const auto values = program(joined_data(system, random.near(system, near, 4.0), parameters));
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[i] = std::fmin(low[i], values[i]);
      high[i] = std::fmax(high[i], values[i]);
    }
  }
  Vector result;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const bool is_new = std::ranges::find(result, functions[i]) == result.end();
    if (low[i] < 0.0 && high[i] > 0.0 && is_new) result.push_back(functions[i]);
  }
  return result;
}

}  // namespace

LagrangianReport compare_motions(const System& system, const Expression& lagrangian, std::span<const double> parameters,
                                 const State& near) {
  LagrangianReport report;
  report.motion.tolerance = check_tolerance;
  const std::size_t n = system.dimension();
  EulerLagrange equations(lagrangian, system.coordinates(), system.velocities(), system.parameters());
  Step admissible(projection(system), 1, Backend::interpreted);
  Step motion(accelerations(system), 1, Backend::interpreted);
  std::vector<double> state(2 * n);
  std::vector<double> rates(motion.system().outputs.size());
  double least = 1.0;
  RandomPoints random;
  for (int attempt = 0; attempt < 4 * points_of_check && report.motion.points < points_of_check; ++attempt) {
    std::vector<double> data = joined_data(system, random.near(system, near, 0.7), parameters);
    if (admissible.run(data, state) != 1) continue;
    std::copy(state.begin(), state.end(), data.begin());
    if (motion.run(data, rates) != 1) continue;
    const double residual = equations(data, rates);
    if (!std::isfinite(residual)) continue;
    take(report.motion, residual, std::span(data).first(2 * n));
    least = std::min(least, equations.regularity());
  }
  report.motion.holds = report.motion.points > 0 && report.motion.residual <= check_tolerance;
  report.regularity = report.motion.points > 0 ? least : 0.0;
  report.regular = report.regularity > hessian_singular_below;
  return report;
}

LagrangianReport examine_lagrangian(const System& system, const Expression& lagrangian,
                                    std::span<const double> parameters, const State& near) {
  require_numbers(system, "the comparison with a given Lagrangian");
  LagrangianReport report = compare_motions(system, lagrangian, parameters, near);
  try {
    report.determinant = factored(determinant(dense(hessian(lagrangian, system.velocities()))));
    find_factors(report.determinant, 1.0, report.zeros, report.poles);
    report.zeros = with_zeros(report.zeros, system, parameters, near);
    report.poles = with_zeros(report.poles, system, parameters, near);
  } catch (const ExpressionError&) {  // too large to be written down
  }
  return report;
}

Certificate compare_equations(const Expression& lagrangian, const SecondOrderSystem& system,
                              std::span<const double> parameters, const State& near) {
  Certificate certificate{false, 0.0, check_tolerance, 0, {}};
  EulerLagrange equations(lagrangian, system.coordinates, system.velocities, system.parameters);
  Interpreter<double> accelerations(make_program(system.inputs(), system.accelerations));
  RandomPoints random;
  for (int attempt = 0; attempt < 4 * points_of_check && certificate.points < points_of_check; ++attempt) {
    const State state{random.near(near.q, 0.7), random.near(std::vector<double>(near.v.size(), 0.0), 1.0)};
    const std::vector<double> data = joined_data(state, parameters);
    const double residual = equations(data, accelerations(data));
    if (std::isfinite(residual)) take(certificate, residual, std::span(data).first(2 * system.dimension()));
  }
  certificate.holds = certificate.points > 0 && certificate.residual <= check_tolerance;
  return certificate;
}

}  // namespace rattleback
