// What the constraints are like in all of Q: rank, where it drops, integrability.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "rattleback/expr/print.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "sampling.hpp"

namespace rattleback {
namespace {

constexpr double rounding = 1e-9;  ///< relative; sampled quantities are either this small or not small at all
constexpr int samples = 5;
constexpr std::size_t largest_search = 60;  ///< dimension up to which rank drops are searched for

/// The rows as one-forms A dq + b dt on Q × R, with derivatives.
class ConstraintForms {
 public:
  ConstraintForms(const System& system, std::span<const double> parameters)
      : n_(static_cast<Eigen::Index>(system.dimension())), parameters_(parameters.begin(), parameters.end()),
        inputs_(system.coordinates()) {
    inputs_.insert(inputs_.end(), system.parameters().begin(), system.parameters().end());
    SparseMatrix extended = system.constraint_matrix();
    extended.columns += 1;
    for (std::size_t k = 0; k < system.affine_part().size(); ++k) {
      if (!system.affine_part()[k].is_constant(0.0)) {
        extended.entries.push_back({static_cast<int>(k), static_cast<int>(n_), system.affine_part()[k]});
      }
    }
    std::vector<Expression> coefficients;
    for (const auto& entry : extended.entries) {
      coefficients.push_back(entry.value);
      places_.emplace_back(entry.row, entry.column);
    }
    forms_.emplace(extended, inputs_);
    derivatives_ = jacobian(coefficients, system.coordinates());
    std::vector<Expression> values;
    for (const auto& entry : derivatives_.entries) values.push_back(entry.value);
    derivative_program_.emplace(make_program(inputs_, values));
  }

  /// m × (n+1)
  Eigen::MatrixXd rows(std::span<const double> q) { return (*forms_)(with_parameters(q)); }

  /// ∂ᵢ(αₖ)ⱼ for every row k, as matrices (i, j) of size n+1.
  std::vector<Eigen::MatrixXd> gradients(std::span<const double> q, Eigen::Index row_count) {
    std::vector<Eigen::MatrixXd> result(static_cast<std::size_t>(row_count), Eigen::MatrixXd::Zero(n_ + 1, n_ + 1));
    const std::vector<double> numbers = (*derivative_program_)(with_parameters(q));
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      const auto [row, column] = places_[static_cast<std::size_t>(derivatives_.entries[e].row)];
      result[static_cast<std::size_t>(row)](derivatives_.entries[e].column, column) = numbers[e];
    }
    return result;
  }

 private:
  std::vector<double> with_parameters(std::span<const double> q) const {
    std::vector<double> point(q.begin(), q.end());
    point.insert(point.end(), parameters_.begin(), parameters_.end());
    return point;
  }

