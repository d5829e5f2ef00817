#include "rattleback/method/registry.hpp"

#include <fmt/format.h>

#include "event_stepper.hpp"
#include "families.hpp"
#include "rattleback/method/reference.hpp"
#include "tau_stepper.hpp"

namespace rattleback {

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> list;
    for (const Family& family : families()) list.push_back(family.info);
    return list;
  }();
  return all;
}

DerivedMethod::DerivedMethod(MethodSpec method, const Problem& problem) : spec(std::move(method)) {
  if (!spec.is_flow()) map = spec.derive(problem);
}

DerivedMethod::DerivedMethod(MethodSpec method, const Problem& problem, Geometry& geometry) : spec(std::move(method)) {
  if (!spec.is_flow()) map = spec.derive(problem, geometry);
}

bool DerivedMethod::needs_only_maps() const {
  return map && !spec.starts_from_reference() && map->guards.empty() && !map->adjust && !map->own_time;
}

void require_events(const DerivedMethod& method, const Problem& problem) {
  if (!method.map) return;
  if (problem.second_position) {
    throw MethodError("a second position (`q1`) is the first step, and events need fractions of it: drop `q1`");
  }
  if (method.needs_only_maps()) return;
  throw MethodError(fmt::format(
      "{} cannot run a model with events: they need fractions of a step from any node, and it has a time, a start or "
      "places of its own; dla, gni, rk4 and reference can",
      method.spec.text()));
}

Method make_method(const MethodSpec& method, const Problem& problem) { return method.derive(problem); }

Method make_method(const MethodSpec& method, const System& system) {
  const std::vector<double> at_rest(system.dimension(), 0.0);
  return method.derive({system, system.parameter_values(), {system.space().origin(), at_rest}});
}

std::unique_ptr<Stepper> make_stepper(const MethodSpec& method, const Problem& problem) {
  return make_stepper(DerivedMethod(method, problem), problem);
}

std::unique_ptr<Stepper> make_stepper(const DerivedMethod& method, const Problem& problem) {
  const MethodSpec& spec = method.spec;
  if (!problem.system.events().empty()) return make_event_stepper(method, problem);
  if (!method.map) return make_flow_stepper(spec.flow(problem), problem.step);
  if (problem.second_position) {
    if (!method.map->from_two_positions) {
      throw MethodError(
          fmt::format("{} cannot start from two positions; variational methods without order can", spec.text()));
    }
    if (!spec.start().empty()) {
      throw MethodError(fmt::format("a second position (`q1`) and start={} are two starts: give one", spec.start()));
    }
  }
  if (method.map->own_time) return make_tau_stepper(*method.map, problem);
  if (!spec.starts_from_reference()) return make_one_step(*method.map, problem);
  Problem from_reference = problem;
  from_reference.second_position = ReferenceFlow(problem).at(problem.step).q;
  return make_one_step(*method.map, from_reference);
}

}  // namespace rattleback
