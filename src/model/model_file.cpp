// The model file format (docs/models.md): TOML, with expressions in strings.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/model/conformal.hpp"
#include "rattleback/model/model.hpp"
#include "toml_file.hpp"

namespace rattleback {
namespace {

constexpr std::size_t max_coordinates = 20000;

const std::vector<std::string> top_level_keys{"name",       "description", "source",    "coordinates", "angles",
                                              "lagrangian", "constraints", "holonomic", "parameters",  "initial",
                                              "run",        "symmetry",    "exact",     "conserved",   "forces",
                                              "conformal",  "picture"};

/// Reads one file; each function is a part of the format.
class Reader : TomlFile {
 public:
  Reader(std::string_view text, const std::string& file, const ParameterValues& replaced)
      : TomlFile(text, file), text_(text), replaced_(replaced) {}

  Model read() {
    check_keys(root(), top_level_keys, "a model");
    read_parameters();
    read_coordinates();
    SystemDefinition definition = table("conformal") != nullptr ? read_conformal() : SystemDefinition{};
    if (!definition.conformal_factor) {
      definition.coordinates = coordinates_;
      definition.parameters = parameters_;
      definition.lagrangian = expression(required(root(), "lagrangian"), "lagrangian", all_names());
    }
    definition.constraints = list("constraints", constraint_places_);
    definition.holonomic = list("holonomic", holonomic_places_);
    read_symmetry(definition);
    read_exact(definition);
    read_forces(definition);
    read_conserved(definition);
    Model model{std::filesystem::path(source().file()).stem().string(),
                text_value("name"),
                text_value("description"),
                text_value("source"),
                std::string(text_),
                make_system(std::move(definition)),
                read_angles(),
                std::nullopt,
                std::nullopt,
                std::nullopt};
    if (model.title.empty()) model.title = model.name;
    read_initial(model);
    read_run(model);
    read_picture(model);
    return model;
  }

 private:
  const toml::node& required(const toml::table& table, const char* key) const {
    if (const toml::node* node = table.get(key)) return *node;
    throw ModelError(
        fmt::format("{}: the key '{}' is missing; a model needs coordinates and a lagrangian, or [conformal]",
                    source().file(), key));
  }

  ParseOptions options_at(const toml::node& node, std::vector<std::string> names) const {
    ParseOptions options = TomlFile::options_at(node);
    options.names = std::move(names);
    options.integers = integers_;
    options.noninteger = noninteger_;
    options.unknown_advice = advice_;
    return options;
  }

  Expression expression(const toml::node& node, const std::string& what, std::vector<std::string> names) const {
    const std::string& text = text_of(node, what);
    return parsed([&] { return parse(text, options_at(node, std::move(names))); });
  }

  /// An entry of a list, which may be repeated.
  std::vector<Expression> entry(const toml::node& node, const std::string& what, std::vector<std::string> names) const {
    const std::string& text = text_of(node, what);
    return parsed([&] { return parse_entry(text, options_at(node, std::move(names))); });
  }

  double value_of(const toml::node& node, const std::string& what, const Expression& e) const {
    const double value = evaluate(e, values_);
    if (!std::isfinite(value)) fail(node, fmt::format("{} is {}; it must be a finite number", what, value));
    return value;
  }

  void check_name(const std::string& name, const toml::node& place, const char* what) const {
    try {
      if (const Expression e = parse(name); e.is_symbol() && e.name() == name && name.back() != '\'' && name != "sum")
        return;
    } catch (const ParseError&) {
    }
    fail(place, fmt::format("'{}' cannot be the name of {}; names are Latin and Greek letters, digits and _, "
                            "and none of pi, sum and the functions",
                            name, what));
  }

