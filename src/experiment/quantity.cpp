#include "rattleback/experiment/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// How the rows of a table become one number.
struct NamedReduction {
  std::string_view name;
  double (*reduce)(const std::vector<double>&);  ///< of at least one number
  double (*reduce_pairs)(const std::vector<double>& x, const std::vector<double>& y) = nullptr;  ///< instead
};

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

/// How often a sequence changes direction.
double turns(const std::vector<double>& v) {
  double count = 0.0;
  double direction = 0.0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const double change = v[i] - v[i - 1];
    if (change * direction < 0.0) ++count;
    if (change != 0.0) direction = change;
  }
  return count;
}

/// How often a sequence changes its sign.
double crossings(const std::vector<double>& v) {
  double count = 0.0;
  double last = 0.0;
  for (const double x : v) {
    if (x * last < 0.0) ++count;
    if (x != 0.0) last = x;
  }
  return count;
}

/// The amplitude a of (−1)^k a in a sequence, where it is largest.
double alternation(const std::vector<double>& v) {
  double largest = 0.0;
  for (std::size_t i = 2; i < v.size(); ++i)
    largest = std::max(largest, std::abs(v[i] - 2.0 * v[i - 1] + v[i - 2]) / 4.0);
  return largest;
}

/// Sums of products of deviations from the means.
struct Deviations {
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
};

Deviations deviations(const std::vector<double>& x, const std::vector<double>& y) {
  const double x0 = mean(x);
  const double y0 = mean(y);
  Deviations d;
  for (std::size_t i = 0; i < x.size(); ++i) {
    d.xx += (x[i] - x0) * (x[i] - x0);
    d.xy += (x[i] - x0) * (y[i] - y0);
    d.yy += (y[i] - y0) * (y[i] - y0);
  }
  return d;
}

/// The angular frequency, per row, with the largest Fourier coefficient once the straight line is taken away. Found on
/// a grid four times finer than the frequencies of the discrete transform.
double frequency(const std::vector<double>& v) {
  const std::size_t n = v.size();
  std::vector<double> index(n);
  std::iota(index.begin(), index.end(), 0.0);
  const Deviations d = deviations(index, v);
  const double rise = d.xy / d.xx;
  const double middle = mean(v) - rise * mean(index);
  double best = nan;
  double largest = 0.0;
  for (std::size_t k = 4; k < 2 * n; ++k) {
    const double omega = 2.0 * std::numbers::pi * static_cast<double>(k) / (4.0 * static_cast<double>(n));
    double c = 0.0;
    double s = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = v[i] - middle - rise * index[i];
      c += x * std::cos(omega * index[i]);
      s += x * std::sin(omega * index[i]);
    }
    if (c * c + s * s > largest) largest = c * c + s * s, best = omega;
  }
  return best;
}

struct Circle {
  double x;
  double y;
  double radius;
};

/// The circle x² + y² = 2ax + 2by + c that fits points best by least squares (I. Kåsa 1976).
Circle fitted_circle(const std::vector<double>& x, const std::vector<double>& y) {
  const double x0 = mean(x);
  const double y0 = mean(y);
  const Deviations d = deviations(x, y);
  double zx = 0.0;
  double zy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = x[i] - x0;
    const double v = y[i] - y0;
    zx += 0.5 * (u * u + v * v) * u;
    zy += 0.5 * (u * u + v * v) * v;
  }
  const double determinant = d.xx * d.yy - d.xy * d.xy;
  const double a = (zx * d.yy - zy * d.xy) / determinant;
  const double b = (zy * d.xx - zx * d.xy) / determinant;
  return {x0 + a, y0 + b, std::sqrt(a * a + b * b + (d.xx + d.yy) / static_cast<double>(x.size()))};
}

