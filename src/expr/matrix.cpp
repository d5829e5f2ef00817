#include "rattleback/expr/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback {
namespace {

[[noreturn]] void do_not_fit(const char* wanted, const Tensor& a, const Tensor& b, const char* joined) {
  throw ExpressionError(fmt::format("cannot {} {} {} {}", wanted, shape_of(a), joined, shape_of(b)));
}

/// Entry by entry: a + weight·b.
Vector combined(const Vector& a, const Vector& b, double weight) {
  Vector result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Term terms[] = {{a[i], 1.0}, {b[i], weight}};
    result.push_back(sum(terms));
  }
  return result;
}

Vector combined_vectors(const Vector& a, const Vector& b, double weight) {
  if (a.size() != b.size()) do_not_fit(weight > 0.0 ? "add" : "subtract", a, b, "and");
  return combined(a, b, weight);
}

Matrix combined_matrices(const Matrix& a, const Matrix& b, double weight) {
  if (a.rows != b.rows || a.columns != b.columns) do_not_fit(weight > 0.0 ? "add" : "subtract", a, b, "and");
  Matrix result = a;
  result.entries = combined(a.entries, b.entries, weight);
  return result;
}

Expression sum_of_products(std::size_t n, auto&& a, auto&& b) {
  std::vector<Term> terms;
  for (std::size_t k = 0; k < n; ++k) terms.push_back({a(k) * b(k), 1.0});
  return sum(terms);
}

}  // namespace

Matrix::Matrix(std::span<const Vector> all_rows)
    : rows(all_rows.size()), columns(all_rows.empty() ? 0 : all_rows[0].size()) {
  for (const Vector& one : all_rows) {
    if (one.size() != columns) {
      throw ExpressionError(fmt::format("the rows of a matrix must have one length, found {} and {}",
                                        shape_of(all_rows[0]), shape_of(one)));
    }
    entries.insert(entries.end(), one.begin(), one.end());
  }
}

Vector Matrix::row(std::size_t i) const {
  const auto first = entries.begin() + static_cast<std::ptrdiff_t>(i * columns);
  return {first, first + static_cast<std::ptrdiff_t>(columns)};
}

Vector operator+(const Vector& a, const Vector& b) { return combined_vectors(a, b, 1.0); }
Vector operator-(const Vector& a, const Vector& b) { return combined_vectors(a, b, -1.0); }

Vector operator-(const Vector& a) {
  Vector result;
  for (const Expression& e : a) {
    const Term term{e, -1.0};  // the terms of a sum change their signs
    result.push_back(sum({&term, 1}));
  }
  return result;
}

Vector operator*(const Expression& s, const Vector& a) {
  Vector result;
  for (const Expression& e : a) result.push_back(s * e);
  return result;
}

Matrix operator+(const Matrix& a, const Matrix& b) { return combined_matrices(a, b, 1.0); }
Matrix operator-(const Matrix& a, const Matrix& b) { return combined_matrices(a, b, -1.0); }

Matrix operator-(const Matrix& a) {
  Matrix result = a;
  result.entries = -a.entries;
  return result;
}

Matrix operator*(const Expression& s, const Matrix& a) {
  Matrix result = a;
  result.entries = s * a.entries;
  return result;
}

Vector operator*(const Matrix& a, const Vector& b) {
  if (a.columns != b.size()) do_not_fit("multiply", a, b, "by");
  Vector result;
  for (std::size_t i = 0; i < a.rows; ++i) {
    result.push_back(
        sum_of_products(a.columns, [&](std::size_t k) { return a(i, k); }, [&](std::size_t k) { return b[k]; }));
  }
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  if (a.columns != b.rows) do_not_fit("multiply", a, b, "by");
  Matrix result(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      result(i, j) =
          sum_of_products(a.columns, [&](std::size_t k) { return a(i, k); }, [&](std::size_t k) { return b(k, j); });
    }
  }
  return result;
}

Expression dot(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) do_not_fit("take the dot product of", a, b, "and");
  return sum_of_products(a.size(), [&](std::size_t k) { return a[k]; }, [&](std::size_t k) { return b[k]; });
}

Vector cross(const Vector& a, const Vector& b) {
  if (a.size() != 3 || b.size() != 3) do_not_fit("take the cross product of", a, b, "and");
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Expression norm(const Vector& a) { return sqrt(dot(a, a)); }

Matrix transpose(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) result(j, i) = a(i, j);
  }
  return result;
}

Matrix diag(const Vector& a) {
  Matrix result(a.size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result(i, i) = a[i];
  return result;
}

Matrix rotx(const Expression& angle) { return {{1, 0, 0}, {0, cos(angle), -sin(angle)}, {0, sin(angle), cos(angle)}}; }

Matrix roty(const Expression& angle) { return {{cos(angle), 0, sin(angle)}, {0, 1, 0}, {-sin(angle), 0, cos(angle)}}; }

Matrix rotz(const Expression& angle) { return {{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}}; }

Vector time_derivative(std::span<const Expression> functions, std::span<const Expression> coordinates) {
  Vector velocities;
  for (const Expression& q : coordinates) velocities.push_back(dot(q));
  return directional_derivative(functions, coordinates, velocities);
}

Vector angular(const Matrix& q, const Matrix& derivative) {
  if (q.rows != 3 || q.columns != 3)
    throw ExpressionError(fmt::format("a rotation is a 3 by 3 matrix, found {}", shape_of(q)));
  const Matrix s = transpose(q) * derivative;
  // The squares of sines and cosines of a product of rotations cancel.
  const auto part = [&](std::size_t i, std::size_t j) { return tidy(0.5 * (s(i, j) - s(j, i))); };
  return {part(2, 1), part(0, 2), part(1, 0)};
}

Vector angular(const Matrix& q, std::span<const Expression> coordinates) {
  Matrix derivative = q;
  derivative.entries = time_derivative(q.entries, coordinates);
  return angular(q, derivative);
}

std::string shape_of(const Tensor& value) {
  if (const auto* matrix = std::get_if<Matrix>(&value))
    return fmt::format("a {} by {} matrix", matrix->rows, matrix->columns);
  if (const auto* vector = std::get_if<Vector>(&value))
    return fmt::format("a vector of {} component{}", vector->size(), vector->size() == 1 ? "" : "s");
  return "a scalar";
}

std::span<const Expression> entries_of(const Tensor& value) {
  if (const auto* matrix = std::get_if<Matrix>(&value)) return matrix->entries;
  if (const auto* vector = std::get_if<Vector>(&value)) return *vector;
  return {&std::get<Expression>(value), 1};
}

Tensor with_entries(const Tensor& shape, Vector entries) {
  if (const auto* matrix = std::get_if<Matrix>(&shape)) {
    Matrix result = *matrix;
    result.entries = std::move(entries);
    return result;
  }
  if (std::holds_alternative<Vector>(shape)) return entries;
  return std::move(entries.at(0));
}

}  // namespace rattleback
