#include "model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {
namespace {

constexpr std::size_t max_coordinates = 20000;

}  // namespace

void ModelText::read_declarations(const ParameterValues& replaced, const InputTexts& replaced_inputs) {
  advice_ = "; a parameter may use those that stand before it in the file";
  read_parameters(replaced, replaced_inputs);
  advice_ = "; declare it as a coordinate, or with its value in [parameters]";
  read_coordinates();
  read_rotations();
  explain_rows();
}

const toml::node& ModelText::needed(const char* key) const {
  if (const toml::node* node = root().get(key)) return *node;
  throw ModelError(fmt::format(
      "{}: the key '{}' is missing; a model needs coordinates and a lagrangian, or [conformal]", source().file(), key));
}

ParseOptions ModelText::options_at(const toml::node& node, Names names) const {
  const ParseOptions place = TomlFile::options_at(node);
  ParseOptions options = options_of(place.source, std::move(names));
  options.line = place.line;
  options.column = place.column;
  return options;
}

Expression ModelText::expression(const toml::node& node, const std::string& what, Names names) const {
  const std::string& text = text_of(node, what);
  return parsed([&] { return parse(text, options_at(node, std::move(names))); });
}

ParseOptions ModelText::options_of(const std::string& where, Names names) const {
  ParseOptions options;
  options.source = where;
  options.names = std::move(names);
  options.integers = integers_;
  options.noninteger = noninteger_;
  options.unknown_advice = advice_;
  options.definitions = &definitions_;
  options.instantaneous = &multipliers_;
  options.explanations = &explanations_;
  if (!is_name(time_symbol().name())) options.time = time_symbol().name();
  return options;
}

Expression ModelText::expression(const std::string& text, const std::string& where, Names names) const {
  return parsed([&] { return parse(text, options_of(where, std::move(names))); });
}

Tensor ModelText::tensor(const std::string& text, const std::string& where, Names names) const {
  return parsed([&] { return parse_tensor(text, options_of(where, std::move(names))); });
}

void ModelText::define(const std::string& name, const Expression& meaning) { definitions_.add(name, Tensor(meaning)); }

std::vector<Expression> ModelText::entry(const toml::node& node, const std::string& what, Names names) const {
  const std::string& text = text_of(node, what);
  return parsed([&] { return parse_entry(text, options_at(node, std::move(names))); });
}

double ModelText::value_of(const toml::node& node, const std::string& what, const Expression& e) const {
  const double value = evaluate(e, values_);
  if (!std::isfinite(value)) fail(node, fmt::format("{} is {}; it must be a finite number", what, value));
  return value;
}

std::unordered_map<Expression, double> ModelText::values_at(const State& state) const {
  auto values = values_;
  auto number = state.q.begin();
  for (const Expression& q : coordinates_) values[q] = *number++;
  for (const Rotation& rotation : rotations_) {
    for (const Expression& entry : rotation.matrix.entries) values[entry] = *number++;
  }
  values.emplace(time_symbol(), state.t);
  return values;
}

double ModelText::constant(const toml::node& node, const std::string& what) const {
  return node.is_string() ? value_of(node, what, expression(node, what, parameter_names_)) : number(node, what);
}

void ModelText::check_name(const std::string& name, const toml::node& place, const char* what) const {
  try {
    const bool is_part = name.find_first_of(".[") != std::string::npos;  // R.omega, R[1,2]
    if (const Expression e = parse(name);
        !is_part && e.is_symbol() && e.name() == name && name.back() != '\'' && name != "sum")
      return;
  } catch (const ParseError&) {
  }
  fail(place, fmt::format("'{}' cannot be the name of {}; names are Latin and Greek letters, digits and _, "
                          "and none of pi, sum and the functions",
                          name, what));
}

