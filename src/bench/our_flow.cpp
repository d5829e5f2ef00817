#include "src/bench/our_flow.hpp"

#include <fmt/format.h>

#include <optional>

#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/method_spec.hpp"
#include "rattleback/method/reference.hpp"

namespace rattleback::bench {
namespace {

ImplicitSystem energy_at_node(const System& system) {
  ImplicitSystem map = map_of_node(system);
  map.give(Slot::energy, std::vector{system.energy()});
  return map;
}

}  // namespace

std::string our_flow_with(double tolerance) { return fmt::format("{}:tolerance={:.6g}", our_flow, tolerance); }

OurFlow::OurFlow(const Problem& problem)
    : Contestant(our_flow, Setting::tolerance, 1.0), problem_(problem),
      energy_(CompiledMap::functions(energy_at_node(problem.system), problem)) {}

Flow* OurFlow::begin(double tolerance) {
  if (tolerance != tolerance_ || flow_ == nullptr) {
    flow_.reset();
    try {
      flow_ = MethodSpec(our_flow_with(tolerance)).flow(problem_);
    } catch (const MethodError&) {  // tolerances beyond what it takes
      return nullptr;
    }
    tolerance_ = tolerance;
    start_ = flow_->save();
  }
  flow_->restore(start_);
  if (const auto* counting = dynamic_cast<const ReferenceFlow*>(flow_.get()))
    steps_before_ = counting->internal_steps();
  return flow_.get();
}

std::optional<std::int64_t> OurFlow::own_steps() const {
  const auto* const counting = dynamic_cast<const ReferenceFlow*>(flow_.get());
  return counting != nullptr ? std::optional(counting->internal_steps() - steps_before_) : std::nullopt;
}

std::optional<State> OurFlow::at(Flow& flow, double time) {
  try {
    return flow.at(time);
  } catch (const FlowError&) {
    return std::nullopt;
  }
}

std::optional<State> OurFlow::go(Flow& flow, double time) {
  constexpr double stretch = 1000.0;
  for (double t = stretch; t < time; t += stretch) {
    if (!at(flow, t)) return std::nullopt;
    flow.forget_the_past();
  }
  return at(flow, time);
}

Attempt OurFlow::hold(double tolerance, const Goal& goal) {
  Flow* const flow = begin(tolerance);
  if (flow == nullptr || !energy_.run(problem_.start)) return {};
  EnergyWatch watch(energy_(Slot::energy)[0], goal);
  const std::int64_t looks = steps_until(goal.time, time_between_looks);
  const double between = goal.time / static_cast<double>(looks);
  double reached = 0.0;
  for (std::int64_t k = 1; k <= looks; ++k) {
    const double time = between * static_cast<double>(k);
    const std::optional<State> here = at(*flow, time);
    if (!here || !energy_.run(*here) || !watch(energy_(Slot::energy)[0])) break;
    reached = time;
    if (k % 4096 == 0) flow->forget_the_past();
  }
  return watch.at(reached);
}

std::int64_t OurFlow::run(double tolerance, double time) {
  Flow* const flow = begin(tolerance);
  return flow != nullptr && go(*flow, time) ? steps_until(time, time_between_looks) : 0;
}

std::vector<double> OurFlow::end(double tolerance, double time) {
  Flow* const flow = begin(tolerance);
  const std::optional<State> last = flow != nullptr ? go(*flow, time) : std::nullopt;
  return last ? last->q : std::vector<double>{};
}

}  // namespace rattleback::bench