  // [parameters]: numbers, or expressions of the parameters before them
  void read_parameters() {
    ParameterValues unused = replaced_;
    advice_ = "; a parameter may use those that stand before it in the file";
    if (const toml::table* parameters = table("parameters")) {
      for (const auto& [name, node] : in_order(*parameters)) {
        check_name(name, *node, "a parameter");
        double value = 0.0;
        if (const auto found = unused.find(name); found != unused.end()) {
          value = found->second;
          unused.erase(found);
        } else if (node->is_string()) {
          value = value_of(*node, "the parameter " + name, expression(*node, name, parameter_names_));
        } else {
          value = number(*node, "the parameter " + name);
        }
        parameters_.push_back({name, value});
        parameter_names_.push_back(name);
        parameter_places_.push_back(node);
        values_[Expression::symbol(name)] = value;
        if (value == std::floor(value) && std::abs(value) < 1e9) {
          integers_[name] = static_cast<int>(value);
        } else {
          noninteger_[name] = value;
        }
      }
    }
    advice_ = "; declare it as a coordinate, or with its value in [parameters]";
    if (!unused.empty()) {
      const std::string& name = unused.begin()->first;
      const auto meant = closest_name(name, parameter_names_);
      throw ModelError(fmt::format("{} has no parameter '{}'; {}", source().file(), name,
                                   meant ? fmt::format("did you mean '{}'?", *meant)
                                   : parameter_names_.empty()
                                       ? "it has none"
                                       : fmt::format("it has {}", fmt::join(parameter_names_, ", "))));
    }
  }

  void read_coordinates() {
    for (const toml::node& node : array_of(required(root(), "coordinates"), "coordinates")) {
      std::vector<Expression> symbols;
      const std::string& text = text_of(node, "a coordinate");
      if (!text.starts_with('[')) check_name(text, node, "a coordinate");
      ParseOptions options = options_at(node, {});
      options.names.reset();
      for (const Expression& symbol : parsed([&] { return parse_entry(text, options); })) {
        if (!symbol.is_symbol()) fail(node, fmt::format("a coordinate must be a name, found {}", shortened(symbol)));
        coordinates_.push_back(symbol);
        coordinate_places_.push_back(&node);
      }
      if (coordinates_.size() > max_coordinates) {
        fail(node, fmt::format("more than {} coordinates", max_coordinates));
      }
    }
  }

  // [conformal]: momenta, hamiltonian and factor of a conformally Hamiltonian system, instead of a Lagrangian
  SystemDefinition read_conformal() {
    const toml::table& conformal = *table("conformal");
    check_keys(conformal, {"momenta", "hamiltonian", "factor"}, "[conformal]");
    for (const char* other : {"lagrangian", "constraints", "holonomic", "forces"}) {
      if (const toml::node* node = root().get(other)) {
        fail(*node, fmt::format("{} and [conformal] describe two systems: give one", other));
      }
    }
    const auto part = [&](const char* key) -> const toml::node& {
      if (const toml::node* node = conformal.get(key)) return *node;
      fail(conformal, fmt::format("[conformal] needs the key {}: it has momenta, hamiltonian and factor", key));
    };
    ConformalDefinition definition;
    definition.coordinates = coordinates_;
    definition.parameters = parameters_;
    std::vector<std::string> names = position_names();
    for (const toml::node& node : array_of(part("momenta"), "momenta")) {
      const std::string& name = text_of(node, "a momentum");
      check_name(name, node, "a momentum");
      if (std::ranges::find(names, name) != names.end()) fail(node, fmt::format("the name {} is taken", name));
      definition.momenta.push_back(Expression::symbol(name));
      names.push_back(name);
    }
    definition.hamiltonian = expression(part("hamiltonian"), "hamiltonian", names);
    if (conformal.contains("factor")) definition.factor = expression(part("factor"), "factor", names);
    try {
      canonical_ = definition;
      return mechanical(definition);
    } catch (const SystemError& error) {
      fail(conformal, error.what());
    }
  }

  std::vector<std::string> position_names() const {
    std::vector<std::string> names = parameter_names_;
    for (const Expression& q : coordinates_) names.push_back(q.is_symbol() ? q.name() : "");
    return names;
  }
  std::vector<std::string> all_names() const {
    std::vector<std::string> names = position_names();
    for (const Expression& q : coordinates_) names.push_back(q.is_symbol() ? q.name() + "'" : "");
    return names;
  }

