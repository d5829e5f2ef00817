#pragma once

#include <memory>
#include <span>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {

/// The integration cannot go on: a singularity, or a tolerance that cannot be met.
class FlowError : public NumericalError {
 public:
  using NumericalError::NumericalError;
};

/// The other kind of method: not a map with a step of a given size, but the motion at any time, by steps of its own and
/// interpolation between them. Times are counted from the start of the problem.
class Flow {
 public:
  Flow() = default;
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  virtual ~Flow() = default;

  /// The state at any time t ≥ 0 after the start that was not forgotten. What it is does not depend on the times asked
  /// for before. Throws FlowError.
  virtual State at(double t) = 0;

  /// Promises that times before the last one will not be asked for, and frees what was kept for them.
  virtual void forget_the_past() {}

  /// All numbers the rest of the motion depends on; restored, it continues to the same bits.
  virtual std::vector<double> save() const = 0;
  virtual void restore(std::span<const double> saved) = 0;
};

/// A flow as a trajectory with nodes at multiples of the step.
std::unique_ptr<Stepper> make_flow_stepper(std::unique_ptr<Flow> flow, double step);

}  // namespace rattleback
