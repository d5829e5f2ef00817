#include "step_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinds.hpp"

namespace rattleback {
namespace {

/// (state, memory, h, parameters) ↦ (state, multipliers), with the derivatives with respect to the state.
ImplicitSystem make_step(const Method& method, bool with_tangent) {
  ImplicitSystem step = method.step.without_outputs();
  step.give(Slot::state, method.step.given(Slot::state));
  step.give(Slot::multipliers, method.step.given(Slot::multipliers));
  return with_tangent ? with_tangent_matrix(step, step.outputs.size(), method.state_size()) : step;
}

}  // namespace

StepMap::StepMap(const Method& method, const Problem& problem, bool with_tangent)
    : start_(method.start, problem, Backend::interpreted), step_(make_step(method, with_tangent), problem) {}

bool StepMap::apply(std::span<const double> state, std::span<const double> velocity, double t, double h) {
  time_ = t;
  start_.set(Slot::position, state);
  start_.set(Slot::velocity, velocity);
  start_.set_time(t);
  start_.set(Slot::step, h);
  if (!start_.run()) return false;
  step_.set(Slot::state, state);
  std::ranges::copy(start_(Slot::memory), step_[Slot::memory].begin());
  step_.set_time(t);
  step_.set(Slot::step, h);
  return step_.run();
}

Eigen::MatrixXd StepMap::tangent() const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto columns = static_cast<Eigen::Index>(state().size());
  const auto rows = columns + static_cast<Eigen::Index>(multipliers().size());
  return Eigen::Map<const RowMajor>(step_.outputs().data() + rows, rows, columns);
}

StageObserver::StageObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, bool with_tangent)
    : Observer(std::move(quantity)), map_(method, problem, with_tangent), stages_(method.stages), h_(problem.step),
      first_(first_step_of_method(problem)) {
  if (method.step.end != IterationEnd{}) {
    throw MethodError(
        "steps whose iterations end early depend on where these begin, not on the state alone; "
        "drop newton-tolerance and newton-iterations");
  }
}

void StageObserver::reset() { before_.clear(); }

void StageObserver::observe(const Stepper& stepper, std::span<double> values) {
  bool solved = !before_.empty();
  begin(before_, velocity_);
  for (std::size_t i = 0; solved && i < stages_.size(); ++i) {
    solved = map_.apply(before_, velocity_, time_, stages_[i] * h_);
    if (!solved) break;
    time_ += stages_[i] * h_;
    add_stage(before_, map_);
    before_.assign(map_.state().begin(), map_.state().end());
  }
  // A step that leads elsewhere is not the one that was taken.
  for (std::size_t i = 0; solved && i < before_.size(); ++i) {
    solved = std::abs(before_[i] - stepper.state()[i]) <= 1e-8 * (1.0 + std::abs(before_[i]));
  }
  std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
  if (solved) {
    values[0] = value();
    others(values.subspan(1));
  }
  before_.assign(stepper.state().begin(), stepper.state().end());
  velocity_ = stepper.node().v;
  time_ = stepper.node().t;
}

}  // namespace rattleback
