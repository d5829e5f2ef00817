#include "partial_step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rattleback {

PartialStep::PartialStep(const Method& method, const MethodMaps& maps, const Problem& problem)
    : start_(method, maps, problem), stepper_(make_one_step(method, maps, problem)), parameters_(problem.parameters) {
  layout_.add(Slot::state, method.state_size());
  layout_.add(Slot::memory, method.memory_size() * method.stages.size());
  layout_.add(Slot::clock, method.depends_on_time() ? 1 : 0);
}

void PartialStep::take_over(const Problem& problem) {
  parameters_ = problem.parameters;
  stepper_->take_over(problem, stepper_->kept());
}

void PartialStep::begin(const State& node, std::span<const double> kept, double h) {
  node_ = node;
  kept_.assign(kept.begin(), kept.end());
  h_ = h;
}

bool PartialStep::at(double fraction, State& node) {
  node = node_;
  if (fraction == 0.0) return true;
  scaled_ = kept_;
  // What the step is guessed from are increments and impulses: they shrink with it.
  for (double& remembered : layout_.of(scaled_, Slot::memory)) remembered *= fraction;
  std::ranges::fill(layout_.of(scaled_, Slot::clock), 0.0);
  stepper_->go_from(node_, scaled_, node_.t, fraction * h_);
  if (!stepper_->advance()) {
    failure_ = stepper_->failure();
    return false;
  }
  const double t = node_.t + fraction * h_;
  node = stepper_->node();
  node.t = t;
  return true;
}

bool PartialStep::restart(const State& node, double rest) {
  auto kept = start_(node, rest, parameters_);
  if (!kept) {
    failure_ = fmt::format("the method cannot start: {}", start_.failure());
    return false;
  }
  begin(node, *kept, rest);
  return true;
}

bool PartialStep::settle(const State& node, bool starts, double h, std::int64_t steps, std::vector<double>& kept) {
  // The tracker has asked for other fractions since.
  State end;
  if (!starts && !at(1.0, end)) return false;
  auto anew = start_(node, h, parameters_);
  if (!anew) {
    failure_ = fmt::format("the method cannot start: {}", start_.failure());
    return false;
  }
  kept = std::move(*anew);
  if (!starts) {
    std::ranges::copy(layout_.of(stepper_->kept(), Slot::state), layout_.of(kept, Slot::state).begin());
  }
  std::ranges::fill(layout_.of(kept, Slot::clock), static_cast<double>(steps));
  return true;
}

}  // namespace rattleback
