#pragma once

#include <vector>

#include "../mech/between_nodes.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {

/// The motion between two nodes, by their accelerations.
class Interpolant {
 public:
  explicit Interpolant(const Problem& problem)
      : space_(problem.system.space()), motion_(typical_at(accelerations(problem.system), problem), problem) {}

  /// False if there are no accelerations at one of them.
  bool between(const State& first, const State& second, double h) {
    h_ = h;
    a_ = &first;
    b_ = &second;
    return accelerations_at(first, first_acceleration_) && accelerations_at(second, second_acceleration_);
  }

  State at(double s) const {
    State node{std::vector<double>(space_.positions()), std::vector<double>(space_.velocities()), a_->t + s * h_};
    state_between(space_, {*a_, first_acceleration_}, {*b_, second_acceleration_}, h_, s, node);
    return node;
  }

 private:
  bool accelerations_at(const State& node, std::vector<double>& acceleration) {
    if (!motion_.run(node)) return false;
    acceleration.assign(motion_(Slot::acceleration).begin(), motion_(Slot::acceleration).end());
    return true;
  }

  Space space_;
  CompiledMap motion_;
  double h_ = 0.0;
  const State* a_ = nullptr;
  const State* b_ = nullptr;
  std::vector<double> first_acceleration_;
  std::vector<double> second_acceleration_;
};

}  // namespace rattleback
