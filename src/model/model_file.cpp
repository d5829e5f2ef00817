// The model file format (docs/models.md): TOML, with expressions in strings.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "model_sections.hpp"
#include "rattleback/model/column.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace {

const std::vector<std::string> top_level_keys{
    "name",       "description", "source", "coordinates", "angles",    "lagrangian", "constraints", "holonomic",
    "parameters", "initial",     "run",    "symmetry",    "exact",     "conserved",  "forces",      "conformal",
    "picture",    "definitions", "inputs", "events",      "rotations", "view"};

/// Puts a model together: first what makes its system, then what belongs to it.
class ModelReader {
 public:
  ModelReader(std::string_view text, const std::string& file, const std::string& folder)
      : content_(text), text_(text, file) {
    text_.set_folder(folder.empty() ? std::filesystem::path(file).parent_path() : std::filesystem::path(folder));
  }

  Model read(const ParameterValues& replaced, const InputTexts& replaced_inputs) {
    text_.check_keys(text_.root(), top_level_keys, "a model");
    text_.read_declarations(replaced, replaced_inputs);
    text_.read_definitions(momentum_names(text_));
    const Definitions definitions = text_.definitions();  // inputs are shown by themselves
    std::vector<NamedExpression> inputs = read_inputs(text_, replaced_inputs);
    const std::optional<ConformalDefinition> conformal = read_conformal(text_);
    SystemDefinition definition = conformal ? mechanical_of(*conformal) : lagrangian();
    definition.constraints = rows("constraints", constraint_places_, definition.constraint_names);
    definition.holonomic = rows("holonomic", holonomic_places_, definition.holonomic_names);
    read_symmetry(text_, definition, symmetry_places_, section_places_);
    if (const toml::table* exact = text_.table("exact"); exact != nullptr && !text_.rotations().empty())
      text_.fail(
          *exact,
          "exact solutions cannot be given for models with rotations; drop [exact], and declare what stays constant in "
          "[conserved]");
    by_coordinate("exact", "the exact solution of", text_.timed_names(), definition.exact);
    text_.define_multipliers(row_names_, multiplier_symbol);
    by_coordinate("forces", "the applied force on", text_.timed_names(), definition.applied_forces);
    text_.forget_multipliers();
    read_conserved(definition);
    definition.events = read_events(text_, event_places_);
    System system = make_system(std::move(definition));
    const std::optional<InitialSection> initial = read_initial(text_, conformal, system);
    Model model{std::filesystem::path(text_.source().file()).stem().string(),
                text_.text_value("name"),
                text_.text_value("description"),
                text_.text_value("source"),
                std::string(content_),
                std::move(system),
                read_angles(),
                initial ? std::optional(initial->state) : std::nullopt,
                std::nullopt,
                std::nullopt,
                {},
                definitions,
                initial ? initial->given : SomeNumbers{}};
    if (model.title.empty()) model.title = model.name;
    read_run(model);
    read_how_it_looks(model);
    model.inputs = std::move(inputs);
    return model;
  }

 private:
  SystemDefinition lagrangian() const {
    SystemDefinition definition;
    definition.coordinates = text_.coordinates();
    for (const Rotation& rotation : text_.rotations()) definition.rotations.push_back(rotation.name);
    definition.parameters = text_.parameters();
    definition.lagrangian = text_.expression(text_.needed("lagrangian"), "lagrangian", text_.timed_names());
    return definition;
  }

  SystemDefinition mechanical_of(const ConformalDefinition& conformal) const {
    try {
      return mechanical(conformal);
    } catch (const SystemError& error) {
      text_.fail(*text_.table("conformal"), error.what());
    }
  }

  // constraints, holonomic: entries are expressions, or {name = expression}; rows of one entry are name[1], name[2],
  // ...
  std::vector<Expression> rows(const char* key, ModelText::Places& places, std::vector<std::string>& row_names) {
    std::vector<Expression> result = rows_of(key, places, row_names);
    row_names_.insert(row_names_.end(), row_names.begin(), row_names.end());
    return result;
  }

  std::vector<Expression> rows_of(const char* key, ModelText::Places& places, std::vector<std::string>& row_names) {
    std::vector<Expression> result;
    const toml::node* node = text_.root().get(key);
    if (node == nullptr) return result;
    const auto names = text_.timed_names();
    const auto add = [&](const toml::node& item, const std::string& name) {
      std::vector<Expression> entry = text_.entry(item, fmt::format("an entry of {}", key), names);
      for (std::size_t k = 0; k < entry.size(); ++k) {
        result.push_back(std::move(entry[k]));
        places.push_back(&item);
        const bool is_list = entry.size() > 1 || is_repeated(text_.text_of(item, key));
        row_names.push_back(name.empty() || !is_list ? name : fmt::format("{}[{}]", name, k + 1));
        if (!name.empty()) check_row_name(row_names.back(), item);
      }
    };
    for (const toml::node& item : text_.array_of(*node, key)) {
      if (!item.is_table()) {
        add(item, "");
        continue;
      }
      const auto named = ModelText::in_order(*item.as_table());
      if (named.empty()) text_.fail(item, fmt::format("an entry of {} is empty; write {{ slip = \"...\" }}", key));
      for (const auto& [name, expression] : named) {
        text_.check_name(name, *expression, "a constraint");
        check_free(name, *expression);
        add(*expression, name);
      }
    }
    return result;
  }

