#include "rattleback/experiment/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../base/not_a_number.hpp"
#include "rattleback/expr/graph.hpp"
#include "reductions.hpp"
#include "wrong_quantity.hpp"

namespace rattleback {
namespace {

/// What the names in formulas of rows stand for: a table with a column for each.
class NamesInRows {
 public:
  NamesInRows(const Table& table, const std::map<std::string, double>& values, const std::vector<Expression>& used,
              const std::string& text) {
    constexpr std::string_view before = "before_";
    for (const Expression& symbol : free_symbols(used)) {
      const std::string& name = symbol.name();
      if (const auto* column = table.find(name)) {
        columns_.columns.push_back({name, *column});
      } else if (name == "row") {
        columns_.columns.push_back({name, std::vector<double>(table.rows())});
        std::iota(columns_.columns.back().values.begin(), columns_.columns.back().values.end(), 0.0);
      } else if (const auto* later = name.starts_with(before) ? table.find(name.substr(before.size())) : nullptr) {
        columns_.columns.push_back({name, *later});
        std::shift_right(columns_.columns.back().values.begin(), columns_.columns.back().values.end(), 1);
        first_row_ = 1;
      } else if (const auto formula = table.formulas.find(name); formula != table.formulas.end()) {
        columns_.columns.push_back({name, table.evaluate(formula->second)});
      } else if (const auto value = values.find(name); value != values.end()) {
        columns_.columns.push_back({name, std::vector<double>(table.rows(), value->second)});
      } else {
        const auto meant = closest_name(name, table.names());
        wrong_quantity(text, fmt::format("there is no column '{}'; {}", name,
                                         meant ? fmt::format("did you mean '{}'?", *meant)
                                               : fmt::format("there are {}", fmt::join(table.names(), ", "))));
      }
    }
    if (columns_.columns.empty()) columns_.columns = table.columns;  // constants, as often as there are rows
  }

  std::vector<double> evaluate(const Expression& e) const { return columns_.evaluate(e); }
  std::size_t first_row() const { return first_row_; }

 private:
  Table columns_;
  std::size_t first_row_ = 0;
};

double evaluate(const Quantity::Part& part, const Surroundings& surroundings) {
  const Table& table = surroundings.table(part.table);
  if (part.reduction.empty()) {
    const auto found = table.scalars.find(part.formula.text);
    if (found != table.scalars.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, value] : table.scalars) names.push_back(name);
    wrong_quantity(part.formula.text, fmt::format("'{}' has no number '{}'; it has {}", part.table, part.formula.text,
                                                  fmt::join(names, ", ")));
  }
  std::vector<RowFormula> formulas{part.formula};
  if (part.abscissa) formulas.push_back(*part.abscissa);
  const auto rows = evaluate(formulas, table, surroundings.values);
  const auto unknown = [](double x) { return std::isnan(x); };
  for (const auto& values : rows) {
    if (std::ranges::any_of(values, unknown)) return not_a_number;
  }
  if (part.reduction == "count") return static_cast<double>(rows[0].size());
  if (rows[0].empty()) return not_a_number;
  const NamedReduction& reduction = *find_reduction(part.reduction);
  if (rows[0].size() > reduction.most_rows) {
    wrong_quantity(part.formula.text, fmt::format("{} is for at most {} rows, found {}; use a window, or every",
                                                  reduction.name, reduction.most_rows, rows[0].size()));
  }
  return part.abscissa ? reduction.reduce_pairs(rows[1], rows[0]) : reduction.reduce(rows[0]);
}

std::string described(const Quantity& quantity, double value) {
  return free_symbols(quantity.formula).empty() ? quantity.text : fmt::format("{} = {:.3g}", quantity.text, value);
}

}  // namespace

std::vector<std::vector<double>> evaluate(const std::vector<RowFormula>& formulas, const Table& table,
                                          const std::map<std::string, double>& values) {
  std::vector<Expression> used;
  std::vector<std::string> texts;
  std::vector<RowFormula::Window> windows;
  for (const RowFormula& formula : formulas) {
    used.push_back(formula.value);
    texts.push_back(formula.text);
    for (const RowFormula::Window& window : formula.windows) {
      used.push_back(window.value);
      windows.push_back(window);
    }
  }
  const NamesInRows names(table, values, used, fmt::format("{}", fmt::join(texts, ", ")));
  std::vector<char> outside(table.rows(), 0);
  std::vector<char> unknown(table.rows(), 0);
  for (const RowFormula::Window& window : windows) {
    const std::vector<double> where = names.evaluate(window.value);
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (where[i] < window.from || where[i] > window.to) outside[i] = 1;
      if (std::isnan(where[i])) unknown[i] = 1;
    }
  }
  std::vector<std::vector<double>> result;
  for (const RowFormula& formula : formulas) {
    const std::vector<double> all = names.evaluate(formula.value);
    std::vector<double>& kept = result.emplace_back();
    for (std::size_t i = names.first_row(); i < all.size(); ++i) {
      if (outside[i] == 0) kept.push_back(unknown[i] != 0 ? not_a_number : all[i]);
    }
  }
  return result;
}

double evaluate(const Quantity& quantity, const Surroundings& surroundings) {
  std::unordered_map<Expression, double> known;
  std::vector<std::string> names;
  for (const auto& [name, value] : surroundings.values) {
    known[Expression::symbol(name)] = value;
    names.push_back(name);
  }
  for (const Quantity::Part& part : quantity.parts) {
    known[Expression::symbol(part.symbol)] = evaluate(part, surroundings);
  }
  for (const Expression& symbol : free_symbols(quantity.formula)) {
    if (known.contains(symbol)) continue;
    const auto meant = closest_name(symbol.name(), names);
    wrong_quantity(
        quantity.text,
        fmt::format("there is no value '{}'; {}", symbol.name(),
                    meant ? fmt::format("did you mean '{}'?", *meant)
                          : "columns of tables stand in brackets after max, min, last, ..., as in max[table: x]"));
  }
  return evaluate(quantity.formula, known);
}

Measured measure(const Quantity& quantity, const Criterion& criterion, const Surroundings& surroundings) {
  Measured m;
  m.value = evaluate(quantity, surroundings);
  m.first = evaluate(criterion.first, surroundings);
  if (criterion.kind == Criterion::Kind::between || criterion.kind == Criterion::Kind::equals)
    m.second = evaluate(criterion.second, surroundings);
  m.known = std::isfinite(m.value) && std::isfinite(m.first) && std::isfinite(m.second);
  if (!m.known) return m;
  switch (criterion.kind) {
    case Criterion::Kind::below: m.satisfied = m.value < m.first; break;
    case Criterion::Kind::above: m.satisfied = m.value > m.first; break;
    case Criterion::Kind::between: m.satisfied = m.value >= m.first && m.value <= m.second; break;
    case Criterion::Kind::equals: m.satisfied = std::abs(m.value - m.first) <= m.second; break;
  }
  return m;
}

std::string describe(const Criterion& criterion, const Measured& measured) {
  const std::string first = described(criterion.first, measured.first);
  const std::string second = described(criterion.second, measured.second);
  switch (criterion.kind) {
    case Criterion::Kind::below: return "below " + first;
    case Criterion::Kind::above: return "above " + first;
    case Criterion::Kind::between: return fmt::format("between {} and {}", first, second);
    case Criterion::Kind::equals: return fmt::format("{} within {}", first, second);
  }
  return "";
}

}  // namespace rattleback
