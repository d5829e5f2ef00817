#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rattleback {

/// The elementary functions of the expression language.
enum class Function : unsigned char { sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, exp, log, sqrt };

/// What the language knows about a function apart from its derivative: one row of one table.
struct FunctionInfo {
  std::string_view name;  ///< in model files and in C
  int arity;
  std::string_view latex;
  double (*evaluate)(double, double);  ///< the second argument is ignored when arity is 1
};

const FunctionInfo& info(Function function);

std::optional<Function> find_function(std::string_view name);

/// All functions, in the order of the enumeration.
const std::vector<Function>& all_functions();

}  // namespace rattleback
