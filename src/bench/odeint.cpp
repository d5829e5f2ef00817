// Boost.odeint. Hand-written loops in place of its integrate functions: they do the same, and can be watched.

// Its steppers are copied before their buffers are filled.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include "src/bench/competitors.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/processor.hpp"
#include "src/bench/rattleback_motion.hpp"

namespace rattleback::bench {
namespace {

namespace odeint = boost::numeric::odeint;

void keep(const void* p) { asm volatile("" : : "g"(p) : "memory"); }

template <class Motion>
using Rk4 = odeint::runge_kutta4<typename Motion::State>;
template <class Motion>
using Rkf78 = odeint::runge_kutta_fehlberg78<typename Motion::State>;
template <class Motion>
using Dopri5 = odeint::runge_kutta_dopri5<typename Motion::State>;

/// States and steppers are aligned: five doubles that straddle cache lines cost up to two thirds more, by chance.
///
/// One trajectory after another: what the interface asks for, from advance(state, setting, time, watch), which returns
/// the time it came to.
template <class Motion>
class Trajectory : public Contestant {
 public:
  using State = typename Motion::State;
  using Contestant::Contestant;

 protected:
  template <class Advance>
  static Attempt watched(const Goal& goal, Advance&& advance) {
    alignas(64) State state = Motion::start();
    EnergyWatch watch(Motion::energy(state), goal);
    std::int64_t steps = 0;
    const double time = advance(state, steps, [&](const State& s) { return watch(Motion::energy(s)); });
    return watch.at(time);
  }
  template <class Advance>
  static std::int64_t timed(Advance&& advance) {
    alignas(64) State state = Motion::start();
    std::int64_t steps = 0;
    advance(state, steps, [](const State&) { return true; });
    keep(&state);
    return std::isfinite(state[0]) ? steps : 0;
  }
  template <class Advance>
  static std::vector<double> position(Advance&& advance) {
    alignas(64) State state = Motion::start();
    std::int64_t steps = 0;
    advance(state, steps, [](const State&) { return true; });
    return std::isfinite(state[0]) ? Motion::position(state) : std::vector<double>{};
  }
};

template <class Motion, class Stepper>
class ConstantSteps final : public Trajectory<Motion> {
 public:
  using State = typename Motion::State;
  ConstantSteps(std::string name, double exponent)
      : Trajectory<Motion>(std::move(name), Contestant::Setting::step, exponent) {}

  Attempt hold(double step, const Goal& goal) override { return this->watched(goal, advance(step, goal.time)); }
  std::int64_t run(double step, double time) override { return this->timed(advance(step, time)); }
  std::vector<double> end(double step, double time) override { return this->position(advance(step, time)); }

 private:
  static auto advance(double step, double time) {
    return [step, time](State& state, std::int64_t& taken, auto&& go_on) {
      const std::int64_t steps = steps_until(time, step);
      const double h = time / static_cast<double>(steps);
      alignas(64) Stepper stepper;
      std::int64_t k = 0;
      while (k < steps) {
        stepper.do_step(Motion{}, state, 0.0, h);
        ++k;
        if (!go_on(state)) break;
      }
      taken = k;
      return h * static_cast<double>(k);
    };
  }
};

/// make(tolerance) is a controlled stepper.
template <class Motion, auto make>
class ControlledSteps final : public Trajectory<Motion> {
 public:
  using State = typename Motion::State;
  explicit ControlledSteps(std::string name)
      : Trajectory<Motion>(std::move(name), Contestant::Setting::tolerance, 1.0) {}

  Attempt hold(double tolerance, const Goal& goal) override {
    return this->watched(goal, advance(tolerance, goal.time));
  }
  std::int64_t run(double tolerance, double time) override { return this->timed(advance(tolerance, time)); }
  std::vector<double> end(double tolerance, double time) override { return this->position(advance(tolerance, time)); }

