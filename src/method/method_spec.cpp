#include "rattleback/method/method_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "families.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/diagnosis.hpp"

namespace rattleback {

struct MethodSpec::Meaning {
  std::string text;
  std::string start;
  Recipe recipe;
};

namespace {

/// Names of Evensberget's thesis.
constexpr std::pair<std::string_view, std::string_view> thesis_names[] = {
    {"ld", "dla:midpoint"}, {"lds", "dla:trapezoidal"}, {"hd", "gni:midpoint"}, {"hds", "gni:trapezoidal"}};

std::string with_our_names(std::string_view given) {
  std::string text(given);
  const std::size_t name_end = std::min(given.find(':'), given.size());
  for (const auto& [thesis_name, name] : thesis_names) {
    if (given.substr(0, name_end) != thesis_name) continue;
    text.replace(0, name_end, name);
    for (const char* rule : {":midpoint", ":trapezoidal", ":alpha", ":sym", ":exact"}) {
      if (given.find(rule) == std::string_view::npos) continue;
      throw MethodError(fmt::format("{} is {} and takes no other rule", thesis_name, name));
    }
  }
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string suggestion(std::string_view found, const std::vector<std::string>& known) {
  std::string lower_case(found);
  for (char& c : lower_case) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto meant = closest_name(lower_case, known);
  return meant ? fmt::format("; did you mean '{}'?", *meant)
               : fmt::format("; {} {}", known.size() == 1 ? "there is" : "there are", fmt::join(known, ", "));
}

const Family& family_of(const std::string& name) {
  std::vector<std::string> names;
  for (const Family& family : families()) {
    if (family.info.name == name) return family;
    names.push_back(family.info.name);
  }
  if (name.find(',') != std::string::npos) {
    throw MethodError(fmt::format(
        "there is no method '{}'; 'rattleback compare' takes several, and an ensemble a list of them", name));
  }
  throw MethodError(fmt::format("there is no method '{}'{}", name, suggestion(name, names)));
}

MethodOptions options_of(const MethodInfo& info, std::span<const std::string> words) {
  std::vector<std::string> known;
  std::vector<std::string> without_value;
  for (const std::string& o : info.options) {
    known.push_back(o.substr(0, o.find('=')));
    if (o.find('=') == std::string::npos) without_value.push_back(o);
  }
  MethodOptions options;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (std::ranges::find(known, key) == known.end()) {
      throw MethodError(fmt::format("the method {} has no option '{}'{}", info.name, key, suggestion(key, known)));
    }
    const bool takes_value = std::ranges::find(without_value, key) == without_value.end();
    if (takes_value != (equals != std::string::npos)) {
      throw MethodError(takes_value ? fmt::format("the option {0} needs a value: {0}=...", key)
                                    : fmt::format("the option {} takes no value, found '{}'", key, word));
    }
    if (!options.add(key, takes_value ? word.substr(equals + 1) : "")) {
      throw MethodError(fmt::format("the option {} is given twice", key));
    }
  }
  return options;
}

/// project=energy.
void project_onto_energy(MapRecipe& map, const MethodOptions& options) {
  constexpr const char* what[] = {"energy"};
  options.word<int>("project", what);
  if (options.has("order") && options.order() > 2) {
    throw MethodError("project=energy is for single steps, and a composition is made of several: drop it or order");
  }
  if (map.starts_from_reference) {
    throw MethodError("project=energy needs a velocity to start from, and start=reference has two positions: drop one");
  }
  map.derive = [derive = std::move(map.derive)](const Problem& problem, Geometry& geometry) {
    if (!conserves_energy(problem.system, problem.parameters, problem.start)) {
      throw MethodError(
          fmt::format("project=energy is for systems that conserve their energy, and in this one {} do work",
                      problem.system.is_affine() ? "affine constraints" : "applied forces"));
    }
    return projected_onto_energy(derive(problem, geometry), problem.system);
  };
}

}  // namespace

MethodSpec::MethodSpec(std::string_view text) {
  const std::vector<std::string> words = words_of(with_our_names(text));
  const Family& family = family_of(words[0]);
  const MethodOptions options = options_of(family.info, std::span(words).subspan(1));
  Recipe recipe = family.read(options);
  if (const IterationEnd end = options.iteration_end(); end != IterationEnd{}) {
    auto& map = std::get<MapRecipe>(recipe);
    map.derive = [derive = std::move(map.derive), end](const Problem& problem, Geometry& geometry) {
      Method method = derive(problem, geometry);
      method.step.end = end;
      return method;
    };
  }
  if (options.has("project")) project_onto_energy(std::get<MapRecipe>(recipe), options);
  meaning_ = std::make_shared<const Meaning>(std::string(text), options.text("start"), std::move(recipe));
}

MethodSpec MethodSpec::with_equations(std::string name, Equations equations) const {
  MethodSpec other = *this;
  other.meaning_ = std::make_shared<const Meaning>(
      std::move(name), start(),
      MapRecipe{[own = std::move(equations)](const Problem& p, Geometry&) { return own(p); }, starts_from_reference()});
  return other;
}

const std::string& MethodSpec::text() const { return meaning_->text; }
const std::string& MethodSpec::start() const { return meaning_->start; }
bool MethodSpec::is_flow() const { return std::holds_alternative<FlowRecipe>(meaning_->recipe); }

std::vector<std::string> texts_of(const std::vector<MethodSpec>& methods) {
  std::vector<std::string> texts;
  for (const MethodSpec& method : methods) texts.push_back(method.text());
  return texts;
}

bool MethodSpec::starts_from_reference() const {
  const auto* const map = std::get_if<MapRecipe>(&meaning_->recipe);
  return map != nullptr && map->starts_from_reference;
}

Method MethodSpec::derive(const Problem& problem) const {
  Geometry geometry(problem);
  return derive(problem, geometry);
}

Method MethodSpec::derive(const Problem& problem, Geometry& geometry) const {
  const auto* const map = std::get_if<MapRecipe>(&meaning_->recipe);
  if (map == nullptr) {
    throw MethodError(fmt::format("{} is not a one-step method: it has no equations of its own", text()));
  }
  return map->derive(problem, geometry);
}

std::unique_ptr<Flow> MethodSpec::flow(const Problem& problem) const {
  const auto* const flow = std::get_if<FlowRecipe>(&meaning_->recipe);
  if (flow == nullptr) throw MethodError(fmt::format("{} is a one-step method: it has no flow of its own", text()));
  if (problem.second_position) throw MethodError(fmt::format("{} cannot start from two positions", text()));
  return flow->begin(problem);
}

}  // namespace rattleback
