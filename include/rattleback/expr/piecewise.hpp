#pragma once

#include "rattleback/expr/expression.hpp"

namespace rattleback {

Expression abs(const Expression& x);
/// 1, −1, or 0 at 0.
Expression sign(const Expression& x);
Expression min(const Expression& a, const Expression& b);
Expression max(const Expression& a, const Expression& b);

// Conditions are expressions that are 1 or 0. They stand in if_else and nowhere else.
Expression less(const Expression& a, const Expression& b);
Expression less_equal(const Expression& a, const Expression& b);
Expression both(const Expression& a, const Expression& b);
Expression either(const Expression& a, const Expression& b);
/// The opposite of a condition: ¬(a < b) is b ≤ a.
Expression opposite(const Expression& condition);
bool is_condition(const Expression& e);

/// a where the condition holds, else b. What the other one is there does not matter, not even whether it is defined.
Expression if_else(const Expression& condition, const Expression& a, const Expression& b);

/// Whether e is made of two expressions that it takes turns to be, as if_else, min and max are.
bool is_choice(const Expression& e);
/// Where a choice is the first of two: the condition of if_else, a ≤ b for min(a, b). The two are the last two operands.
Expression choosing_condition(const Expression& choice);

/// Whether a node is not smooth where its operands are: abs, sign, min, max, if, and tables.
bool is_piecewise(const Expression& e);
/// Whether something in the expressions is.
bool has_kinks(std::span<const Expression> expressions);
/// Whether something that is not smooth depends on one of the symbols: a slope may then be free of them although the
/// expression is not, as that of sign(x) is.
bool has_kinks_in(const Expression& expression, std::span<const Expression> symbols);

}  // namespace rattleback