 private:
  static auto advance(double tolerance, double time) {
    return [tolerance, time](State& state, std::int64_t& taken, auto&& go_on) {
      alignas(64) auto stepper = make(tolerance);
      double t = 0.0, h = 0.01;
      std::int64_t k = 0;
      int rejected = 0;
      while (t < time) {
        h = std::min(h, time - t);
        if (stepper.try_step(Motion{}, state, t, h) != odeint::success) {
          if (++rejected > 500) break;  // steps of size zero, or a state that is no number
          continue;
        }
        rejected = 0;
        ++k;
        if (!go_on(state)) break;
      }
      taken = k;
      return t;
    };
  }
};

template <class Motion>
constexpr auto controlled_dopri5 =
    [](double tolerance) { return odeint::make_controlled<Dopri5<Motion>>(tolerance, tolerance); };
template <class Motion>
constexpr auto controlled_rkf78 =
    [](double tolerance) { return odeint::make_controlled<Rkf78<Motion>>(tolerance, tolerance); };
template <class Motion>
constexpr auto extrapolation =
    [](double tolerance) { return odeint::bulirsch_stoer<typename Motion::State>(tolerance, tolerance); };

/// Those that are likely to be cheap come first: others are given up once they are known to be much dearer.
template <class Motion>
Contestants all() {
  Contestants list;
  list.push_back(std::make_unique<ConstantSteps<Motion, Rkf78<Motion>>>("odeint rkf78, constant steps", 9));
  list.push_back(std::make_unique<ControlledSteps<Motion, controlled_rkf78<Motion>>>("odeint rkf78, controlled"));
  list.push_back(std::make_unique<ControlledSteps<Motion, controlled_dopri5<Motion>>>("odeint dopri5, controlled"));
  list.push_back(std::make_unique<ConstantSteps<Motion, Rk4<Motion>>>("odeint rk4, constant steps", 5));
  list.push_back(std::make_unique<ControlledSteps<Motion, extrapolation<Motion>>>("odeint bulirsch_stoer"));
  return list;
}

template <class Motion, template <class> class Stepper>
void constant_steps(const typename Motion::State& start, double step, long steps) {
  alignas(64) typename Motion::State state = start;
  alignas(64) Stepper<Motion> stepper;
  for (long k = 0; k < steps; ++k) stepper.do_step(Motion{}, state, 0.0, step);
  keep(&state);
}

/// That of the model.
OscillatorMotion<100>::State start_100() {
  OscillatorMotion<100>::State s{};
  s[0] = 1;
  for (std::size_t i = 0; i < 100; ++i) s[201 + i] = i % 2 == 0 ? 1 : -1, s[301 + i] = 1;
  return s;
}

template <class Motion, auto start>
std::vector<ExplicitSteps> explicit_steps() {
  return {{"odeint rk4", [](double h, long steps) { constant_steps<Motion, Rk4>(start(), h, steps); }},
          {"odeint rkf78", [](double h, long steps) { constant_steps<Motion, Rkf78>(start(), h, steps); }}};
}

}  // namespace

bool odeint_runs_here() { return processor_suffices(); }

Contestants odeint_particle() { return all<ParticleMotion>(); }
Contestants odeint_sleigh() { return all<SleighMotion>(); }
Contestants odeint_oscillators() { return all<SixOscillators>(); }
Contestants odeint_rattleback() { return all<RattlebackMotion>(); }

std::vector<ExplicitSteps> explicit_particle() { return explicit_steps<ParticleMotion, &ParticleMotion::start>(); }
std::vector<ExplicitSteps> explicit_sleigh() { return explicit_steps<SleighMotion, &SleighMotion::start>(); }
std::vector<ExplicitSteps> explicit_oscillators_6() { return explicit_steps<SixOscillators, &SixOscillators::start>(); }
std::vector<ExplicitSteps> explicit_oscillators_100() { return explicit_steps<OscillatorMotion<100>, &start_100>(); }

}  // namespace rattleback::bench
