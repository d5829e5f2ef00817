#include <algorithm>
#include <unordered_set>

#include "../expr/expression_key.hpp"
#include "block_structure.hpp"
#include "idle_unknowns.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/kernel/implicit_system.hpp"
#include "slopes.hpp"

namespace rattleback {

namespace {

// If r = G(x) + B u, where B contains no unknown, then the Newton iterates of x do not depend on the guess of u. So
// only those unknowns matter that occur in the Jacobian of their own block.
std::vector<std::size_t> find_iterated(const ImplicitSystem& original) {
  SparseMatrix slopes = slopes_and_jumps(original);
  const ImplicitSystem system = without_idle_unknowns(original, slopes);
  Incidence incidence(system.residuals.size());
  std::vector<std::vector<const SparseMatrix::Entry*>> entries_of_row(system.residuals.size());
  for (const auto& e : slopes.entries) {
    incidence[static_cast<std::size_t>(e.row)].push_back(e.column);
    entries_of_row[static_cast<std::size_t>(e.row)].push_back(&e);
  }
  std::vector<std::size_t> result;
  for (const auto& block : block_triangular_form(incidence, static_cast<int>(system.unknowns.size())).blocks) {
    std::unordered_set<Expression> nonlinear;
    for (const int row : block.equations) {
      for (const auto* e : entries_of_row[static_cast<std::size_t>(row)]) {
        if (std::ranges::find(block.unknowns, e->column) == block.unknowns.end()) continue;
        const auto symbols = free_symbols(e->value);
        nonlinear.insert(symbols.begin(), symbols.end());
      }
    }
    for (const int u : block.unknowns) {
      const Expression& unknown = system.unknowns[static_cast<std::size_t>(u)];
      for (const int row : block.equations) {
        if (nonlinear.contains(unknown)) break;
        if (has_kinks_in(system.residuals[static_cast<std::size_t>(row)], {&unknown, 1})) nonlinear.insert(unknown);
      }
      if (nonlinear.contains(unknown)) result.push_back(static_cast<std::size_t>(u));
    }
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

std::vector<std::size_t> iterated_unknowns(const ImplicitSystem& system) {
  constexpr std::size_t few = 1000;
  static auto& memo = *new Memo<ExpressionKey, std::vector<std::size_t>, ExpressionKey::Hash>(64);
  if (system.residuals.size() > few) return find_iterated(system);
  ExpressionKey key;
  key.add(system.unknowns);
  key.add(system.residuals);
  if (const auto known = memo.find(key)) return *known;
  const auto found = std::make_shared<const std::vector<std::size_t>>(find_iterated(system));
  memo.keep(std::move(key), found);
  return *found;
}

}  // namespace rattleback
