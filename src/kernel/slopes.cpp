#include "slopes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "idle_unknowns.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/piecewise.hpp"

namespace rattleback {

bool hides_symbols(const Expression& expression, const std::unordered_set<Expression>& symbols) {
  const Graph graph({&expression, 1});
  std::vector<bool> depends(graph.size(), false);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    depends[i] = symbols.contains(graph[i]);
    for (const Term& t : graph[i].operands()) {
      if (!depends[graph.index(t.expression)]) continue;
      depends[i] = true;
      if (graph[i].kind() == Kind::product && t.weight < 0.0) return true;
    }
    if (depends[i] && is_piecewise(graph[i])) return true;
  }
  return false;
}

SparseMatrix slopes_and_jumps(const ImplicitSystem& system) {
  const std::vector<Expression>& residuals = system.residuals;
  const std::vector<Expression>& unknowns = system.unknowns;
  SparseMatrix slopes = jacobian(residuals, unknowns, system.known_slopes);
  if (!has_kinks(residuals)) return slopes;
  std::set<std::pair<int, int>> known;
  for (const auto& e : slopes.entries) known.emplace(e.row, e.column);
  for (int i = 0; i < slopes.rows; ++i) {
    const Expression& residual = residuals[static_cast<std::size_t>(i)];
    if (!has_kinks({&residual, 1})) continue;
    const Graph graph({&residual, 1});
    for (int j = 0; j < slopes.columns; ++j) {
      const Expression& unknown = unknowns[static_cast<std::size_t>(j)];
      if (!graph.contains(unknown) || known.contains({i, j}) || !has_kinks_in(residual, {&unknown, 1})) continue;
      slopes.entries.push_back({i, j, Expression(0.0)});
    }
  }
  std::ranges::sort(slopes.entries, {}, [](const auto& e) { return std::pair(e.row, e.column); });
  return slopes;
}

Slopes::Slopes(const ImplicitSystem& system)
    : jacobian_(slopes_and_jumps(system)), system_(without_idle_unknowns(system, jacobian_)),
      rows_(system.unknowns.size()), equations_with_(system.unknowns.size()) {
  for (const auto& e : jacobian_.entries) {
    rows_[idx(e.row)].push_back(&e);
    equations_with_[idx(e.column)].push_back(e.row);
  }
}

BlockStructure Slopes::structure() const {
  Incidence incidence(system_.unknowns.size());
  for (const auto& e : jacobian_.entries) incidence[idx(e.row)].push_back(e.column);
  return block_triangular_form(incidence, static_cast<int>(system_.unknowns.size()));
}

std::unordered_set<Expression> Slopes::unknowns_of(const EquationBlock& block) const {
  std::unordered_set<Expression> own;
  for (const int u : block.unknowns) own.insert(system_.unknowns[idx(u)]);
  return own;
}

bool Slopes::is_linear(const EquationBlock& block) const {
  const std::unordered_set<int> own(block.unknowns.begin(), block.unknowns.end());
  const std::unordered_set<Expression> own_symbols = unknowns_of(block);
  for (const int e : block.equations) {
    for (const auto* entry : row(e)) {
      if (!own.contains(entry->column)) continue;
      for (const Expression& s : free_symbols(entry->value)) {
        if (own_symbols.contains(s)) return false;
      }
    }
  }
  return std::ranges::none_of(block.equations,
                              [&](int e) { return hides_symbols(system_.residuals[idx(e)], own_symbols); });
}

std::size_t Slopes::sharpest(const EquationBlock& block) const {
  const std::unordered_set<Expression> own = unknowns_of(block);
  std::size_t best = 0;
  const auto has_parts = [&](const Expression& residual) {
    const Graph graph({&residual, 1});
    return std::ranges::any_of(system_.known_slopes, [&](const KnownSlopes& known) {
      return std::ranges::any_of(known.parts, [&](const Expression& part) { return graph.contains(part); });
    });
  };
  std::pair most(false, std::size_t{0});
  for (std::size_t i = 0; i < block.equations.size(); ++i) {
    const auto& slopes = row(block.equations[i]);
    const bool nonlinear = std::ranges::any_of(slopes, [&](const auto* slope) {
      return std::ranges::any_of(free_symbols(slope->value), [&](const Expression& s) { return own.contains(s); });
    });
    const std::pair size(!has_parts(system_.residuals[idx(block.equations[i])]), slopes.size());
    if (nonlinear && size > most) best = i, most = size;
  }
  return best;
}

}  // namespace rattleback
