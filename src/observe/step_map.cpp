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

/// The changes of a state that the directions of the space and of its other numbers are, in columns: for rotations the
/// entries of ξ̂ R, whose squares add up to 2.
Eigen::MatrixXd along_directions(const Space& space, std::span<const double> state, Eigen::Index directions) {
  const auto numbers = static_cast<Eigen::Index>(space.numbers);
  const auto others = directions - static_cast<Eigen::Index>(space.velocities());
  Eigen::MatrixXd changes = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(state.size()), directions);
  changes.topLeftCorner(numbers, numbers).setIdentity();
  changes.bottomRightCorner(others, others).setIdentity();
  for (std::size_t k = 0; k < space.rotations; ++k) {
    const auto row = static_cast<Eigen::Index>(space.position_of(k));
    const auto column = static_cast<Eigen::Index>(space.velocity_of(k));
    const double* const r = &state[space.position_of(k)];
    for (Eigen::Index i = 0; i < 3; ++i) {  // ξ = eᵢ turns the column of R in the plane of the other two axes
      const Eigen::Index a = (i + 1) % 3;
      const Eigen::Index b = (i + 2) % 3;
      for (Eigen::Index j = 0; j < 3; ++j) {
        changes(row + 3 * a + j, column + i) = -r[3 * b + j];
        changes(row + 3 * b + j, column + i) = r[3 * a + j];
      }
    }
  }
  return changes;
}

}  // namespace

StepMap::StepMap(const Method& method, const Problem& problem, bool with_tangent)
    : space_(problem.system.space()),
      directions_(static_cast<Eigen::Index>(method.state_size() + space_.velocities() - space_.positions())),
      start_(method.start, problem, Backend::interpreted), step_(make_step(method, with_tangent), problem) {}

bool StepMap::apply(std::span<const double> state, std::span<const double> velocity, double t, double h) {
  time_ = t;
  before_.assign(state.begin(), state.end());
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
  const Eigen::Map<const RowMajor> entries(step_.outputs().data() + rows, rows, columns);
  if (space_.rotations == 0) return entries;
  Eigen::MatrixXd result(rows - columns + directions_, directions_);
  const Eigen::MatrixXd along = entries * along_directions(space_, before_, directions_);
  Eigen::MatrixXd after = along_directions(space_, state(), directions_);
  const auto numbers = static_cast<Eigen::Index>(space_.numbers);
  after.middleCols(numbers, static_cast<Eigen::Index>(space_.velocities()) - numbers) *= 0.5;
  result << after.transpose() * along.topRows(columns), along.bottomRows(rows - columns);
  return result;
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
