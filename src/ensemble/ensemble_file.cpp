// The format of ensembles (docs/ensembles.md): TOML, with formulas in strings.

#include "rattleback/ensemble/ensemble_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/attitude_form.hpp"
#include "rattleback/observe/observers.hpp"
#include "spec_sections.hpp"

namespace rattleback {
namespace {

constexpr double largest_integer = 9e15;

class EnsembleReader : SpecFile {
 public:
  using SpecFile::SpecFile;

  EnsembleFile read(std::string_view text, const ParameterValues& instead) {
    check_keys(root(),
               {"title", "model", "set", "inputs", "method", "step", "steps", "time", "seed", "project", "complete",
                "start", "vary", "keep", "section", "histogram", "volume"},
               "an ensemble");
    Model model = load(instead);
    model_ = &model;
    use(model.definitions);
    const System& system = model.system;
    const State zero{system.space().origin(), std::vector<double>(system.dimension())};
    ensemble_.emplace(Ensemble{system, methods(), model.initial.value_or(zero)});
    read_steps();
    if (const toml::node* project = root().get("project")) ensemble_->project = flag(*project, "project");
    if (const toml::node* complete = root().get("complete")) {
      ensemble_->complete = flag(*complete, "complete");
      if (ensemble_->complete && ensemble_->project)
        fail(*complete, "project moves all of a start, complete what is not given: give one of them");
    }
    read_start();
    read_axes();
    check_start_is_given();
    check_varied_names();
    read_keep(*this, *ensemble_);
    each("section", [&](const toml::table& section) { read_section(*this, section, *ensemble_); });
    std::vector<Histogram> histograms;
    std::vector<Volume> volumes;
    each("histogram",
         [&](const toml::table& histogram) { histograms.push_back(read_histogram(*this, histogram, *ensemble_)); });
    each("volume", [&](const toml::table& volume) { volumes.push_back(read_volume(*this, volume, *ensemble_)); });
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
  Model load(const ParameterValues& instead) const {
    ParameterValues set = instead;
    if (const toml::table* given = table("set")) {
      for (const auto& [name, node] : in_order(*given)) set.try_emplace(name, value(*node, name));
    }
    InputTexts inputs;
    if (const toml::table* given = table("inputs")) {
      for (const auto& [name, node] : in_order(*given)) inputs[name] = text_of(*node, "the input " + name);
    }
    const toml::node& node = required(root(), "model", "an ensemble");
    std::string name = text_of(node, "model");
    const auto beside = std::filesystem::path(source().file()).parent_path() / name;
    std::error_code ignored;
    if (name.ends_with(".toml") && std::filesystem::exists(beside, ignored)) name = beside.string();
    try {
      return load_model(name, set, inputs);
    } catch (const FileError& error) {
      fail(node, error.what());
    } catch (const ModelError&) {
      blame(node, name, set, inputs);
      throw;
    }
  }

  /// Points at what is wrong here: the name of the model, or one of the values that it is given. A mistake in another
  /// file has its own place.
  void blame(const toml::node& node, const std::string& name, const ParameterValues& set,
             const InputTexts& inputs) const {
    try {
      load_model(name);
    } catch (const ModelError& error) {
      if (name.ends_with(".toml")) throw;
      fail(node, error.what());
    }
    const auto blame_each = [&](const char* section, auto&& load_with) {
      const toml::table* const given = table(section);
      if (given == nullptr) return;
      for (const auto& [key, entry] : in_order(*given)) {
        try {
          load_with(key);
        } catch (const ModelError& error) {
          fail(*entry, error.what());
        }
      }
    };
    blame_each("set", [&](const std::string& key) { load_model(name, {{key, set.at(key)}}); });
    blame_each("inputs", [&](const std::string& key) { load_model(name, set, {{key, inputs.at(key)}}); });
  }

  std::vector<MethodSpec> methods() const {
    const toml::node& node = required(root(), "method", "an ensemble");
    std::vector<MethodSpec> list;
    for (const std::string& name : names(node, "method")) {
      try {
        list.emplace_back(name);
      } catch (const MethodError& error) {
        fail(node, error.what());
      }
      if (std::ranges::count(list, list.back()) > 1) fail(node, fmt::format("the method {} is given twice", name));
    }
    return list;
  }

  /// That there are such methods and observers was checked before; whether they suit the model is known now.
  void check_methods_apply(const Members& members) const {
    for (const MethodSpec& method : ensemble_->methods) {
      const Problem nominal = nominal_problem(*ensemble_, members, method);
      std::optional<DerivedMethod> derived;
      try {
        derived.emplace(method, nominal);
        if (!ensemble_->system.events().empty()) require_events(*derived, nominal);
      } catch (const MethodError& error) {
        fail(*root().get("method"), error.what());
      }
      try {
        require_times(*ensemble_, members, *derived);
      } catch (const EnsembleError& error) {
        fail(*table("keep")->get("times"), error.what());
      }
      for (const std::string& observer : ensemble_->observers) {
        try {
          make_observer(observer, *derived, nominal);
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
    for (std::size_t i = 0; i < system.space().numbers; ++i) all.push_back(system.coordinates()[i].name());
    std::ranges::move(attitude_names(system), std::back_inserter(all));
    for (const auto* list : {&system.velocities(), &system.parameters()}) {
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
    const System& system = model_->system;
    for (std::size_t i = system.space().numbers; i < system.coordinates().size(); ++i)  // R[1,1], …: in formulas alone
      known.push_back(system.coordinates()[i].name());
    for (const auto& [name, node] : in_order(*start)) {
      require_no_definition(name, *node);
      known.push_back(name);
    }
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

  /// Definitions are made of the coordinates: they follow from a start, and are not given.
  void require_no_definition(const std::string& name, const toml::node& place) const {
    if (model_->definitions.find(name) == nullptr) return;
    fail(place, fmt::format("'{}' is a definition of the model; give coordinates, velocities and parameters, or choose "
                            "another name",
                            name));
  }

  void check_start_is_given() const {
    if (model_->initial) return;
    const System& system = model_->system;
    const auto require_given = [&](const std::string& name, bool is_given) {
      if (is_given || std::ranges::find(given_, name) != given_.end()) return;
      throw ModelError(
          fmt::format("{}: the model has no initial state: give {} in [start] or [[vary]]", source().file(), name));
    };
    for (std::size_t i = 0; i < system.space().numbers; ++i) require_given(system.coordinates()[i].name(), false);
    for (std::size_t k = 0; k < system.rotations().size(); ++k) {
      const auto gives = [&](const std::string& name) {
        const auto number = attitude_number(system, name);
        return number && number->rotation == k;
      };
      require_given(fmt::format("{}", fmt::join(quaternion_names(system.rotations()[k].name), ", ")),
                    std::ranges::any_of(given_, gives));
    }
    for (const Expression& v : system.velocities()) require_given(v.name(), false);
  }

  void read_axes() {
    std::uint64_t seed = 0;
    if (const toml::node* node = root().get("seed")) {
      const double number = value(*node, "seed");
      if (number < 0.0 || number > largest_integer || number != std::floor(number)) {
        fail(*node, fmt::format("seed must be an integer from 0 to {:.0e}, found {}", largest_integer, number));
      }
      seed = static_cast<std::uint64_t>(number);
    }
    bool step_is_varied = false;
    each("vary", [&](const toml::table& axis) {
      const RandomStream stream{seed, static_cast<std::uint32_t>(ensemble_->axes.size())};
      ensemble_->axes.push_back(read_axis(*this, axis, *model_, stream));
      for (const std::string& name : ensemble_->axes.back().names) {
        if (name == "step") step_is_varied = true;
        given_.push_back(name);
      }
    });
    if (ensemble_->step == 0.0 && !step_is_varied) {
      throw ModelError(fmt::format("{}: an ensemble needs a 'step': the model has none", source().file()));
    }
    // Not used where it is varied, but it has to be a step.
    if (ensemble_->step == 0.0) ensemble_->step = 1.0;
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
        require_no_definition(name, of);
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
};

}  // namespace

EnsembleFile read_ensemble(std::string_view text, const std::string& file, const ParameterValues& instead) {
  return EnsembleReader(text, file).read(text, instead);
}

}  // namespace rattleback
