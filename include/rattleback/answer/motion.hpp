#pragma once

#include <memory>
#include <span>

#include "rattleback/answer/run.hpp"
#include "rattleback/method/flow.hpp"

namespace rattleback::answer {

/// The motion of a run between its nodes too, where the method knows it: of flows. At a node it is what the run
/// has there, to the bit if the run starts at t = 0.
class Motion {
 public:
  /// Throws MethodError for methods that have nodes only, and where events change velocities.
  explicit Motion(const RunAnswer& run);

  /// What a run records, at any times between its start and its end, in any order. The flow integrates when it is first
  /// asked for a time, and remembers enough to come back soon. Throws RequestError for other times, FlowError,
  /// Interrupted.
  Table at(std::span<const double> times, const Hooks& hooks = {});

 private:
  Problem problem_;
  double first_;
  double last_;
  std::unique_ptr<Flow> flow_;
};

}  // namespace rattleback::answer
