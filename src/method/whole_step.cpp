#include "rattleback/method/whole_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "../base/signed_size.hpp"

namespace rattleback {
namespace {

Program clock_program(const Method& method) {
  const Expression k = Expression::symbol("k");
  const Expression start = Expression::symbol("t0");
  const Expression h = step_symbol();
  const std::vector<Expression> inputs{k, start, h};
  std::vector<Expression> outputs;
  double reached = 0.0;
  for (const double fraction : method.stages) {
    outputs.push_back(start + (k + reached) * h);
    reached += fraction;
  }
  outputs.push_back(start + (k + 1.0) * h);
  outputs.push_back(k + 1.0);
  return make_program(inputs, outputs);
}

/// Entries of the data, or of the outputs of a link.
void take(std::vector<ChainValue>& list, std::uint32_t link, Layout::Range range) {
  for (std::size_t i = range.begin; i < range.end(); ++i) list.push_back({link, static_cast<std::uint32_t>(i)});
}

}  // namespace

StepClock::StepClock(const Method& method)
    : program_(method.depends_on_time() ? clock_program(method) : Program()), interpreter_(program_),
      times_(method.stages.size() + 2) {}

void StepClock::set(std::span<const double> clock, double start, double h) {
  if (!clock.empty()) interpreter_(std::array{clock[0], start, h}, times_);
}

MethodMaps maps_of(const Method& method, const Problem& problem) {
  MethodMaps maps{typical_at(method.start, problem), typical_at(method.step, problem), {}};
  if (method.node) maps.node = typical_at(*method.node, problem);
  const std::vector<double> kept = whole_start(method, maps, problem);
  const std::span state = std::span(kept).first(method.state_size());
  const std::span memory = std::span(kept).subspan(method.state_size(), method.memory_size());
  std::ranges::copy(state, maps.step.data_layout.of(maps.step.typical, Slot::state).begin());
  std::ranges::copy(memory, maps.step.data_layout.of(maps.step.typical, Slot::memory).begin());
  if (maps.node) std::ranges::copy(state, maps.node->data_layout.of(maps.node->typical, Slot::state).begin());
  return maps;
}

WholeStep::WholeStep(const Method& method, const MethodMaps& maps, const Options& options) {
  const Layout& step = maps.step.data_layout;
  const Layout& next = maps.step.output_layout;
  const std::size_t n = method.state[Slot::position].size;
  const std::size_t velocities = maps.start.data_layout[Slot::velocity].size;
  const bool has_node = options.with_node && maps.node.has_value();
  const bool keeps_velocity = has_node && (options.keeps_velocity || !iterated_unknowns(*maps.node).empty());
  layout.add(Slot::state, method.state_size());
  layout.add(Slot::memory, method.memory_size() * method.stages.size());
  const std::size_t times = method.depends_on_time() ? 1 : 0;
  layout.add(Slot::clock, times);
  if (keeps_velocity) layout.add(Slot::velocity, velocities);
  layout.add(Slot::others, options.others);
  layout.add(Slot::time, times);
  layout.add(Slot::step, 1);
  layout.add(Slot::parameters, step[Slot::parameters].size);
  chain.state = layout[Slot::time].begin;
  chain.data = layout.size();
  const auto data = ChainValue::data;

  std::vector<std::vector<ChainValue>> begins(method.stages.size());  // of the stages
  std::vector<ChainValue> next_clock;
  if (times > 0) {
    std::vector<ChainValue> takes;
    for (const Slot slot : {Slot::clock, Slot::time, Slot::step}) take(takes, data, layout[slot]);
    const std::uint32_t clock = chain.add(StepClock(method).program(), std::move(takes));
    for (std::size_t k = 0; k < begins.size(); ++k) take(begins[k], clock, {k, 1});
    take(time, clock, {begins.size(), 1});
    take(next_clock, clock, {begins.size() + 1, 1});
  }
  const auto append = [](std::vector<ChainValue>& list, const std::vector<ChainValue>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };

  take(state, data, layout[Slot::state]);
  std::vector<ChainValue> next_memories;
  for (std::size_t k = 0; k < method.stages.size(); ++k) {
    const ChainValue fraction{data, static_cast<std::uint32_t>(layout[Slot::step].begin), method.stages[k]};
    std::vector<ChainValue> takes = state;
    take(takes, data, {layout[Slot::memory].begin + k * method.memory_size(), method.memory_size()});
    append(takes, begins[k]);
    takes.push_back(fraction);
    take(takes, data, layout[Slot::parameters]);
    const std::uint32_t stage = chain.add(maps.step, std::move(takes));
    if (next.has(Slot::memory)) take(next_memories, stage, next[Slot::memory]);
    if (options.interval) {
      std::vector<ChainValue> between(state.begin(), state.begin() + signed_size(n));
      take(between, stage, next[Slot::increments]);
      append(between, begins[k]);
      between.push_back(fraction);
      take(between, data, layout[Slot::parameters]);
      take(intervals, chain.add(*options.interval, std::move(between)), {0, options.interval->outputs.size()});
    }
    state.clear();
    take(state, stage, next[Slot::state]);
    multipliers.clear();
    if (next.has(Slot::multipliers)) take(multipliers, stage, next[Slot::multipliers]);
  }
  chain.outputs = state;
  append(chain.outputs, next_memories);
  append(chain.outputs, next_clock);
  if (has_node) {
    std::vector<ChainValue> takes = state;
    // The last velocity is a guess, and linear equations read none: any numbers will do.
    take(takes, data, keeps_velocity ? layout[Slot::velocity] : Layout::Range{layout[Slot::state].begin, velocities});
    append(takes, time);
    for (const Slot slot : {Slot::step, Slot::parameters}) take(takes, data, layout[slot]);
    take(node, chain.add(*maps.node, std::move(takes), /*is_counted=*/false), {0, n + velocities});
    if (keeps_velocity) chain.outputs.insert(chain.outputs.end(), node.begin() + signed_size(n), node.end());
  } else {
    node.assign(state.begin(), state.begin() + signed_size(maps.node ? n : n + velocities));
  }
}

WholeStart::WholeStart(const Method& method, const MethodMaps& maps, const Problem& problem, Backend backend)
    : stages_(method.stages), is_timed_(method.depends_on_time()), start_(maps.start, problem, backend) {}

std::optional<std::vector<double>> WholeStart::operator()(const State& node, double h,
                                                          std::span<const double> parameters) {
  std::vector<double> whole;
  const auto append = [&](Slot slot) { whole.insert(whole.end(), start_(slot).begin(), start_(slot).end()); };
  for (const double fraction : stages_) {
    start_.surround(fraction * h, parameters);
    if (!start_.run(node)) return std::nullopt;
    if (whole.empty()) append(Slot::state);
    append(Slot::memory);
  }
  if (is_timed_) whole.push_back(0.0);
  return whole;
}

std::vector<double> whole_start(const Method& method, const MethodMaps& maps, const Problem& problem) {
  WholeStart start(method, maps, problem, Backend::interpreted);
  auto state = start(problem.start, problem.step, problem.parameters);
  if (!state) throw MethodError(fmt::format("the method cannot start: {}", start.failure()));
  return std::move(*state);
}

}  // namespace rattleback
