// Numbers as people type them on a command line.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

namespace {

/// Reads numbers that stand in a longer text.
class NumberReader {
 public:
  NumberReader(std::string_view text, const std::string& what, const ParameterValues& values)
      : text_(text), what_(what), options_{what, 1, 1, std::vector<std::string>{}, {}, {}, "; it must be a number"} {
    for (const auto& [name, value] : values) {
      options_.names->push_back(name);
      known_[Expression::symbol(name)] = value;
    }
  }

  double between(std::size_t begin, std::size_t end) const {
    const std::string piece(text_.substr(begin, end - begin));
    char* rest = nullptr;  // nan and inf are numbers to people, but not expressions
    double value = std::strtod(piece.c_str(), &rest);
    const bool word = piece.find_first_of("0123456789") == std::string::npos;
    if (piece.empty() || *rest != '\0' || std::isfinite(value) || !word) {
      try {
        value = evaluate(parse(piece, options_), known_);
      } catch (const ParseError& error) {
        fail(begin + static_cast<std::size_t>(error.column()) - 1, error.summary());
      }
    }
    if (!std::isfinite(value)) throw ModelError(fmt::format("{} must be a finite number, found {}", what_, piece));
    return value;
  }

  [[noreturn]] void fail(std::size_t at, const std::string& summary) const {
    throw ModelError(fmt::format("{}:1:{}: {}\n  {}\n  {}^", what_, at + 1, summary, text_, std::string(at, ' ')));
  }

 private:
  std::string_view text_;
  const std::string& what_;
  ParseOptions options_;
  std::unordered_map<Expression, double> known_;
};

/// Calls with begin and end of what stands between commas.
void each_piece(std::string_view text, auto&& read) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    read(begin, end);
    begin = end + 1;
  }
}

}  // namespace

std::vector<double> numbers_from_text(std::string_view text, const std::string& what, const ParameterValues& values) {
  const NumberReader reader(text, what, values);
  std::vector<double> numbers;
  each_piece(text, [&](std::size_t begin, std::size_t end) { numbers.push_back(reader.between(begin, end)); });
  return numbers;
}

std::map<std::string, double> named_numbers_from_text(std::string_view text, const std::string& what,
                                                      const ParameterValues& values) {
  const NumberReader reader(text, what, values);
  std::map<std::string, double> numbers;
  each_piece(text, [&](std::size_t begin, std::size_t end) {
    const std::string_view piece = text.substr(begin, end - begin);
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) {
      reader.fail(begin, "expected NAME=VALUE: either all numbers have names, or none has");
    }
    std::string name(piece.substr(0, equals));
    name.erase(name.find_last_not_of(' ') + 1);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    if (!numbers.emplace(name, reader.between(begin + equals + 1, end)).second)
      reader.fail(begin, fmt::format("'{}' is given twice", name));
  });
  return numbers;
}

SomeNumbers by_coordinate(const System& system, const std::map<std::string, double>& named, const std::string& what) {
  SomeNumbers numbers(system.dimension());
  std::vector<std::string> names;
  for (const Expression& q : system.coordinates()) names.push_back(q.name());
  for (const auto& [name, value] : named) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const auto meant = closest_name(name, names);
      names.resize(std::min<std::size_t>(names.size(), 12));
      throw ModelError(fmt::format("{} has a value for '{}', which is not a coordinate; {}", what, name,
                                   meant ? fmt::format("did you mean '{}'?", *meant)
                                         : fmt::format("the coordinates are {}", fmt::join(names, ", "))));
    }
    numbers[static_cast<std::size_t>(found - names.begin())] = value;
  }
  return numbers;
}

double number_from_text(std::string_view text, const std::string& what, const ParameterValues& values) {
  const auto numbers = numbers_from_text(text, what, values);
  if (numbers.size() != 1) throw ModelError(fmt::format("{} must be one number, found {}", what, text));
  return numbers[0];
}

}  // namespace rattleback
