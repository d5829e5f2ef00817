#pragma once

#include <span>
#include <vector>

#include "../mech/decompositions.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// Symmetries and constraints at a place, as numbers.
struct SymmetryAtPoint {
  Eigen::MatrixXd generators;   ///< in columns
  Eigen::MatrixXd constraints;  ///< rows of length 1, as they may be in different units
};

/// At random points about a state, where all of it is defined.
std::vector<SymmetryAtPoint> symmetries_at_points(const System& system, std::span<const Symmetry> symmetries,
                                                  std::span<const double> parameters, const State& near);

std::size_t rank_of(const Eigen::MatrixXd& m);

}  // namespace rattleback
