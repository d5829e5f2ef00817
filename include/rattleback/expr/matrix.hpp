#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// A vector of expressions.
using Vector = std::vector<Expression>;

/// A matrix of expressions. Operations on shapes that do not fit throw ExpressionError, which names the shapes.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  Vector entries = {};  ///< row by row

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), entries(row_count * column_count) {}
  /// Its rows, all of one length.
  explicit Matrix(std::span<const Vector> all_rows);
  Matrix(std::initializer_list<Vector> all_rows) : Matrix(std::span<const Vector>(all_rows.begin(), all_rows.size())) {}

  /// From 0.
  Expression& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
  const Expression& operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
  Vector row(std::size_t i) const;

  friend bool operator==(const Matrix&, const Matrix&) = default;
};

Vector operator+(const Vector& a, const Vector& b);
Vector operator-(const Vector& a, const Vector& b);
Vector operator-(const Vector& a);
Vector operator*(const Expression& s, const Vector& a);
Matrix operator+(const Matrix& a, const Matrix& b);
Matrix operator-(const Matrix& a, const Matrix& b);
Matrix operator-(const Matrix& a);
Matrix operator*(const Expression& s, const Matrix& a);
Vector operator*(const Matrix& a, const Vector& b);
Matrix operator*(const Matrix& a, const Matrix& b);

Expression dot(const Vector& a, const Vector& b);
Vector cross(const Vector& a, const Vector& b);
Expression norm(const Vector& a);
Matrix transpose(const Matrix& a);
/// The matrix with these on its diagonal.
Matrix diag(const Vector& a);

/// Rotations by an angle about the first, second and third axis: rotz(a) takes (1, 0, 0) to (cos a, sin a, 0).
Matrix rotx(const Expression& angle);
Matrix roty(const Expression& angle);
Matrix rotz(const Expression& angle);

/// The total time derivatives of expressions of the coordinates: ∂f/∂q · q̇.
Vector time_derivative(std::span<const Expression> functions, std::span<const Expression> coordinates);

/// The angular velocity in the body of a rotation Q(q) with the derivative Q̇: the vector W with QᵀQ̇ = Ŵ. Of a matrix
/// that is not orthogonal, that of the antisymmetric part of QᵀQ̇.
Vector angular(const Matrix& q, const Matrix& derivative);
Vector angular(const Matrix& q, std::span<const Expression> coordinates);

/// What the angular velocity of a rotation R is called: R.omega, with the components R.omega1, …
inline constexpr std::string_view angular_velocity_suffix = ".omega";

/// What a text of the notation can stand for.
using Tensor = std::variant<Expression, Vector, Matrix>;

/// For messages: "a scalar", "a vector of 3 components", "a 3 by 3 matrix".
std::string shape_of(const Tensor& value);

/// All expressions in it, row by row.
std::span<const Expression> entries_of(const Tensor& value);
/// The same shape with other entries.
Tensor with_entries(const Tensor& shape, Vector entries);

}  // namespace rattleback
