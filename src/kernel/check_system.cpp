#include "check_system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"

namespace rattleback {
namespace {

void check_shape(const ImplicitSystem& s) {
  const std::size_t n = s.unknowns.size();
  if (s.residuals.size() != n) {
    throw StructureError(fmt::format("{} equations for {} unknowns", s.residuals.size(), n));
  }
  if (s.guess.size() != n) throw StructureError(fmt::format("{} guesses for {} unknowns", s.guess.size(), n));
  if (s.state > s.data.size() || s.state > s.outputs.size()) {
    throw StructureError(fmt::format("a state of {} is larger than the {} data or the {} outputs", s.state,
                                     s.data.size(), s.outputs.size()));
  }
  if (!s.typical.empty() && s.typical.size() != s.data.size()) {
    throw StructureError(fmt::format("{} typical values for {} data", s.typical.size(), s.data.size()));
  }
  for (std::size_t i = 0; i < s.typical.size(); ++i) {
    if (!std::isfinite(s.typical[i])) {
      throw StructureError(fmt::format("the typical value of '{}' is {}", s.data[i].name(), s.typical[i]));
    }
  }
  std::unordered_set<Expression> seen;
  for (const auto* list : {&s.data, &s.unknowns}) {
    for (const Expression& e : *list) {
      if (!e.is_symbol()) throw StructureError(fmt::format("data and unknowns must be symbols, found {}", to_text(e)));
      if (!seen.insert(e).second)
        throw StructureError(fmt::format("'{}' occurs twice among data and unknowns", e.name()));
    }
  }
}

/// Every symbol is data or, except in guesses, an unknown.
void check_symbols(const ImplicitSystem& s) {
  const std::unordered_set<Expression> data(s.data.begin(), s.data.end());
  const std::unordered_set<Expression> unknowns(s.unknowns.begin(), s.unknowns.end());
  const auto check = [&](const std::vector<Expression>& list, const char* what, bool may_have_unknowns) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const Expression& symbol : free_symbols(list[i])) {
        if (data.contains(symbol) || (may_have_unknowns && unknowns.contains(symbol))) continue;
        throw StructureError(fmt::format("{} {} contains '{}', which is {}", what, i + 1, symbol.name(),
                                         may_have_unknowns           ? "neither data nor an unknown"
                                         : unknowns.contains(symbol) ? "an unknown: a guess depends on data only"
                                                                     : "not among the data"));
      }
    }
  };
  check(s.residuals, "equation", true);
  check(s.outputs, "output", true);
  check(s.guess, "guess", false);
}

}  // namespace

void check_system(const ImplicitSystem& system) {
  check_shape(system);
  check_symbols(system);
}

}  // namespace rattleback
