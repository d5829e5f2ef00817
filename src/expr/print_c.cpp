#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

/// A double literal: 2.0 and not 2, which C would divide as an integer.
std::string c_number(double x) {
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return x < 0.0 ? "(" + text + ")" : text;
}

template <class Operand>
std::string c_call(const Expression& e, Operand&& x) {
  switch (e.function()) {
    case Function::abs: return fmt::format("fabs({})", x(0));
    case Function::sign: return fmt::format("{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}", x(0));
    case Function::min: return fmt::format("{0} < {1} || isnan({0}) ? {0} : {1}", x(0), x(1));
    case Function::max: return fmt::format("{0} > {1} || isnan({0}) ? {0} : {1}", x(0), x(1));
    case Function::less:
    case Function::less_equal: return fmt::format("{} {} {}", x(0), info(e.function()).name, x(1));
    case Function::both: return fmt::format("{} && {}", x(0), x(1));
    case Function::either: return fmt::format("{} || {}", x(0), x(1));
    case Function::if_else: return fmt::format("{} ? {} : {}", x(0), x(1), x(2));
    case Function::table: throw ExpressionError("a table of numbers cannot be written as a formula in C");
    default:
      return fmt::format("{}({}{})", info(e.function()).name, x(0), e.operands().size() > 1 ? ", " + x(1) : "");
  }
}

}  // namespace

std::string to_c(std::string_view name, std::span<const Expression> inputs, std::span<const Expression> outputs) {
  const Graph graph(outputs);
  std::vector<std::string> value(graph.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (graph.contains(inputs[i])) value[graph.index(inputs[i])] = fmt::format("in[{}]", i);
  }
  std::string body;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    if (e.is_symbol()) {
      if (value[i].empty()) throw ExpressionError(fmt::format("'{}' is not among the inputs of {}", e.name(), name));
      continue;
    }
    const auto operand = [&](std::size_t k) { return value[graph.index(e.operands()[k].expression)]; };
    if (e.is_constant()) {
      value[i] = c_number(e.value());
      continue;
    }
    std::string text;
    switch (e.kind()) {
      case Kind::sum:
        for (std::size_t k = 0; k < e.operands().size(); ++k) {
          const double w = e.operands()[k].weight;
          text += fmt::format("{}{}{}", w < 0.0 ? (k == 0 ? "-" : " - ") : (k == 0 ? "" : " + "),
                              std::abs(w) == 1.0 ? "" : c_number(std::abs(w)) + "*", operand(k));
        }
        if (e.value() != 0.0) text += fmt::format(" {} {}", e.value() < 0.0 ? '-' : '+', c_number(std::abs(e.value())));
        break;
      case Kind::product: {
        std::string under;
        if (e.value() != 1.0) text = c_number(e.value());
        for (std::size_t k = 0; k < e.operands().size(); ++k) {
          const double n = std::abs(e.operands()[k].weight);
          std::string factor = n == 1.0   ? operand(k)
                               : n == 2.0 ? operand(k) + "*" + operand(k)
                                          : fmt::format("pow({}, {})", operand(k), n);
          std::string& side = e.operands()[k].weight < 0.0 ? under : text;
          side += (side.empty() ? "" : "*") + factor;
        }
        if (!under.empty()) text += (text.empty() ? "1.0/(" : "/(") + under + ")";
        break;
      }
      case Kind::power: text = fmt::format("pow({}, {})", operand(0), operand(1)); break;
      default: text = c_call(e, operand);
    }
    value[i] = fmt::format("t{}", i);
    body += fmt::format("  const double t{} = {};\n", i, text);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    body += fmt::format("  out[{}] = {};\n", i, value[graph.index(outputs[i])]);
  return fmt::format("void {}(const double *in, double *out) {{\n{}}}\n", name, body);
}

}  // namespace rattleback
