#pragma once

#include <unordered_map>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// A shorter form for people and for code, if one is found: products multiplied out, x·x⁻¹ cancelled, and sin² + cos² =
/// 1 used where that shortens. Equal wherever both are defined; removable singularities may be gone. Expressions that
/// would grow too large are returned as they are.
Expression tidy(const Expression& expression);

/// For people: each part of the expression in its shorter form, as tidy() finds it, and as it stands where that is no
/// longer. Very large expressions are returned as they are.
Expression readable(const Expression& expression);

/// What remains of a sum when factors that all its terms have are taken out, in the form in which most can be:
/// sin(x)² cos(y)² + sin(x)² − sin(x)² cos(x)² leaves cos(y)² + sin(x)². The expression itself if there are none.
Expression without_common_factors(const Expression& expression);

/// One polynomial over a product of powers, in lowest terms as far as the denominators are known, with the factors that
/// all its terms have outside: 1/(x y) + x/y is (1 + x²)/(x y). Rational coefficients have a common denominator too.
/// Some symbols may be replaced by numbers. If there would be more terms than that on the way, the expression itself is
/// returned, with the numbers.
Expression factored(const Expression& expression, std::size_t most_terms = 300,
                    const std::unordered_map<Expression, double>& numbers = {});

}  // namespace rattleback
