#pragma once

#include <vector>

#include "../mech/quintic.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {

/// The polynomials of degree 5 with the positions, velocities and accelerations of two nodes.
class Interpolant {
 public:
  explicit Interpolant(const Problem& problem)
      : n_(problem.system.dimension()), motion_(typical_at(accelerations(problem.system), problem), problem) {}

  /// False if there are no accelerations at one of them.
  bool between(const State& first, const State& second, double h) {
    h_ = h;
    a_ = &first;
    b_ = &second;
    return accelerations_at(first, first_acceleration_) && accelerations_at(second, second_acceleration_);
  }

  State at(double s) const {
    State node{std::vector<double>(n_), std::vector<double>(n_), a_->t + s * h_};
    for (std::size_t i = 0; i < n_; ++i) {
      const Quintic q({a_->q[i], h_ * a_->v[i], h_ * h_ * first_acceleration_[i]},
                      {b_->q[i], h_ * b_->v[i], h_ * h_ * second_acceleration_[i]});
      node.q[i] = q.value(s);
      node.v[i] = q.slope(s) / h_;
    }
    return node;
  }

 private:
  bool accelerations_at(const State& node, std::vector<double>& acceleration) {
    if (!motion_.run(node)) return false;
    acceleration.assign(motion_(Slot::acceleration).begin(), motion_(Slot::acceleration).end());
    return true;
  }

  std::size_t n_;
  CompiledMap motion_;
  double h_ = 0.0;
  const State* a_ = nullptr;
  const State* b_ = nullptr;
  std::vector<double> first_acceleration_;
  std::vector<double> second_acceleration_;
};

}  // namespace rattleback
