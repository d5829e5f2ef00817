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

namespace {

/// The numbers of a list of names that are given.
SomeNumbers by_name(std::vector<std::string> names, const std::map<std::string, double>& named,
                    const std::string& what) {
  SomeNumbers numbers(names.size());
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

}  // namespace

SomeNumbers velocities_by_name(const System& system, const std::map<std::string, double>& named,
                               const std::string& what) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    names.push_back(i < system.space().numbers ? system.coordinates()[i].name() : system.velocities()[i].name());
  }
  return by_name(std::move(names), named, what);
}

SomeNumbers positions_by_name(const System& system, const std::map<std::string, double>& named, const std::string& what,
                              std::vector<double>& near) {
  const Space space = system.space();
  const SomeNumbers given = by_name(system.position_names(), named, what);
  std::vector<double> shown = space.shown(near);
  SomeNumbers directions(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(space.numbers));
  for (std::size_t i = 0; i < given.size(); ++i) shown[i] = given[i].value_or(shown[i]);
  for (std::size_t k = 0; k < space.rotations; ++k) {
    const auto quaternion = std::span(given).subspan(space.numbers + 4 * k, 4);
    const bool is_given = std::ranges::any_of(quaternion, [](const auto& number) { return number.has_value(); });
    if (is_given && !std::ranges::all_of(quaternion, [](const auto& number) { return number.has_value(); })) {
      throw ModelError(fmt::format("{} has some of {}; a quaternion needs all four", what,
                                   fmt::join(quaternion_names(system.rotations()[k].name), ", ")));
    }
    for (std::size_t i = 0; i < Rotation::velocities; ++i)
      directions.push_back(is_given ? std::optional(0.0) : std::nullopt);
  }
  near = space.from_shown(shown);
  return directions;
}

double number_from_text(std::string_view text, const std::string& what, const ParameterValues& values) {
  const auto numbers = numbers_from_text(text, what, values);
  if (numbers.size() != 1) throw ModelError(fmt::format("{} must be one number, found {}", what, text));
  return numbers[0];
}

}  // namespace rattleback
