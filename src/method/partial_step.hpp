#pragma once

#include <memory>

#include "event_tracker.hpp"
#include "rattleback/method/whole_step.hpp"

namespace rattleback {

/// The motion within a step of a map: the map itself with a fraction of the step. At the end of the step it is the next
/// node, and between it has the order and the structure of the method.
class PartialStep final : public PartialMotion {
 public:
  PartialStep(const Method& method, const MethodMaps& maps, const Problem& problem);

  /// For a trajectory with other parameters.
  void take_over(const Problem& problem);
  /// A step from a node, which keeps this, by h.
  void begin(const State& node, std::span<const double> kept, double h);
  bool at(double fraction, State& node) override;
  bool restart(const State& node, double rest) override;
  std::string failure() const override { return failure_; }

  /// What is kept at the end of the step after an impact, of so many steps of h: memories that begin anew, and the
  /// state of the last piece, or that of a start where there was none. False if the method cannot start there.
  bool settle(const State& node, bool starts, double h, std::int64_t steps, std::vector<double>& kept);

 private:
  Layout layout_;  ///< of what is kept
  WholeStart start_;
  std::unique_ptr<OneStepper> stepper_;
  std::vector<double> parameters_;
  State node_;
  std::vector<double> kept_;
  double h_ = 0.0;
  std::vector<double> scaled_;
  std::string failure_;
};

}  // namespace rattleback
