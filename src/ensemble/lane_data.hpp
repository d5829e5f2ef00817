#pragma once

#include "rattleback/method/whole_step.hpp"

namespace rattleback {

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
  /// State and memories of all stages.
  Layout::Range kept() const { return {0, layout_[Slot::memory].end()}; }

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
