#include "determinant.hpp"

#include <unordered_map>

#include "rattleback/expr/tidy.hpp"

namespace rattleback {
namespace {

constexpr std::size_t most_minors = 20000;

/// Minors of the last rows, by the set of their columns.
class Minors {
 public:
  explicit Minors(const ExpressionMatrix& matrix) : matrix_(matrix) {
    if (matrix.size() > 30) throw ExpressionError("a determinant of more than 30 rows is not expanded");
  }

  Expression of(std::size_t row, std::uint32_t columns) {
    if (row == matrix_.size()) return Expression(1.0);
    if (const auto found = known_.find(columns); found != known_.end()) return found->second;
    Expression total;
    double sign = 1.0;
    for (std::size_t j = 0; j < matrix_[row].size(); ++j) {
      if ((columns >> j & 1U) == 0) continue;
      const Expression& entry = matrix_[row][j];
      if (!entry.is_constant(0.0)) total += sign * entry * of(row + 1, columns & ~(1U << j));
      sign = -sign;
    }
    if (known_.size() >= most_minors) throw ExpressionError("a determinant is too large to be expanded");
    return known_.emplace(columns, total).first->second;
  }

 private:
  const ExpressionMatrix& matrix_;
  std::unordered_map<std::uint32_t, Expression> known_;
};

}  // namespace

ExpressionMatrix dense(const SparseMatrix& matrix) {
  ExpressionMatrix result(static_cast<std::size_t>(matrix.rows),
                          std::vector<Expression>(static_cast<std::size_t>(matrix.columns)));
  for (const auto& e : matrix.entries)
    result[static_cast<std::size_t>(e.row)][static_cast<std::size_t>(e.column)] = e.value;
  return result;
}

ExpressionMatrix columns(const ExpressionMatrix& matrix, const std::vector<std::size_t>& which) {
  ExpressionMatrix result(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (const std::size_t j : which) result[i].push_back(matrix[i][j]);
  }
  return result;
}

Expression determinant(const ExpressionMatrix& matrix) {
  return tidy(Minors(matrix).of(0, static_cast<std::uint32_t>((std::uint64_t{1} << matrix.size()) - 1)));
}

ExpressionMatrix adjugate(const ExpressionMatrix& matrix) {
  const std::size_t n = matrix.size();
  ExpressionMatrix result(n, std::vector<Expression>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      ExpressionMatrix rest;
      for (std::size_t k = 0; k < n; ++k) {
        if (k == i) continue;
        rest.push_back(matrix[k]);
        rest.back().erase(rest.back().begin() + static_cast<std::ptrdiff_t>(j));
      }
      result[j][i] = ((i + j) % 2 == 0 ? 1.0 : -1.0) * determinant(rest);
    }
  }
  return result;
}

ExpressionMatrix solved(const ExpressionMatrix& matrix, const ExpressionMatrix& right_hand_sides) {
  const std::size_t n = matrix.size();
  const ExpressionMatrix inverse_times_det = adjugate(matrix);
  const Expression det = determinant(matrix);
  ExpressionMatrix result(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < right_hand_sides[0].size(); ++c) {
      Expression total;
      for (std::size_t j = 0; j < n; ++j) total += inverse_times_det[i][j] * right_hand_sides[j][c];
      result[i].push_back(tidy(tidy(total) / det));
    }
  }
  return result;
}

}  // namespace rattleback
