// What claims are made of.

#include "needs.hpp"

#include <algorithm>

#include "rattleback/expr/graph.hpp"

namespace rattleback {

Needs needs_of(const Claim& claim, const Experiment& experiment) {
  Needs needs;
  std::vector<const Quantity*> open{&claim.quantity, &claim.criterion.first, &claim.criterion.second};
  while (!open.empty()) {
    const Quantity& quantity = *open.back();
    open.pop_back();
    std::vector<Expression> used{quantity.formula};
    for (const Quantity::Part& part : quantity.parts) {
      needs.data.insert(part.table);
      used.push_back(part.formula.value);
      for (const RowFormula::Window& window : part.formula.windows) used.push_back(window.value);
      if (part.abscissa) used.push_back(part.abscissa->value);
    }
    for (const Expression& symbol : free_symbols(used)) {
      for (const NamedQuantity& value : experiment.values) {
        // Values use only values before them, so this ends.
        if (value.name == symbol.name() && needs.values.insert(value.name).second) open.push_back(&value.quantity);
      }
    }
  }
  return needs;
}

Experiment with_claims(const Experiment& experiment, std::span<const std::size_t> claims) {
  Experiment part{
      experiment.paper, experiment.name, experiment.title, experiment.place, experiment.text, {}, {}, {}, {}, {}};
  Needs all;
  for (const std::size_t k : claims) {
    part.claims.push_back(experiment.claims.at(k));
    all.merge(needs_of(part.claims.back(), experiment));
  }
  // Data are compared only with data before them.
  for (auto d = experiment.data.rbegin(); d != experiment.data.rend(); ++d) {
    if (!all.data.contains(d->name)) continue;
    if (const auto* t = std::get_if<TrajectoryRecipe>(&d->kind)) all.data.insert(t->against);
  }
  std::ranges::copy_if(experiment.data, std::back_inserter(part.data),
                       [&](const DataRecipe& d) { return all.data.contains(d.name); });
  std::ranges::copy_if(experiment.values, std::back_inserter(part.values),
                       [&](const NamedQuantity& v) { return all.values.contains(v.name); });
  return part;
}

}  // namespace rattleback