using Numbers = std::vector<double>;
constexpr NamedReduction reductions[] = {
    {"max", [](const Numbers& v) { return *std::ranges::max_element(v); }},
    {"min", [](const Numbers& v) { return *std::ranges::min_element(v); }},
    {"mean", mean},
    {"rms",
     [](const Numbers& v) {
       return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0) / static_cast<double>(v.size()));
     }},
    {"first", [](const Numbers& v) { return v.front(); }},
    {"last", [](const Numbers& v) { return v.back(); }},
    {"range",
     [](const Numbers& v) {
       const auto [low, high] = std::ranges::minmax_element(v);
       return *high - *low;
     }},
    {"sum", [](const Numbers& v) { return std::accumulate(v.begin(), v.end(), 0.0); }},
    {"count", [](const Numbers& v) { return static_cast<double>(v.size()); }},
    {"turns", turns},
    {"alternation", alternation},
    {"frequency", frequency},
    {"crossings", crossings},
    {"slope", nullptr,
     [](const Numbers& x, const Numbers& y) {
       const Deviations d = deviations(x, y);
       return d.xy / d.xx;
     }},
    {"correlation", nullptr,
     [](const Numbers& x, const Numbers& y) {
       const Deviations d = deviations(x, y);
       return d.xy / std::sqrt(d.xx * d.yy);
     }},
    {"radius", nullptr, [](const Numbers& x, const Numbers& y) { return fitted_circle(x, y).radius; }},
    {"centre_x", nullptr, [](const Numbers& x, const Numbers& y) { return fitted_circle(x, y).x; }},
    {"centre_y", nullptr, [](const Numbers& x, const Numbers& y) { return fitted_circle(x, y).y; }},
    {"area", nullptr,
     [](const Numbers& x, const Numbers& y) {
       Points points;
       for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], y[i]});
       return hull_volume(points);
     }},
};

const NamedReduction* find_reduction(std::string_view name) {
  const auto* found = std::ranges::find(reductions, name, &NamedReduction::name);
  return found == std::end(reductions) ? nullptr : found;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

[[noreturn]] void fail(std::string_view text, const std::string& summary) {
  throw ParseError(fmt::format("{} in '{}'", summary, text), summary, 1, 1);
}

/// The parts of a text before and after a word that stands by itself.
std::optional<std::pair<std::string_view, std::string_view>> split(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at == 0 || in_word(text[at - 1]) || (end < text.size() && in_word(text[end]))) continue;
    return std::pair(trimmed(text.substr(0, at)), trimmed(text.substr(end)));
  }
  return std::nullopt;
}

/// The notation of models has no absolute value, which has no derivative; formulas of tables have: √x².
std::string without_abs(std::string_view text) {
  constexpr std::string_view word = "abs(";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, word.size()) != word || (at > 0 && in_word(text[at - 1]))) {
      result += text[at++];
      continue;
    }
    std::size_t end = at + word.size();
    for (int depth = 1; depth > 0; ++end) {
      if (end == text.size()) fail(text, "a parenthesis is not closed");
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    }
    result += fmt::format("sqrt(({})^2)", without_abs(text.substr(at + word.size(), end - 1 - at - word.size())));
    at = end;
  }
  return result;
}

Expression parse_formula(std::string_view text) {
  ParseOptions options;
  options.source = "formula";
  return parse(without_abs(text), options);
}

/// A bound of a window; infinity if it is left away.
double bound(std::string_view text, double infinity) {
  text = trimmed(text);
  if (text.empty()) return infinity;
  const Expression value = parse_formula(text);
  if (!free_symbols(value).empty()) fail(text, "a bound must be a number");
  return evaluate(value, {});
}

RowFormula::Window parse_window(std::string_view text) {
  const auto parts = split(text, "in");
  const std::size_t dots = parts ? parts->second.find("..") : std::string_view::npos;
  if (dots == std::string_view::npos) fail(text, "expected 'where column in from..to'");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {parse_formula(parts->first), bound(parts->second.substr(0, dots), -infinity),
          bound(parts->second.substr(dots + 2), infinity)};
}

/// Reads a quantity from left to right: what is not a part of it goes to the formula as it stands.
class QuantityReader {
 public:
  explicit QuantityReader(std::string_view text) : text_(text) {}

  Quantity read() {
    Quantity quantity{std::string(text_), {}, {}};
    while (at_ < text_.size()) {
      if (!in_word(text_[at_])) {
        formula_ += text_[at_++];
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < text_.size() && in_word(text_[at_])) ++at_;
      const std::string_view word = text_.substr(begin, at_ - begin);
      const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
      if (at_ < text_.size() && text_[at_] == '[') {
        add(quantity, reduced(word));
      } else if (!number && at_ + 1 < text_.size() && text_[at_] == '.' && in_word(text_[at_ + 1])) {
        const std::size_t name = ++at_;
        while (at_ < text_.size() && in_word(text_[at_])) ++at_;
        add(quantity, {"", std::string(word), "", {std::string(text_.substr(name, at_ - name)), {}, {}}, {}});
      } else {
        formula_ += word;
      }
    }
    quantity.formula = parse_formula(formula_);
    return quantity;
  }

