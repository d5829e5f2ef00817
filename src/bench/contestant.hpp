#pragma once

// Whoever takes part in the benchmark: our methods and integrators from elsewhere, behind one interface, so that all
// are searched, checked and timed by the same code.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "src/bench/ratio.hpp"

namespace rattleback::bench {

/// What a run is to hold: |E − E₀| ≤ bound · max(1, |E₀|), at every node up to the time.
struct Goal {
  double time;
  double bound;
  double seconds = HUGE_VAL;  ///< after which the run is given up
};

struct Attempt {
  bool held = false;
  bool given_up = false;  ///< neither held nor lost: out of time
  double fraction = 0.0;  ///< of the time that was reached
  double worst = 0.0;     ///< error
  std::int64_t steps = 0;
};

/// The error of the energy along a run. Looks at the clock only now and then.
class EnergyWatch {
 public:
  EnergyWatch(double initial, const Goal& goal)
      : initial_(initial), inverse_scale_(1.0 / std::max(1.0, std::abs(initial))), goal_(goal),
        begin_(std::chrono::steady_clock::now()) {}

  /// False if the run has to end here.
  bool operator()(double energy) {
    const double error = std::abs(energy - initial_) * inverse_scale_;
    ++attempt_.steps;
    if (!(error <= goal_.bound)) {
      attempt_.worst = error;
      lost_ = true;
      return false;
    }
    attempt_.worst = std::max(attempt_.worst, error);
    if (attempt_.steps % 65536 != 0) return true;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    attempt_.given_up = seconds > goal_.seconds;
    return !attempt_.given_up;
  }

  /// What there is to say of a run that came to the given time.
  Attempt at(double time) const {
    Attempt result = attempt_;
    result.fraction = std::clamp(time / goal_.time, 0.0, 1.0);
    result.held = !lost_ && !result.given_up && time >= goal_.time * (1.0 - 1e-9);
    return result;
  }

 private:
  double initial_;
  double inverse_scale_;
  Goal goal_;
  std::chrono::steady_clock::time_point begin_;
  Attempt attempt_;
  bool lost_ = false;
};

/// An integrator applied to a problem. It has one setting: its step, or its tolerance (relative and absolute).
class Contestant {
 public:
  enum class Setting : std::uint8_t { step, tolerance };

  /// Errors grow about like settingᵖ, p = exponent: where to look next.
  Contestant(std::string name, Setting setting, double exponent)
      : name_(std::move(name)), setting_(setting), exponent_(exponent) {}
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  virtual ~Contestant() = default;

  const std::string& name() const { return name_; }
  Setting setting() const { return setting_; }
  double exponent() const { return exponent_; }

  /// A run that looks at the energy after every step it accepts (flows: at equidistant times), and ends when that
  /// leaves the bound.
  virtual Attempt hold(double setting, const Goal& goal) = 0;
  /// The same run without looking. Returns the number of steps, 0 if it failed.
  virtual std::int64_t run(double setting, double time) = 0;
  /// How long such a run takes.
  virtual double seconds(double setting, double time) {
    return benchmark::undisturbed_seconds([&] { run(setting, time); });
  }
  /// The coordinates at the end of such a run, those of the model; empty if it failed.
  virtual std::vector<double> end(double setting, double time) = 0;

 private:
  std::string name_;
  Setting setting_;
  double exponent_;
};

inline std::int64_t steps_until(double time, double step) {
  return std::max<std::int64_t>(1, std::llround(time / step));
}

}  // namespace rattleback::bench
