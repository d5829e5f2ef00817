#pragma once

#include <optional>

#include "rattleback/method/whole_step.hpp"

namespace rattleback {

/// Many steps of a method in one call of compiled code: in each all stages, what is watched of their intervals, the
/// node and the functions that are watched there.
class Leap {
 public:
  /// Where a trajectory is.
  struct Place {
    std::span<double> state;
    std::span<double> memories;  ///< of all stages
    std::span<double> clock;
    State& node;
    IntervalValues& interval;
    NewtonCount& newton;
  };

  /// `interval` has energy and constraints between two positions, as functions of (q, Δ, t, h, parameters);
  /// `functions` are watched at the nodes, as functions of (q, v, t, parameters). Nothing if all that cannot be one.
  static std::optional<Leap> make(const Method& method, const MethodMaps& maps, const Problem& problem,
                                  const std::optional<Program>& interval, const Program& functions);

  /// Up to `steps` steps: as many as need no rescue. `watched` has what was seen at the place, and then what is seen at
  /// the new one and what was on the way.
  std::int64_t run(const Place& place, Watched& watched, std::int64_t steps);

 private:
  Leap() = default;

  std::span<double> part(Slot slot) { return layout_.of(data_, slot); }
  bool is_watched_at_node(std::size_t function) const { return function == 0 || function > replaced_; }

  std::size_t stages_ = 1;
  Layout layout_;             ///< of the data; the others are extremes
  std::size_t known_ = 0;     ///< where the node begins among the outputs
  std::size_t replaced_ = 0;  ///< rows of A v + b for which those of the intervals stand
  bool has_midpoint_ = false;
  std::optional<ChainStep> step_;
  std::vector<double> data_;
  std::vector<double> before_;
  std::vector<double> outputs_;
};

}  // namespace rattleback
