#include "columns.hpp"

namespace rattleback {

std::vector<std::string> column_names(ColumnKind kind, std::span<const Expression> coordinates) {
  std::vector<std::string> names;
  for (const Expression& q : coordinates) names.push_back(column_name(kind, q.name()));
  return names;
}

std::vector<Column> columns_of(const System& system, const std::vector<ObservedQuantity>& observed) {
  const auto of_rows = [&](ColumnKind kind) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < system.velocity_rows().size(); ++k)
      names.push_back(column_name(kind, system.row_label(k)));
    return names;
  };
  const auto& q = system.coordinates();
  const std::size_t rows = system.velocity_rows().size();
  std::vector<Column> columns{{column_name(ColumnKind::time), {}, ColumnKind::time}};
  columns.push_back({"q", column_names(ColumnKind::position, q), ColumnKind::position});
  columns.push_back({"v", column_names(ColumnKind::velocity, q), ColumnKind::velocity});
  columns.push_back({"p", column_names(ColumnKind::momentum, q), ColumnKind::momentum});
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