  std::vector<Expression> list(const char* key, std::vector<const toml::node*>& places) const {
    std::vector<Expression> result;
    const toml::node* node = root().get(key);
    if (node == nullptr) return result;
    const auto names = all_names();
    for (const toml::node& item : array_of(*node, key)) {
      for (Expression& e : entry(item, fmt::format("an entry of {}", key), names)) {
        result.push_back(std::move(e));
        places.push_back(&item);
      }
    }
    return result;
  }

  /// Translates names of coordinates.
  std::vector<std::size_t> coordinate_list(const toml::node& node, const std::string& what) const {
    std::vector<std::size_t> indices;
    for (const toml::node& item : array_of(node, what)) {
      ParseOptions options = options_at(item, {});
      options.names.reset();
      const std::string& text = text_of(item, what);
      for (const Expression& symbol : parsed([&] { return parse_entry(text, options); })) {
        const auto found = std::find(coordinates_.begin(), coordinates_.end(), symbol);
        if (found == coordinates_.end()) {
          std::vector<std::string> names;
          for (const Expression& q : coordinates_) names.push_back(shortened(q));
          const auto meant = closest_name(text, names);
          if (names.size() > 12) names.resize(12), names.emplace_back("...");
          fail(item, fmt::format("'{}' in {} is not a coordinate; {}", text, what,
                                 meant ? fmt::format("did you mean '{}'?", *meant)
                                       : fmt::format("the coordinates are {}", fmt::join(names, ", "))));
        }
        indices.push_back(static_cast<std::size_t>(found - coordinates_.begin()));
      }
    }
    return indices;
  }

  std::vector<std::string> read_angles() const {
    std::vector<std::string> names;
    if (const toml::node* node = root().get("angles")) {
      for (const std::size_t i : coordinate_list(*node, "angles")) names.push_back(coordinates_[i].name());
    }
    return names;
  }

  // [symmetry]: fibre = coordinates whose translations are symmetries, a group and what it acts on, and generators
  void read_symmetry(SystemDefinition& definition) {
    const toml::table* symmetry = table("symmetry");
    if (symmetry == nullptr) return;
    check_keys(*symmetry, {"fibre", "group", "acts_on", "generators"}, "[symmetry]");
    const auto add = [&](const toml::node& place, const std::string& name,
                         const std::vector<std::pair<std::size_t, Expression>>& components) {
      definition.symmetries.push_back({name, std::vector<Expression>(coordinates_.size())});
      for (const auto& [i, component] : components) definition.symmetries.back().generator[i] = component;
      symmetry_places_.push_back(&place);
    };
    if (const toml::node* fibre = symmetry->get("fibre")) {
      for (const std::size_t i : coordinate_list(*fibre, "fibre"))
        add(*fibre, "translation of " + coordinates_[i].name(), {{i, Expression(1.0)}});
    }
    read_group(*symmetry, add);
    if (const toml::node* generators = symmetry->get("generators")) read_generators(*generators, add);
  }

