#pragma once

// Formulas from their leaves up, in any style: a class with a function for each kind of node.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/expr/piecewise.hpp"

namespace rattleback {

/// Larger formulas than this are printed with definitions (text) or refused (LaTeX).
inline constexpr double largest_formula = 20000.0;
/// Deeper formulas are cut by definitions; well below what the parser accepts.
inline constexpr int deepest_formula = 64;

enum class Precedence { either, both, comparison, sum, product, power, atom };

struct Piece {
  std::string text;
  Precedence precedence = Precedence::atom;
  int depth = 0;
  int degree = 0;  ///< in time derivatives, roughly: enough to tell kinetic from potential energy
  /// Of LaTeX: a function without its arguments; what stands over and under the bar of a fraction, and the latter as a
  /// factor, with parentheses if it is a sum.
  std::string head = {};
  std::string over = {};
  std::string under = {};
  std::string divisor = {};
};

inline const std::string& table_label(const Expression& e) {
  return number_table(e.operands()[1].expression.value()).label();
}

/// a < b, or b > a if a is a number; a and b, a or b.
template <class Bracketed>
Piece condition_piece(const Expression& e, const std::vector<const Piece*>& operands, std::string_view op,
                      Bracketed&& in_brackets) {
  const bool is_comparison = e.function() == Function::less || e.function() == Function::less_equal;
  const bool reversed = is_comparison && e.operands()[0].expression.is_constant();
  const Precedence own = is_comparison                    ? Precedence::comparison
                         : e.function() == Function::both ? Precedence::both
                                                          : Precedence::either;
  const std::string a = in_brackets(*operands[0], own);
  const std::string b = in_brackets(*operands[1], own);
  if (!reversed) return {fmt::format("{} {} {}", a, op, b), own, 0};
  return {fmt::format("{} {} {}", b, op == "<" ? ">" : op == "<=" ? ">=" : "\\ge", a), own, 0};
}

inline int degree_of(const Expression& e, const std::vector<const Piece*>& operands) {
  if (e.is_symbol()) return static_cast<int>(std::ranges::count(e.name(), '\''));
  int degree = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (e.kind() == Kind::product) {
      const double exponent = std::clamp(std::abs(e.operands()[i].weight), 1.0, 4.0);  // more says no more
      degree = std::min(100, degree + operands[i]->degree * static_cast<int>(exponent));
    } else {
      degree = std::max(degree, operands[i]->degree);
    }
  }
  return degree;
}

/// The order in which people write the terms of a sum: kinetic energy and accelerations first, no minus in front if
/// there is a plus.
inline std::vector<std::size_t> reading_order(const Expression& e, const std::vector<const Piece*>& operands) {
  std::vector<std::size_t> order(operands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_partition(order, [&](std::size_t i) { return operands[i]->degree >= 2; });
  const auto positive = std::ranges::find_if(order, [&](std::size_t i) { return e.operands()[i].weight > 0.0; });
  if (positive != order.end()) std::rotate(order.begin(), positive, positive + 1);
  return order;
}

/// 1 − x, if nothing else is positive.
inline bool starts_with_number(const Expression& e) {
  return e.value() > 0.0 && std::ranges::all_of(e.operands(), [](const Term& t) { return t.weight < 0.0; });
}

/// A term behind others.
inline void add_term(std::string& sum, double sign, const std::string& size) {
  if (!sum.empty())
    sum += sign < 0.0 ? " - " : " + ";
  else if (sign < 0.0)
    sum += "-";
  sum += size;
}

template <class Style>
Piece format_node(const Expression& e, const std::vector<const Piece*>& operands) {
  switch (e.kind()) {
    case Kind::constant: return Style::constant(e.value());
    case Kind::symbol: return Style::symbol(e.name());
    case Kind::sum: return Style::sum(e, operands);
    case Kind::product: return Style::product(e, operands);
    case Kind::power: return Style::power(operands);
    case Kind::function: return Style::function(e, operands);
  }
  return {};
}

/// Symbols the formula would have if nothing were shared, and how deep it nests.
struct FormulaSize {
  double symbols = 0.0;
  int depth = 0;
};

inline FormulaSize formula_size(const Graph& graph) {
  std::vector<FormulaSize> sizes(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    sizes[i].symbols = 1.0;
    for (const Term& t : graph[i].operands()) {
      const FormulaSize& inner = sizes[graph.index(t.expression)];
      sizes[i].symbols += inner.symbols;
      sizes[i].depth = std::max(sizes[i].depth, inner.depth + 1);
    }
  }
  return sizes.back();
}

/// Prints a graph from its leaves up; with definitions, every formula that is used twice or nests
/// too deep gets a name.
template <class Style>
std::string print(const Expression& root, const Graph& graph, bool with_definitions) {
  std::vector<int> uses(graph.size(), 0);
  std::unordered_set<std::string> taken{"pi"};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[i].is_symbol()) taken.insert(graph[i].name().substr(0, graph[i].name().find('\'')));
    for (const Term& t : graph[i].operands()) ++uses[graph.index(t.expression)];
  }
  std::string definitions;
  int counter = 0;
  std::vector<Piece> pieces(graph.size());
  std::vector<const Piece*> operands;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    operands.clear();
    int depth = 0;
    for (const Term& t : e.operands()) {
      operands.push_back(&pieces[graph.index(t.expression)]);
      depth = std::max(depth, operands.back()->depth + 1);
    }
    Piece piece = format_node<Style>(e, operands);
    piece.depth = depth;
    piece.degree = degree_of(e, operands);
    const bool leaf = e.operands().empty() || is_condition(e);  // conditions have no names
    if (with_definitions && !leaf && i + 1 < graph.size() && (uses[i] > 1 || depth >= deepest_formula)) {
      std::string name;
      do {
        name = fmt::format("_{}", ++counter);
      } while (taken.contains(name));
      definitions += fmt::format("{} = {};\n", name, piece.text);
      piece = Style::symbol(name);
    }
    pieces[i] = std::move(piece);
    for (const Term& t : e.operands()) {  // a formula that has been used up need not be kept
      const std::size_t k = graph.index(t.expression);
      if (--uses[k] == 0) pieces[k] = {};
    }
  }
  return definitions + pieces[graph.index(root)].text;
}

}  // namespace rattleback