  /// In [forces] the name stands for the multiplier.
  void check_free(const std::string& name, const toml::node& place) {
    const auto known = text_.timed_names();
    if (std::ranges::find(known, name) != known.end() || text_.definitions().find(name) != nullptr) {
      text_.fail(place, fmt::format("the constraint {} has a name that is taken by a coordinate, a parameter, a "
                                    "definition, an input or the time; rename it",
                                    name));
    }
    if (!entry_names_.insert(name).second)
      text_.fail(place, fmt::format("two constraints are called {}; rename one", name));
  }

  /// Results call a row contact[2] by contact2: these names must differ.
  void check_row_name(const std::string& name, const toml::node& place) {
    std::string label = name;
    std::erase_if(label, [](char c) { return c == '[' || c == ']'; });
    if (!row_labels_.insert(label).second)
      text_.fail(place, fmt::format("two constraints are called {}; rename one", label));
  }

  // [exact]: coordinate = expression of t, the parameters, and initial values
  // [forces]: coordinate = applied force, an expression of t, coordinates, velocities, parameters and multipliers
  void by_coordinate(const char* section, const char* what, const ModelText::Names& names, auto& list) const {
    const toml::table* entries = text_.table(section);
    if (entries == nullptr) return;
    for (const auto& [i, e] : text_.by_coordinate(*entries, fmt::format("[{}]", section), what, names)) {
      list.resize(text_.space().velocities());
      list[i] = e;
    }
  }

  std::vector<std::string> read_angles() const {
    std::vector<std::string> names;
    if (const toml::node* node = text_.root().get("angles")) {
      for (const std::size_t i : text_.coordinate_list(*node, "angles")) names.push_back(text_.coordinates()[i].name());
    }
    return names;
  }

  // [conserved]: name = expression of t, coordinates, velocities and parameters
  void read_conserved(SystemDefinition& definition) const {
    const toml::table* conserved = text_.table("conserved");
    if (conserved == nullptr) return;
    const auto known = text_.timed_names();
    for (const auto& [name, node] : ModelText::in_order(*conserved)) {
      text_.check_name(name, *node, "a conserved quantity");
      const bool defined = text_.definitions().find(name) != nullptr;
      if (is_column_name(name) || defined || std::ranges::find(known, name) != known.end()) {
        text_.fail(*node, fmt::format("the conserved quantity {} has a name that is taken; rename it", name));
      }
      definition.conserved.push_back({name, text_.expression(*node, "the conserved quantity " + name, known)});
    }
  }

  /// Errors of the system point at what it was made of.
  System make_system(SystemDefinition definition) const {
    try {
      return System(std::move(definition));
    } catch (const SystemError& error) {
      const auto index = static_cast<std::size_t>(error.index());
      using Part = SystemError::Part;
      const toml::node* node = nullptr;
      const auto pick = [&](const ModelText::Places& places) {
        if (index < places.size()) node = places[index];
      };
      switch (error.part()) {
        case Part::coordinates: pick(text_.coordinate_places()); break;
        case Part::lagrangian: node = text_.root().get("lagrangian"); break;
        case Part::constraints: pick(constraint_places_); break;
        case Part::holonomic: pick(holonomic_places_); break;
        case Part::parameters: pick(text_.parameter_places()); break;
        case Part::symmetry: pick(symmetry_places_); break;
        case Part::section: pick(section_places_); break;
        case Part::events: pick(event_places_); break;
        case Part::exact: node = text_.root().get("exact"); break;
        case Part::forces: node = text_.root().get("forces"); break;
        case Part::conserved: node = text_.root().get("conserved"); break;
      }
      if (node == nullptr) node = text_.root().get("coordinates");
      text_.fail(*node, error.what());
    } catch (const ExpressionError& error) {
      throw ModelError(fmt::format("{}: {}", text_.source().file(), error.what()));
    }
  }

  // [view] or [picture]
  void read_how_it_looks(Model& model) const {
    std::optional<View> view;
    if (text_.table("picture") != nullptr) {
      view = read_picture(text_);
    } else if (text_.table("view") != nullptr) {
      view = read_view(text_, model.initial ? &*model.initial : nullptr);
    } else {
      view = automatic_view(model.system);
    }
    if (view && !view->bodies.empty()) model.view = std::make_shared<const View>(std::move(*view));
  }

  // [run]: step and time that a run takes by default
  void read_run(Model& model) const {
    const toml::table* run = text_.table("run");
    if (run == nullptr) return;
    text_.check_keys(*run, {"step", "time"}, "[run]");
    for (const auto& [key, value] : {std::pair("step", &model.step), std::pair("time", &model.time)}) {
      const toml::node* node = run->get(key);
      if (node == nullptr) continue;
      *value = text_.constant(*node, key);
      if (!(**value > 0.0)) text_.fail(*node, fmt::format("{} must be positive, found {}", key, **value));
    }
  }

  std::string_view content_;
  ModelText text_;
  std::vector<std::string> row_names_;  ///< of all rows
  std::unordered_set<std::string> entry_names_;
  std::unordered_set<std::string> row_labels_;
  ModelText::Places constraint_places_;
  ModelText::Places holonomic_places_;
  ModelText::Places symmetry_places_;
  ModelText::Places section_places_;
  ModelText::Places event_places_;
};

}  // namespace

Model read_model(std::string_view text, const std::string& file, const ParameterValues& parameters,
                 const InputTexts& inputs, const std::string& folder) {
  return ModelReader(text, file, folder).read(parameters, inputs);
}

}  // namespace rattleback
