#include "inertia.hpp"

#include <algorithm>
#include <cmath>

#include "decompositions.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/mech/units.hpp"
#include "sampling.hpp"

namespace rattleback {
namespace {

/// A coordinate whose share of the admissible motions is smaller does not move: this is rounding.
constexpr double no_motion = 1e-12;

void normalise_rows(Eigen::MatrixXd& a) {
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    const double size = a.row(k).cwiseAbs().maxCoeff();
    if (size > 0.0) a.row(k) /= size;
  }
}

/// Coordinates without inertia of their own are measured by those they are tied to, in rows of A.
void measure_by_others(Eigen::VectorXd& unit, const Eigen::MatrixXd& rows, const std::vector<bool>& known) {
  Eigen::MatrixXd scaled = rows;
  for (Eigen::Index i = 0; i < unit.size(); ++i) scaled.col(i) *= known[static_cast<std::size_t>(i)] ? unit[i] : 0.0;
  for (Eigen::Index i = 0; i < unit.size(); ++i) {
    if (known[static_cast<std::size_t>(i)]) continue;
    double largest = 0.0;
    for (Eigen::Index k = 0; k < rows.rows(); ++k) {
      const double others = scaled.row(k).cwiseAbs().maxCoeff();
      if (others > 0.0) largest = std::max(largest, std::abs(rows(k, i)) / others);
    }
    if (largest > 0.0) unit[i] = 1.0 / largest;
  }
}

/// From the diagonal of M, and A.
Eigen::VectorXd units_of(const Eigen::VectorXd& masses, const Eigen::MatrixXd& a) {
  const Eigen::Index n = masses.size();
  Eigen::VectorXd unit = Eigen::VectorXd::Ones(n);
  std::vector<bool> known;
  for (Eigen::Index i = 0; i < n; ++i) {
    known.push_back(masses[i] != 0.0 && std::isfinite(masses[i]));
    if (known.back()) unit[i] = 1.0 / std::sqrt(std::abs(masses[i]));
  }
  if (std::ranges::find(known, false) == known.end()) return unit;
  if (a.rows() > 0) measure_by_others(unit, a, known);
  return unit;
}

}  // namespace

Inertia::Inertia(const Eigen::MatrixXd& m, const Eigen::MatrixXd& a)
    : unit(units_of(m.diagonal(), a)), mass(unit.asDiagonal() * m * unit.asDiagonal()),
      directions(Eigen::MatrixXd::Identity(m.rows(), m.rows())) {
  if (a.rows() > 0) {
    Eigen::MatrixXd rows = a * unit.asDiagonal();
    normalise_rows(rows);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows.transpose());
    directions = Eigen::MatrixXd(qr.householderQ()).rightCols(m.rows() - qr.rank());
  }
  if (directions.cols() == 0) return;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(directions.transpose() * mass * directions);
  masses = eigen.eigenvalues();
  directions = directions * eigen.eigenvectors();
}

Eigen::VectorXd units_of_coordinates(const System& system, std::span<const double> point) {
  const auto inputs = state_and_parameters(system);
  std::vector<Expression> diagonal;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    diagonal.push_back(gradient(system.momenta()[i], std::span(&system.velocities()[i], 1))[0]);
  }
  const std::vector<double> masses = evaluate_at(inputs, diagonal, point);
  return units_of(Eigen::Map<const Eigen::VectorXd>(masses.data(), static_cast<Eigen::Index>(masses.size())),
                  evaluate_matrix(system.constraint_matrix(), inputs, point));
}

VelocityUnits::VelocityUnits(const Problem& problem) {
  const System& system = problem.system;
  const auto inputs = state_and_parameters(system);
  const std::vector<double> point = joined_data(system, problem.start, problem.parameters);
  if (static_cast<Eigen::Index>(system.dimension()) > largest_dense) {
    const Eigen::VectorXd units = units_of_coordinates(system, point);
    each.assign(units.begin(), units.end());
    return;
  }
  const Inertia inertia(evaluate_matrix(system.mass_matrix(), inputs, point),
                        evaluate_matrix(system.constraint_matrix(), inputs, point));
  const Eigen::Index n = inertia.unit.size();
  Eigen::MatrixXd lambda = Eigen::MatrixXd::Identity(n, n);
  if (inertia.masses.size() > 0) {
    const Eigen::VectorXd masses = inertia.masses.cwiseAbs();
    const Eigen::VectorXd inverse = masses.cwiseMax(no_motion * masses.maxCoeff()).cwiseInverse();
    lambda = inertia.directions * inverse.asDiagonal() * inertia.directions.transpose();
    const double largest = lambda.diagonal().maxCoeff();
    for (Eigen::Index i = 0; i < n; ++i) {
      if (lambda(i, i) > no_motion * largest) continue;
      lambda.row(i).setZero();
      lambda.col(i).setZero();
      lambda(i, i) = largest;
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const double unit = inertia.unit[i] * std::sqrt(lambda(i, i));
    each.push_back(std::isfinite(unit) && unit > 0.0 ? unit : 1.0);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double share = std::abs(lambda(i, j)) / lambda(j, j) * (inertia.unit[i] / inertia.unit[j]);
      const bool is_rounding = std::abs(lambda(i, j)) <= no_motion * std::sqrt(lambda(i, i) * lambda(j, j));
      together.push_back(i == j ? 1.0 : is_rounding || !std::isfinite(share) ? 0.0 : share);
    }
  }
}

}  // namespace rattleback
