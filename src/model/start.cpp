// What is not given of a start follows from the constraints.

#include "rattleback/model/start.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <unordered_map>

#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

constexpr std::size_t most_completed = 500;   ///< coordinates
constexpr double rank_tolerance = 1e-11;      ///< of the constraints on what is free, relative to the largest
constexpr double objection_tolerance = 1e-9;  ///< of a row, relative to its terms
constexpr int most_corrections = 100;

using Values = std::unordered_map<Expression, double>;

/// The system at a place, on which some coordinates are free and others given.
class StartEquations {
 public:
  StartEquations(const System& system, std::span<const double> parameters, const SomeNumbers& given, double time)
      : system_(system), mass_(system.mass_matrix()) {
    if (system.dimension() > most_completed) {
      throw RequestError(fmt::format("a start can be completed for at most {} coordinates, found {}; give all of them",
                                     most_completed, system.dimension()));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) values_[system.parameters()[i]] = parameters[i];
    for (const Expression& v : system.velocities()) values_[v] = 0.0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i]) {
        given_.push_back(i);
      } else {
        free_.push_back(i);
      }
    }
    time_ = time;
  }

  void move_to(std::span<const double> q) {
    for (std::size_t i = 0; i < q.size(); ++i) values_[system_.coordinates()[i]] = q[i];
    values_.try_emplace(time_symbol(), time_);
    as_large_as_ones_ = values_;
    for (std::size_t i = system_.space().numbers; i < q.size(); ++i) as_large_as_ones_[system_.coordinates()[i]] = 1.0;
    const Eigen::MatrixXd mass = evaluated(mass_);
    unit_ = Eigen::VectorXd::Ones(mass.rows());
    for (Eigen::Index i = 0; i < mass.rows(); ++i) {
      if (mass(i, i) > 0.0) unit_[i] = 1.0 / std::sqrt(mass(i, i));
    }
    inertia_ = unit_.asDiagonal() * mass * unit_.asDiagonal();
    rows_ = evaluated(system_.constraint_matrix()) * unit_.asDiagonal();
    if (!inertia_.allFinite() || !rows_.allFinite())
      throw RequestError("a start cannot be completed: the model is not defined at the initial position");
  }

  double value(const Expression& e) const { return evaluate(e, values_); }
  /// What rounding errors are relative to: the entries of a rotation, of whatever size, have those of a number like 1.
  double size(const Expression& e) const {
    const double size = size_of_terms(e, values_);
    const double largest = system_.rotations().empty() ? size : size_of_terms(e, as_large_as_ones_);
    return largest > size ? largest : size;
  }
  const std::vector<std::size_t>& free() const { return free_; }
  const std::vector<std::size_t>& given() const { return given_; }
  /// Lengths of velocities whose kinetic energy is ½.
  const Eigen::VectorXd& unit() const { return unit_; }
  const Eigen::MatrixXd& inertia() const { return inertia_; }  ///< in these units, as the rows
  const Eigen::MatrixXd& rows() const { return rows_; }

  std::string names_of(const std::vector<std::size_t>& indices) const {
    std::vector<std::string> names;
    for (const std::size_t i : indices) names.push_back(system_.freedoms()[i].name());
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[noreturn]] void object(const std::vector<std::size_t>& rows, const char* what) const {
    constexpr std::size_t most_named = 4;
    std::string text;
    for (std::size_t k = 0; k < std::min(rows.size(), most_named); ++k)
      text += "\n  " + system_.row_name_with_text(rows[k]);
    if (rows.size() > most_named) text += fmt::format("\n  and {} more", rows.size() - most_named);
    throw RequestError(fmt::format("no {} with these values of {} satisfy{}\nLeave some of them out, or change them.",
                                   what, given_.empty() ? "no coordinate" : names_of(given_), text));
  }

 private:
  Eigen::MatrixXd evaluated(const SparseMatrix& matrix) const {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix.rows, matrix.columns);
    for (const auto& entry : matrix.entries) result(entry.row, entry.column) = value(entry.value);
    return result;
  }

  const System& system_;
  SparseMatrix mass_;
  Values values_;
  Values as_large_as_ones_;  ///< the same with ones as the entries of rotations
  double time_ = 0.0;
  std::vector<std::size_t> free_;
  std::vector<std::size_t> given_;
  Eigen::VectorXd unit_;
  Eigen::MatrixXd inertia_;
  Eigen::MatrixXd rows_;
};

