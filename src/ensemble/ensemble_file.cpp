// The format of ensembles (docs/ensembles.md): TOML, with formulas in strings.

#include "rattleback/ensemble/ensemble_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../model/toml_file.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace {

constexpr double largest_integer = 9e15;
constexpr std::int64_t most_times = 1000000;
constexpr std::int64_t most_bins = 1000000;

class EnsembleReader : TomlFile {
 public:
  using TomlFile::TomlFile;

  EnsembleFile read(std::string_view text) {
    check_keys(root(),
               {"title", "model", "set", "method", "step", "steps", "time", "seed", "project", "start", "vary", "keep",
                "section", "histogram", "volume"},
               "an ensemble");
    Model model = load();
    model_ = &model;
    const System& system = model.system;
    const State zero{std::vector<double>(system.dimension()), std::vector<double>(system.dimension())};
    ensemble_.emplace(Ensemble{system, methods(), model.initial.value_or(zero)});
    read_steps();
    if (const toml::node* project = root().get("project")) ensemble_->project = flag(*project, "project");
    read_start();
    read_axes();
    check_start_is_given();
    check_varied_names();
    read_keep();
    each("section", [&](const toml::table& section) { read_section(section); });
    std::vector<Histogram> histograms;
    std::vector<Volume> volumes;
    each("histogram", [&](const toml::table& histogram) { histograms.push_back(read_histogram(histogram)); });
    each("volume", [&](const toml::table& volume) { volumes.push_back(read_volume(volume)); });
    check_names_of(histograms, "histogram");
    check_names_of(volumes, "volume");
    try {
      const Members members(*ensemble_);
      check_methods_apply(members);
    } catch (const EnsembleError& error) {
      throw ModelError(fmt::format("{}: {}", source().file(), error.what()));
    }
    return {std::string(text),     text_value("title"),   std::move(model),
            std::move(*ensemble_), std::move(histograms), std::move(volumes)};
  }

 private:
  const toml::node& required(const toml::table& table, const char* key, const std::string& what) const {
    if (const toml::node* node = table.get(key)) return *node;
    fail(table, fmt::format("{} needs '{}'", what, key));
  }

