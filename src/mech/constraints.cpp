// What the constraints are like in all of Q: rank, where it drops, integrability.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "decompositions.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "sampling.hpp"

namespace rattleback {
namespace {

constexpr int points_of_constraints = 5;
constexpr std::size_t largest_search = 60;  ///< dimension up to which rank drops are searched for

/// The derivatives of a one-form that do not vanish everywhere, ∂ᵢαⱼ: of many rows in many dimensions, most do.
struct Slope {
  Eigen::Index i;
  Eigen::Index j;
  double value;
};
using Gradient = std::vector<Slope>;

bool is_finite(const Gradient& gradient) {
  return std::ranges::all_of(gradient, [](const Slope& s) { return std::isfinite(s.value); });
}

/// The rows as one-forms A dq + b dt on Q × R, with derivatives. Places are q, or (q, t) where the system depends on
/// time.
class ConstraintForms {
 public:
  ConstraintForms(const System& system, std::span<const double> parameters)
      : n_(static_cast<Eigen::Index>(system.dimension())), parameters_(parameters.begin(), parameters.end()),
        inputs_(joined({system.coordinates(), system.time()})) {
    const std::vector<Expression> place = inputs_;
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
    space_ = system.space();
    std::vector<Expression> values;
    const auto add = [&](std::size_t coefficient, std::size_t direction, const Expression& slope) {
      if (slope.is_constant(0.0)) return;
      derivatives_.emplace_back(coefficient, static_cast<Eigen::Index>(direction));
      values.push_back(slope);
    };
    if (space_.rotations == 0) {
      for (const auto& entry : jacobian(coefficients, place).entries)
        add(static_cast<std::size_t>(entry.row), static_cast<std::size_t>(entry.column), entry.value);
    }
    for (std::size_t k = 0; space_.rotations > 0 && k < coefficients.size(); ++k) {
      const Vector along = joined({slopes(coefficients[k], system), gradient(coefficients[k], system.time())});
      for (std::size_t i = 0; i < along.size(); ++i) add(k, i, along[i]);
    }
    derivative_program_.emplace(make_program(inputs_, values));
    heights_.emplace(make_program(inputs_, system.holonomic()));
  }

  /// m × (n+1)
  Eigen::MatrixXd rows(std::span<const double> q) { return (*forms_)(with_parameters(q)); }

  /// g
  std::vector<double> heights(std::span<const double> q) { return (*heights_)(with_parameters(q)); }

  /// ∂ᵢ(αₖ)ⱼ for every row k.
  std::vector<Gradient> gradients(std::span<const double> q, Eigen::Index row_count) {
    std::vector<Gradient> result(static_cast<std::size_t>(row_count));
    const std::vector<double> numbers = (*derivative_program_)(with_parameters(q));
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      const auto [row, column] = places_[derivatives_[e].first];
      result[static_cast<std::size_t>(row)].push_back({derivatives_[e].second, column, numbers[e]});
    }
    return result;
  }

