#include "rattleback/model/column.hpp"

#include <algorithm>

namespace rattleback {
namespace {

struct Form {
  ColumnKind kind;
  std::string_view before;
  std::string_view after = {};
};

constexpr Form forms[] = {
    {ColumnKind::time, "time"},
    {ColumnKind::velocity, "", "'"},
    {ColumnKind::momentum, "p_"},
    {ColumnKind::multiplier, "multiplier_"},
    {ColumnKind::energy, "energy"},
    {ColumnKind::work, "work"},
    {ColumnKind::constraint, "constraint_"},
    {ColumnKind::holonomic, "holonomic_"},
    {ColumnKind::error, "error_"},
};

}  // namespace

std::string column_name(ColumnKind kind, std::string_view of) {
  const auto* form = std::ranges::find(forms, kind, &Form::kind);
  if (form == std::end(forms)) return std::string(of);
  return std::string(form->before).append(of).append(form->after);
}

bool is_column_name(std::string_view name) {
  constexpr ColumnKind single[] = {ColumnKind::time, ColumnKind::energy, ColumnKind::work};
  if (std::ranges::any_of(single, [&](ColumnKind kind) { return name == column_name(kind); })) return true;
  constexpr ColumnKind numbered[] = {ColumnKind::momentum, ColumnKind::multiplier, ColumnKind::constraint,
                                     ColumnKind::holonomic};
  return std::ranges::any_of(numbered, [&](ColumnKind kind) { return name.starts_with(column_name(kind)); });
}

}  // namespace rattleback
