// [symmetry]: fibre = coordinates whose translations are symmetries, a group and what it acts on, generators, and
// sections: combinations of these that change from point to point.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "model_sections.hpp"
#include "rattleback/expr/matrix.hpp"

namespace rattleback {
namespace {

/// A generator or a section of zeros is no symmetry.
void require_motion(const ModelText& text, const toml::node& place, const std::string& what, const auto& components) {
  if (std::ranges::all_of(components, [](const Expression& c) { return c == Expression(0.0); }))
    text.fail(place, fmt::format("{} is zero: nothing moves; remove it", what));
}

/// Points and bodies that motions of space move together: a point is two or three coordinates, a body a rotation.
struct Moved {
  std::vector<std::size_t> numbers;  ///< coordinates, point by point
  std::vector<std::size_t> rotations;
};

Moved read_moved(const ModelText& text, const toml::node& acts_on) {
  Moved moved;
  for (const toml::node& item : text.array_of(acts_on, "acts_on")) {
    const auto found =
        std::ranges::find(text.rotations(), item.value_or(std::string()), [](const Rotation& r) { return r.name; });
    if (found != text.rotations().end()) {
      moved.rotations.push_back(static_cast<std::size_t>(found - text.rotations().begin()));
      continue;
    }
    const auto numbers = text.coordinates_of(item, "acts_on");
    moved.numbers.insert(moved.numbers.end(), numbers.begin(), numbers.end());
  }
  std::vector<std::string> names;
  for (const std::size_t i : moved.numbers) names.push_back(text.coordinates()[i].name());
  for (const std::size_t k : moved.rotations) names.push_back(text.rotations()[k].name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    text.fail(acts_on, fmt::format("acts_on names {} twice", *twice));
  return moved;
}

Vector read_axis(const ModelText& text, const toml::node& node) {
  Vector axis;
  for (const toml::node& item : text.array_of(node, "axis")) {
    axis.push_back(item.is_string() ? text.expression(item, "a component of axis", text.parameter_names())
                                    : Expression(text.number(item, "a component of axis")));
  }
  if (axis.size() != 3)
    text.fail(node, fmt::format("axis has three components, as in [0, 0, 1], found {}", axis.size()));
  if (std::ranges::all_of(axis, [](const Expression& e) { return e.is_constant(0.0); }))
    text.fail(node, "axis is zero: it must be a direction of space");
  return axis;
}

/// Motions of space: points move by translations and by n × c, rotations are multiplied from the left, R ↦ g R, which
/// has the generator η = Rᵀn in the body. `dimensions` is that of a point.
class MotionsOfSpace {
 public:
  MotionsOfSpace(const ModelText& text, Moved moved, std::size_t dimensions)
      : text_(text), moved_(std::move(moved)), dimensions_(dimensions) {}

  void add_translations(const toml::node& place, auto&& add) const {
    for (std::size_t i = 0; i < dimensions_; ++i) {
      std::vector<std::pair<std::size_t, Expression>> generator;
      std::vector<std::string> names;
      for (std::size_t first = 0; first < moved_.numbers.size(); first += dimensions_) {
        generator.emplace_back(moved_.numbers[first + i], Expression(1.0));
        names.push_back(text_.coordinates()[moved_.numbers[first + i]].name());
      }
      add(place, fmt::format("translation of {}", fmt::join(names, ", ")), generator);
    }
  }
  void add_turn(const toml::node& place, const std::string& name, const Vector& axis, auto&& add) const {
    std::vector<std::pair<std::size_t, Expression>> generator;
    for (std::size_t first = 0; first < moved_.numbers.size(); first += dimensions_) {
      Vector point(3);
      for (std::size_t i = 0; i < dimensions_; ++i) point[i] = text_.coordinates()[moved_.numbers[first + i]];
      const Vector velocity = cross(axis, point);
      for (std::size_t i = 0; i < dimensions_; ++i) generator.emplace_back(moved_.numbers[first + i], velocity[i]);
    }
    for (const std::size_t k : moved_.rotations) {
      const Vector eta = transpose(text_.rotations()[k].matrix) * axis;
      for (std::size_t i = 0; i < 3; ++i) generator.emplace_back(text_.space().velocity_of(k) + i, eta[i]);
    }
    add(place, name, generator);
  }

 private:
  const ModelText& text_;
  Moved moved_;
  std::size_t dimensions_;
};

constexpr const char* known_groups = "SO(2), SO(3), SE(2) and SE(3)";

/// A group that multiplies rotations from the left.
void read_group_of_space(const ModelText& text, const toml::node& group, const toml::node& acts_on,
                         const toml::node* axis, Moved moved, auto&& add) {
  const std::string& name = text.text_of(group, "group");
  const std::size_t dimensions = name == "SE(2)" ? 2 : 3;
  const bool translates = name.starts_with("SE");
  if (moved.numbers.size() % dimensions != 0 || (translates && moved.numbers.empty())) {
    text.fail(acts_on,
              fmt::format("{} acts on points of {} coordinates and on rotations, as in {}, found {} coordinate{}", name,
                          dimensions == 2 ? "two" : "three",
                          dimensions == 2 ? "[x, y, R]"
                          : translates    ? "[x, y, z, R]"
                                          : "[R] or [x, y, z, R]",
                          moved.numbers.size(), moved.numbers.size() == 1 ? "" : "s"));
  }
  const MotionsOfSpace motions(text, std::move(moved), dimensions);
  if (translates) motions.add_translations(group, add);
  if (name == "SO(2)") {
    motions.add_turn(group, "rotation about the axis", axis != nullptr ? read_axis(text, *axis) : Vector{0, 0, 1}, add);
  } else if (dimensions == 2) {
    motions.add_turn(group, "rotation of the plane", {0, 0, 1}, add);
  } else {
    motions.add_turn(group, "rotation about x", {1, 0, 0}, add);
    motions.add_turn(group, "rotation about y", {0, 1, 0}, add);
    motions.add_turn(group, "rotation about z", {0, 0, 1}, add);
  }
}

/// SE(2) on (x, y, angle), SO(3) on Euler angles.
void read_group_of_coordinates(const ModelText& text, const toml::node& group, const toml::node& acts_on,
                               const std::vector<std::size_t>& on, auto&& add) {
  const std::string& name = text.text_of(group, "group");
  const bool plane = name == "SE(2)";
  const char* expected = plane ? "[x, y, angle]" : "[alpha, beta, psi]";
  if (on.size() != 3)
    text.fail(acts_on, fmt::format("{} acts on three coordinates {}, found {}", name, expected, on.size()));
  const Expression one(1.0);
  const Expression& first = text.coordinates()[on[0]];
  const Expression& second = text.coordinates()[on[1]];
  if (plane) {
    for (const std::size_t i : {on[0], on[1]}) add(group, "translation of " + text.coordinates()[i].name(), {{i, one}});
    add(group, "rotation of the plane", {{on[0], -second}, {on[1], first}, {on[2], one}});
    return;
  }
  // The space turns, the rotation Rz(first) Rx(second) Rz(third) is multiplied from the left.
  const Expression cotangent = cos(second) / sin(second);
  add(group, "rotation about x",
      {{on[0], -cotangent * sin(first)}, {on[1], cos(first)}, {on[2], sin(first) / sin(second)}});
  add(group, "rotation about y",
      {{on[0], cotangent * cos(first)}, {on[1], sin(first)}, {on[2], -cos(first) / sin(second)}});
  add(group, "rotation about z", {{on[0], one}});
}

void read_group(const ModelText& text, const toml::table& symmetry, auto&& add) {
  const toml::node* group = symmetry.get("group");
  const toml::node* acts_on = symmetry.get("acts_on");
  const toml::node* axis = symmetry.get("axis");
  if (group == nullptr) {
    if (acts_on != nullptr) text.fail(*acts_on, "acts_on needs a group, as in group = \"SE(2)\"");
    if (axis != nullptr) text.fail(*axis, "axis needs group = \"SO(2)\"");
    return;
  }
  const std::string& name = text.text_of(*group, "group");
  if (name != "SE(2)" && name != "SO(3)" && name != "SO(2)" && name != "SE(3)") {
    text.fail(*group, fmt::format("the group '{}' is not known; there are {}, or list a fibre of coordinates "
                                  "or generators",
                                  name, known_groups));
  }
  if (axis != nullptr && name != "SO(2)")
    text.fail(*axis, fmt::format("axis belongs to group = \"SO(2)\", the rotations about it, found {}", name));
  if (acts_on == nullptr) {
    text.fail(*group,
              fmt::format("{} needs acts_on = {}", name,
                          name == "SE(2)" ? "[x, y, angle]: the coordinates of the plane and the angle, or a rotation"
                          : name == "SO(3)"
                              ? "[alpha, beta, psi]: Euler angles of a rotation about z, the new x and the new z; or "
                                "[R], a rotation"
                          : name == "SE(3)" ? "[x, y, z, R]: the coordinates of a point and a rotation"
                                            : "[R]: a rotation, which may come with points of three coordinates"));
  }
  const Moved moved = read_moved(text, *acts_on);
  if (!moved.rotations.empty()) {
    read_group_of_space(text, *group, *acts_on, axis, moved, add);
  } else if (name == "SE(2)" || name == "SO(3)") {
    read_group_of_coordinates(text, *group, *acts_on, moved.numbers, add);
  } else {
    text.fail(*acts_on, fmt::format("{} acts on rotations, and none is named; 'rotations' declares some", name));
  }
}

// [symmetry.generators]: name = {coordinate = expression of coordinates and parameters, ...}
void read_generators(const ModelText& text, const toml::node& node, auto&& add) {
  const toml::table& generators = text.table_of(node, "generators", "written as a section [symmetry.generators]");
  for (const auto& [name, entries] : ModelText::in_order(generators)) {
    text.check_name(name, *entries, "a generator");
    const std::string what = "the generator " + name;
    const auto components = text.by_coordinate(text.table_of(*entries, what, "as in {x = \"-y\", y = \"x\"}"), what,
                                               fmt::format("{}, component", what), text.timed_names());
    require_motion(text, *entries, what, std::views::values(components));
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
    require_motion(text, *entries, what, section.coefficients);
    definition.sections.push_back(std::move(section));
    places.push_back(entries);
  }
}

}  // namespace

void read_symmetry(const ModelText& text, SystemDefinition& definition, ModelText::Places& places,
                   ModelText::Places& section_places) {
  const toml::table* symmetry = text.table("symmetry");
  if (symmetry == nullptr) return;
  text.check_keys(*symmetry, {"fibre", "group", "acts_on", "axis", "generators", "sections"}, "[symmetry]");
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
