// Numbers as people type them on a command line.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/attitude_form.hpp"
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

/// Calls with begin and end of what stands between commas that are in no brackets: R[1,2] = 0 is one piece.
void each_piece(std::string_view text, auto&& read) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; end <= text.size(); ++end) {
    const char c = end < text.size() ? text[end] : ',';
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (end < text.size() && (c != ',' || depth > 0)) continue;
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

/// "x, y, and R, which is a rotation": not each of its numbers.
std::string coordinates_for_people(const System& system) {
  constexpr std::size_t most = 12;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < system.space().numbers && i < most; ++i) names.push_back(system.coordinates()[i].name());
  if (system.space().numbers > most) names.emplace_back("…");
  std::vector<std::string> rotations;
  for (const Rotation& r : std::span(system.rotations()).first(std::min(system.rotations().size(), most)))
    rotations.push_back(r.name);
  if (system.rotations().size() > most) rotations.emplace_back("…");
  if (rotations.empty()) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}{}{}, {}", fmt::join(names, ", "), names.empty() ? "" : ", and ", fmt::join(rotations, ", "),
                     rotations.size() == 1 ? "which is a rotation" : "which are rotations");
}

/// The numbers of a list of names that are given.
SomeNumbers by_name(const System& system, const std::vector<std::string>& names,
                    const std::map<std::string, double>& named, const std::string& what) {
  SomeNumbers numbers(names.size());
  for (const auto& [name, value] : named) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      const auto meant = closest_name(name, names);
      const auto is_part = [&](const std::string& other) { return other.starts_with(name + "."); };
      if (const auto part = std::ranges::find_if(names, is_part); part != names.end()) {
        throw ModelError(fmt::format(
            "{} has a value for '{}', which is a rotation; give its numbers, {}", what, name,
            part->ends_with(".w") ? fmt::format("as {0}.w, {0}.x, {0}.y, {0}.z, Euler angles {0}.zxy1, {0}.zxy2, "
                                                "{0}.zxy3, or {0}.turn1, {0}.turn2, {0}.turn3 along the axis",
                                                name)
                                  : fmt::format("{0}.omega1, {0}.omega2, {0}.omega3", name)));
      }
      throw ModelError(fmt::format("{} has a value for '{}', which is not a coordinate; {}", what, name,
                                   meant ? fmt::format("did you mean '{}'?", *meant)
                                         : fmt::format("the coordinates are {}", coordinates_for_people(system))));
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
  return by_name(system, names, named, what);
}

SomeNumbers positions_by_name(const System& system, const std::map<std::string, double>& named, const std::string& what,
                              std::vector<double>& near) {
  const Space space = system.space();
  std::vector<std::string> names = system.position_names();
  names.resize(space.numbers);
  std::ranges::move(attitude_names(system), std::back_inserter(names));
  SomeNumbers given = by_name(system, names, named, what);
  std::vector<std::optional<AttitudeForm>> forms(space.rotations);
  std::vector<std::vector<double>> attitudes(space.rotations);
  std::vector<std::size_t> counts(space.rotations);
  for (std::size_t i = space.numbers; i < names.size(); ++i) {
    if (!given[i]) continue;
    const auto [k, form, index] = *attitude_number(system, names[i]);
    const std::string& rotation = system.rotations()[k].name;
    const auto matrix = std::span(near).subspan(space.position_of(k), Rotation::positions);
    if (!forms[k]) attitudes[k] = forms[k].emplace(form).numbers_of(matrix);
    if (*forms[k] != form) {
      throw ModelError(fmt::format("{} gives {} in two ways, by {} and by {}: give one", what, rotation,
                                   fmt::join(forms[k]->names(rotation), ", "), names[i]));
    }
    attitudes[k][index] = *given[i];
    ++counts[k];
  }
  given.resize(space.numbers);
  for (std::size_t k = 0; k < space.rotations; ++k) {
    const auto& form = forms[k];
    for (std::size_t i = 0; i < Rotation::velocities; ++i) given.push_back(form ? std::optional(0.0) : std::nullopt);
    if (!form) continue;
    if (form->needs_all() && counts[k] < attitudes[k].size()) {
      throw ModelError(fmt::format("{} has some of {}; a {} needs all", what,
                                   fmt::join(form->names(system.rotations()[k].name), ", "),
                                   form->kind == AttitudeForm::Kind::quaternion ? "quaternion" : "matrix"));
    }
    try {
      std::ranges::copy(form->matrix_of(attitudes[k]),
                        near.begin() + static_cast<std::ptrdiff_t>(space.position_of(k)));
    } catch (const ModelError& error) {
      throw ModelError(fmt::format("{}, {}: {}", what, system.rotations()[k].name, error.what()));
    }
  }
  return given;
}

double number_from_text(std::string_view text, const std::string& what, const ParameterValues& values) {
  const auto numbers = numbers_from_text(text, what, values);
  if (numbers.size() != 1) throw ModelError(fmt::format("{} must be one number, found {}", what, text));
  return numbers[0];
}

}  // namespace rattleback