// [parameters]: numbers, or expressions of the parameters before them
void ModelText::read_parameters(ParameterValues replaced, const InputTexts& replaced_inputs) {
  if (const toml::table* section = table("parameters")) {
    for (const auto& [name, node] : in_order(*section)) {
      check_name(name, *node, "a parameter");
      const auto replacement = replaced.extract(name);
      add_parameter(name, replacement ? replacement.mapped() : parameter_value(name, *node), *node);
    }
  }
  if (const toml::table* section = table("inputs")) {
    for (const auto& [name, node] : in_order(*section)) {
      if (!node->is_number() || replaced_inputs.contains(name)) continue;
      check_name(name, *node, "an input");
      if (is_column_name(name) || name == time_symbol().name())
        fail(*node, fmt::format("the input {} has a name that is taken; rename it", name));
      const auto replacement = replaced.extract(name);
      add_parameter(name, replacement ? replacement.mapped() : number(*node, "the input " + name), *node);
    }
  }
  if (replaced.empty()) return;
  const std::string& name = replaced.begin()->first;
  const auto meant = closest_name(name, parameter_names_);
  throw ModelError(fmt::format("{} has no parameter '{}'; {}", source().file(), name,
                               meant ? fmt::format("did you mean '{}'?", *meant)
                               : parameter_names_.empty()
                                   ? "it has none"
                                   : fmt::format("it has {}", fmt::join(parameter_names_, ", "))));
}

double ModelText::parameter_value(const std::string& name, const toml::node& node) const {
  const std::string what = "the parameter " + name;
  return node.is_string() ? value_of(node, what, expression(node, name, parameter_names_)) : number(node, what);
}

void ModelText::add_parameter(const std::string& name, double value, const toml::node& place) {
  parameters_.push_back({name, value});
  parameter_names_.push_back(name);
  parameter_places_.push_back(&place);
  values_[Expression::symbol(name)] = value;
  if (value == std::floor(value) && std::abs(value) < 1e9) {
    integers_[name] = static_cast<int>(value);
  } else {
    noninteger_[name] = value;
  }
}

/// Names, which may be repeated: "[i = 1..n] x[i]".
std::vector<Expression> ModelText::symbols(const toml::node& node, const std::string& what) const {
  const std::string& text = text_of(node, what);
  ParseOptions options = options_at(node, {});
  options.names.reset();
  return parsed([&] { return parse_entry(text, options); });
}

std::vector<Expression> ModelText::declared(const toml::node& node, const char* what) const {
  const std::string& text = text_of(node, what);
  if (!text.starts_with('[')) check_name(text, node, what);
  std::vector<Expression> names = symbols(node, what);
  for (const Expression& name : names) {
    if (!name.is_symbol() || name.name().find_first_of(".[") != std::string::npos)
      fail(node, fmt::format("{} must be a name, found {}", what, shortened(name)));
  }
  return names;
}

void ModelText::read_coordinates() {
  const toml::node* list = root().get("coordinates");
  if (list == nullptr && root().contains("rotations")) return;
  for (const toml::node& node : array_of(list != nullptr ? *list : needed("coordinates"), "coordinates")) {
    for (const Expression& symbol : declared(node, "a coordinate")) {
      coordinates_.push_back(symbol);
      coordinate_places_.push_back(&node);
    }
    if (coordinates_.size() > max_coordinates) fail(node, fmt::format("more than {} coordinates", max_coordinates));
  }
}

// rotations = ["R"]: R is a matrix, R.omega a vector
void ModelText::read_rotations() {
  const toml::node* list = root().get("rotations");
  if (list == nullptr) return;
  for (const toml::node& node : array_of(*list, "rotations")) {
    const std::string& name = text_of(node, "a rotation");
    check_name(name, node, "a rotation");
    const Rotation& rotation = rotations_.emplace_back(name);
    Names taken{name};
    for (const Expression& freedom : rotation.freedoms) taken.push_back(freedom.name());
    for (const std::string& each : taken) {
      if (is_name(each) || each == time_symbol().name() || definitions_.find(each) != nullptr)
        fail(node, fmt::format("the name {} is needed for the rotation {} and is taken; rename one", each, name));
    }
    definitions_.add(name, rotation.matrix);
    definitions_.add(name + std::string(angular_velocity_suffix), rotation.omega);
  }
}

// [definitions]: name, or name(argument, ...) = expression; the text of a function is read where it is called
void ModelText::read_definitions(const Names& more_names) {
  const toml::table* section = table("definitions");
  if (section == nullptr) return;
  Names names = timed_names();
  names.insert(names.end(), more_names.begin(), more_names.end());
  advice_ = "; declare it as a coordinate, in [parameters], or in [definitions] before this place";
  for (const auto& [header, node] : in_order(*section)) {
    const std::string name = header.substr(0, header.find('('));
    if (is_column_name(name) || name == time_symbol().name()) {
      fail(*node, fmt::format("the definition {} has a name that is taken by results; rename it", name));
    }
    if (node->is_array()) {
      fail(*node, fmt::format("the definition {} must be a text in quotes; a vector is written \"[x, y, z]\"", header));
    }
    const std::string text = node->is_string() ? text_of(*node, "the definition " + header)
                                               : fmt::format("{}", number(*node, "the definition " + header));
    parsed([&] { definitions_.add(header, text, options_at(*node, names), options_at_key(*section, header)); });
  }
}

