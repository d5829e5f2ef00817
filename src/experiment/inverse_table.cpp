// The inverse problem as a table.

#include <algorithm>

#include "../base/not_a_number.hpp"
#include "kinds_of_data.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/geometry/associated.hpp"

namespace rattleback {

Data make_inverse(const Making& making, const InverseRecipe& recipe) {
  Filling filling(making);
  const Problem& nominal = filling.nominal;
  const InverseProblem problem = analyse(nominal.system, nominal.parameters, nominal.start).inverse_problem;
  Table& table = filling.data.table;
  for (const char* name : {"unknowns", "dimension", "regular", "regularity"}) table.columns.push_back({name, {}});
  for (const Variationality& v : problem.systems) {
    const HelmholtzReport& r = v.report;
    table.columns[0].values.push_back(static_cast<double>(r.unknowns));
    table.columns[1].values.push_back(r.decided ? static_cast<double>(r.dimension) : not_a_number);
    table.columns[2].values.push_back(r.decided ? (r.regular ? 1.0 : 0.0) : not_a_number);
    table.columns[3].values.push_back(r.decided ? r.regularity : not_a_number);
  }
  table.scalars["free_lagrangians"] =
      static_cast<double>(std::ranges::count_if(problem.free, [](const FreeVerdict& v) { return v.holds(); }));
  if (recipe.associated == 0) return std::move(filling.data);
  const AssociatedSearch search =
      search_associated(filling.nominal.system, filling.nominal.parameters, filling.nominal.start, recipe.associated);
  table.scalars["associated_systems"] = static_cast<double>(search.systems);
  table.scalars["associated_excluded"] = static_cast<double>(search.excluded);
  table.scalars["associated_open"] = static_cast<double>(search.open.size());
  table.scalars["associated_undecided"] = static_cast<double>(search.undecided);
  return std::move(filling.data);
}

}  // namespace rattleback