  void read_group(const toml::table& symmetry, auto&& add) const {
    const toml::node* group = symmetry.get("group");
    const toml::node* acts_on = symmetry.get("acts_on");
    if (group == nullptr) {
      if (acts_on != nullptr) fail(*acts_on, "acts_on needs a group, as in group = \"SE(2)\"");
      return;
    }
    const std::string& name = text_of(*group, "group");
    if (name != "SE(2)" && name != "SO(3)") {
      fail(*group, fmt::format("the group '{}' is not known; there are SE(2) and SO(3), or list a fibre of coordinates "
                               "or generators",
                               name));
    }
    const bool plane = name == "SE(2)";
    const char* expected = plane ? "[x, y, angle]" : "[alpha, beta, psi]";
    if (acts_on == nullptr) {
      fail(*group, fmt::format("{} needs acts_on = {}: {}", name, expected,
                               plane ? "the coordinates of the plane and the angle"
                                     : "Euler angles of a rotation about z, the new x and the new z"));
    }
    const auto on = coordinate_list(*acts_on, "acts_on");
    if (on.size() != 3)
      fail(*acts_on, fmt::format("{} acts on three coordinates {}, found {}", name, expected, on.size()));
    if (on[0] == on[1] || on[0] == on[2] || on[1] == on[2])
      fail(*acts_on, fmt::format("{} acts on three different coordinates {}", name, expected));
    const Expression one(1.0);
    const Expression& first = coordinates_[on[0]];
    const Expression& second = coordinates_[on[1]];
    if (plane) {
      for (const std::size_t i : {on[0], on[1]}) add(*group, "translation of " + coordinates_[i].name(), {{i, one}});
      add(*group, "rotation of the plane", {{on[0], -second}, {on[1], first}, {on[2], one}});
      return;
    }
    // The space turns, the rotation Rz(first) Rx(second) Rz(third) is multiplied from the left.
    const Expression cotangent = cos(second) / sin(second);
    add(*group, "rotation about x",
        {{on[0], -cotangent * sin(first)}, {on[1], cos(first)}, {on[2], sin(first) / sin(second)}});
    add(*group, "rotation about y",
        {{on[0], cotangent * cos(first)}, {on[1], sin(first)}, {on[2], -cos(first) / sin(second)}});
    add(*group, "rotation about z", {{on[0], one}});
  }

  // [symmetry.generators]: name = {coordinate = expression of coordinates and parameters, ...}
  void read_generators(const toml::node& node, auto&& add) const {
    const toml::table& generators = table_of(node, "generators", "written as a section [symmetry.generators]");
    for (const auto& [name, entries] : in_order(generators)) {
      check_name(name, *entries, "a generator");
      const std::string what = "the generator " + name;
      std::vector<std::pair<std::size_t, Expression>> components;
      by_coordinate(table_of(*entries, what, "as in {x = \"-y\", y = \"x\"}"), what, fmt::format("{}, component", what),
                    all_names(), [&](std::size_t i, const Expression& e) { components.emplace_back(i, e); });
      if (std::all_of(components.begin(), components.end(), [](const auto& c) { return c.second == Expression(0.0); }))
        fail(*entries, fmt::format("{} is zero: nothing moves; remove it", what));
      add(*entries, name, components);
    }
  }

  /// A table whose keys are coordinates: calls use(index, expression) for each.
  void by_coordinate(const toml::table& entries, const std::string& where, const std::string& what,
                     const std::vector<std::string>& names, auto&& use) const {
    std::vector<std::string> known;
    for (const Expression& q : coordinates_) known.push_back(shortened(q));
    check_keys(entries, known, where + ", whose keys are coordinates");
    for (const auto& [name, node] : in_order(entries)) {
      const auto index = std::find(known.begin(), known.end(), name) - known.begin();
      use(static_cast<std::size_t>(index), expression(*node, fmt::format("{} {}", what, name), names));
    }
  }
  void read_by_coordinate(const char* key, const char* what, const std::vector<std::string>& names, auto&& use) const {
    if (const toml::table* entries = table(key)) by_coordinate(*entries, fmt::format("[{}]", key), what, names, use);
  }

  // [exact]: coordinate = expression of t, the parameters, and initial values
  void read_exact(SystemDefinition& definition) const {
    auto names = all_names();
    names.emplace_back("t");
    read_by_coordinate("exact", "the exact solution of", names, [&](std::size_t i, const Expression& e) {
      definition.exact.resize(coordinates_.size());
      definition.exact[i] = e;
    });
  }

  // [forces]: coordinate = applied force, an expression of coordinates, velocities and parameters
  void read_forces(SystemDefinition& definition) const {
    read_by_coordinate("forces", "the applied force on", all_names(), [&](std::size_t i, const Expression& e) {
      definition.applied_forces.resize(coordinates_.size());
      definition.applied_forces[i] = e;
    });
  }

