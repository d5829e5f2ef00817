#include "rattleback/expr/function.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "rattleback/expr/number_table.hpp"

namespace rattleback {
namespace {

template <double (*F)(double)>
double unary(double x, double, double) {
  return F(x);
}

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// What is not a number stays so, in either argument.
double least(double a, double b, double) { return a < b || std::isnan(a) ? a : b; }
double largest(double a, double b, double) { return a > b || std::isnan(a) ? a : b; }
double sign(double x, double, double) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }
double less(double a, double b, double) { return a < b ? 1.0 : a >= b ? 0.0 : undefined; }
double less_equal(double a, double b, double) { return a <= b ? 1.0 : a > b ? 0.0 : undefined; }
double if_else(double condition, double a, double b) {
  return std::isnan(condition) ? condition : condition != 0.0 ? a : b;
}

constexpr std::array rows{
    FunctionInfo{"sin", 1, "\\sin", unary<std::sin>},
    FunctionInfo{"cos", 1, "\\cos", unary<std::cos>},
    FunctionInfo{"tan", 1, "\\tan", unary<std::tan>},
    FunctionInfo{"asin", 1, "\\arcsin", unary<std::asin>},
    FunctionInfo{"acos", 1, "\\arccos", unary<std::acos>},
    FunctionInfo{"atan", 1, "\\arctan", unary<std::atan>},
    FunctionInfo{"atan2", 2, "\\operatorname{atan2}", [](double y, double x, double) { return std::atan2(y, x); }},
    FunctionInfo{"sinh", 1, "\\sinh", unary<std::sinh>},
    FunctionInfo{"cosh", 1, "\\cosh", unary<std::cosh>},
    FunctionInfo{"tanh", 1, "\\tanh", unary<std::tanh>},
    FunctionInfo{"asinh", 1, "\\operatorname{arsinh}", unary<std::asinh>},
    FunctionInfo{"exp", 1, "\\exp", unary<std::exp>},
    FunctionInfo{"log", 1, "\\log", unary<std::log>},
    FunctionInfo{"sqrt", 1, "\\sqrt", unary<std::sqrt>},
    FunctionInfo{"abs", 1, "", unary<std::abs>},
    FunctionInfo{"sign", 1, "\\operatorname{sgn}", sign},
    FunctionInfo{"min", 2, "\\min", least},
    FunctionInfo{"max", 2, "\\max", largest},
    FunctionInfo{"<", 2, "<", less},
    FunctionInfo{"<=", 2, "\\le", less_equal},
    FunctionInfo{"and", 2, "\\land", least},
    FunctionInfo{"or", 2, "\\lor", largest},
    FunctionInfo{"if", 3, "", if_else},
    FunctionInfo{"table", 2, "", [](double x, double number, double) { return number_table(number)(x); }},
};

}  // namespace

const FunctionInfo& info(Function function) { return rows[static_cast<std::size_t>(function)]; }

const std::vector<Function>& all_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> functions;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (static_cast<Function>(i) < Function::less) functions.push_back(static_cast<Function>(i));
    }
    return functions;
  }();
  return all;
}

std::optional<Function> find_function(std::string_view name) {
  for (Function f : all_functions()) {
    if (info(f).name == name) return f;
  }
  return std::nullopt;
}

}  // namespace rattleback
