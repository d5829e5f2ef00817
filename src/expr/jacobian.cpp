// Jacobians, and those that were computed lately.

#include "jacobian.hpp"

#include "expression_key.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

/// The same functions with symbols in the places of some of their parts.
Vector with_symbols(std::span<const Expression> functions, const Substitution& symbol_of) {
  const Graph graph(functions);
  Vector replaced(graph.size());
  Vector operands;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const auto part = symbol_of.find(graph[i]); part != symbol_of.end()) {
      replaced[i] = part->second;
      continue;
    }
    operands.clear();
    for (const Term& t : graph[i].operands()) operands.push_back(replaced[graph.index(t.expression)]);
    replaced[i] = rebuild(graph[i], operands);
  }
  Vector result;
  for (const Expression& f : functions) result.push_back(replaced[graph.index(f)]);
  return result;
}

}  // namespace

// The chain rule, with symbols for the parts until it has been applied.
SparseMatrix jacobian(std::span<const Expression> functions, std::span<const Expression> variables,
                      std::span<const KnownSlopes> known) {
  if (known.empty()) return jacobian(functions, variables);
  Vector all(variables.begin(), variables.end());
  std::unordered_map<Expression, std::size_t> column_of;
  for (std::size_t j = 0; j < all.size(); ++j) column_of.emplace(all[j], j);
  Substitution symbol_of;
  Substitution part_of;
  for (const KnownSlopes& k : known) {
    for (const Expression& part : k.parts) {
      all.push_back(Expression::symbol("part " + std::to_string(all.size())));
      symbol_of.emplace(part, all.back());
      part_of.emplace(all.back(), part);
    }
  }
  const SparseMatrix direct = jacobian(with_symbols(functions, symbol_of), all);
  SparseMatrix whole{direct.rows, static_cast<int>(variables.size()), {}};
  Vector values;
  for (auto entry = direct.entries.begin(); entry != direct.entries.end();) {
    const int i = entry->row;
    Vector row(all.size());
    for (; entry != direct.entries.end() && entry->row == i; ++entry)
      row[static_cast<std::size_t>(entry->column)] = entry->value;
    std::span parts = std::span(row).subspan(variables.size());
    for (const auto& [nodes, outer, inner, by] : known) {
      for (std::size_t k = 0; k < inner.rows; ++k) {
        Expression slope;
        for (std::size_t p = 0; p < nodes.size(); ++p) slope += parts[p] * outer(p, k);
        for (std::size_t j = 0; j < by.size(); ++j) row[column_of.at(by[j])] += slope * inner(k, j);
      }
      parts = parts.subspan(nodes.size());
    }
    for (std::size_t j = 0; j < variables.size(); ++j) {
      if (row[j].is_constant(0.0)) continue;
      whole.entries.push_back({i, static_cast<int>(j), {}});
      values.push_back(row[j]);
    }
  }
  values = substitute(values, part_of);
  for (std::size_t k = 0; k < values.size(); ++k) whole.entries[k].value = values[k];
  return whole;
}

// The same equations are differentiated whenever a system is run with other numbers. Large matrices are not kept.
SparseMatrix jacobian(std::span<const Expression> functions, std::span<const Expression> variables) {
  constexpr std::size_t few = 1000;
  static auto& memo = *new Memo<ExpressionKey, SparseMatrix, ExpressionKey::Hash>(256);
  if (functions.size() + variables.size() > few) return differentiate(functions, variables);
  ExpressionKey key;
  key.add(variables);
  key.add(functions);
  if (const auto known = memo.find(key)) return *known;
  const auto made = std::make_shared<const SparseMatrix>(differentiate(functions, variables));
  if (made->entries.size() <= few) memo.keep(std::move(key), made);
  return *made;
}

}  // namespace rattleback
