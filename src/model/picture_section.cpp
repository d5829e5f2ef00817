// [picture]: a short way to write a view of one upright body (docs/models.md).

#include <fmt/format.h>

#include <array>

#include "model_sections.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

enum class Upright : std::uint8_t { particle, blade, sleigh, disk, robot };

}  // namespace

template <>
inline constexpr auto words<Upright> = std::to_array<Word<Upright>>({{Upright::particle, "particle"},
                                                                     {Upright::blade, "blade"},
                                                                     {Upright::sleigh, "sleigh"},
                                                                     {Upright::disk, "disk"},
                                                                     {Upright::robot, "robot"}});

namespace {

/// A platform that keeps its orientation, on three wheels that are steered together; an arrow shows where they point.
void add_robot(View& view, const Vector& place, const Matrix& heading, const Matrix& rolling, double size) {
  const double radius = 0.32 * size;
  const auto above = [&](double x, double y, double z) { return place + Vector{x, y, z}; };
  view.bodies.push_back({.name = "platform",
                         .shape = Shape::cylinder,
                         .sizes = {{"radius", {size}}, {"length", {0.1 * size}}},
                         .position = above(0, 0, 2.1 * radius)});
  view.bodies.push_back(
      {.name = "arrow",
       .shape = Shape::prism,
       .sizes = {{"outline", {0.75 * size, 0, -0.35 * size, 0.3 * size, -0.15 * size, 0, -0.35 * size, -0.3 * size}},
                 {"height", {0.05 * size}}},
       .colour = "grey",
       .position = above(0, 0, 2.1 * radius + 0.05 * size),
       .rotation = heading.entries});
  constexpr std::array<std::array<double, 2>, 3> corners{{{0, 0.72}, {-0.624, -0.36}, {0.624, -0.36}}};
  for (const auto& [x, y] : corners) {
    view.bodies.push_back({.name = fmt::format("wheel{}", view.bodies.size() - 1),
                           .shape = Shape::wheel,
                           .sizes = {{"radius", {radius}}, {"thickness", {0.16 * size}}},
                           .axis = BodyAxis::y,
                           .position = above(x * size, y * size, radius),
                           .rotation = (heading * rolling).entries});
  }
}

}  // namespace

std::optional<View> read_picture(const ModelText& text) {
  const toml::table* section = text.table("picture");
  if (section == nullptr) return std::nullopt;
  if (const toml::table* view = text.table("view"))
    text.fail(*view, "a model has a [view] or a [picture], which is a short way to write one; found both");
  text.check_keys(*section, {"body", "position", "heading", "roll", "size", "slope"}, "[picture]");
  const auto part = [&](const char* key) -> const toml::node& { return text.required(*section, key, "[picture]"); };
  const auto body = text.choice<Upright>(part("body"), "body");
  const auto place = [&](const toml::node& node, const std::string& what) {
    const Expression e =
        node.is_string() ? text.expression(node, what, text.all_names()) : Expression(text.number(node, what));
    for (const Expression& symbol : free_symbols(e)) {
      if (!symbol.name().ends_with('\'')) continue;
      text.fail(node, "a picture is one of positions: velocities cannot be used in it");
    }
    return e;
  };
  Vector position;
  for (const toml::node& node : text.array_of(part("position"), "position"))
    position.push_back(place(node, "an entry of position"));
  if (position.size() == 2) position.emplace_back(0.0);
  if (position.size() != 3) text.fail(part("position"), "position must have two or three entries: x, y and z");
  const auto angle = [&](const char* key) {
    const toml::node* node = section->get(key);
    return node == nullptr ? Expression(0.0) : place(*node, key);
  };
  const Matrix heading = rotz(angle("heading")), rolling = roty(angle("roll"));
  double size = 1.0;
  if (const toml::node* node = section->get("size")) size = text.constant(*node, "size");
  if (!(size > 0.0)) {
    if (part("size").is_string()) return std::nullopt;  // of a parameter that was set to 0: there is nothing to draw
    text.fail(part("size"), fmt::format("size must be positive, found {}", size));
  }
  View view;
  view.ground.slope = read_slope(text, *section);
  const Vector below{position[0], position[1], 0.0};
  view.traces.push_back({"path", body == Upright::particle ? position : below});
  switch (body) {
    case Upright::particle:
      view.bodies.push_back({.name = "particle", .sizes = {{"radius", {size}}}, .position = position});
      break;
    case Upright::blade:
    case Upright::sleigh:
      view.bodies.push_back({.name = std::string(word_of(body)),
                             .shape = body == Upright::blade ? Shape::blade : Shape::sleigh,
                             .sizes = {{"length", {size}}},
                             .position = position,
                             .rotation = heading.entries});
      break;
    case Upright::disk:
      view.bodies.push_back({.name = "disk",
                             .shape = Shape::disk,
                             .sizes = {{"radius", {size}}, {"thickness", {0.1 * size}}},
                             .axis = BodyAxis::y,
                             .position = below + Vector{0.0, 0.0, size},
                             .rotation = (heading * rolling).entries});
      break;
    case Upright::robot: add_robot(view, below, heading, rolling, size); break;
  }
  return view;
}

}  // namespace rattleback
