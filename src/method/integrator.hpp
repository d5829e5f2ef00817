#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rattleback {

/// A system y' = f(t, y) to be integrated, y = (q, v).
struct MotionEquations {
  std::size_t size = 0;
  /// False where f is not defined: the integrator then tries a smaller step.
  bool (*rates)(double t, const double* y, double* slopes, void* self) = nullptr;
  /// One over the error that each number of y may have in a step that begins there.
  void (*weights)(const double* y, double* weights, void* self) = nullptr;
  void* self = nullptr;
  double longest_step = 0.0;  ///< if it is not 0
};

/// Takes steps of its own, between which the motion can be interpolated.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Forgets what came before.
  virtual void restart(double t, const double* y) = 0;
  /// One step of its own choice; `towards` says how large steps are at first. Null, or for people what went wrong.
  virtual const char* step(double towards) = 0;
  /// After the last step.
  virtual double time() const = 0;
  virtual double last_step() const = 0;
  virtual const double* state() const = 0;
  /// The solution inside the last step.
  virtual bool interpolate(double t, double* y) = 0;
  /// The slopes of y where the last step began; null if `rates` was asked for them.
  virtual const double* slopes() const { return nullptr; }

  /// What steps depend on besides the state and what came since the last restart; remembered before a restart, they
  /// have the same bits again.
  virtual std::vector<double> memory() const { return {}; }
  virtual void remember(std::span<const double> /*memory*/) {}
};

}  // namespace rattleback
