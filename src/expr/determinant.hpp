#pragma once

// Small matrices of expressions.

#include <cstdint>
#include <vector>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/expression.hpp"

namespace rattleback {

using ExpressionMatrix = std::vector<std::vector<Expression>>;

/// Rows and columns of a sparse matrix, all or some.
ExpressionMatrix dense(const SparseMatrix& matrix);
ExpressionMatrix columns(const ExpressionMatrix& matrix, const std::vector<std::size_t>& which);

/// By expansion along the rows with shared minors: no divisions, so no poles that the determinant does not have. Throws
/// ExpressionError if there are too many minors.
Expression determinant(const ExpressionMatrix& matrix);

/// The adjugate: M · adj(M) = det(M) · 1.
ExpressionMatrix adjugate(const ExpressionMatrix& matrix);

/// M⁻¹ b for every column of b, by Cramer's rule, each entry tidied.
ExpressionMatrix solved(const ExpressionMatrix& matrix, const ExpressionMatrix& right_hand_sides);

}  // namespace rattleback
