#include "rattleback/expr/function.hpp"

#include <array>
#include <cmath>

namespace rattleback {
namespace {

template <double (*F)(double)>
double unary(double x, double) {
  return F(x);
}

constexpr std::array table{
    FunctionInfo{"sin", 1, "\\sin", unary<std::sin>},
    FunctionInfo{"cos", 1, "\\cos", unary<std::cos>},
    FunctionInfo{"tan", 1, "\\tan", unary<std::tan>},
    FunctionInfo{"asin", 1, "\\arcsin", unary<std::asin>},
    FunctionInfo{"acos", 1, "\\arccos", unary<std::acos>},
    FunctionInfo{"atan", 1, "\\arctan", unary<std::atan>},
    FunctionInfo{"atan2", 2, "\\operatorname{atan2}", [](double y, double x) { return std::atan2(y, x); }},
    FunctionInfo{"sinh", 1, "\\sinh", unary<std::sinh>},
    FunctionInfo{"cosh", 1, "\\cosh", unary<std::cosh>},
    FunctionInfo{"tanh", 1, "\\tanh", unary<std::tanh>},
    FunctionInfo{"asinh", 1, "\\operatorname{arsinh}", unary<std::asinh>},
    FunctionInfo{"exp", 1, "\\exp", unary<std::exp>},
    FunctionInfo{"log", 1, "\\log", unary<std::log>},
    FunctionInfo{"sqrt", 1, "\\sqrt", unary<std::sqrt>},
};

}  // namespace

const FunctionInfo& info(Function function) { return table[static_cast<std::size_t>(function)]; }

const std::vector<Function>& all_functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> functions;
    for (std::size_t i = 0; i < table.size(); ++i) functions.push_back(static_cast<Function>(i));
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
