// Invariant measures of equations that are reduced by translations, with or without symmetry directions inside the
// constraints.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../expr/determinant.hpp"
#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;
using Indices = std::vector<std::size_t>;

constexpr int points_of_measure = 12;
constexpr double measure_tolerance = 1e-9;
constexpr double difference_tolerance = 1e-6;  ///< where derivatives are differences

/// ḃ and u̇ as functions of (b, u), with their Jacobian.
class ReducedMotion {
 public:
  ReducedMotion(const System& system, const Indices& base, const Indices& independent, const Indices& dependent,
                std::span<const double> parameters, const State& near)
      : b_(base.size()), m_(independent.size()), parameters_(parameters.begin(), parameters.end()), step_([&] {
          const ExpressionMatrix a = dense(system.constraint_matrix());
          const ExpressionMatrix gamma = solved(columns(a, dependent), columns(a, independent));
          Substitution horizontal;
          for (std::size_t k = 0; k < dependent.size(); ++k) {
            Expression total;
            for (std::size_t j = 0; j < independent.size(); ++j)
              total -= gamma[k][j] * system.velocities()[independent[j]];
            horizontal.emplace(system.velocities()[dependent[k]], total);
          }
          for (std::size_t i = 0; i < system.dimension(); ++i) {  // nothing depends on the others
            if (std::find(base.begin(), base.end(), i) == base.end())
              horizontal.emplace(system.coordinates()[i], Expression(near.q[i]));
          }
          ImplicitSystem map = accelerations(system);
          map.residuals = substitute(map.residuals, horizontal);
          map.guess = substitute(map.guess, horizontal);
          Vector outputs;
          for (const std::size_t i : base) outputs.push_back(substitute(system.velocities()[i], horizontal));
          for (const std::size_t i : independent) outputs.push_back(map.unknowns[i]);
          map.outputs = outputs;
          map.data.clear();
          for (const std::size_t i : base) map.data.push_back(system.coordinates()[i]);
          for (const std::size_t i : independent) map.data.push_back(system.velocities()[i]);
          map.data = joined({map.data, system.parameters()});
          map.typical.clear();
          return Step(with_tangent_matrix(map, outputs.size(), outputs.size()), 1, Backend::interpreted);
        }()),
        outputs_(step_.system().outputs.size()) {}

  /// θ and the matrix of u ↦ ḃ at b; false where they are not defined, or the divergence is not linear in u.
  struct Form {
    Eigen::VectorXd theta;
    Eigen::MatrixXd velocity;
    bool linear = true;
  };
  std::optional<Form> at(std::span<const double> b) {
    Form form{Eigen::VectorXd(index(m_)), Eigen::MatrixXd(index(b_), index(m_)), true};
    const auto rest = divergence(b, {});
    if (!rest) return std::nullopt;
    form.linear = *rest == 0.0;
    for (std::size_t j = 0; j < m_; ++j) {
      const auto once = divergence(b, {j, 1.0});
      if (!once) return std::nullopt;
      form.theta[index(j)] = -*once;
      for (std::size_t i = 0; i < b_; ++i) form.velocity(index(i), index(j)) = outputs_[i];
      const auto twice = divergence(b, {j, 2.0});
      if (!twice) return std::nullopt;
      form.linear = form.linear && std::abs(*twice - 2.0 * *once) <= 1e-8 * (1.0 + std::abs(*twice));
    }
    return form;
  }

 private:
  static Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

  struct Direction {
    std::size_t which = 0;
    double length = 0.0;
  };
  std::optional<double> divergence(std::span<const double> b, Direction u) {
    std::vector<double> data(b.begin(), b.end());
    data.resize(b_ + m_, 0.0);
    data[b_ + u.which] = u.length;
    data.insert(data.end(), parameters_.begin(), parameters_.end());
    if (step_.run(data, outputs_) != 1) return std::nullopt;
    const std::size_t size = b_ + m_;
    double trace = 0.0;
    double terms = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      trace += outputs_[size + i * size + i];
      for (std::size_t j = 0; j < size; ++j) terms = std::max(terms, std::abs(outputs_[size + i * size + j]));
    }
    if (!std::isfinite(terms)) return std::nullopt;
    return std::abs(trace) <= 1e-12 * terms ? 0.0 : trace;
  }

  std::size_t b_;
  std::size_t m_;
  std::vector<double> parameters_;
  Step step_;
  std::vector<double> outputs_;
};