  void each(const char* key, auto&& read_one) const {
    const toml::node* node = root().get(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(*node, fmt::format("{0} must be written as sections [[{0}]]", key));
    for (const toml::node& entry : *array) {
      read_one(table_of(entry, key, fmt::format("written as a section [[{}]]", key)));
    }
  }

  bool flag(const toml::node& node, const char* what) const {
    if (const auto value = node.value<bool>()) return *value;
    fail(node, fmt::format("{} must be true or false", what));
  }

  /// A number, or a text with a formula without names, as "pi/4".
  double value(const toml::node& node, const std::string& what) const {
    if (!node.is_string()) return number(node, what);
    ParseOptions options = options_at(node);
    options.names = std::vector<std::string>{};
    options.unknown_advice = "; it must be a number";
    const Expression expression = parsed([&] { return parse(text_of(node, what), options); });
    const double result = evaluate(expression, {});
    if (!std::isfinite(result)) fail(node, fmt::format("{} is {}; it must be a finite number", what, result));
    return result;
  }
  double positive(const toml::node& node, const std::string& what) const {
    const double result = value(node, what);
    if (!(result > 0.0)) fail(node, fmt::format("{} must be positive, found {}", what, result));
    return result;
  }
  std::int64_t count(const toml::node& node, const std::string& what, std::int64_t most = std::int64_t{1} << 53) const {
    const double result = value(node, what);
    if (result != std::floor(result) || result < 1.0 || result > static_cast<double>(most)) {
      fail(node, fmt::format("{} must be an integer from 1 to {}, found {}", what, most, result));
    }
    return static_cast<std::int64_t>(result);
  }
  /// A list of so many numbers; one number stands for all.
  std::vector<double> values(const toml::node& node, const std::string& what, std::size_t size) const {
    if (!node.is_array()) return std::vector<double>(size, value(node, what));
    std::vector<double> list;
    for (const toml::node& entry : array_of(node, what)) list.push_back(value(entry, what));
    if (list.size() != size) fail(node, fmt::format("{} has {} numbers, expected {}", what, list.size(), size));
    return list;
  }
  std::vector<std::string> names(const toml::node& node, const std::string& what) const {
    if (!node.is_array()) return {text_of(node, what)};
    std::vector<std::string> list;
    for (const toml::node& entry : array_of(node, what)) list.push_back(text_of(entry, what));
    if (list.empty()) fail(node, fmt::format("{} is empty", what));
    return list;
  }

  Model load() const {
    ParameterValues set;
    if (const toml::table* given = table("set")) {
      for (const auto& [name, node] : in_order(*given)) set[name] = value(*node, name);
    }
    const toml::node& node = required(root(), "model", "an ensemble");
    std::string name = text_of(node, "model");
    const auto beside = std::filesystem::path(source().file()).parent_path() / name;
    std::error_code ignored;
    if (name.ends_with(".toml") && std::filesystem::exists(beside, ignored)) name = beside.string();
    try {
      Model model = load_named(node, name);
      return set.empty() ? std::move(model) : load_with(name, set);
    } catch (const FileError& error) {
      fail(node, error.what());
    }
  }

  Model load_named(const toml::node& node, const std::string& name) const {
    try {
      return load_model(name);
    } catch (const ModelError& error) {
      // A mistake in another file has its own place.
      if (name.ends_with(".toml")) throw;
      fail(node, error.what());
    }
  }

  /// The value that is to blame, if the model cannot have it.
  Model load_with(const std::string& name, const ParameterValues& set) const {
    for (const auto& [key, entry] : in_order(*table("set"))) {
      try {
        load_model(name, {{key, set.at(key)}});
      } catch (const ModelError& error) {
        fail(*entry, error.what());
      }
    }
    return load_model(name, set);
  }

  std::vector<std::string> methods() const {
    const toml::node& node = required(root(), "method", "an ensemble");
    const std::vector<std::string> list = names(node, "method");
    for (const std::string& name : list) {
      try {
        MethodSpec{name};
      } catch (const MethodError& error) {
        fail(node, error.what());
      }
      if (std::ranges::count(list, name) > 1) fail(node, fmt::format("the method {} is given twice", name));
    }
    return list;
  }

  /// That there are such methods and observers was checked before; whether they suit the model is known now.
  void check_methods_apply(const Members& members) const {
    for (const std::string& name : ensemble_->methods) {
      const Problem nominal = nominal_problem(*ensemble_, members, name);
      try {
        DerivedMethod(name, nominal);
      } catch (const MethodError& error) {
        fail(*root().get("method"), error.what());
      }
      for (const std::string& observer : ensemble_->observers) {
        try {
          make_observer(observer, name, nominal);
        } catch (const MethodError& error) {
          fail(*table("keep")->get("observers"), error.what());
        }
      }
    }
  }

  void read_steps() {
    Ensemble& e = *ensemble_;
    const toml::node* const step = root().get("step");
    const toml::node* const steps = root().get("steps");
    const toml::node* const time = root().get("time");
    e.step = step != nullptr ? positive(*step, "step") : model_->step.value_or(0.0);
    if (steps != nullptr && time != nullptr) fail(*steps, "steps and time are two ends: give one");
    if (steps != nullptr) {
      e.steps = count(*steps, "steps");
    } else if (time != nullptr) {
      e.time = positive(*time, "time");
    } else if (model_->time) {
      e.time = model_->time;
    } else {
      throw ModelError(fmt::format("{}: an ensemble needs 'steps' or 'time'", source().file()));
    }
  }

  /// What a start consists of.
  std::vector<std::string> own_names() const {
    std::vector<std::string> all;
    const System& system = model_->system;
    for (const auto* list : {&system.coordinates(), &system.velocities(), &system.parameters()}) {
      for (const Expression& s : *list) all.push_back(s.name());
    }
    return all;
  }

  /// Names that may stand in formulas of the start: those, the step, and what is varied.
  std::vector<std::string> start_names() const {
    std::vector<std::string> all = own_names();
    all.emplace_back("step");
    each("vary", [&](const toml::table& axis) {
      for (const std::string& name : names(required(axis, "of", "[[vary]]"), "of")) all.push_back(name);
    });
    return all;
  }

  void read_start() {
    const toml::table* const start = table("start");
    if (start == nullptr) return;
    // Names of their own are for formulas that use them.
    const std::vector<std::string> own = own_names();
    std::vector<std::string> known = start_names();
    for (const auto& [name, node] : in_order(*start)) known.push_back(name);
    for (const auto& [name, node] : in_order(*start)) {
      given_.push_back(name);
      if (!node->is_string()) {
        ensemble_->formulas.push_back({name, Expression(number(*node, name))});
        continue;
      }
      ParseOptions options = options_at(*node);
      options.names = known;
      ensemble_->formulas.push_back({name, parsed([&] { return parse(text_of(*node, name), options); })});
    }
    for (const auto& [name, node] : in_order(*start)) {
      const auto uses = [&](const NamedExpression& f) {
        const auto symbols = free_symbols(f.expression);
        return std::ranges::find(symbols, Expression::symbol(name)) != symbols.end();
      };
      if (std::ranges::find(own, name) != own.end() || std::ranges::any_of(ensemble_->formulas, uses)) continue;
      check_keys(*start, own, "[start]");
    }
  }

  void check_start_is_given() const {
    if (model_->initial) return;
    for (const auto* list : {&model_->system.coordinates(), &model_->system.velocities()}) {
      for (const Expression& s : *list) {
        if (std::ranges::find(given_, s.name()) != given_.end()) continue;
        throw ModelError(fmt::format("{}: the model has no initial state: give {} in [start] or [[vary]]",
                                     source().file(), s.name()));
      }
    }
  }

  void read_axes() {
    if (const toml::node* seed = root().get("seed")) {
      const double number = value(*seed, "seed");
      if (number < 0.0 || number > largest_integer || number != std::floor(number)) {
        fail(*seed, fmt::format("seed must be an integer from 0 to {:.0e}, found {}", largest_integer, number));
      }
      seed_ = static_cast<std::uint64_t>(number);
    }
    each("vary", [&](const toml::table& axis) {
      ensemble_->axes.push_back(read_axis(axis));
      for (const std::string& name : ensemble_->axes.back().names) {
        if (name == "step") step_is_varied_ = true;
        given_.push_back(name);
      }
    });
    if (ensemble_->step == 0.0 && !step_is_varied_) {
      throw ModelError(fmt::format("{}: an ensemble needs a 'step': the model has none", source().file()));
    }
    // Not used where it is varied, but it has to be a step.
    if (ensemble_->step == 0.0) ensemble_->step = 1.0;
  }

  Axis read_axis(const toml::table& axis) const {
    const std::vector<std::string> of = names(required(axis, "of", "[[vary]]"), "of");
    for (const std::string& name : of) {
      if (std::ranges::count(of, name) > 1) fail(axis, fmt::format("'{}' is varied twice", name));
    }
    const std::size_t size = of.size();
    try {
      if (axis.contains("values")) {
        check_keys(axis, {"of", "values"}, "[[vary]] with values");
        std::vector<std::vector<double>> points;
        for (const toml::node& entry : array_of(*axis.get("values"), "values")) {
          if (size > 1 && !entry.is_array()) {
            fail(entry, fmt::format("a point of values is a list of {} numbers, for {}", size, fmt::join(of, ", ")));
          }
          points.push_back(values(entry, "a point of values", size));
        }
        if (points.empty()) fail(*axis.get("values"), "values is empty");
        return list_axis(of, std::move(points));
      }
      if (axis.contains("polytope")) {
        check_keys(axis, {"of", "polytope", "center", "radius"}, "[[vary]] with a polytope");
        return polytope_axis(of, center(axis, of), positive(required(axis, "radius", "a polytope"), "radius"),
                             text_of(*axis.get("polytope"), "polytope"));
      }
      return axis.contains("random") ? read_random(axis, of) : read_line(axis, of);
    } catch (const std::invalid_argument& error) {
      fail(axis, error.what());
    }
  }

  Axis read_line(const toml::table& axis, const std::vector<std::string>& of) const {
    if (!axis.contains("from") && !axis.contains("to")) {
      check_keys(axis, {"of", "values", "from", "to", "count", "spacing", "random", "polytope"}, "[[vary]]");
    }
    check_keys(axis, {"of", "from", "to", "count", "spacing"}, "[[vary]] from ... to");
    if (!axis.contains("from")) {
      fail(axis, "[[vary]] needs one of: values = [...], from/to/count, random = \"...\", polytope = \"...\"");
    }
    const auto from = values(*axis.get("from"), "from", of.size());
    const auto to = values(required(axis, "to", "[[vary]] with from"), "to", of.size());
    Spacing spacing = Spacing::linear;
    if (const toml::node* node = axis.get("spacing")) {
      const std::string& word = text_of(*node, "spacing");
      if (word != "linear" && word != "logarithmic") {
        fail(*node, fmt::format("spacing is linear or logarithmic, found '{}'", word));
      }
      if (word == "logarithmic") spacing = Spacing::logarithmic;
    }
    for (std::size_t i = 0; spacing == Spacing::logarithmic && i < of.size(); ++i) {
      if (!(from[i] * to[i] > 0.0)) {
        fail(axis,
             fmt::format("logarithmic spacing needs ends with the same sign, neither of them zero, found {} and {}",
                         from[i], to[i]));
      }
    }
    return line_axis(of, from, to, count(required(axis, "count", "[[vary]] with from"), "count"), spacing);
  }

  Axis read_random(const toml::table& axis, const std::vector<std::string>& of) const {
    const toml::node& node = *axis.get("random");
    const std::string& kind = text_of(node, "random");
    const RandomStream stream{seed_, static_cast<std::uint32_t>(ensemble_->axes.size())};
    const auto number_of_points = [&] { return count(required(axis, "count", "a random axis"), "count"); };
    if (kind == "uniform") {
      check_keys(axis, {"of", "random", "from", "to", "count"}, "uniform random values");
      return uniform_axis(of, values(required(axis, "from", "uniform"), "from", of.size()),
                          values(required(axis, "to", "uniform"), "to", of.size()), number_of_points(), stream);
    }
    if (kind == "normal") {
      check_keys(axis, {"of", "random", "mean", "deviation", "count"}, "normal random values");
      const auto deviation = values(required(axis, "deviation", "normal"), "deviation", of.size());
      for (const double d : deviation) {
        if (d < 0.0) fail(*axis.get("deviation"), fmt::format("a deviation cannot be negative, found {}", d));
      }
      const auto mean = axis.contains("mean") ? values(*axis.get("mean"), "mean", of.size()) : center(axis, of);
      return normal_axis(of, mean, deviation, number_of_points(), stream);
    }
    if (kind == "sphere" || kind == "ball") {
      check_keys(axis, {"of", "random", "center", "radius", "count"}, "random points of a " + kind);
      const double radius = positive(required(axis, "radius", kind), "radius");
      return kind == "sphere" ? sphere_axis(of, center(axis, of), radius, number_of_points(), stream)
                              : ball_axis(of, center(axis, of), radius, number_of_points(), stream);
    }
    fail(node, fmt::format("random is uniform, normal, sphere or ball, found '{}'", kind));
  }

  /// Where points lie around: the model's own values if nothing else is given.
  std::vector<double> center(const toml::table& axis, const std::vector<std::string>& of) const {
    if (const toml::node* node = axis.get("center")) return values(*node, "center", of.size());
    const System& system = model_->system;
    std::vector<double> result;
    for (const std::string& name : of) {
      std::optional<double> found;
      for (std::size_t i = 0; i < system.dimension(); ++i) {
        if (system.coordinates()[i].name() == name && model_->initial) found = model_->initial->q[i];
        if (system.velocities()[i].name() == name && model_->initial) found = model_->initial->v[i];
      }
      for (std::size_t i = 0; i < system.parameters().size(); ++i) {
        if (system.parameters()[i].name() == name) found = system.parameter_values()[i];
      }
      if (!found) fail(axis, fmt::format("the model has no value of '{}': give a center (or a mean)", name));
      result.push_back(*found);
    }
    return result;
  }

  /// What is varied belongs to the model, or a formula of the start uses it.
  void check_varied_names() const {
    std::vector<std::string> own = own_names();
    own.emplace_back("step");
    std::vector<std::string> used = own;
    for (const NamedExpression& f : ensemble_->formulas) {
      for (const Expression& s : free_symbols(f.expression)) used.push_back(s.name());
    }
    std::vector<std::string> seen;
    each("vary", [&](const toml::table& axis) {
      const toml::node& of = *axis.get("of");
      for (const std::string& name : names(of, "of")) {
        if (std::ranges::find(seen, name) != seen.end()) fail(of, fmt::format("'{}' is varied twice", name));
        seen.push_back(name);
        if (std::ranges::any_of(ensemble_->formulas, [&](const NamedExpression& f) { return f.name == name; })) {
          fail(of, fmt::format("'{}' is varied, and [start] gives it too", name));
        }
        if (const toml::table* set = table("set"); set != nullptr && set->contains(name)) {
          fail(of, fmt::format("'{}' is varied, and [set] gives it too", name));
        }
        if (std::ranges::find(used, name) != used.end()) continue;
        const auto meant = closest_name(name, own);
        fail(of,
             fmt::format("'{}' is no coordinate, velocity or parameter of the model, nor the step, and no formula in "
                         "[start] uses it{}",
                         name, meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
      }
    });
  }

  void read_keep() {
    const toml::table* const keep = table("keep");
    if (keep == nullptr) return;
    check_keys(*keep, {"times", "statistics", "observers"}, "[keep]");
    Ensemble& e = *ensemble_;
    if (const toml::node* times = keep->get("times")) e.times = read_times(*times);
    if (const toml::node* statistics = keep->get("statistics")) {
      for (const toml::node& entry : array_of(*statistics, "statistics")) {
        e.statistics.push_back({text_of(entry, "statistics"), node_formula(entry, "statistics")});
      }
    }
    if (const toml::node* observers = keep->get("observers")) {
      for (const toml::node& entry : array_of(*observers, "observers")) {
        e.observers.push_back(text_of(entry, "observers"));
        try {
          check_observer(e.observers.back());
        } catch (const MethodError& error) {
          fail(entry, error.what());
        }
      }
    }
  }

  std::vector<double> read_times(const toml::node& node) const {
    std::vector<double> times;
    if (const toml::table* line = node.as_table()) {
      check_keys(*line, {"from", "to", "count"}, "times");
      const double from = line->contains("from") ? value(*line->get("from"), "from") : 0.0;
      const double to = value(required(*line, "to", "times"), "to");
      const std::int64_t size = count(required(*line, "count", "times"), "count", most_times);
      const Axis axis = line_axis({"t"}, {from}, {to}, size);
      for (std::int64_t k = 0; k < size; ++k) axis.point(k, std::span(&times.emplace_back(), 1));
    } else {
      for (const toml::node& entry : array_of(node, "times")) times.push_back(value(entry, "a time"));
    }
    if (!std::ranges::is_sorted(times)) {
      const auto place = std::ranges::is_sorted_until(times);
      fail(node, fmt::format("times must not decrease, found {} after {}", *place, *(place - 1)));
    }
    if (!times.empty() && times.front() < 0.0) fail(node, "times cannot be negative");
    if (ensemble_->time && !times.empty() && times.back() > *ensemble_->time * (1.0 + 1e-12)) {
      fail(node, fmt::format("the time {} is after the end of the trajectories at {}", times.back(), *ensemble_->time));
    }
    return times;
  }

  /// A formula of the quantities of a node.
  Expression node_formula(const toml::node& node, const std::string& what) const {
    ParseOptions options = options_at(node);
    options.names = std::vector<std::string>{};
    for (const NamedExpression& q : node_quantities(model_->system)) options.names->push_back(q.name);
    return parsed([&] { return parse(text_of(node, what), options); });
  }

  std::string name_of(const toml::table& table, const std::string& fallback) const {
    const toml::node* node = table.get("name");
    const std::string name = node == nullptr ? fallback : text_of(*node, "name");
    if (name.empty() || name.find_first_of("/\n") != std::string::npos || name == "." || name == "..") {
      fail(node == nullptr ? static_cast<const toml::node&>(table) : *node,
           fmt::format("'{}' cannot be a name in the result: give a name without a slash", name));
    }
    return name;
  }

  void read_section(const toml::table& section) {
    check_keys(section, {"name", "of", "direction", "most"}, "[[section]]");
    const toml::node& of = required(section, "of", "[[section]]");
    Section read{name_of(section, fmt::format("section {}", ensemble_->sections.size() + 1)), node_formula(of, "of")};
    if (read.name == "last" || read.name == "times") {
      fail(*section.get("name"),
           fmt::format("a section cannot be called {}: histograms mean something else by it", read.name));
    }
    for (const Section& other : ensemble_->sections) {
      if (other.name == read.name) fail(section, fmt::format("there are two sections with the name {}", read.name));
    }
    if (const toml::node* direction = section.get("direction")) {
      const std::string& word = text_of(*direction, "direction");
      if (word != "up" && word != "down" && word != "both") {
        fail(*direction, fmt::format("direction is up, down or both, found '{}'", word));
      }
      read.direction = word == "up"     ? Section::Direction::up
                       : word == "down" ? Section::Direction::down
                                        : Section::Direction::both;
    }
    if (const toml::node* most = section.get("most")) read.most = count(*most, "most");
    ensemble_->sections.push_back(std::move(read));
  }

  Gathering read_gathering(const toml::table& table) const {
    const toml::node* node = table.get("at");
    if (node == nullptr) return {};
    const std::string& word = text_of(*node, "at");
    if (word == "last") return {};
    if (word == "times") {
      if (ensemble_->times.empty()) fail(*node, "no times are kept: give them in [keep]");
      return {Gathering::At::times, 0};
    }
    for (std::size_t k = 0; k < ensemble_->sections.size(); ++k) {
      if (ensemble_->sections[k].name == word) return {Gathering::At::section, k};
    }
    std::vector<std::string> known{"last", "times"};
    for (const Section& section : ensemble_->sections) known.push_back(section.name);
    const auto meant = closest_name(word, known);
    fail(*node, fmt::format("'at' is last, times or the name of a section, found '{}'; {}", word,
                            meant ? fmt::format("did you mean '{}'?", *meant)
                                  : fmt::format("there are {}", fmt::join(known, ", "))));
  }

  Histogram read_histogram(const toml::table& table) const {
    check_keys(table, {"name", "of", "at", "bins", "from", "to"}, "[[histogram]]");
    const toml::node& of = required(table, "of", "[[histogram]]");
    Histogram histogram{name_of(table, text_of(of, "of")), node_formula(of, "of"), read_gathering(table)};
    if (const toml::node* bins = table.get("bins")) {
      histogram.bins = static_cast<std::size_t>(count(*bins, "bins", most_bins));
    }
    if (const toml::node* from = table.get("from")) histogram.from = value(*from, "from");
    if (const toml::node* to = table.get("to")) histogram.to = value(*to, "to");
    if (histogram.from && histogram.to && !(*histogram.from < *histogram.to)) {
      fail(table, fmt::format("a histogram from {} to {} is empty", *histogram.from, *histogram.to));
    }
    return histogram;
  }

  Volume read_volume(const toml::table& table) const {
    check_keys(table, {"name", "of", "at"}, "[[volume]]");
    const toml::array& of = array_of(required(table, "of", "[[volume]]"), "of");
    Volume volume{name_of(table, "volume"), {}, read_gathering(table)};
    for (const toml::node& entry : of) volume.coordinates.push_back(node_formula(entry, "of"));
    if (volume.coordinates.size() < 2) fail(of, "a volume needs at least two coordinates");
    if (volume.where.at == Gathering::At::section)
      fail(table, "a volume is of nodes at one time: at = \"last\" or \"times\"");
    return volume;
  }

  void check_names_of(const auto& list, const char* what) const {
    for (const auto& one : list) {
      if (std::ranges::count_if(list, [&](const auto& other) { return other.name == one.name; }) > 1) {
        throw ModelError(
            fmt::format("{}: there are two {}s with the name {}; give each a 'name'", source().file(), what, one.name));
      }
    }
  }

  const Model* model_ = nullptr;
  std::optional<Ensemble> ensemble_;
  std::vector<std::string> given_;  ///< what [start] or [[vary]] gives
  std::uint64_t seed_ = 0;
  bool step_is_varied_ = false;
};

}  // namespace

EnsembleFile read_ensemble(std::string_view text, const std::string& file) {
  return EnsembleReader(text, file).read(text);
}

}  // namespace rattleback
