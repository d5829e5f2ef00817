#include "columns.hpp"

namespace rattleback {

std::vector<std::string> velocity_columns(const System& system) {
  std::vector<std::string> names;
  for (const Expression& v : system.velocities()) names.push_back(v.name());
  return names;
}

std::vector<std::string> momentum_columns(const System& system) {
  std::vector<std::string> names;
  for (const Expression& freedom : system.freedoms())
    names.push_back(column_name(ColumnKind::momentum, freedom.name()));
  return names;
}

std::vector<Column> columns_of(const System& system, const std::vector<ObservedQuantity>& observed) {
  const auto of_rows = [&](ColumnKind kind) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < system.velocity_rows().size(); ++k)
      names.push_back(column_name(kind, system.row_label(k)));
    return names;
  };
  const std::size_t rows = system.velocity_rows().size();
  std::vector<Column> columns{{column_name(ColumnKind::time), {}, ColumnKind::time}};
  columns.push_back({"q", system.position_names(), ColumnKind::position});
  columns.push_back({"v", velocity_columns(system), ColumnKind::velocity});
  columns.push_back({"p", momentum_columns(system), ColumnKind::momentum});
  if (rows > 0) columns.push_back({"multipliers", of_rows(ColumnKind::multiplier), ColumnKind::multiplier});
  columns.push_back({column_name(ColumnKind::energy), {}, ColumnKind::energy});
  if (!system.conserves_energy()) columns.push_back({column_name(ColumnKind::work), {}, ColumnKind::work});
  if (rows > 0) {
    Column residuals{"constraint", of_rows(ColumnKind::constraint), ColumnKind::constraint};
    for (std::size_t k = 0; k < system.holonomic().size(); ++k)
      residuals.labels.push_back(column_name(ColumnKind::holonomic, system.holonomic_label(k)));
    columns.push_back(std::move(residuals));
  }
  if (!system.conserved().empty()) {
    Column conserved{"conserved", {}, ColumnKind::conserved};
    for (const NamedExpression& c : system.conserved()) conserved.labels.push_back(c.name);
    columns.push_back(std::move(conserved));
  }
  for (const ObservedQuantity& o : observed) columns.push_back({o.name, o.labels, ColumnKind::observed});
  return columns;
}

std::vector<std::string> labels(const Column& column) {
  return column.labels.empty() ? std::vector{column.name} : column.labels;
}

std::vector<std::string> labels(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& c : columns) {
    for (std::string& name : labels(c)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace rattleback