 private:
  Quantity::Part reduced(std::string_view word) {
    if (find_reduction(word) == nullptr) {
      std::vector<std::string_view> names;
      for (const NamedReduction& r : reductions) names.push_back(r.name);
      fail(text_, fmt::format("'{}[' is not known; there are {}", word, fmt::join(names, ", ")));
    }
    const std::size_t begin = ++at_;
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ == text_.size()) fail(text_, "a bracket is not closed");
      depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
    }
    const std::string_view inside = text_.substr(begin, at_ - 1 - begin);
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) fail(text_, "expected 'table: formula' in brackets");
    std::string_view formula = trimmed(inside.substr(colon + 1));
    Quantity::Part part{"", std::string(trimmed(inside.substr(0, colon))), std::string(word), {}, {}};
    if (find_reduction(word)->reduce == nullptr) {  // the window belongs to both
      const auto window = split(formula, "where");
      const auto both = split(window ? window->first : formula, "over");
      if (!both) fail(text_, fmt::format("a {0} is one of y over x: '{0}[table: y over x]'", word));
      const auto with_window = [&](std::string_view side) {
        return parse_row_formula(window ? fmt::format("{} where {}", side, window->second) : std::string(side));
      };
      part.formula = with_window(both->first);
      part.abscissa = with_window(both->second);
    } else {
      part.formula = parse_row_formula(formula);
    }
    return part;
  }

  void add(Quantity& quantity, Quantity::Part part) {
    part.symbol = fmt::format("part_{}", quantity.parts.size() + 1);
    formula_ += part.symbol;
    quantity.parts.push_back(std::move(part));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string formula_;
};

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
      } else if (const auto value = values.find(name); value != values.end()) {
        columns_.columns.push_back({name, std::vector<double>(table.rows(), value->second)});
      } else {
        const auto meant = closest_name(name, table.names());
        fail(text, fmt::format("there is no column '{}'; {}", name,
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
    fail(part.formula.text,
         fmt::format("'{}' has no number '{}'; it has {}", part.table, part.formula.text, fmt::join(names, ", ")));
  }
  const std::vector<double> values = part.formula.evaluate(table, surroundings.values);
  if (part.reduction == "count") return static_cast<double>(values.size());
  const auto unknown = [](double x) { return std::isnan(x); };
  if (values.empty() || std::ranges::any_of(values, unknown)) return nan;
  const NamedReduction& reduction = *find_reduction(part.reduction);
  if (!part.abscissa) return reduction.reduce(values);
  return reduction.reduce_pairs(part.abscissa->evaluate(table, surroundings.values), values);
}

std::string described(const Quantity& quantity, double value) {
  return free_symbols(quantity.formula).empty() ? quantity.text : fmt::format("{} = {:.3g}", quantity.text, value);
}

}  // namespace

std::vector<double> RowFormula::evaluate(const Table& table, const std::map<std::string, double>& values) const {
  std::vector<Expression> used{value};
  for (const Window& window : windows) used.push_back(window.value);
  const NamesInRows names(table, values, used, text);
  const std::vector<double> all = names.evaluate(value);
  std::vector<char> inside(all.size(), 1);
  for (const Window& window : windows) {
    const std::vector<double> where = names.evaluate(window.value);
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (!(where[i] >= window.from && where[i] <= window.to)) inside[i] = 0;
    }
  }
  std::vector<double> kept;
  for (std::size_t i = names.first_row(); i < all.size(); ++i) {
    if (inside[i] != 0) kept.push_back(all[i]);
  }
  return kept;
}

RowFormula parse_row_formula(std::string_view text) {
  RowFormula formula{std::string(text), {}, {}};
  const auto parts = split(text, "where");
  formula.value = parse_formula(parts ? parts->first : text);
  std::string_view rest = parts ? parts->second : std::string_view();
  while (!rest.empty()) {
    const auto more = split(rest, "and");
    formula.windows.push_back(parse_window(more ? more->first : rest));
    rest = more ? more->second : std::string_view();
  }
  return formula;
}

Quantity parse_quantity(std::string_view text) { return QuantityReader(text).read(); }

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
    fail(quantity.text,
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
