#pragma once

#include <cmath>

#include "../mech/decompositions.hpp"

namespace rattleback {

/// The smallest singular value of a symmetric matrix relative to the largest, after scaling rows and columns alike so
/// that units of the coordinates do not matter. Zero for a row of zeros. Entries below `noise` of the largest are zero.
template <class T>
T relative_regularity(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> g, T noise) {
  if (g.rows() == 0) return T(1);
  const T size = g.cwiseAbs().maxCoeff();
  if (!(size > T(0))) return T(0);
  g = (g.array().abs() <= noise * size).select(T(0), g);
  Eigen::Matrix<T, Eigen::Dynamic, 1> scale(g.rows());
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (Eigen::Index i = 0; i < g.rows(); ++i) {
      const T row = g.row(i).cwiseAbs().maxCoeff();
      if (!(row > T(0))) return T(0);
      scale(i) = T(1) / std::sqrt(row);
    }
    g = scale.asDiagonal() * g * scale.asDiagonal();
  }
  const auto values = Eigen::JacobiSVD<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>(g).singularValues();
  return values(values.size() - 1) / values(0);
}

}  // namespace rattleback
