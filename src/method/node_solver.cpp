#include "node_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stage_solver.hpp"

namespace rattleback {

NodeSolver::NodeSolver(const Method& method, const MethodMaps& maps, const Problem& problem)
    : layout_(method.state), step_(problem.step) {
  if (maps.node) map_.emplace(*maps.node, problem);
  if (!method.node_by_interval) return;
  interval_map_.emplace(method.node_by_interval->map, problem);
  velocity_ = method.node_by_interval->velocity;
}

void NodeSolver::surround(const Problem& problem) {
  step_ = problem.step;
  for (std::optional<CompiledMap>* map : {&map_, &interval_map_}) {
    if (*map) (*map)->surround(problem.step, problem.parameters);
  }
}

bool NodeSolver::operator()(std::span<const double> state, double t, State& node) {
  std::span<const double> q = layout_.of(state, Slot::position);
  std::span<const double> v = layout_.of(state, Slot::velocity);
  if (map_) {
    if (!solve(state, t, node)) {
      failure_ = fmt::format("the velocity at the node: {}{}", map_->failure(), advice(map_->report()));
      return false;
    }
    q = (*used_)(Slot::position);
    v = (*used_)(Slot::velocity);
  }
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(q, is_finite) || !std::ranges::all_of(v, is_finite)) {
    failure_ = fmt::format("the state is not finite any more; a smaller step than {} may help", step_);
    return false;
  }
  std::ranges::copy(q, node.q.begin());
  std::ranges::copy(v, node.v.begin());
  node.t = t;
  return true;
}

bool NodeSolver::solve(std::span<const double> state, double t, const State& before) {
  const auto run = [&](CompiledMap& map, std::span<const double> guess) {
    used_ = &map;
    map.set(Slot::state, state);
    map.set(Slot::velocity, guess);
    map.set_time(t);
    return map.run();
  };
  if (!interval_map_) return run(*map_, before.v);
  guess_.assign(before.v.begin(), before.v.end());
  double& mean = guess_[velocity_];
  const double shift = layout_.of(state, Slot::position)[velocity_] - before.q[velocity_];
  if (shift != 0.0) mean = shift / step_;
  if (run(*map_, guess_) && std::abs((*map_)(Slot::velocity)[velocity_] - mean) <= 0.5 * std::abs(mean)) return true;
  ++by_interval_;
  return run(*interval_map_, guess_);
}

}  // namespace rattleback
