// What the rows of constraints are called.

#include <fmt/format.h>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

const std::string& System::given_name(std::size_t row) const {
  static const std::string none;
  const bool velocity = row < constraints().size();
  const auto& names = velocity ? definition_.constraint_names : definition_.holonomic_names;
  const std::size_t k = velocity ? row : row - constraints().size();
  return k < names.size() ? names[k] : none;
}

std::string System::row_name(std::size_t row) const {
  const bool velocity = row < constraints().size();
  const std::string& name = given_name(row);
  return fmt::format("{} {}", velocity ? "constraint" : "holonomic constraint",
                     name.empty() ? std::to_string(velocity ? row + 1 : row - constraints().size() + 1) : name);
}

std::string System::row_label(std::size_t row) const {
  std::string label = given_name(row);
  std::erase_if(label, [](char c) { return c == '[' || c == ']'; });
  return label.empty() ? std::to_string(row + 1) : label;
}

std::string System::holonomic_label(std::size_t k) const {
  const std::size_t row = constraints().size() + k;
  return given_name(row).empty() ? std::to_string(k + 1) : row_label(row);
}

std::string System::row_name_with_text(std::size_t row) const {
  const std::size_t k = row - constraints().size();
  return fmt::format("{} (0 = {})", row_name(row),
                     shortened(row < constraints().size() ? constraints()[row] : holonomic()[k], 70));
}

std::vector<Expression> System::named_forces() const {
  Substitution names;
  for (std::size_t k = 0; k < row_count(); ++k) {
    if (!given_name(k).empty()) names.emplace(multiplier_symbol(k), Expression::symbol(given_name(k)));
  }
  return substitute(applied_forces(), names);
}

}  // namespace rattleback
