#include "sampling.hpp"

#include <algorithm>
#include <cmath>

#include "decompositions.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

std::vector<Expression> values(const SparseMatrix& matrix) {
  std::vector<Expression> list;
  for (const auto& entry : matrix.entries) list.push_back(entry.value);
  return list;
}

}  // namespace

std::vector<double> joined_data(const System& system, const State& state, std::span<const double> parameters) {
  std::vector<double> data = state.q;
  data.insert(data.end(), state.v.begin(), state.v.end());
  if (system.depends_on_time()) data.push_back(state.t);
  data.insert(data.end(), parameters.begin(), parameters.end());
  return data;
}

std::vector<double> joined_data(const State& state, std::span<const double> parameters) {
  std::vector<double> data = state.q;
  data.insert(data.end(), state.v.begin(), state.v.end());
  data.insert(data.end(), parameters.begin(), parameters.end());
  return data;
}

std::vector<double> evaluate_at(std::span<const Expression> inputs, std::span<const Expression> outputs,
                                std::span<const double> point) {
  return Interpreter<double>(make_program(inputs, outputs))(point);
}

MatrixFunction::MatrixFunction(const SparseMatrix& matrix, std::span<const Expression> inputs)
    : matrix_(matrix), program_(make_program(inputs, values(matrix))) {}

Eigen::MatrixXd MatrixFunction::operator()(std::span<const double> point) {
  const std::vector<double> numbers = program_(point);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix_.rows, matrix_.columns);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    result(matrix_.entries[i].row, matrix_.entries[i].column) = numbers[i];
  return result;
}

Eigen::MatrixXd evaluate_matrix(const SparseMatrix& matrix, std::span<const Expression> inputs,
                                std::span<const double> point) {
  return MatrixFunction(matrix, inputs)(point);
}

Basis orthonormal_basis(const Eigen::MatrixXd& rows) {
  Basis basis{Eigen::MatrixXd(rows.cols(), 0), {}};
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    keep_working();
    Eigen::VectorXd rest = rows.row(k).transpose();
    const double size = rest.norm();
    for (int pass = 0; pass < 2; ++pass) rest -= basis.columns * (basis.columns.transpose() * rest);
    if (rest.norm() <= 1e-10 * size || size == 0.0) {
      basis.dependent.push_back(static_cast<std::size_t>(k));
      continue;
    }
    basis.columns.conservativeResize(Eigen::NoChange, basis.columns.cols() + 1);
    basis.columns.rightCols(1) = rest.normalized();
  }
  return basis;
}

std::vector<std::size_t> dependent_rows(Eigen::MatrixXd rows) {
  for (Eigen::Index j = 0; j < rows.cols(); ++j) {
    const double size = rows.col(j).cwiseAbs().maxCoeff();
    if (size > 0.0) rows.col(j) /= size;
  }
  return orthonormal_basis(rows).dependent;
}

std::vector<double> RandomPoints::near(std::span<const double> centre, double radius) {
  std::vector<double> point;
  for (const double c : centre) point.push_back(c + radius * std::max(1.0, std::abs(c)) * signed_unit());
  return point;
}

std::vector<double> RandomPoints::near(const Space& space, std::span<const double> centre, double radius) {
  std::vector<double> point = near(centre.first(space.numbers), radius);
  point.insert(point.end(), centre.begin() + static_cast<std::ptrdiff_t>(space.numbers), centre.end());
  std::vector<double> turns(space.velocities(), 0.0);
  for (std::size_t i = space.numbers; i < turns.size(); ++i) turns[i] = 2.0 * radius * signed_unit();
  space.move(point, turns);
  return point;
}

State RandomPoints::near(const System& system, const State& centre, double radius) {
  State state{near(system.space(), centre.q, radius), near(centre.v, radius), centre.t};
  if (system.depends_on_time()) state.t = near({&centre.t, 1}, radius)[0];
  return state;
}

}  // namespace rattleback
