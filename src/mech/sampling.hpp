#pragma once

// Expressions at points, as numbers and matrices.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/mech/system.hpp"

namespace rattleback {

/// (q, v, parameters)
inline std::vector<double> joined_data(const State& state, std::span<const double> parameters) {
  std::vector<double> data = state.q;
  data.insert(data.end(), state.v.begin(), state.v.end());
  data.insert(data.end(), parameters.begin(), parameters.end());
  return data;
}

inline std::vector<double> evaluate_at(std::span<const Expression> inputs, std::span<const Expression> outputs,
                                       std::span<const double> point) {
  return Interpreter<double>(make_program(inputs, outputs))(point);
}

/// A matrix of expressions, to be evaluated at many points.
class MatrixFunction {
 public:
  MatrixFunction(const SparseMatrix& matrix, std::span<const Expression> inputs)
      : matrix_(matrix), program_(make_program(inputs, values(matrix))) {}

  Eigen::MatrixXd operator()(std::span<const double> point) {
    const std::vector<double> numbers = program_(point);
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix_.rows, matrix_.columns);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      result(matrix_.entries[i].row, matrix_.entries[i].column) = numbers[i];
    return result;
  }

 private:
  static std::vector<Expression> values(const SparseMatrix& matrix) {
    std::vector<Expression> list;
    for (const auto& entry : matrix.entries) list.push_back(entry.value);
    return list;
  }

  SparseMatrix matrix_;
  Interpreter<double> program_;
};

inline Eigen::MatrixXd evaluate_matrix(const SparseMatrix& matrix, std::span<const Expression> inputs,
                                       std::span<const double> point) {
  return MatrixFunction(matrix, inputs)(point);
}

struct Basis {
  Eigen::MatrixXd columns;             ///< orthonormal
  std::vector<std::size_t> dependent;  ///< rows that are combinations of the rows before them
};

/// Gram–Schmidt, in the order of the rows.
inline Basis orthonormal_basis(const Eigen::MatrixXd& rows) {
  Basis basis{Eigen::MatrixXd(rows.cols(), 0), {}};
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
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

/// The rows that are combinations of the rows before them, whatever the units of the columns.
inline std::vector<std::size_t> dependent_rows(Eigen::MatrixXd rows) {
  for (Eigen::Index j = 0; j < rows.cols(); ++j) {
    const double size = rows.col(j).cwiseAbs().maxCoeff();
    if (size > 0.0) rows.col(j) /= size;
  }
  return orthonormal_basis(rows).dependent;
}

/// The same random points in every run.
class RandomPoints {
 public:
  /// In a box of half-width `radius`·max(1, |cᵢ|) about c.
  std::vector<double> near(std::span<const double> centre, double radius) {
    std::vector<double> point;
    for (const double c : centre) point.push_back(c + radius * std::max(1.0, std::abs(c)) * signed_unit());
    return point;
  }
  double signed_unit() { return 2.0 * static_cast<double>(generator_() >> 11U) * 0x1p-53 - 1.0; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace rattleback