ReducedMeasure measure_of(const System& system, std::span<const double> parameters, const State& near) {
  ReducedMeasure report;
  if (system.is_affine() || !system.holonomic().empty()) {
    report.reason = "affine and holonomic constraints are not treated";
    return report;
  }
  Indices base(system.dimension());
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = i;
  for (const Symmetry& s : known_symmetries(system, parameters, near)) {
    std::size_t moved = 0;
    std::size_t which = 0;
    for (std::size_t i = 0; i < s.generator.size(); ++i) {
      if (s.generator[i].is_constant(0.0)) continue;
      ++moved;
      which = i;
    }
    const bool translation = moved == 1 && s.generator[which].is_constant();
    if (!translation || std::erase(base, which) == 0) continue;
    report.translations.push_back(system.coordinates()[which].name());
  }
  // Velocities that the constraints determine by the others: columns that are best independent near the start.
  const auto inputs = joined({system.coordinates(), system.parameters()});
  std::vector<double> here = RandomPoints().near(near.q, 0.3);
  here.insert(here.end(), parameters.begin(), parameters.end());
  const Eigen::MatrixXd a = evaluate_matrix(system.constraint_matrix(), inputs, here);
  if (!a.allFinite()) {
    report.reason = "the constraints are not defined near the initial position";
    return report;
  }
  if (!dependent_rows(a).empty()) {
    report.reason = "the constraints are not independent near the initial position";
    return report;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  Indices dependent;
  for (Eigen::Index k = 0; k < a.rows(); ++k)
    dependent.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()[k]));
  Indices independent;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    if (std::find(dependent.begin(), dependent.end(), i) == dependent.end()) independent.push_back(i);
  }
  if (independent.empty()) {
    report.reason = "the constraints leave no motion";
    return report;
  }
  if (base.empty()) {
    report.reason = "no coordinate is left when all translations are divided out";
    return report;
  }
  ReducedMotion motion(system, base, independent, dependent, parameters, near);

  report.vertical = {true, 0.0, measure_tolerance, 0, {}};
  report.closed = {true, 0.0, difference_tolerance, 0, {}};
  std::vector<double> centre;
  for (const std::size_t i : base) centre.push_back(near.q[i]);
  RandomPoints random;
  for (int sample = 0; sample < points_of_measure; ++sample) {
    const std::vector<double> b = random.near(centre, 0.7);
    const auto form = motion.at(b);
    if (!form) continue;
    if (!form->linear) {
      report.reason = "the divergence of the reduced equations is not linear in the velocities";
      return report;
    }
    const auto rows = static_cast<Eigen::Index>(base.size());
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(form->velocity, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const bool full_rank = rows == 0 || (svd.singularValues().size() == rows &&
                                         svd.singularValues().minCoeff() > 1e-9 * svd.singularValues().maxCoeff());
    if (!full_rank) {
      report.reason = "the symmetries and the constraints together do not span all directions";
      return report;
    }
    const Eigen::MatrixXd inside = svd.matrixV().rightCols(form->velocity.cols() - rows);
    const double size = form->theta.norm();
    const double vertical = size == 0.0 ? 0.0 : (form->theta.transpose() * inside).norm() / size;
    if (!std::isfinite(vertical)) continue;
    ++report.vertical.points;
    if (report.vertical.worst.empty() || vertical > report.vertical.residual) {
      report.vertical.residual = vertical;
      report.vertical.worst = b;
    }
    // dβ, β = θ E⁺, by central differences
    const auto beta = [&](std::size_t i, double by) -> std::optional<Eigen::VectorXd> {
      std::vector<double> there = b;
      there[i] += by;
      const auto f = motion.at(there);
      if (!f) return std::nullopt;
      return least_squares(f->velocity.transpose(), f->theta);
    };
    Eigen::MatrixXd slopes(rows, rows);
    bool defined = true;
    for (std::size_t i = 0; defined && i < base.size(); ++i) {
      constexpr double by = 1e-4;
      const auto right = beta(i, by);
      const auto left = beta(i, -by);
      defined = right && left;
      if (defined) slopes.row(static_cast<Eigen::Index>(i)) = (*right - *left).transpose() / (2.0 * by);
    }
    if (!defined || !slopes.allFinite()) continue;
    ++report.closed.points;
    const double rotation = rows == 0 ? 0.0 : (slopes - slopes.transpose()).cwiseAbs().maxCoeff();
    const double scale = rows == 0 ? 1.0 : slopes.cwiseAbs().maxCoeff() + size * size + 1e-300;
    if (report.closed.worst.empty() || rotation / scale > report.closed.residual) {
      report.closed.residual = rotation / scale;
      report.closed.worst = b;
    }
  }
  report.decided = report.vertical.points > 0 && report.closed.points > 0;
  if (!report.decided) report.reason = "the reduced equations are not defined at the random points";
  report.vertical.holds = report.vertical.residual <= report.vertical.tolerance;
  report.closed.holds = report.closed.residual <= report.closed.tolerance;
  return report;
}

}  // namespace

ReducedMeasure examine_reduced_measure(const System& system, std::span<const double> parameters, const State& near) {
  try {
    return measure_of(system, parameters, near);
  } catch (const StructureError& error) {  // a Lagrangian that is not regular
    ReducedMeasure report;
    report.reason = error.what();
    return report;
  }
}

}  // namespace rattleback
