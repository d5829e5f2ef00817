#include "decompositions.hpp"

namespace Eigen {

template class JacobiSVD<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class PartialPivLU<MatrixXd>;

namespace internal {
template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor, false, ColMajor, 1>;
}  // namespace internal

}  // namespace Eigen

namespace rattleback {

Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.completeOrthogonalDecomposition().solve(b);
}

Eigen::VectorXd nearest_solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.colPivHouseholderQr().solve(b);
}

}  // namespace rattleback
