#include "step_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/signed_size.hpp"

namespace rattleback {
namespace {

/// (state, memory, h, parameters) ↦ (state, multipliers), with the derivatives with respect to the state.
ImplicitSystem make_step(const Method& method, bool with_tangent) {
  ImplicitSystem step = method.step;
  const auto memory = step.outputs.begin() + signed_size(method.state_size());
  step.outputs.erase(memory, memory + signed_size(method.memory));
  step.outputs.resize(method.state_size() + method.multipliers);
  step.state = 0;
  return with_tangent ? with_tangent_matrix(step, step.outputs.size(), method.state_size()) : step;
}

}  // namespace

StepMap::StepMap(const Method& method, const Problem& problem, bool with_tangent)
    : state_size_(method.state_size()), memory_(method.memory), multipliers_(method.multipliers),
      start_(method.start, 1, Backend::interpreted), step_(make_step(method, with_tangent)),
      parameters_(problem.parameters), start_data_(method.start.data.size()),
      start_outputs_(method.start.outputs.size()), data_(method.step.data.size()),
      outputs_(step_.system().outputs.size()) {}

bool StepMap::apply(std::span<const double> state, std::span<const double> velocity, double h) {
  const std::size_t n = velocity.size();
  std::copy_n(state.begin(), n, start_data_.begin());
  std::copy(velocity.begin(), velocity.end(), start_data_.begin() + signed_size(n));
  start_data_[2 * n] = h;
  std::copy(parameters_.begin(), parameters_.end(), start_data_.begin() + signed_size(2 * n + 1));
  if (start_.run(start_data_, start_outputs_) != 1) return false;
  auto next = std::copy(state.begin(), state.end(), data_.begin());
  next = std::copy_n(start_outputs_.begin() + signed_size(state_size_), memory_, next);
  *next++ = h;
  std::copy(parameters_.begin(), parameters_.end(), next);
  return step_.run(data_, outputs_) == 1;
}

Eigen::MatrixXd StepMap::tangent() const {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(state_size_ + multipliers_);
  return Eigen::Map<const RowMajor>(outputs_.data() + rows, rows, static_cast<Eigen::Index>(state_size_));
}

StageObserver::StageObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, bool with_tangent)
    : Observer(std::move(quantity)), map_(method, problem, with_tangent), stages_(method.stages), h_(problem.step) {}

void StageObserver::reset() { before_.clear(); }

void StageObserver::observe(const Stepper& stepper, std::span<double> values) {
  bool solved = !before_.empty();
  begin(before_, velocity_);
  for (std::size_t i = 0; solved && i < stages_.size(); ++i) {
    solved = map_.apply(before_, velocity_, stages_[i] * h_);
    if (!solved) break;
    add_stage(before_, map_);
    before_.assign(map_.state().begin(), map_.state().end());
  }
  // The step to a second position that was given is not one of the method.
  for (std::size_t i = 0; solved && i < before_.size(); ++i) {
    solved = std::abs(before_[i] - stepper.state()[i]) <= 1e-8 * (1.0 + std::abs(before_[i]));
  }
  values[0] = solved ? value() : std::numeric_limits<double>::quiet_NaN();
  before_.assign(stepper.state().begin(), stepper.state().end());
  velocity_ = stepper.node().v;
}

}  // namespace rattleback