  Eigen::Index n_;
  std::vector<double> parameters_;
  std::vector<Expression> inputs_;
  std::optional<MatrixFunction> forms_;
  std::vector<std::pair<int, int>> places_;
  SparseMatrix derivatives_;
  std::optional<Interpreter<double>> derivative_program_;
};

/// dα vanishes on the vectors that the basis annihilates: Frobenius.
bool closed_on_kernel(const Eigen::MatrixXd& gradient, const Eigen::MatrixXd& basis) {
  const Eigen::MatrixXd omega = gradient - gradient.transpose();
  const Eigen::MatrixXd left = omega - basis * (basis.transpose() * omega);
  const Eigen::MatrixXd both = left - (left * basis) * basis.transpose();
  return both.cwiseAbs().maxCoeff() <= rounding * omega.cwiseAbs().maxCoeff();
}

/// Gauss–Newton for A(q)ᵀu = 0, |u| = 1: a combination of rows that vanishes.
std::optional<ConstraintReport::RankDrop> search_rank_drop(ConstraintForms& forms, std::span<const double> q0) {
  RandomPoints random;
  const auto n = static_cast<Eigen::Index>(q0.size());
  for (int attempt = 0; attempt < 24; ++attempt) {
    std::vector<double> q = attempt == 0 ? std::vector<double>(q0.begin(), q0.end()) : random.near(q0, 3.0);
    Eigen::MatrixXd a = forms.rows(q).leftCols(n);
    const Eigen::Index m = a.rows();
    if (!a.allFinite()) continue;
    const double size = a.norm();
    Eigen::VectorXd u = Eigen::JacobiSVD<Eigen::MatrixXd>(a, Eigen::ComputeFullU).matrixU().col(m - 1);
    for (int iteration = 0; iteration < 40; ++iteration) {
      a = forms.rows(q).leftCols(n);
      const auto gradients = forms.gradients(q, m);
      if (!a.allFinite()) break;
      Eigen::VectorXd residual(n + 1);
      residual << a.transpose() * u, 0.5 * size * (u.squaredNorm() - 1.0);
      if (residual.norm() <= 1e-12 * size) {
        ConstraintReport::RankDrop drop{q, {}};
        for (Eigen::Index k = 0; k < m; ++k) {
          if (std::abs(u[k]) > 1e-6) drop.rows.push_back(static_cast<std::size_t>(k));
        }
        return drop;
      }
      Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(n + 1, n + m);
      for (Eigen::Index k = 0; k < m; ++k) {
        slope.topLeftCorner(n, n) += u[k] * gradients[static_cast<std::size_t>(k)].topLeftCorner(n, n).transpose();
      }
      slope.topRightCorner(n, m) = a.transpose();
      slope.bottomRightCorner(1, m) = size * u.transpose();
      if (!slope.allFinite()) break;
      Eigen::VectorXd change = slope.completeOrthogonalDecomposition().solve(residual);
      const double length = change.norm();
      if (length > 1.0) change /= length;
      double distance = 0.0;
      for (Eigen::Index i = 0; i < n; ++i) {
        const auto j = static_cast<std::size_t>(i);
        q[j] -= change[i];
        distance = std::max(distance, std::abs(q[j] - q0[j]) / std::max(1.0, std::abs(q0[j])));
      }
      u -= change.tail(m);
      if (distance > 20.0) break;  // constraints that fade at infinity have their rank everywhere
    }
  }
  return std::nullopt;
}

}  // namespace

ConstraintReport examine_constraints(const System& system, std::span<const double> parameters,
                                     std::span<const double> q0) {
  ConstraintReport report;
  const std::size_t m = system.velocity_rows().size();
  if (m == 0) return report;
  ConstraintForms forms(system, parameters);
  const auto n = static_cast<Eigen::Index>(system.dimension());
  RandomPoints random;
  std::vector<bool> redundant(m, true);
  std::vector<bool> integrable(m, true);
  report.all_integrable = true;
  int seen = 0;
  for (int attempt = 0; attempt < 20 * samples && seen < samples; ++attempt) {
    const std::vector<double> q = random.near(q0, 1.0);
    const Eigen::MatrixXd rows = forms.rows(q);
    const auto gradients = forms.gradients(q, static_cast<Eigen::Index>(m));
    const auto finite = [](const Eigen::MatrixXd& g) { return g.allFinite(); };
    if (!rows.allFinite() || !std::all_of(gradients.begin(), gradients.end(), finite)) continue;
    ++seen;
    const Basis independent = orthonormal_basis(rows.leftCols(n));
    report.generic_rank = std::max(report.generic_rank, m - independent.dependent.size());
    const Basis all = orthonormal_basis(rows);
    for (std::size_t k = 0; k < m; ++k) {
      redundant[k] = redundant[k] && std::find(independent.dependent.begin(), independent.dependent.end(), k) !=
                                         independent.dependent.end();
      const Eigen::MatrixXd own = orthonormal_basis(rows.row(static_cast<Eigen::Index>(k))).columns;
      integrable[k] = integrable[k] && closed_on_kernel(gradients[k], own);
      report.all_integrable = report.all_integrable && closed_on_kernel(gradients[k], all.columns);
    }
  }
  report.all_integrable = report.all_integrable && seen > 0;
  for (std::size_t k = 0; k < m; ++k) {
    if (redundant[k] && seen > 0) report.redundant.push_back(k);
    if (integrable[k] && seen > 0 && k < system.constraints().size()) report.integrable.push_back(k);
  }
  if (report.redundant.empty() && system.dimension() <= largest_search) report.rank_drop = search_rank_drop(forms, q0);
  return report;
}

}  // namespace rattleback
