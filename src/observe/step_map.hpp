#pragma once

#include <span>
#include <vector>

#include "../mech/decompositions.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// The step of a method as a map that can be applied anywhere, with any step size, and differentiated. Stages of a
/// composition are applied one by one.
class StepMap {
 public:
  StepMap(const Method& method, const Problem& problem, bool with_tangent);

  /// One stage of size h from a state of the method at t; `velocity` tells where the solution may be looked for. False
  /// if there is none.
  bool apply(std::span<const double> state, std::span<const double> velocity, double t, double h);

  /// Where the last stage began.
  double time() const { return time_; }
  std::span<const double> state() const { return step_(Slot::state); }
  std::span<const double> multipliers() const { return step_(Slot::multipliers); }
  /// Derivatives of (state, multipliers) with respect to the state before. Directions of a rotation are vectors ξ of
  /// space, δR = ξ̂ R: there are three, in the place of the nine entries.
  Eigen::MatrixXd tangent() const;
  /// How many numbers a change of the state has.
  Eigen::Index directions() const { return directions_; }

 private:
  Space space_;
  Eigen::Index directions_;
  CompiledMap start_;
  CompiledMap step_;
  std::vector<double> before_;  ///< the state it was applied to
  double time_ = 0.0;
};

/// Takes the last step again, stage by stage, from the node before.
class StageObserver : public Observer {
 public:
  StageObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, bool with_tangent);
  void observe(const Stepper& stepper, std::span<double> values) final;
  void reset() final;
  std::int64_t first_node() const final { return first_; }
  std::string why_undefined() const override { return "the step to the node cannot be taken again"; }

 private:
  /// The node before, as the method's state and as a velocity.
  virtual void begin(std::span<const double> state, std::span<const double> velocity) = 0;
  /// `before` is the state before the stage, `map` was applied to it.
  virtual void add_stage(std::span<const double> before, const StepMap& map) = 0;
  virtual double value() = 0;
  /// Numbers besides the first.
  virtual void others(std::span<double>) {}

  StepMap map_;
  std::vector<double> stages_;
  double h_;
  std::int64_t first_;
  std::vector<double> before_;
  std::vector<double> velocity_;
  double time_ = 0.0;
};

}  // namespace rattleback
