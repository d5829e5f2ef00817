#pragma once

// Expressions at points, as numbers and matrices.

#include <Eigen/Core>
#include <random>
#include <span>
#include <vector>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// Relative: sampled quantities are either this small or not small at all.
inline constexpr double sampling_error = 1e-9;
/// Random points, of which one shows that something does not hold everywhere.
inline constexpr int generic_samples = 8;

/// (q, v, t where the system depends on it, parameters): the data of state_and_parameters.
std::vector<double> joined_data(const System& system, const State& state, std::span<const double> parameters);
/// The same of equations that do not depend on time.
std::vector<double> joined_data(const State& state, std::span<const double> parameters);

std::vector<double> evaluate_at(std::span<const Expression> inputs, std::span<const Expression> outputs,
                                std::span<const double> point);

/// A matrix of expressions, to be evaluated at many points.
class MatrixFunction {
 public:
  MatrixFunction(const SparseMatrix& matrix, std::span<const Expression> inputs);
  Eigen::MatrixXd operator()(std::span<const double> point);

 private:
  SparseMatrix matrix_;
  Interpreter<double> program_;
};

Eigen::MatrixXd evaluate_matrix(const SparseMatrix& matrix, std::span<const Expression> inputs,
                                std::span<const double> point);

struct Basis {
  Eigen::MatrixXd columns;             ///< orthonormal
  std::vector<std::size_t> dependent;  ///< rows that are combinations of the rows before them
};

/// Gram–Schmidt, in the order of the rows.
Basis orthonormal_basis(const Eigen::MatrixXd& rows);

/// The rows that are combinations of the rows before them, whatever the units of the columns.
std::vector<std::size_t> dependent_rows(Eigen::MatrixXd rows);

/// The same random points in every run.
class RandomPoints {
 public:
  /// In a box of half-width `radius`·max(1, |cᵢ|) about c.
  std::vector<double> near(std::span<const double> centre, double radius);
  /// Of a position with rotations, these turned by up to twice the radius about every axis.
  std::vector<double> near(const Space& space, std::span<const double> centre, double radius);
  /// Near a state; at a time near its own, where the system depends on it.
  State near(const System& system, const State& centre, double radius);
  double signed_unit() { return 2.0 * static_cast<double>(generator_() >> 11U) * 0x1p-53 - 1.0; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace rattleback
