// Coefficients of modified quantities as a table.

#include <fmt/format.h>

#include "kinds_of_data.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/modified_series.hpp"

namespace rattleback {

Data make_modified(const Making& making, const ModifiedRecipe& m) {
  Filling filling(making);
  Problem unit = filling.nominal;
  if (unit.step == 0.0) unit.step = 1.0;
  const ModifiedSeries series = modified_series(make_method(*making.recipe.method, unit), m.order);
  std::vector<Expression> variables = series.coordinates;
  variables.insert(variables.end(), series.momenta.begin(), series.momenta.end());
  if (series.energy_symbol) variables.push_back(*series.energy_symbol);
  Table& table = filling.data.table;
  for (const Expression& v : variables) {
    table.columns.push_back({series.energy_symbol && v == *series.energy_symbol ? "E" : v.name(), {}});
  }
  std::vector<Expression> coefficients;
  const auto add = [&](const char* letter, const std::vector<Expression>& list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      coefficients.push_back(list[k]);
      table.columns.push_back({fmt::format("{}_{}", letter, k), {}});
    }
  };
  add("K", series.hamiltonian);
  add("E", series.energy);
  add("N", series.factor);
  for (const auto& point : m.at) {
    if (point.size() != variables.size()) {
      throw MethodError(fmt::format("a point of 'at' has {} numbers, expected {}", point.size(), variables.size()));
    }
    std::unordered_map<Expression, double> values;
    for (std::size_t i = 0; i < unit.parameters.size(); ++i) values[unit.system.parameters()[i]] = unit.parameters[i];
    for (std::size_t i = 0; i < variables.size(); ++i) {
      values[variables[i]] = point[i];
      table.columns[i].values.push_back(point[i]);
    }
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      table.columns[variables.size() + k].values.push_back(evaluate(coefficients[k], values));
  }
  return std::move(filling.data);
}

}  // namespace rattleback