  void read_conserved(SystemDefinition& definition) {
    const toml::table* conserved = table("conserved");
    if (conserved == nullptr) return;
    auto taken = all_names();
    taken.insert(taken.end(), {"energy", "time"});
    for (const auto& [name, node] : in_order(*conserved)) {
      check_name(name, *node, "a conserved quantity");
      const bool column = name.starts_with("p_") || name.starts_with("multiplier_") ||
                          name.starts_with("constraint_") || name.starts_with("holonomic_");
      if (column || std::find(taken.begin(), taken.end(), name) != taken.end()) {
        fail(*node, fmt::format("the conserved quantity {} has a name that is taken; rename it", name));
      }
      definition.conserved.push_back({name, expression(*node, "the conserved quantity " + name, all_names())});
    }
  }

  System make_system(SystemDefinition definition) const {
    try {
      return System(std::move(definition));
    } catch (const SystemError& error) {
      const auto index = static_cast<std::size_t>(error.index());
      using Part = SystemError::Part;
      const toml::node* node = nullptr;
      const auto pick = [&](const std::vector<const toml::node*>& places) {
        if (index < places.size()) node = places[index];
      };
      switch (error.part()) {
        case Part::coordinates: pick(coordinate_places_); break;
        case Part::lagrangian: node = root().get("lagrangian"); break;
        case Part::constraints: pick(constraint_places_); break;
        case Part::holonomic: pick(holonomic_places_); break;
        case Part::parameters: pick(parameter_places_); break;
        case Part::symmetry: pick(symmetry_places_); break;
        case Part::exact: node = root().get("exact"); break;
        case Part::forces: node = root().get("forces"); break;
        case Part::conserved: node = root().get("conserved"); break;
      }
      if (node == nullptr) node = root().get("coordinates");
      fail(*node, error.what());
    } catch (const ExpressionError& error) {
      throw ModelError(fmt::format("{}: {}", source().file(), error.what()));
    }
  }

  // [initial]: q and v, or q and p of [conformal], each a number or an expression of the parameters for every
  // coordinate
  void read_initial(Model& model) const {
    const toml::table* initial = table("initial");
    if (initial == nullptr) return;
    check_keys(*initial, {"q", "v", "p"}, "[initial]");
    const auto vector = [&](const char* key) {
      const toml::node* node = initial->get(key);
      std::vector<double> values;
      if (node == nullptr) return std::vector<double>(coordinates_.size(), 0.0);
      for (const toml::node& item : array_of(*node, key)) {
        const std::string what = fmt::format("an entry of {}", key);
        if (item.is_string()) {
          for (const Expression& e : entry(item, what, parameter_names_)) values.push_back(value_of(item, what, e));
        } else {
          values.push_back(number(item, what));
        }
      }
      if (values.size() != coordinates_.size()) {
        std::vector<std::string> names;
        for (const Expression& q : coordinates_) names.push_back(q.name());
        if (names.size() > 12) names.resize(12), names.emplace_back("...");
        fail(*node, fmt::format("{} has {} entries, expected {}: one for each of {}", key, values.size(),
                                coordinates_.size(), fmt::join(names, ", ")));
      }
      return values;
    };
    if (initial->get("q") == nullptr) fail(*initial, "q is missing in [initial]");
    if (initial->get("p") == nullptr) {
      model.initial = State{vector("q"), vector("v")};
      return;
    }
    if (!canonical_) fail(*initial->get("p"), "p in [initial] is for models with [conformal]; others have v");
    if (initial->get("v") != nullptr) fail(*initial->get("v"), "v and p in [initial] say the same: give one");
    // q̇ = N ∂H/∂p
    const std::vector<double> q = vector("q");
    const std::vector<double> p = vector("p");
    std::unordered_map<Expression, double> values;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      values.emplace(Expression::symbol(parameters_[i].name), parameters_[i].value);
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      values.emplace(coordinates_[i], q[i]);
      values.emplace(canonical_->momenta[i], p[i]);
    }
    State start{q, {}};
    for (const Expression& slope : gradient(canonical_->hamiltonian, canonical_->momenta)) {
      start.v.push_back(evaluate(canonical_->factor * slope, values));
    }
    model.initial = std::move(start);
  }