Eigen::MatrixXd columns_of(const Eigen::MatrixXd& matrix, const std::vector<std::size_t>& which) {
  Eigen::MatrixXd result(matrix.rows(), static_cast<Eigen::Index>(which.size()));
  for (std::size_t k = 0; k < which.size(); ++k)
    result.col(static_cast<Eigen::Index>(k)) = matrix.col(static_cast<Eigen::Index>(which[k]));
  return result;
}

/// A w = c: the shortest solution, as far as there is one, and a basis of the solutions with c = 0.
class RowSolver {
 public:
  explicit RowSolver(Eigen::MatrixXd a) : a_(std::move(a)), weights_(Eigen::VectorXd::Ones(a_.rows())) {
    for (Eigen::Index k = 0; k < a_.rows(); ++k) {
      if (const double length = a_.row(k).norm(); length > 0.0) weights_[k] = 1.0 / length;
    }
    if (a_.size() == 0) return;  // Eigen has no such decomposition
    svd_.compute(weights_.asDiagonal() * a_, Eigen::ComputeFullU | Eigen::ComputeFullV);
    svd_.setThreshold(rank_tolerance);
  }

  Eigen::VectorXd operator()(const Eigen::VectorXd& c) const { return improved(Eigen::VectorXd::Zero(a_.cols()), c); }
  /// Corrected, so that rounding is all that is left of A w − c.
  Eigen::VectorXd improved(Eigen::VectorXd w, const Eigen::VectorXd& c) const {
    if (a_.rows() == 0 || a_.cols() == 0 || svd_.rank() == 0) return w;
    for (int pass = 0; pass < 3; ++pass) w += svd_.solve(weights_.cwiseProduct(c - a_ * w));
    return w;
  }
  Eigen::MatrixXd kernel() const {
    if (a_.size() == 0) return Eigen::MatrixXd::Identity(a_.cols(), a_.cols());
    return svd_.matrixV().rightCols(a_.cols() - svd_.rank());
  }

 private:
  Eigen::MatrixXd a_;
  Eigen::VectorXd weights_;
  Eigen::JacobiSVD<Eigen::MatrixXd> svd_;
};

/// The least ½ w·H w + f·w; of several, the shortest.
Eigen::VectorXd least(const Eigen::MatrixXd& h, const Eigen::VectorXd& f) {
  if (h.rows() == 0) return Eigen::VectorXd(0);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(h);
  const Eigen::VectorXd& masses = spectrum.eigenvalues();
  const double largest = masses.cwiseAbs().maxCoeff();
  if (masses[0] < -rank_tolerance * largest) {
    throw RequestError("the kinetic energy is not positive: no velocities have the least; give all velocities");
  }
  Eigen::VectorXd along = spectrum.eigenvectors().transpose() * f;
  for (Eigen::Index k = 0; k < along.size(); ++k) {
    along[k] = masses[k] > rank_tolerance * largest ? -along[k] / masses[k] : 0.0;
  }
  return spectrum.eigenvectors() * along;
}

}  // namespace

