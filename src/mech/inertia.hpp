#pragma once

#include <Eigen/Core>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// The matrices of larger systems are not looked at as a whole: that would take longer than the integration.
inline constexpr Eigen::Index largest_dense = 400;

/// The inertia of a system at a point in units that do not depend on those of its coordinates: what has inertia has
/// inertia 1.
struct Inertia {
  /// M, and A, whose rows may have any size.
  Inertia(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& a);

  Eigen::VectorXd unit;  ///< of each coordinate
  Eigen::MatrixXd mass;  ///< M in these units
  /// Orthonormal columns in these units that span ker A and diagonalise M there, and what M is along them.
  Eigen::MatrixXd directions;
  Eigen::VectorXd masses;
};

/// The same units without the rest, for systems of any size.
Eigen::VectorXd units_of_coordinates(const System& system, std::span<const double> point);

}  // namespace rattleback
