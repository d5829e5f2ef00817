#pragma once

// Dense linear algebra that is compiled once (decompositions.cpp): what Eigen makes of a decomposition or a product
// takes seconds in every file that uses it.

#include <Eigen/Dense>

namespace rattleback {

/// The shortest of the x nearest to a x = b, by a complete orthogonal decomposition.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// The x nearest to a x = b, by Householder reflections with pivots.
Eigen::VectorXd nearest_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace rattleback

namespace Eigen {

extern template class JacobiSVD<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class PartialPivLU<MatrixXd>;

namespace internal {
extern template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false, ColMajor,
                                                     1>;
extern template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false, ColMajor,
                                                     1>;
extern template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false, ColMajor,
                                                     1>;
extern template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor, false, ColMajor,
                                                     1>;
}  // namespace internal

}  // namespace Eigen
