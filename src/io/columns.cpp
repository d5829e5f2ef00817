#include "columns.hpp"

#include <fmt/format.h>

namespace rattleback {

std::vector<Column> columns_of(const System& system, const std::vector<ObservedQuantity>& observed) {
  Column q{"q", {}};
  Column v{"v", {}};
  Column p{"p", {}};
  Column multipliers{"multipliers", {}};
  Column constraint{"constraint", {}};
  Column conserved{"conserved", {}};
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    q.labels.push_back(system.coordinates()[i].name());
    v.labels.push_back(system.velocities()[i].name());
    p.labels.push_back("p_" + system.coordinates()[i].name());
  }
  const std::size_t rows = system.velocity_rows().size();
  for (std::size_t k = 1; k <= rows; ++k) {
    multipliers.labels.push_back(fmt::format("multiplier_{}", k));
    constraint.labels.push_back(fmt::format("constraint_{}", k));
  }
  for (std::size_t k = 1; k <= system.holonomic().size(); ++k)
    constraint.labels.push_back(fmt::format("holonomic_{}", k));
  for (const NamedExpression& c : system.conserved()) conserved.labels.push_back(c.name);
  std::vector<Column> columns{{"time", {}}, q, v, p};
  if (rows > 0) columns.push_back(multipliers);
  columns.push_back({"energy", {}});
  if (rows > 0) columns.push_back(constraint);
  if (!conserved.labels.empty()) columns.push_back(conserved);
  for (const ObservedQuantity& o : observed) columns.push_back({o.name, o.labels});
  return columns;
}

std::vector<std::string> labels(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& c : columns) {
    if (c.labels.empty()) names.push_back(c.name);
    names.insert(names.end(), c.labels.begin(), c.labels.end());
  }
  return names;
}

}  // namespace rattleback
