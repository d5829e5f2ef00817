// [symmetry]: fibre = coordinates whose translations are symmetries, a group and what it acts on, generators, and
// sections: combinations of these that change from point to point.

#include <fmt/format.h>

#include <algorithm>

#include "model_sections.hpp"

namespace rattleback {
namespace {

void read_group(const ModelText& text, const toml::table& symmetry, auto&& add) {
  const toml::node* group = symmetry.get("group");
  const toml::node* acts_on = symmetry.get("acts_on");
  if (group == nullptr) {
    if (acts_on != nullptr) text.fail(*acts_on, "acts_on needs a group, as in group = \"SE(2)\"");
    return;
  }
  const std::string& name = text.text_of(*group, "group");
  if (name != "SE(2)" && name != "SO(3)") {
    text.fail(*group,
              fmt::format("the group '{}' is not known; there are SE(2) and SO(3), or list a fibre of coordinates "
                          "or generators",
                          name));
  }
  const bool plane = name == "SE(2)";
  const char* expected = plane ? "[x, y, angle]" : "[alpha, beta, psi]";
  if (acts_on == nullptr) {
    text.fail(*group, fmt::format("{} needs acts_on = {}: {}", name, expected,
                                  plane ? "the coordinates of the plane and the angle"
                                        : "Euler angles of a rotation about z, the new x and the new z"));
  }
  const auto on = text.coordinate_list(*acts_on, "acts_on");
  if (on.size() != 3)
    text.fail(*acts_on, fmt::format("{} acts on three coordinates {}, found {}", name, expected, on.size()));
  if (on[0] == on[1] || on[0] == on[2] || on[1] == on[2])
    text.fail(*acts_on, fmt::format("{} acts on three different coordinates {}", name, expected));
  const Expression one(1.0);
  const Expression& first = text.coordinates()[on[0]];
  const Expression& second = text.coordinates()[on[1]];
  if (plane) {
    for (const std::size_t i : {on[0], on[1]})
      add(*group, "translation of " + text.coordinates()[i].name(), {{i, one}});
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
void read_generators(const ModelText& text, const toml::node& node, auto&& add) {
  const toml::table& generators = text.table_of(node, "generators", "written as a section [symmetry.generators]");
  for (const auto& [name, entries] : ModelText::in_order(generators)) {
    text.check_name(name, *entries, "a generator");
    const std::string what = "the generator " + name;
    const auto components = text.by_coordinate(text.table_of(*entries, what, "as in {x = \"-y\", y = \"x\"}"), what,
                                               fmt::format("{}, component", what), text.timed_names());
    if (std::all_of(components.begin(), components.end(), [](const auto& c) { return c.second == Expression(0.0); }))
      text.fail(*entries, fmt::format("{} is zero: nothing moves; remove it", what));
    add(*entries, name, components);
  }
}

// [symmetry.sections]: name = {symmetry = coefficient, an expression of coordinates and parameters, ...}
void read_sections(const ModelText& text, const toml::node& node, SystemDefinition& definition,
                   ModelText::Places& places) {
  const toml::table& sections = text.table_of(node, "sections", "written as a section [symmetry.sections]");
  ModelText::Names symmetries;
  for (const Symmetry& s : definition.symmetries) symmetries.push_back(s.name);
  for (const auto& [name, entries] : ModelText::in_order(sections)) {
    text.check_name(name, *entries, "a section");
    const std::string what = "the section " + name;
    if (symmetries.empty()) {
      text.fail(*entries, fmt::format("{} combines symmetries, and the model declares none; add [symmetry.generators] "
                                      "or a fibre",
                                      what));
    }
    if (std::ranges::find(symmetries, name) != symmetries.end())
      text.fail(*entries, fmt::format("{} has the name of a symmetry; rename it", what));
    const toml::table& table = text.table_of(*entries, what, fmt::format("as in {{\"{}\" = \"1\"}}", symmetries[0]));
    text.check_keys(table, symmetries, what);
    SymmetrySection section{name, std::vector<Expression>(symmetries.size())};
    for (const auto& [symmetry, coefficient] : ModelText::in_order(table)) {
      const auto at = static_cast<std::size_t>(std::ranges::find(symmetries, symmetry) - symmetries.begin());
      section.coefficients[at] =
          text.expression(*coefficient, fmt::format("{}, coefficient of {}", what, symmetry), text.all_names());
    }
    if (std::ranges::all_of(section.coefficients, [](const Expression& f) { return f == Expression(0.0); }))
      text.fail(*entries, fmt::format("{} is zero: nothing moves; remove it", what));
    definition.sections.push_back(std::move(section));
    places.push_back(entries);
  }
}

}  // namespace

void read_symmetry(const ModelText& text, SystemDefinition& definition, ModelText::Places& places,
                   ModelText::Places& section_places) {
  const toml::table* symmetry = text.table("symmetry");
  if (symmetry == nullptr) return;
  text.check_keys(*symmetry, {"fibre", "group", "acts_on", "generators", "sections"}, "[symmetry]");
  const auto add = [&](const toml::node& place, const std::string& name,
                       const std::vector<std::pair<std::size_t, Expression>>& components) {
    definition.symmetries.push_back({name, std::vector<Expression>(text.space().velocities())});
    for (const auto& [i, component] : components) definition.symmetries.back().generator[i] = component;
    places.push_back(&place);
  };
  if (const toml::node* fibre = symmetry->get("fibre")) {
    for (const std::size_t i : text.coordinate_list(*fibre, "fibre"))
      add(*fibre, "translation of " + text.coordinates()[i].name(), {{i, Expression(1.0)}});
  }
  read_group(text, *symmetry, add);
  if (const toml::node* generators = symmetry->get("generators")) read_generators(text, *generators, add);
  if (const toml::node* sections = symmetry->get("sections"))
    read_sections(text, *sections, definition, section_places);
}

}  // namespace rattleback
