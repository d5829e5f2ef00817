#pragma once

#include <cmath>

#include "../method/event_tracker.hpp"
#include "engine.hpp"
#include "rattleback/method/whole_step.hpp"

namespace rattleback {

/// A trajectory in a lane.
struct Lane {
  bool active = false;
  Member member;
  std::int64_t step = 0;
  std::int64_t stop = 0;      ///< the step at which something is to be kept
  std::size_t next_time = 0;  ///< of the times
  std::vector<double> v;      ///< of the last node that was looked at
  std::vector<SectionWatch> sections;
  EventMemory events;
  EventValues event_values;      ///< at the last node
  std::optional<State> stopped;  ///< where an event has ended the trajectory
  std::int64_t planned = 0;      ///< steps
  std::vector<Tally> tallies;
  MemberResult result;

  double time() const { return time_after(step); }
  /// Of the node before the last step.
  double time_before() const { return time_after(step - 1); }

 private:
  double time_after(std::int64_t steps) const {
    return std::fma(static_cast<double>(steps), member.step, member.start.t);
  }
};

/// The data of a whole step in lanes: entry i of lane l stands at [i * lanes + l].
class LaneData {
 public:
  LaneData(const WholeStep& step, const Layout& state, std::size_t lanes)
      : layout_(step.layout), state_(state), lanes_(lanes), numbers_(layout_.size() * lanes) {}

  std::vector<double>& numbers() { return numbers_; }
  const Layout& layout() const { return layout_; }

  Layout::Range position() const { return state_[Slot::position]; }
  /// Where it is kept; not for methods whose node is not computed in every step.
  Layout::Range velocity() const { return keeps_velocity() ? layout_[Slot::velocity] : state_[Slot::velocity]; }
  /// The velocity of the node is computed in every step, as a part of it.
  bool keeps_velocity() const { return layout_.has(Slot::velocity); }
  /// State, memories of all stages, clock.
  Layout::Range kept() const { return {0, layout_[Slot::clock].end()}; }

  void scatter(std::size_t lane, Layout::Range range, std::span<const double> numbers) {
    for (std::size_t i = 0; i < range.size; ++i) numbers_[(range.begin + i) * lanes_ + lane] = numbers[i];
  }
  std::vector<double> gather(std::size_t lane, Layout::Range range) const {
    std::vector<double> numbers(range.size);
    for (std::size_t i = 0; i < range.size; ++i) numbers[i] = numbers_[(range.begin + i) * lanes_ + lane];
    return numbers;
  }
  /// All data of a lane.
  std::vector<double> gather(std::size_t lane) const { return gather(lane, {0, layout_.size()}); }
  /// The node, where its velocity is kept.
  State node(std::size_t lane) const { return {gather(lane, position()), gather(lane, velocity())}; }
  void copy(std::size_t from, std::size_t to) { scatter(to, {0, layout_.size()}, gather(from)); }
  /// A slot of all lanes.
  std::span<const double> all(Layout::Range range) const {
    return std::span(numbers_).subspan(range.begin * lanes_, range.size * lanes_);
  }

 private:
  Layout layout_;
  Layout state_;
  std::size_t lanes_;
  std::vector<double> numbers_;
};

}  // namespace rattleback