  // [run]: step and time that a run takes by default
  void read_run(Model& model) const {
    const toml::table* run = table("run");
    if (run == nullptr) return;
    check_keys(*run, {"step", "time"}, "[run]");
    for (const auto& [key, value] : {std::pair("step", &model.step), std::pair("time", &model.time)}) {
      const toml::node* node = run->get(key);
      if (node == nullptr) continue;
      *value = node->is_string() ? value_of(*node, key, expression(*node, key, parameter_names_)) : number(*node, key);
      if (!(**value > 0.0)) fail(*node, fmt::format("{} must be positive, found {}", key, **value));
    }
  }

  // [picture]: the moving body, drawn in animations
  void read_picture(Model& model) const {
    const toml::table* section = table("picture");
    if (section == nullptr) return;
    check_keys(*section, {"body", "position", "heading", "roll", "size", "slope"}, "[picture]");
    const auto part = [&](const char* key) -> const toml::node& {
      if (const toml::node* node = section->get(key)) return *node;
      fail(*section, fmt::format("[picture] needs the key {}", key));
    };
    Picture picture;
    picture.body = choice<Body>(part("body"), "body");
    const auto text_or_number = [&](const toml::node& node, const std::string& what, std::vector<std::string> names) {
      return node.is_string() ? expression(node, what, std::move(names)) : Expression(number(node, what));
    };
    const auto place = [&](const toml::node& node, const std::string& what) {
      const Expression e = text_or_number(node, what, all_names());
      for (const Expression& symbol : free_symbols(e)) {
        if (symbol.name().ends_with('\'')) fail(node, "a picture is one of positions: velocities cannot be used in it");
      }
      return e;
    };
    const auto constant = [&](const toml::node& node, const std::string& what) {
      return value_of(node, what, text_or_number(node, what, parameter_names_));
    };
    for (const toml::node& node : array_of(part("position"), "position")) {
      picture.position.push_back(place(node, "an entry of position"));
    }
    if (picture.position.size() == 2) picture.position.emplace_back(0.0);
    if (picture.position.size() != 3) fail(part("position"), "position must have two or three entries: x, y and z");
    for (const auto& [key, angle] : {std::pair("heading", &picture.heading), std::pair("roll", &picture.roll)}) {
      if (const toml::node* node = section->get(key)) *angle = place(*node, key);
    }
    if (const toml::node* node = section->get("size")) picture.size = constant(*node, "size");
    if (!(picture.size > 0.0)) {
      if (part("size").is_string()) return;  // of a parameter that was set to 0: there is nothing to draw
      fail(part("size"), fmt::format("size must be positive, found {}", picture.size));
    }
    if (const toml::node* node = section->get("slope")) {
      const toml::array& slope = array_of(*node, "slope");
      if (slope.size() != 2) {
        fail(*node, "slope must have two entries: by which angles the ground falls along +x, and rises along +y");
      }
      for (std::size_t i = 0; i < 2; ++i) picture.slope[i] = constant(slope[i], "an entry of slope");
    }
    model.picture = std::move(picture);
  }

  std::string_view text_;
  const ParameterValues& replaced_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> parameter_names_;
  std::unordered_map<std::string, int> integers_;
  std::unordered_map<std::string, double> noninteger_;
  std::string advice_;  ///< for unknown names
  std::unordered_map<Expression, double> values_;
  std::vector<Expression> coordinates_;
  std::optional<ConformalDefinition> canonical_;
  std::vector<const toml::node*> coordinate_places_;
  std::vector<const toml::node*> constraint_places_;
  std::vector<const toml::node*> holonomic_places_;
  std::vector<const toml::node*> parameter_places_;
  std::vector<const toml::node*> symmetry_places_;
};

}  // namespace

Model read_model(std::string_view text, const std::string& file, const ParameterValues& parameters) {
  return Reader(text, file, parameters).read();
}

}  // namespace rattleback
