#include "leap.hpp"

#include <algorithm>
#include <cmath>

#include "../base/not_a_number.hpp"

namespace rattleback {

// outputs: state with extremes, as the data; the node; functions; what is watched of each stage; multipliers of a
// single one
std::optional<Leap> Leap::make(const Method& method, const MethodMaps& maps, const Problem& problem,
                               const std::optional<Program>& interval, const Program& functions) {
  Leap leap;
  leap.stages_ = method.stages.size();
  leap.has_midpoint_ = interval && leap.stages_ == 1;
  if (interval && method.structure.constraint == Structure::Constraint::between_nodes) {
    leap.replaced_ = interval->outputs.size() - 1;
  }
  const std::size_t tracked = functions.outputs.size() + (leap.has_midpoint_ ? 1 : 0);
  WholeStep whole(method, maps, {true, interval, 2 * tracked, false});
  Chain& chain = whole.chain;
  leap.layout_ = whole.layout;
  leap.known_ = chain.state;

  const Layout::Range parameters = whole.layout[Slot::parameters];
  std::vector<ChainValue> point = whole.node;
  point.insert(point.end(), whole.time.begin(), whole.time.end());
  for (std::size_t i = parameters.begin; i < parameters.end(); ++i) {
    point.push_back({ChainValue::data, static_cast<std::uint32_t>(i)});
  }
  const std::uint32_t at_node = chain.add(functions, std::move(point));
  const auto slip = [&](std::size_t stage, std::size_t row) {
    ChainValue value = whole.intervals[stage * interval->outputs.size() + 1 + row];
    value.factor = method.stages[stage] * problem.step / problem.step;  // relative to the whole step
    return value;
  };
  for (std::size_t i = 0; i < tracked; ++i) {
    const auto at = static_cast<std::uint32_t>(whole.layout[Slot::others].begin + 2 * i);
    std::vector<ChainValue> of;
    if (i == functions.outputs.size()) {
      of.push_back(whole.intervals[0]);
    } else if (leap.is_watched_at_node(i)) {
      of.push_back({at_node, static_cast<std::uint32_t>(i)});
    } else {
      for (std::size_t k = 0; k < leap.stages_; ++k) of.push_back(slip(k, i - 1));
    }
    chain.extremes.push_back({std::move(of), at, at + 1});
    for (const std::uint32_t entry : {at, at + 1}) chain.outputs.push_back({ChainValue::data, entry});
  }

  const auto append = [&](const std::vector<ChainValue>& more) {
    chain.outputs.insert(chain.outputs.end(), more.begin(), more.end());
  };
  append(whole.node);
  for (std::size_t i = 0; i < functions.outputs.size(); ++i) {
    if (leap.is_watched_at_node(i)) chain.outputs.push_back({at_node, static_cast<std::uint32_t>(i)});
  }
  for (std::size_t k = 0; interval && k < leap.stages_; ++k) {
    for (std::size_t row = 0; row + 1 < interval->outputs.size(); ++row) chain.outputs.push_back(slip(k, row));
  }
  if (leap.has_midpoint_) chain.outputs.push_back(whole.intervals[0]);
  if (leap.stages_ == 1) append(whole.multipliers);

  leap.step_ = ChainStep::make(chain);
  if (!leap.step_) return std::nullopt;
  leap.data_.resize(chain.data);
  leap.outputs_.resize(chain.outputs.size());
  std::ranges::fill(leap.part(Slot::time), problem.start.t);
  leap.part(Slot::step)[0] = problem.step;
  std::ranges::copy(problem.parameters, leap.part(Slot::parameters).begin());
  return leap;
}

std::int64_t Leap::run(const Place& place, Watched& watched, std::int64_t steps) {
  std::ranges::copy(place.state, part(Slot::state).begin());
  std::ranges::copy(place.memories, part(Slot::memory).begin());
  std::ranges::copy(place.clock, part(Slot::clock).begin());
  if (layout_.has(Slot::velocity)) std::ranges::copy(place.node.v, part(Slot::velocity).begin());
  // Extremes begin with what has been seen already.
  auto next = part(Slot::others).begin();
  const auto begin_with = [&](double value) { next = std::fill_n(next, 2, value); };
  for (const double value : watched.values) begin_with(value);
  if (has_midpoint_) begin_with(place.interval.energy);
  before_ = data_;
  std::int64_t taken = step_->run(data_, outputs_, steps);
  if (taken == 0) return 0;
  if (taken < steps) {  // outputs belong to the step that was not taken
    data_ = before_;
    taken = step_->run(data_, outputs_, taken);
  }
  place.newton.iterations += step_->iterations(0);
  place.newton.max = std::max(place.newton.max, step_->max_iterations(0));
  place.newton.solutions += taken * static_cast<std::int64_t>(stages_);

  std::ranges::copy(part(Slot::state), place.state.begin());
  std::ranges::copy(part(Slot::memory), place.memories.begin());
  std::ranges::copy(part(Slot::clock), place.clock.begin());
  const double* from = part(Slot::others).data();
  for (std::size_t i = 0; i < watched.values.size(); ++i) {
    watched.least[i] = *from++;
    watched.largest[i] = *from++;
  }
  if (has_midpoint_) {
    watched.least_midpoint = *from++;
    watched.largest_midpoint = *from++;
  }

  from = outputs_.data() + known_;
  const auto read = [&](auto&& to) {
    std::copy_n(from, to.size(), to.begin());
    from += to.size();
  };
  read(place.node.q);
  read(place.node.v);
  for (std::size_t i = 0; i < watched.values.size(); ++i) {
    if (is_watched_at_node(i)) watched.values[i] = *from++;
  }
  IntervalValues& interval = place.interval;
  std::ranges::fill(interval.constraints, 0.0);
  for (std::size_t k = 0; k < stages_; ++k) {
    for (double& worst : interval.constraints) {
      const double slip = *from++;
      if (!(std::abs(slip) <= std::abs(worst))) worst = slip;
    }
  }
  interval.energy = has_midpoint_ ? *from++ : not_a_number;
  std::copy_n(interval.constraints.begin(), replaced_, watched.values.begin() + 1);
  if (stages_ == 1) read(interval.multipliers);
  return taken;
}

}  // namespace rattleback
