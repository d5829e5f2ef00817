#include "method_maps.hpp"

#include "rattleback/method/rule.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

/// What every map of a method has besides.
ImplicitSystem surrounded(ImplicitSystem map, const System& system) {
  const Expression h = step_symbol();
  map.take(Slot::time, system.time());
  map.take(Slot::step, {&h, 1});
  map.take(Slot::parameters, system.parameters());
  return map;
}

}  // namespace

ImplicitSystem map_from_node(const System& system) {
  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::velocity, system.velocities());
  return surrounded(std::move(map), system);
}

ImplicitSystem map_from_interval(const System& system) {
  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::increments, increment_symbols(system));
  return surrounded(std::move(map), system);
}

ImplicitSystem map_from_two_positions(const System& system) {
  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::increments, increment_symbols(system));
  map.take(Slot::velocity, system.velocities());
  return surrounded(std::move(map), system);
}

ImplicitSystem map_from_state(const System& system, std::span<const Expression> state) {
  ImplicitSystem map;
  map.take(Slot::state, state);
  map.state = state.size() + system.time().size();
  return surrounded(std::move(map), system);
}

void give_next(ImplicitSystem& step, const System& system, std::span<const Expression> state) {
  step.give(Slot::state, orthonormal(system, {state.begin(), state.end()}));
  std::vector<Expression> time = system.time();
  for (Expression& t : time) t += step_symbol();
  step.give(Slot::time, time);
}

ImplicitSystem map_to_node(const System& system, std::span<const Expression> state) {
  ImplicitSystem map;
  map.take(Slot::state, state);
  map.take(Slot::velocity, velocities_before(system));
  return surrounded(std::move(map), system);
}

std::vector<Expression> velocities_before(const System& system) {
  std::vector<Expression> before;
  for (const Expression& v : system.velocities()) before.push_back(Expression::symbol(v.name() + "(before)"));
  return before;
}

}  // namespace rattleback
