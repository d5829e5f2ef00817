#include <fmt/format.h>

#include <algorithm>

#include "model_sections.hpp"
#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

/// set = { v = { z = "-e*z'" } }, as in [initial]: velocities by coordinate
std::vector<std::optional<Expression>> read_set(const ModelText& text, const std::string& name,
                                                const toml::node& node) {
  const std::string form = "as in { v = { z = \"-e*z'\" } }";
  const std::string what = fmt::format("'set' of the event {}", name);
  const toml::table& set = text.table_of(node, what, form);
  text.check_keys(set, {"v"}, what);
  if (set.empty()) text.fail(node, fmt::format("{} sets nothing; give velocities, {}", what, form));
  const toml::table& velocities = text.table_of(*set.get("v"), what + ": v", "as in { z = \"-e*z'\" }");
  if (velocities.empty()) text.fail(node, fmt::format("{} sets nothing; give velocities, {}", what, form));
  std::vector<std::optional<Expression>> list(text.space().velocities());
  for (const auto& [i, e] :
       text.by_coordinate(velocities, what, "the velocity after the event of", text.timed_names())) {
    list[i] = e;
  }
  return list;
}

}  // namespace

// [events]: name = { when = expression, direction = "falling", action = "stop" }
std::vector<Event> read_events(const ModelText& text, ModelText::Places& places) {
  std::vector<Event> events;
  const toml::table* const section = text.table("events");
  if (section == nullptr) return events;
  for (const auto& [name, node] : ModelText::in_order(*section)) {
    text.check_name(name, *node, "an event");
    if (name == stop_when_name) text.fail(*node, fmt::format("an event cannot be called {}; rename it", name));
    const std::string what = fmt::format("the event {}", name);
    const toml::table& entry = text.table_of(*node, what, "as in { when = \"z\", direction = \"falling\" }");
    text.check_keys(entry, {"when", "direction", "action", "set"}, what);
    const toml::node& when = text.required(entry, "when", what);
    Event event{name, text.expression(when, "'when' of " + what, text.timed_names())};
    if (free_symbols(event.when).empty()) {
      text.fail(when, fmt::format("'when' of {} is a constant and never passes zero; give an expression of the motion",
                                  what));
    }
    if (const toml::node* direction = entry.get("direction")) {
      event.direction = text.choice<Event::Direction>(*direction, "'direction' of " + what);
    }
    if (const toml::node* action = entry.get("action")) {
      event.action = text.choice<Event::Action>(*action, "'action' of " + what);
    }
    if (const toml::node* set = entry.get("set")) {
      if (entry.contains("action")) {
        text.fail(*entry.get("action"), fmt::format("{} has both 'action' and 'set': give one", what));
      }
      event.action = Event::Action::set;
      event.velocities = read_set(text, name, *set);
    }
    events.push_back(std::move(event));
    places.push_back(&when);
  }
  return events;
}

}  // namespace rattleback
