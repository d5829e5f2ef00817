#include "rattleback/expr/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "rattleback/base/work.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {

Graph::Graph(std::span<const Expression> roots) {
  struct Visit {
    Expression expression;
    std::size_t next_operand;
  };
  std::vector<Visit> stack;
  std::unordered_map<const Node*, bool> entered;
  for (const Expression& root : roots) {
    if (!entered.emplace(root.node(), true).second) continue;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Visit& top = stack.back();
      const auto operands = top.expression.operands();
      if (top.next_operand < operands.size()) {
        const Expression& child = operands[top.next_operand++].expression;
        if (entered.emplace(child.node(), true).second) stack.push_back({child, 0});
      } else {
        keep_working();
        index_.emplace(top.expression.node(), nodes_.size());
        nodes_.push_back(std::move(top.expression));
        stack.pop_back();
      }
    }
  }
}

namespace {}  // namespace

Expression rebuild(const Expression& e, std::span<const Expression> operands) {
  std::vector<Term> terms;
  switch (e.kind()) {
    case Kind::sum:
    case Kind::product:
      for (std::size_t i = 0; i < operands.size(); ++i) terms.push_back({operands[i], e.operands()[i].weight});
      return e.kind() == Kind::sum ? sum(terms, e.value()) : product(terms, e.value());
    case Kind::power: return pow(operands[0], operands[1]);
    case Kind::function: return call(e.function(), operands);
    default: return e;
  }
}

namespace {

std::size_t power_cost(double exponent) {
  const double n = std::abs(exponent);
  if (n > 64.0) return 1;
  const auto bits = static_cast<std::uint64_t>(n);
  return static_cast<std::size_t>(std::bit_width(bits)) + static_cast<std::size_t>(std::popcount(bits)) - 2;
}

}  // namespace

std::vector<Expression> substitute(std::span<const Expression> expressions, const Substitution& replacements) {
  for (const auto& [key, replacement] : replacements) {
    if (key.is_symbol() || key.kind() == Kind::function) continue;
    throw ExpressionError("only symbols and function values can be replaced, not " + to_text(key));
  }
  const Graph graph(expressions);
  std::vector<Expression> replaced(graph.size());
  std::vector<Expression> operands;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    if (e.is_symbol() || e.kind() == Kind::function) {
      const auto found = replacements.find(e);
      if (found != replacements.end() || e.is_symbol()) {
        replaced[i] = found == replacements.end() ? e : found->second;
        continue;
      }
    }
    operands.clear();
    bool changed = false;
    for (const Term& t : e.operands()) {
      operands.push_back(replaced[graph.index(t.expression)]);
      changed = changed || !(operands.back() == t.expression);
    }
    replaced[i] = changed ? rebuild(e, operands) : e;
  }
  std::vector<Expression> result;
  result.reserve(expressions.size());
  for (const Expression& e : expressions) result.push_back(replaced[graph.index(e)]);
  return result;
}

Expression substitute(const Expression& expression, const Substitution& replacements) {
  return substitute({&expression, 1}, replacements)[0];
}

std::vector<Expression> free_symbols(std::span<const Expression> expressions) {
  const Graph graph(expressions);
  std::vector<Expression> symbols;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[i].is_symbol()) symbols.push_back(graph[i]);
  }
  std::sort(symbols.begin(), symbols.end(), [](const auto& a, const auto& b) { return compare(a, b) < 0; });
  return symbols;
}

std::vector<Expression> free_symbols(const Expression& expression) { return free_symbols({&expression, 1}); }

std::size_t operation_count(std::span<const Expression> expressions) {
  const Graph graph(expressions);
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    const auto operands = e.operands();
    if (e.kind() == Kind::function || e.kind() == Kind::power) ++count;
    if (e.kind() == Kind::sum) {
      count += operands.size() - (e.value() == 0.0 ? 1 : 0);
      for (const Term& t : operands) count += std::abs(t.weight) == 1.0 ? 0 : 1;
    }
    if (e.kind() == Kind::product) {
      count += operands.size() - (e.value() == 1.0 ? 1 : 0);
      bool only_divisions = e.value() == 1.0;
      for (const Term& t : operands) {
        count += power_cost(t.weight);
        only_divisions = only_divisions && t.weight < 0.0;
      }
      count += only_divisions ? 1 : 0;  // 1/x
    }
  }
  return count;
}

std::size_t operation_count(const Expression& expression) { return operation_count({&expression, 1}); }

namespace {

/// Of every node of a graph.
std::vector<double> values_of(const Graph& graph, const std::unordered_map<Expression, double>& values) {
  std::vector<double> result(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    const auto operand = [&](std::size_t k) { return result[graph.index(e.operands()[k].expression)]; };
    double v = e.value();
    switch (e.kind()) {
      case Kind::constant: break;
      case Kind::symbol: {
        const auto found = values.find(e);
        if (found == values.end()) throw ExpressionError("no value given for '" + e.name() + "'");
        v = found->second;
        break;
      }
      case Kind::sum:
        for (std::size_t k = 0; k < e.operands().size(); ++k) v += e.operands()[k].weight * operand(k);
        break;
      case Kind::product:
        for (std::size_t k = 0; k < e.operands().size(); ++k) v *= std::pow(operand(k), e.operands()[k].weight);
        break;
      case Kind::power: v = std::pow(operand(0), operand(1)); break;
      case Kind::function:
        v = info(e.function())
                .evaluate(operand(0), e.operands().size() > 1 ? operand(1) : 0.0, e.operands().size() > 2 ? operand(2) : 0.0);
        break;
    }
    result[i] = v;
  }
  return result;
}

}  // namespace

double evaluate(const Expression& expression, const std::unordered_map<Expression, double>& values) {
  return values_of(Graph({&expression, 1}), values).back();
}

double size_of_terms(const Expression& expression, const std::unordered_map<Expression, double>& values) {
  const Graph graph({&expression, 1});
  const std::vector<double> value = values_of(graph, values);
  std::vector<double> size(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    const bool is_sum = e.kind() == Kind::sum;
    size[i] = std::abs(is_sum || e.kind() == Kind::product ? e.value() : value[i]);
    if (!is_sum && e.kind() != Kind::product) continue;
    for (const Term& t : e.operands()) {
      const std::size_t k = graph.index(t.expression);
      if (is_sum) {
        size[i] += std::abs(t.weight) * size[k];
      } else {  // what is divided by cancels nothing
        size[i] *= std::pow(t.weight > 0.0 ? size[k] : std::abs(value[k]), t.weight);
      }
    }
  }
  return size.back();
}

}  // namespace rattleback