std::vector<double> completed_positions(const System& system, std::span<const double> parameters,
                                        const SomeNumbers& given, std::span<const double> near, double time) {
  std::vector<double> q(near.begin(), near.end());
  for (std::size_t i = 0; i < system.space().numbers; ++i) q[i] = given[i].value_or(q[i]);
  const std::size_t count = system.holonomic().size();
  if (count == 0) return q;
  StartEquations at(system, parameters, given, time);
  std::vector<std::size_t> violated;
  for (int pass = 0; pass < most_corrections; ++pass) {
    at.move_to(q);
    Eigen::VectorXd heights(static_cast<Eigen::Index>(count));
    violated.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const Expression& g = system.holonomic()[k];
      heights[static_cast<Eigen::Index>(k)] = at.value(g);
      const bool rounding = std::abs(at.value(g)) <= 1e-15 * at.size(g);
      if (!rounding) violated.push_back(system.constraints().size() + k);
    }
    if (violated.empty() || at.free().empty() || !heights.allFinite()) break;
    const Eigen::MatrixXd slopes = columns_of(at.rows().bottomRows(heights.size()), at.free());
    const Eigen::VectorXd change = RowSolver(slopes)(-heights);
    std::vector<double> by(system.dimension(), 0.0);
    for (std::size_t k = 0; k < at.free().size(); ++k) {
      by[at.free()[k]] = change[static_cast<Eigen::Index>(k)] * at.unit()[static_cast<Eigen::Index>(at.free()[k])];
    }
    const std::vector<double> before = q;
    system.space().move(q, by);
    if (q == before) break;
  }
  std::erase_if(violated, [&](std::size_t row) {
    const Expression& g = system.holonomic()[row - system.constraints().size()];
    return std::abs(at.value(g)) <= 1e-13 * at.size(g);
  });
  if (!violated.empty()) at.object(violated, "positions");
  return q;
}

std::vector<double> completed_velocities(const System& system, std::span<const double> parameters,
                                         const std::vector<double>& q, const SomeNumbers& given, double time,
                                         std::span<const double> near) {
  StartEquations at(system, parameters, given, time);
  at.move_to(q);
  const Eigen::VectorXd& unit = at.unit();
  std::vector<double> v(system.dimension(), 0.0);
  Eigen::VectorXd known = Eigen::VectorXd::Zero(unit.size());
  for (const std::size_t i : at.given()) {
    v[i] = *given[i];
    known[static_cast<Eigen::Index>(i)] = v[i] / unit[static_cast<Eigen::Index>(i)];
  }
  Eigen::VectorXd wanted = -at.rows() * known;  // A_free w = −b − A_given v
  Eigen::VectorXd sizes = at.rows().cwiseAbs() * known.cwiseAbs();
  for (Eigen::Index k = 0; k < wanted.size(); ++k) {
    const double b = at.value(system.affine_part()[static_cast<std::size_t>(k)]);
    wanted[k] -= b;
    sizes[k] += std::abs(b);
  }
  const Eigen::MatrixXd a = columns_of(at.rows(), at.free());
  const RowSolver rows(a);
  Eigen::VectorXd w = rows(wanted);
  const Eigen::MatrixXd kernel = rows.kernel();
  const Eigen::MatrixXd inertia = columns_of(at.inertia(), at.free());     // n × free
  const Eigen::MatrixXd own = columns_of(inertia.transpose(), at.free());  // free × free
  Eigen::VectorXd pull = own * w + inertia.transpose() * known;            // slope of the kinetic energy
  if (!near.empty()) {                                                     // of the change
    Eigen::VectorXd before(unit.size());
    for (Eigen::Index i = 0; i < unit.size(); ++i) before[i] = near[static_cast<std::size_t>(i)] / unit[i];
    pull -= inertia.transpose() * before;
  }
  w = rows.improved(w + kernel * least(kernel.transpose() * own * kernel, kernel.transpose() * pull), wanted);
  std::vector<std::size_t> objecting;
  for (Eigen::Index k = 0; k < wanted.size(); ++k) {
    const double size = sizes[k] + a.row(k).cwiseAbs().dot(w.cwiseAbs());
    const double rounding = 1e-14 * a.row(k).norm() * w.norm();  // of a row whose own terms are all zero
    if (!(std::abs(a.row(k).dot(w) - wanted[k]) <= objection_tolerance * size + rounding))
      objecting.push_back(static_cast<std::size_t>(k));
  }
  if (!objecting.empty()) at.object(objecting, "velocities");
  const double fastest = std::max(w.size() > 0 ? w.cwiseAbs().maxCoeff() : 0.0, known.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < at.free().size(); ++k) {
    const double found = w[static_cast<Eigen::Index>(k)];
    // What rounding leaves of a zero is none.
    v[at.free()[k]] = std::abs(found) > 1e-16 * fastest ? found * unit[static_cast<Eigen::Index>(at.free()[k])] : 0.0;
  }
  return v;
}

}  // namespace rattleback
