#pragma once

#include <span>
#include <vector>

#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/units.hpp"

namespace rattleback {

/// How large the numbers of a motion are, in units of nothing but the motion itself: tolerances that are fractions of
/// its scales say the same whatever the units of lengths, masses and times.
class MotionScale {
 public:
  /// What was seen so far, for each coordinate; the weights depend on nothing else.
  struct Seen {
    std::vector<double> velocity;      ///< the largest, its own or what those of others can make of it
    std::vector<double> acceleration;  ///< the largest
    std::vector<double> noise;  ///< rounding errors of accelerations where they were last looked at, in units of ε
    double step = 0.0;          ///< the longest since the integration was last started anew

    std::vector<double> save() const;
    static Seen restored(std::span<const double> saved);
  };

  /// `accelerations` is the map of that name.
  MotionScale(const Problem& problem, CompiledMap& accelerations);

  /// In which the motion at the start does not change much.
  double time() const { return time_; }
  const Seen& at_start() const { return at_start_; }

  void see(const double* v, const double* a, double step, Seen& seen) const;
  /// Rounding errors of accelerations near a state (q, v).
  void see_noise(const double* state, CompiledMap& accelerations, Seen& seen) const;
  /// One over the tolerances of a state (q, v).
  void weigh(const double* state, double tolerance, const Seen& seen, double* weights) const;

 private:
  std::size_t size() const { return units_.each.size(); }
  double norm(std::span<const double> x) const;
  void see_velocity(std::size_t j, double v, Seen& seen) const;

  Space space_;
  VelocityUnits units_;
  double longest_ = 0.0;  ///< time in which accelerations change by about half, or velocities do
  double time_ = 1.0;
  Seen at_start_;
};

}  // namespace rattleback
