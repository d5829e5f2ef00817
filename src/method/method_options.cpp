#include "method_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rattleback {
namespace {

const std::string rule_names[] = {"midpoint", "trapezoidal", "alpha", "sym"};

/// The whole text as a number.
template <class Number>
bool read(const std::string& text, Number& value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last;
}

}  // namespace

double MethodOptions::number(const std::string& key, double otherwise, double low, double high) const {
  if (!has(key)) return otherwise;
  double value = 0.0;
  if (!read(values_.at(key), value) || !(value >= low && value <= high)) {
    throw MethodError(fmt::format("{} must be a number between {} and {}, found '{}'", key, low, high, text(key)));
  }
  return value;
}

int MethodOptions::integer(const std::string& key, int otherwise, std::string_view expected) const {
  if (!has(key)) return otherwise;
  int value = 0;
  if (!read(values_.at(key), value) || value <= 0) {
    throw MethodError(fmt::format("{} must be {}, found '{}'", key, expected, text(key)));
  }
  return value;
}

std::size_t MethodOptions::which(const std::string& key, std::span<const char* const> words) const {
  if (!has(key)) return 0;
  const auto word = std::ranges::find(words, values_.at(key));
  if (word == words.end()) {
    throw MethodError(fmt::format("{} must be one of {}, found '{}'", key, fmt::join(words, ", "), text(key)));
  }
  return static_cast<std::size_t>(word - words.begin());
}

std::string MethodOptions::only_one_of(std::span<const std::string> keys, const char* what) const {
  std::vector<std::string> given;
  for (const std::string& key : keys) {
    if (has(key)) given.push_back(key);
  }
  if (given.size() > 1) throw MethodError(fmt::format("{} are two {}: give one", fmt::join(given, " and "), what));
  return given.empty() ? "" : given[0];
}

IterationEnd MethodOptions::iteration_end() const {
  static const std::string names[] = {"newton-tolerance", "newton-iterations"};
  only_one_of(names, "ends of an iteration");
  constexpr int most_iterations = 100;
  IterationEnd end{number(names[0], 0.0, 0.0, 1e6), integer(names[1], 0, "a positive integer")};
  if (end.iterations > most_iterations) {
    throw MethodError(fmt::format("{} must be at most {}, found {}", names[1], most_iterations, end.iterations));
  }
  return end;
}

Rule MethodOptions::rule() const {
  constexpr const char* turns[] = {"quarter", "chord", "cayley", "sine"};
  Rule rule = places();
  rule.turn = word<TurnRate>("turn", turns);
  return rule;
}

Rule MethodOptions::places() const {
  const std::string given = only_one_of(rule_names, "rules");
  if (given == "trapezoidal") return trapezoidal();
  if (given == "alpha") return alpha(number("alpha", 0.5, 0.0, 1.0));
  if (given == "sym") return sym(number("sym", 0.0, 0.0, 1.0));
  return midpoint();
}

bool MethodOptions::exact() const {
  static const std::string names[] = {"exact", "midpoint", "trapezoidal", "alpha", "sym"};
  return only_one_of(names, "rules") == "exact";
}

std::optional<Rule> MethodOptions::constraint_rule() const {
  if (!has("constraints")) return {};
  return rule_of(text("constraints"), "constraints");
}

AlteredRule MethodOptions::altered_rule() const {
  static const std::map<std::string, AlteredRule> products{{"M", {midpoint()}},
                                                           {"MT", {trapezoidal(), midpoint()}},
                                                           {"TM", {midpoint(), trapezoidal()}},
                                                           {"TT", {trapezoidal(), trapezoidal()}},
                                                           {"T", {trapezoidal()}}};
  static const std::string names[] = {"M", "MT", "T", "TM", "TT", "alpha", "midpoint", "sym", "trapezoidal"};
  const auto product = products.find(only_one_of(names, "rules"));
  return product == products.end() ? AlteredRule{rule()} : product->second;
}

Rule rule_of(const std::string& text, std::string_view what) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool takes_number = name == "alpha" || name == "sym";
  if (std::ranges::find(rule_names, name) == std::end(rule_names) || takes_number != (equals != std::string::npos)) {
    throw MethodError(
        fmt::format("{} must be midpoint, trapezoidal, alpha=0.5 or sym=0 (or other numbers), found '{}'", what, text));
  }
  MethodOptions options;
  options.add(name, takes_number ? text.substr(equals + 1) : "");
  return options.rule();
}

}  // namespace rattleback
