#include "rattleback/method/whole_step.hpp"
#include "../base/signed_size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rattleback {
namespace {

std::vector<double> joined_numbers(std::initializer_list<std::span<const double>> parts) {
  std::vector<double> all;
  for (const auto part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Entries from `first` on of the data, or of the outputs of a link.
void take(std::vector<ChainValue>& list, std::uint32_t link, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) list.push_back({link, static_cast<std::uint32_t>(first + i)});
}

}  // namespace

MethodMaps maps_of(const Method& method, const Problem& problem) {
  MethodMaps maps{method.start, method.step, method.node};
  const std::span h(&problem.step, 1);
  maps.start.typical = joined_numbers({problem.start.q, problem.start.v, h, problem.parameters});
  WholeStart start(method, maps, Backend::interpreted);
  const auto state = start(problem.start, problem.step, problem.parameters);
  if (!state) throw MethodError(fmt::format("the method cannot start: {}", start.failure()));
  maps.step.typical = joined_numbers({std::span(*state).first(method.step.state), h, problem.parameters});
  if (maps.node) {
    maps.node->typical =
        joined_numbers({std::span(*state).first(method.state_size()), problem.start.v, h, problem.parameters});
  }
  return maps;
}

WholeStep::WholeStep(const Method& method, const MethodMaps& maps, const Options& options)
    : memories(method.state_size()) {
  const std::size_t size = method.state_size();
  const std::size_t parameters = maps.step.data.size() - maps.step.state - 1;
  const std::size_t n = (maps.start.data.size() - 1 - parameters) / 2;
  const bool has_node = options.with_node && maps.node.has_value();
  velocity = size + method.memory * method.stages.size();
  others = velocity + (has_node ? n : 0);
  h = others + options.others;
  chain.state = h;
  chain.data = h + 1 + parameters;
  const auto data = ChainValue::data;

  take(state, data, 0, size);
  std::vector<ChainValue> next_memories;
  for (std::size_t k = 0; k < method.stages.size(); ++k) {
    const ChainValue fraction{data, static_cast<std::uint32_t>(h), method.stages[k]};
    std::vector<ChainValue> takes = state;
    take(takes, data, memories + k * method.memory, method.memory);
    takes.push_back(fraction);
    take(takes, data, h + 1, parameters);
    const std::uint32_t stage = chain.add(maps.step, std::move(takes));
    take(next_memories, stage, size, method.memory);
    if (options.interval) {
      std::vector<ChainValue> between(state.begin(), state.begin() + signed_size(n));
      take(between, stage, maps.step.outputs.size() - n, n);
      between.push_back(fraction);
      take(between, data, h + 1, parameters);
      take(intervals, chain.add(*options.interval, std::move(between)), 0, options.interval->outputs.size());
    }
    state.clear();
    take(state, stage, 0, size);
    multipliers.clear();
    take(multipliers, stage, maps.step.state, method.multipliers);
  }
  chain.outputs = state;
  chain.outputs.insert(chain.outputs.end(), next_memories.begin(), next_memories.end());
  if (has_node) {
    std::vector<ChainValue> takes = state;
    take(takes, data, velocity, n);
    take(takes, data, h, 1 + parameters);
    take(node, chain.add(*maps.node, std::move(takes), /*is_counted=*/false), 0, 2 * n);
    chain.outputs.insert(chain.outputs.end(), node.begin() + signed_size(n), node.end());
  } else {
    node.assign(state.begin(), state.begin() + signed_size(maps.node ? n : 2 * n));
  }
}

WholeStart::WholeStart(const Method& method, const MethodMaps& maps, Backend backend)
    : stages_(method.stages), state_(method.state_size()), start_(maps.start, 1, backend),
      data_(maps.start.data.size()), outputs_(maps.start.outputs.size()) {}

std::optional<std::vector<double>> WholeStart::operator()(const State& node, double h,
                                                          std::span<const double> parameters) {
  std::vector<double> whole;
  for (const double fraction : stages_) {
    auto next = std::ranges::copy(node.v, std::ranges::copy(node.q, data_.begin()).out).out;
    *next++ = fraction * h;
    std::ranges::copy(parameters, next);
    if (start_.run(data_, outputs_) != 1) return std::nullopt;
    whole.insert(whole.end(), outputs_.begin() + signed_size(whole.empty() ? 0 : state_), outputs_.end());
  }
  return whole;
}

std::vector<double> whole_start(const Method& method, const MethodMaps& maps, const Problem& problem) {
  WholeStart start(method, maps, Backend::interpreted);
  const auto state = start(problem.start, problem.step, problem.parameters);
  if (!state) throw MethodError(fmt::format("the method cannot start: {}", start.failure()));
  return joined_numbers({*state, std::span(&problem.step, 1), problem.parameters});
}

}  // namespace rattleback
