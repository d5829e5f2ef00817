#include "idle_unknowns.hpp"

#include <unordered_set>

#include "rattleback/expr/graph.hpp"
#include "slopes.hpp"

namespace rattleback {

ImplicitSystem without_idle_unknowns(ImplicitSystem system, SparseMatrix& slopes) {
  const std::unordered_set<Expression> unknowns(system.unknowns.begin(), system.unknowns.end());
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<std::unordered_set<Expression>> needed(system.residuals.size());
    for (const auto& e : slopes.entries)
      needed[static_cast<std::size_t>(e.row)].insert(system.unknowns[static_cast<std::size_t>(e.column)]);
    for (std::size_t i = 0; i < system.residuals.size(); ++i) {
      Substitution idle;
      for (const Expression& s : free_symbols(system.residuals[i])) {
        if (unknowns.contains(s) && !needed[i].contains(s)) idle.emplace(s, Expression(0.0));
      }
      if (idle.empty()) continue;
      system.residuals[i] = substitute(system.residuals[i], idle);
      changed = true;
    }
    if (changed) slopes = slopes_and_jumps(system);  // they may have contained what is gone
  }
  return system;
}

}  // namespace rattleback
