#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// Text that parse() reads back to the same expression, if its names are names of the notation and
/// it stays below max_expression_length. Linear in the graph: an expression that would be too large
/// or too deep as a formula is written with definitions, "_1 = …; _2 = …; …".
std::string to_text(const Expression& expression);

/// The same with the terms of sums as people order them: T before V, and no minus in front if there is a plus.
std::string to_reading_text(const Expression& expression);

/// A text, cut after about so many bytes, for messages.
std::string shortened(std::string text, std::size_t length);
std::string shortened(const Expression& expression, std::size_t length = 120);

/// The shortest decimal, or a fraction where that is shorter, that reads back to the same number.
std::string number_text(double value);

/// LaTeX for reading: x' becomes \dot{x}, theta \theta, q1 q_{1}. Throws ExpressionError for an
/// expression of more than 20 000 symbols.
std::string to_latex(const Expression& expression);

/// A C function `void name(const double *in, double *out)` that evaluates the outputs, each shared
/// subexpression once. Needs <math.h>.
std::string to_c(std::string_view name, std::span<const Expression> inputs, std::span<const Expression> outputs);

}  // namespace rattleback
