#include "event_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/start.hpp"

namespace rattleback {
namespace {

bool contains_velocities(const Expression& e, const System& system) {
  const auto symbols = free_symbols(e);
  return std::ranges::any_of(symbols, [&](const Expression& symbol) {
    return std::ranges::find(system.velocities(), symbol) != system.velocities().end();
  });
}

}  // namespace

std::vector<Expression> EventFunctions::formulas(const System& system, const std::vector<Event>& events) {
  std::vector<Expression> list;
  for (const Event& event : events) list.push_back(event.when);
  for (const Event& event : events) {
    const bool moves = contains_velocities(event.when, system);
    list.push_back(moves ? Expression(0.0) : rates_of_change({&event.when, 1}, system)[0]);
  }
  return list;
}

EventFunctions::EventFunctions(const System& system, std::vector<Event> events)
    : system_(system), events_(std::move(events)),
      functions_(make_program(state_and_parameters(system), formulas(system, events_))),
      layout_(map_of_node(system).data_layout), data_(layout_.size()), values_(2 * events_.size()) {
  for (const Event& event : events_) {
    has_rate_.push_back(!contains_velocities(event.when, system));
    impacts_.push_back(impact_of(event));
  }
  set_parameters(system.parameter_values());
}

EventFunctions::Impact EventFunctions::impact_of(const Event& event) const {
  Impact impact;
  if (event.action != Event::Action::set) return impact;
  std::vector<Expression> expressions;
  std::vector<bool> is_set(event.velocities.size());
  for (std::size_t i = 0; i < event.velocities.size(); ++i) {
    if (!event.velocities[i]) continue;
    impact.which.push_back(i);
    is_set[i] = true;
    expressions.push_back(*event.velocities[i]);
  }
  impact.velocities = std::make_unique<Kernel>(make_program(state_and_parameters(system_), expressions));
  impact.alone = true;
  for (const auto& entry : system_.mass_matrix().entries) {
    if (is_set[static_cast<std::size_t>(entry.row)] != is_set[static_cast<std::size_t>(entry.column)]) {
      impact.alone = impact.alone && entry.value.is_constant(0.0);
    }
  }
  for (const auto& entry : system_.constraint_matrix().entries) {
    if (is_set[static_cast<std::size_t>(entry.column)]) impact.alone = impact.alone && entry.value.is_constant(0.0);
  }
  return impact;
}

void EventFunctions::set_parameters(std::span<const double> parameters) {
  std::ranges::copy(parameters, layout_.of(data_, Slot::parameters).begin());
}

void EventFunctions::place(const State& node) {
  std::ranges::copy(node.q, layout_.of(data_, Slot::position).begin());
  std::ranges::copy(node.v, layout_.of(data_, Slot::velocity).begin());
  std::ranges::fill(layout_.of(data_, Slot::time), node.t);
}

void EventFunctions::at(const State& node, EventValues& values) {
  place(node);
  functions_(data_, values_);
  const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(size());
  values.values.assign(values_.begin(), middle);
  values.rates.assign(middle, values_.end());
}

std::vector<double> EventFunctions::after(std::size_t k, const State& node) {
  const Impact& impact = impacts_[k];
  place(node);
  std::vector<double> set(impact.which.size());
  (*impact.velocities)(data_, set);
  std::vector<double> v = node.v;
  SomeNumbers given(v.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!std::isfinite(set[i])) {
      throw RequestError(
          fmt::format("the velocity of {} that it sets is {}", system_.freedoms()[impact.which[i]].name(), set[i]));
    }
    v[impact.which[i]] = set[i];
    given[impact.which[i]] = set[i];
  }
  if (impact.alone) return v;
  const auto parameters = layout_.of(std::span<const double>(data_), Slot::parameters);
  return completed_velocities(system_, parameters, node.q, given, node.t, node.v);
}

}  // namespace rattleback
