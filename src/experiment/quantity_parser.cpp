// The notation of quantities (docs/experiments.md).

#include <fmt/format.h>

#include <cctype>
#include <limits>

#include "rattleback/experiment/quantity.hpp"
#include "rattleback/expr/graph.hpp"
#include "reductions.hpp"
#include "wrong_quantity.hpp"

namespace rattleback {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
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
std::string without_abs(std::string_view text, int level = 0) {
  if (level > max_expression_nesting) wrong_quantity(text.substr(0, 40), "too many absolute values inside each other");
  constexpr std::string_view word = "abs(";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, word.size()) != word || (at > 0 && in_word(text[at - 1]))) {
      result += text[at++];
      continue;
    }
    std::size_t end = at + word.size();
    for (int depth = 1; depth > 0; ++end) {
      if (end == text.size()) wrong_quantity(text, "a parenthesis is not closed");
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    }
    result +=
        fmt::format("sqrt(({})^2)", without_abs(text.substr(at + word.size(), end - 1 - at - word.size()), level + 1));
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
  if (!free_symbols(value).empty()) wrong_quantity(text, "a bound must be a number");
  return evaluate(value, {});
}

RowFormula::Window parse_window(std::string_view text) {
  const auto parts = split(text, "in");
  const std::size_t dots = parts ? parts->second.find("..") : std::string_view::npos;
  if (dots == std::string_view::npos) wrong_quantity(text, "expected 'where column in from..to'");
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
      wrong_quantity(text_, fmt::format("'{}[' is not known; there are {}", word, fmt::join(reduction_names(), ", ")));
    }
    const std::size_t begin = ++at_;
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ == text_.size()) wrong_quantity(text_, "a bracket is not closed");
      depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
    }
    const std::string_view inside = text_.substr(begin, at_ - 1 - begin);
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos) wrong_quantity(text_, "expected 'table: formula' in brackets");
    std::string_view formula = trimmed(inside.substr(colon + 1));
    Quantity::Part part{"", std::string(trimmed(inside.substr(0, colon))), std::string(word), {}, {}};
    if (find_reduction(word)->reduce == nullptr) {  // the window belongs to both
      const auto window = split(formula, "where");
      const auto both = split(window ? window->first : formula, "over");
      if (!both) wrong_quantity(text_, fmt::format("a {0} is one of y over x: '{0}[table: y over x]'", word));
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

}  // namespace

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

}  // namespace rattleback