bool ModelText::is_name(const std::string& name) const {
  const auto named = [&](const Expression& q) { return q.name() == name; };
  return std::ranges::any_of(coordinates_, named) ||
         std::ranges::find(parameter_names_, name) != parameter_names_.end();
}

ModelText::Names ModelText::position_names() const {
  Names names = parameter_names_;
  for (const Expression& q : coordinates_) names.push_back(q.name());
  for (const Rotation& rotation : rotations_) {
    for (const Expression& entry : rotation.matrix.entries) names.push_back(entry.name());
  }
  return names;
}

ModelText::Names ModelText::all_names() const {
  Names names = position_names();
  for (const Expression& q : coordinates_) names.push_back(q.name() + "'");
  for (const Rotation& rotation : rotations_) {
    for (const Expression& component : rotation.omega) names.push_back(component.name());
  }
  return names;
}

ModelText::Names ModelText::timed_names() const {
  Names names = all_names();
  if (std::ranges::find(names, time_symbol().name()) == names.end()) names.push_back(time_symbol().name());
  return names;
}

ModelText::Names ModelText::listed_coordinates() const {
  Names names;
  for (const Expression& q : coordinates_) names.push_back(q.name());
  constexpr std::size_t most = 12;
  if (names.size() > most) names.resize(most), names.emplace_back("...");
  return names;
}

std::vector<std::size_t> ModelText::coordinates_of(const toml::node& item, const std::string& what) const {
  std::vector<std::size_t> indices;
  for (const Expression& symbol : symbols(item, what)) {
    const auto found = std::find(coordinates_.begin(), coordinates_.end(), symbol);
    if (found == coordinates_.end()) {
      Names names;
      for (const Expression& q : coordinates_) names.push_back(q.name());
      const std::string& text = text_of(item, what);
      if (std::ranges::find(rotations_, text, &Rotation::name) != rotations_.end())
        fail(item,
             fmt::format("'{}' in {} is a rotation; only coordinates that are numbers can stand here", text, what));
      const auto meant = closest_name(text, names);
      fail(item, fmt::format("'{}' in {} is not a coordinate; {}", text, what,
                             meant ? fmt::format("did you mean '{}'?", *meant)
                                   : fmt::format("the coordinates are {}", fmt::join(listed_coordinates(), ", "))));
    }
    indices.push_back(static_cast<std::size_t>(found - coordinates_.begin()));
  }
  return indices;
}

std::vector<std::size_t> ModelText::coordinate_list(const toml::node& node, const std::string& what) const {
  std::vector<std::size_t> indices;
  for (const toml::node& item : array_of(node, what)) {
    const auto some = coordinates_of(item, what);
    indices.insert(indices.end(), some.begin(), some.end());
  }
  return indices;
}

std::vector<std::pair<std::size_t, Expression>> ModelText::by_coordinate(const toml::table& entries,
                                                                         const std::string& where,
                                                                         const std::string& what,
                                                                         const Names& names) const {
  Names known;
  for (const Expression& q : coordinates_) known.push_back(q.name());
  for (const Rotation& rotation : rotations_) known.push_back(rotation.name);
  check_keys(entries, known, where + ", whose keys are coordinates");
  std::vector<std::pair<std::size_t, Expression>> found;
  for (const auto& [name, node] : in_order(entries)) {
    const auto index = static_cast<std::size_t>(std::find(known.begin(), known.end(), name) - known.begin());
    const std::string whose = fmt::format("{} {}", what, name);
    if (index < coordinates_.size()) {
      found.emplace_back(index, expression(*node, whose, names));
      continue;
    }
    const Vector components = entry(*node, whose, names);
    if (components.size() != Rotation::velocities) {
      fail(*node, fmt::format("{} has three components, as in \"[0, 0, 1]\", found {}", whose, components.size()));
    }
    for (std::size_t i = 0; i < components.size(); ++i)
      found.emplace_back(space().velocity_of(index - coordinates_.size()) + i, components[i]);
  }
  return found;
}

}  // namespace rattleback
