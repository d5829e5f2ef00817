#pragma once

#include "rattleback/mech/compiled_map.hpp"

namespace rattleback {

/// The work that is done on a system along a trajectory: by applied forces, by constraints that move, and by what
/// changes L itself,
///
///     dE/dt = F·v − λ·b − L_t        (from d/dt L_v − L_q = Aᵀλ + F and A v + b = 0)
///
/// so that E minus this work stays the same in the motion. Between two nodes it is integrated by Gauss's formula with
/// three points on the polynomials of degree 5 through positions, velocities and accelerations: what that errs by is of
/// order h⁶, and less than what most methods err by.
class WorkMeter {
 public:
  explicit WorkMeter(const Problem& problem);
  /// Not where nothing does work with these parameters, as drag with a coefficient of 0.
  static bool is_needed(const Problem& problem);

  void begin(const State& node, double t);
  /// The work on the way from the last node to this one. NaN where there are no accelerations.
  double advance(const State& node, double t);

 private:
  /// Power and accelerations at a state. False if there are none.
  bool look(const State& node, std::vector<double>& acceleration);

  Space space_;
  CompiledMap motion_;
  State node_;  ///< the last one
  double time_ = 0.0;
  bool known_ = false;  ///< its acceleration
  std::vector<double> acceleration_;
  std::vector<double> next_acceleration_;
  State between_;
};

}  // namespace rattleback
