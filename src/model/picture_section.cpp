#include <fmt/format.h>

#include "model_sections.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {

std::optional<Picture> read_picture(const ModelText& text) {
  const toml::table* section = text.table("picture");
  if (section == nullptr) return std::nullopt;
  text.check_keys(*section, {"body", "position", "heading", "roll", "size", "slope"}, "[picture]");
  const auto part = [&](const char* key) -> const toml::node& {
    if (const toml::node* node = section->get(key)) return *node;
    text.fail(*section, fmt::format("[picture] needs the key {}", key));
  };
  Picture picture;
  picture.body = text.choice<Body>(part("body"), "body");
  const auto place = [&](const toml::node& node, const std::string& what) {
    const Expression e =
        node.is_string() ? text.expression(node, what, text.all_names()) : Expression(text.number(node, what));
    for (const Expression& symbol : free_symbols(e)) {
      if (!symbol.name().ends_with('\'')) continue;
      text.fail(node, "a picture is one of positions: velocities cannot be used in it");
    }
    return e;
  };
  for (const toml::node& node : text.array_of(part("position"), "position")) {
    picture.position.push_back(place(node, "an entry of position"));
  }
  if (picture.position.size() == 2) picture.position.emplace_back(0.0);
  if (picture.position.size() != 3) text.fail(part("position"), "position must have two or three entries: x, y and z");
  for (const auto& [key, angle] : {std::pair("heading", &picture.heading), std::pair("roll", &picture.roll)}) {
    if (const toml::node* node = section->get(key)) *angle = place(*node, key);
  }
  if (const toml::node* node = section->get("size")) picture.size = text.constant(*node, "size");
  if (!(picture.size > 0.0)) {
    if (part("size").is_string()) return std::nullopt;  // of a parameter that was set to 0: there is nothing to draw
    text.fail(part("size"), fmt::format("size must be positive, found {}", picture.size));
  }
  if (const toml::node* node = section->get("slope")) {
    const toml::array& slope = text.array_of(*node, "slope");
    if (slope.size() != 2) {
      text.fail(*node, "slope must have two entries: by which angles the ground falls along +x, and rises along +y");
    }
    for (std::size_t i = 0; i < 2; ++i) picture.slope[i] = text.constant(slope[i], "an entry of slope");
  }
  return picture;
}

}  // namespace rattleback