  /// The same with what makes of them the derivative of the form: directions of rotations do not commute, and
  /// dα(eᵢ, eⱼ) = ∂ᵢαⱼ − ∂ⱼαᵢ − α(eᵢ × eⱼ).
  std::vector<Gradient> exterior(std::span<const double> q, const Eigen::MatrixXd& rows) {
    std::vector<Gradient> result = gradients(q, rows.rows());
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      for (std::size_t k = 0; k < space_.rotations; ++k) {
        const auto first = static_cast<Eigen::Index>(space_.velocity_of(k));
        for (Eigen::Index i = 0; i < 3; ++i) {
          const double component = rows(row, first + (i + 2) % 3);
          if (component != 0.0)
            result[static_cast<std::size_t>(row)].push_back({first + i, first + (i + 1) % 3, -component});
        }
      }
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
  std::vector<std::pair<std::size_t, Eigen::Index>> derivatives_;  ///< of which coefficient, in which direction
  Space space_;
  std::optional<Interpreter<double>> derivative_program_;
  std::optional<Interpreter<double>> heights_;
};

/// dα vanishes on the vectors that the basis annihilates: Frobenius. With the projector P = 1 − BBᵀ and the columns S
/// in which ω = dα has entries, PωP = P_S ω_SS P_Sᵀ, which is as large as R ω_SS Rᵀ where P_S = QR.
bool closed_on_kernel(const Gradient& gradient, const Eigen::MatrixXd& basis) {
  keep_working();
  std::map<Eigen::Index, Eigen::Index> place;
  double size = 0.0;
  for (const Slope& s : gradient) {
    place.try_emplace(s.i, 0);
    place.try_emplace(s.j, 0);
    size = std::hypot(size, s.value);
  }
  if (size == 0.0) return true;
  const auto count = static_cast<Eigen::Index>(place.size());
  Eigen::MatrixXd projected = Eigen::MatrixXd::Zero(basis.rows(), count);
  Eigen::Index next = 0;
  for (auto& [column, at] : place) {
    at = next++;
    projected.col(at) = -basis * basis.row(column).transpose();
    projected(column, at) += 1.0;
  }
  Eigen::MatrixXd omega = Eigen::MatrixXd::Zero(count, count);
  for (const Slope& s : gradient) {
    omega(place[s.i], place[s.j]) += s.value;
    omega(place[s.j], place[s.i]) -= s.value;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(projected);
  const Eigen::MatrixXd r = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
  return (r * omega * r.transpose()).norm() <= sampling_error * size;
}

/// A position, and a time behind it where the system depends on it.
std::vector<double> random_place(RandomPoints& random, const Space& space, std::span<const double> centre,
                                 double radius) {
  if (space.rotations == 0) return random.near(centre, radius);
  std::vector<double> place = random.near(space, centre.first(space.positions()), radius);
  for (const double t : random.near(centre.subspan(space.positions()), radius)) place.push_back(t);
  return place;
}

/// Gauss–Newton for A(q)ᵀu = 0, |u| = 1, g(q) = 0: a combination of rows that vanishes in a configuration. The rows of
/// A are scaled to their size where the search starts; it starts from single rows and from the combination nearest to
/// vanishing.
std::optional<ConstraintReport::RankDrop> search_rank_drop(ConstraintForms& forms, std::span<const double> q0,
                                                           const Space& space) {
  const auto n = static_cast<Eigen::Index>(space.velocities());
  RandomPoints random;
  const auto m = forms.rows(q0).rows();
  const auto holonomic = static_cast<Eigen::Index>(forms.heights(q0).size());
  const int attempts = 12 * static_cast<int>(std::min<Eigen::Index>(m + 1, 6));
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::vector<double> q =
        attempt <= m ? std::vector<double>(q0.begin(), q0.end()) : random_place(random, space, q0, 3.0);
    Eigen::MatrixXd a = forms.rows(q).leftCols(n);
    if (!a.allFinite()) continue;
    Eigen::VectorXd weights(m);
    for (Eigen::Index k = 0; k < m; ++k) weights[k] = a.row(k).norm() > 0.0 ? 1.0 / a.row(k).norm() : 1.0;
    a = weights.asDiagonal() * a;
    const Eigen::Index first = attempt % (m + 1);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(m);
    if (first < m) {
      u[first] = 1.0;
    } else {
      u = Eigen::JacobiSVD<Eigen::MatrixXd>(a, Eigen::ComputeFullU).matrixU().col(m - 1);
    }
    for (int iteration = 0; iteration < 40; ++iteration) {
      a = weights.asDiagonal() * forms.rows(q).leftCols(n);
      const auto gradients = forms.gradients(q, m);
      const std::vector<double> heights = forms.heights(q);
      if (!a.allFinite()) break;
      Eigen::VectorXd residual(n + 1 + holonomic);
      residual.head(n) = a.transpose() * u;
      residual[n] = 0.5 * (u.squaredNorm() - 1.0);
      Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(n + 1 + holonomic, n + m);
      for (Eigen::Index k = 0; k < m; ++k) {
        for (const Slope& s : gradients[static_cast<std::size_t>(k)]) {
          if (s.i < n && s.j < n) slope(s.j, s.i) += u[k] * weights[k] * s.value;
        }
      }
      slope.block(0, n, n, m) = a.transpose();
      slope.block(n, n, 1, m) = u.transpose();
      for (Eigen::Index k = 0; k < holonomic; ++k) {  // the last rows of A are ∇g
        residual[n + 1 + k] = weights[m - holonomic + k] * heights[static_cast<std::size_t>(k)];
        slope.block(n + 1 + k, 0, 1, n) = a.row(m - holonomic + k);
      }
      if (!slope.allFinite() || !residual.allFinite()) break;
      if (residual.norm() <= 1e-12) {
        ConstraintReport::RankDrop drop{{q.begin(), q.begin() + static_cast<std::ptrdiff_t>(space.positions())}, {}};
        for (Eigen::Index k = 0; k < m; ++k) {
          if (std::abs(u[k]) > 1e-6) drop.rows.push_back(static_cast<std::size_t>(k));
        }
        return drop;
      }
      Eigen::VectorXd change = least_squares(slope, residual);
      const double length = change.norm();
      if (length > 1.0) change /= length;
      double distance = 0.0;
      const Eigen::VectorXd back = -change.head(n);
      space.move(q, {back.data(), static_cast<std::size_t>(n)});
      for (std::size_t j = 0; j < space.numbers; ++j) {
        distance = std::max(distance, std::abs(q[j] - q0[j]) / std::max(1.0, std::abs(q0[j])));
      }
      u -= change.tail(m);
      if (distance > 20.0) break;  // constraints that fade at infinity have their rank everywhere
    }
  }
  return std::nullopt;
}

}  // namespace

ConstraintReport examine_constraints(const System& system, std::span<const double> parameters, const State& near) {
  std::vector<double> q0 = near.q;
  if (system.depends_on_time()) q0.push_back(near.t);
  ConstraintReport report;
  const std::size_t m = system.velocity_rows().size();
  if (m == 0) return report;
  ConstraintForms forms(system, parameters);
  const auto n = static_cast<Eigen::Index>(system.dimension());
  RandomPoints random;
  std::vector<bool> redundant(m, true);
  std::vector<bool> contradictory(m, true);
  std::vector<bool> integrable(m, true);
  report.all_integrable = !system.constraints().empty();
  int seen = 0;
  for (int attempt = 0; attempt < 20 * points_of_constraints && seen < points_of_constraints; ++attempt) {
    const std::vector<double> q = random_place(random, system.space(), q0, 1.0);
    const Eigen::MatrixXd rows = forms.rows(q);
    const auto gradients = forms.exterior(q, rows);
    if (!rows.allFinite() || !std::ranges::all_of(gradients, is_finite)) continue;
    ++seen;
    const std::vector<std::size_t> dependent = dependent_rows(rows.leftCols(n));
    const std::vector<std::size_t> dependent_with_time = system.is_affine() ? dependent_rows(rows) : dependent;
    report.generic_rank = std::max(report.generic_rank, m - dependent.size());
    const Basis all = report.all_integrable ? orthonormal_basis(rows) : Basis{};
    for (std::size_t k = 0; k < m; ++k) {
      const auto is_in = [&](const std::vector<std::size_t>& list) {
        return std::find(list.begin(), list.end(), k) != list.end();
      };
      redundant[k] = redundant[k] && is_in(dependent);
      contradictory[k] = contradictory[k] && is_in(dependent) && !is_in(dependent_with_time);
      const Eigen::MatrixXd own = orthonormal_basis(rows.row(static_cast<Eigen::Index>(k))).columns;
      integrable[k] = integrable[k] && closed_on_kernel(gradients[k], own);
      if (k < system.constraints().size()) {
        report.all_integrable = report.all_integrable && closed_on_kernel(gradients[k], all.columns);
      }
    }
    const auto none = [](const std::vector<bool>& flags) { return std::ranges::find(flags, true) == flags.end(); };
    if (report.generic_rank == m && none(contradictory) && none(integrable) && !report.all_integrable)
      break;  // for good
  }
  report.judged = seen > 0;
  report.all_integrable = report.all_integrable && report.judged;
  for (std::size_t k = 0; k < m; ++k) {
    if (contradictory[k] && report.judged) {
      report.contradictory.push_back(k);
    } else if (redundant[k] && report.judged) {
      report.redundant.push_back(k);
    }
    if (integrable[k] && report.judged && k < system.constraints().size()) report.integrable.push_back(k);
  }
  return report;
}

std::optional<ConstraintReport::RankDrop> find_rank_drop(const System& system, std::span<const double> parameters,
                                                         const State& near) {
  const std::size_t m = system.velocity_rows().size();
  const ConstraintReport report = examine_constraints(system, parameters, near);
  if (m == 0 || !report.judged || report.generic_rank != m || system.dimension() > largest_search) return std::nullopt;
  ConstraintForms forms(system, parameters);
  std::vector<double> q0 = near.q;
  if (system.depends_on_time()) q0.push_back(near.t);
  return search_rank_drop(forms, q0, system.space());
}

}  // namespace rattleback
