#include "parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expr/print.hpp"

namespace rattleback::report {
namespace {

constexpr std::size_t longest_formula = 3000;

/// Which rows of a curve are kept: all but the first and the last of a block, its lowest and highest.
std::vector<std::size_t> kept_rows(const std::vector<double>& y, std::size_t most) {
  const std::size_t block = 4 * y.size() / most + 1;
  std::vector<std::size_t> rows;
  for (std::size_t begin = 0; begin < y.size(); begin += block) {
    const std::size_t end = std::min(begin + block, y.size());
    const auto at = [&](std::size_t i) { return y.begin() + static_cast<std::ptrdiff_t>(i); };
    // NaN counts as neither low nor high.
    const auto lower = [](double a, double b) { return a < b || (!std::isnan(a) && std::isnan(b)); };
    const auto higher = [](double a, double b) { return a > b || (!std::isnan(a) && std::isnan(b)); };
    const auto low = std::min_element(at(begin), at(end), lower);
    const auto high = std::min_element(at(begin), at(end), higher);
    std::vector<std::size_t> some{begin, static_cast<std::size_t>(low - y.begin()),
                                  static_cast<std::size_t>(high - y.begin()), end - 1};
    std::ranges::sort(some);
    const auto repeated = std::ranges::unique(some);
    some.erase(repeated.begin(), repeated.end());
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return rows;
}

std::string formula(const Expression& e) {
  try {
    const std::string text = to_latex(e);
    if (text.size() <= longest_formula) return text;
  } catch (const ExpressionError&) {
  }
  return "\\text{(too long to show)}";
}

}  // namespace

std::vector<std::size_t> evenly(std::size_t rows, std::size_t most) {
  const std::size_t stride = rows / most + 1;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < rows; i += stride) kept.push_back(i);
  if (rows > 0 && kept.back() != rows - 1) kept.push_back(rows - 1);
  return kept;
}

std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  std::vector<double> result;
  for (const std::size_t i : rows) result.push_back(values[i]);
  return result;
}

void thin(Series& series, FigureKind kind, std::size_t most) {
  const std::size_t rows = series.coordinates[0].size();
  if (rows <= most || kind == FigureKind::map) return;  // a grid has no rows to spare
  const auto kept = kind == FigureKind::line ? kept_rows(series.coordinates[1], most) : evenly(rows, most);
  for (auto& values : series.coordinates) values = picked(values, kept);
}

SystemEntry system_of(const Model& model) {
  SystemEntry s{model.name, model.title, formula(model.system.lagrangian()), {}, {}};
  constexpr std::size_t most_rows = 12;
  const auto& system = model.system;
  const std::size_t count = system.constraints().size() + system.holonomic().size();
  for (std::size_t k = 0; k < std::min(count, most_rows); ++k) {
    std::string name;
    for (const char c : system.given_name(k)) name += c == '_' ? std::string("\\_") : std::string(1, c);
    s.constraints.push_back((name.empty() ? "" : fmt::format("\\text{{{}:}}\\quad ", name)) +
                            formula(k < system.constraints().size()
                                        ? system.constraints()[k]
                                        : system.holonomic()[k - system.constraints().size()]));
  }
  for (const Parameter& p : model.system.parameter_list())
    s.parameters.push_back(fmt::format("{} = {}", p.name, p.value));
  return s;
}

}  // namespace rattleback::report
