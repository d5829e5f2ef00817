#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rattleback {

/// The elementary functions of the expression language.
enum class Function : unsigned char {
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  exp,
  log,
  sqrt,
  abs,
  sign,
  min,
  max,
  // Those that are not written as calls of a name (piecewise.hpp). Conditions are 1 or 0.
  less,
  less_equal,
  both,
  either,
  if_else,
  table,  ///< of an argument and the number of a table (number_table.hpp)
};

/// What the language knows about a function apart from its derivative: one row of one table.
struct FunctionInfo {
  std::string_view name;  ///< in model files and in C
  int arity;
  std::string_view latex;
  double (*evaluate)(double, double, double);  ///< arguments beyond the arity are ignored
};

const FunctionInfo& info(Function function);

std::optional<Function> find_function(std::string_view name);

/// The functions that are called by their name, name(x) or name(x, y), in the order of the enumeration.
const std::vector<Function>& all_functions();

}  // namespace rattleback
