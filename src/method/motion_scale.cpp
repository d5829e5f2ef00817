#include "motion_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

namespace rattleback {
namespace {

/// Noise of accelerations in units of ε, times a step, is a velocity; this fraction of it is a scale whose tolerances
/// are above the noise: what an Adams method of high order makes of it in its estimates of errors is still less.
constexpr double above_noise = 1.0 / 64.0;
/// Of what a coordinate could do, at rest as long as nothing is known about it.
constexpr double unseen = 0x1p-30;

/// Accelerations near the start.
class Surroundings {
 public:
  Surroundings(const Problem& problem, CompiledMap& accelerations)
      : start_(problem.start), space_(problem.system.space()), map_(accelerations) {
    defined_ = look(start_, first_);
  }

  bool defined() const { return defined_; }
  const std::vector<double>& acceleration() const { return first_; }

  /// a(q + v τ + ½ a τ², v + a τ) − a; empty where there is none.
  std::vector<double> change_within(double time) {
    State there = start_;
    std::vector<double> way(first_.size());
    for (std::size_t i = 0; i < first_.size(); ++i) {
      way[i] = time * (start_.v[i] + 0.5 * time * first_[i]);
      there.v[i] += time * first_[i];
    }
    space_.move(there.q, way);
    there.t += time;
    return change_at(there);
  }

 private:
  bool look(const State& there, std::vector<double>& found) {
    if (!map_.run(there)) return false;
    const auto a = map_(Slot::acceleration);
    found.assign(a.begin(), a.end());
    return std::ranges::all_of(found, [](double x) { return std::isfinite(x); });
  }
  std::vector<double> change_at(const State& there) {
    std::vector<double> change;
    if (!look(there, change)) return {};
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= first_[i];
    return change;
  }

  const State& start_;
  Space space_;
  CompiledMap& map_;
  std::vector<double> first_;
  bool defined_ = false;
};

/// The first of the powers of 2 at which a relative change exceeds ½. In large strides to where it begins to be seen,
/// in small ones from there: far beyond, changes may be small again, as those of oscillations. There is no change where
/// numbers are too small to be computed with, and an infinite one where they are too large.
template <class Change>
std::optional<double> first_large(const Change& change) {
  constexpr int least = -320;
  constexpr int stride = 8;
  constexpr double seen = 0x1p-16;
  int e = least;
  while (e < -least && std::isinf(change(std::ldexp(1.0, e)))) e += stride;
  const int first = e;
  while (e < -least && !(change(std::ldexp(1.0, e)) > seen)) e += stride;
  for (e = std::max(first, e - stride); e < -least; ++e) {
    if (change(std::ldexp(1.0, e)) > 0.5) return std::ldexp(1.0, e);
  }
  return std::nullopt;
}

}  // namespace

// From rest, velocities will be those that accelerations cause in a step of the problem, or in the time they stay the
// same; where forces balance each other, those of the forces.
MotionScale::MotionScale(const Problem& problem, CompiledMap& accelerations)
    : space_(problem.system.space()), units_(problem) {
  const double step = problem.step > 0.0 && std::isfinite(problem.step) ? problem.step : 1.0;
  longest_ = time_ = step;
  for (auto* numbers : {&at_start_.velocity, &at_start_.acceleration, &at_start_.noise}) numbers->resize(size(), 0.0);
  for (std::size_t j = 0; j < size(); ++j) see_velocity(j, problem.start.v[j], at_start_);
  Surroundings near(problem, accelerations);
  if (!near.defined()) return;
  const std::vector<double>& a = near.acceleration();
  const double speed = norm(problem.start.v);
  const double force = norm(a);
  const auto found = first_large([&](double time) {
    const std::vector<double> change = near.change_within(time);
    if (change.empty()) return std::numeric_limits<double>::infinity();
    const double size = norm(change) * time;
    return size > 0.0 ? size / std::max(speed, force * time) : 0.0;
  });
  longest_ = found.value_or(step);
  time_ = std::min(longest_, step);
  for (std::size_t j = 0; j < size(); ++j) {
    at_start_.acceleration[j] = std::abs(a[j]);
    see_velocity(j, time_ * a[j], at_start_);
  }
  if (problem.system.depends_on_time()) {  // at rest and without forces as yet
    const std::vector<double> change = near.change_within(time_);
    for (std::size_t j = 0; j < change.size(); ++j) {
      at_start_.acceleration[j] = std::max(at_start_.acceleration[j], std::abs(a[j] + change[j]));
      see_velocity(j, time_ * (a[j] + change[j]), at_start_);
    }
  }
  std::vector<double> state = problem.start.q;
  state.insert(state.end(), problem.start.v.begin(), problem.start.v.end());
  accelerations.set_time(problem.start.t);
  see_noise(state.data(), accelerations, at_start_);
  const double fastest = norm(at_start_.velocity);
  for (std::size_t j = 0; j < size(); ++j) {
    double& velocity = at_start_.velocity[j];
    velocity = std::max(velocity, above_noise * above_noise * time_ * at_start_.noise[j]);
    if (velocity == 0.0) velocity = unseen * fastest * units_.each[j];  // what others do to it is of higher order
  }
}

double MotionScale::norm(std::span<const double> x) const {
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i]) / units_.each[i]);
  return largest;
}

void MotionScale::see_velocity(std::size_t j, double v, Seen& seen) const {
  constexpr double noticeable = 1.125;
  const double speed = std::abs(v);
  if (!(speed > noticeable * seen.velocity[j])) return;
  seen.velocity[j] = speed;
  if (units_.together.empty()) return;
  for (std::size_t i = 0; i < size(); ++i) {
    seen.velocity[i] = std::max(seen.velocity[i], units_.together[i * size() + j] * speed);
  }
}

void MotionScale::see(const double* v, const double* a, double step, Seen& seen) const {
  for (std::size_t j = 0; j < size(); ++j) {
    see_velocity(j, v[j], seen);
    seen.acceleration[j] = std::max(seen.acceleration[j], std::abs(a[j]));
  }
  seen.step = std::max(seen.step, step);
}

// Where forces balance each other, accelerations are rounding errors of these, and nothing must be measured by them.
// How large they are shows when the last digits of q and v change.
void MotionScale::see_noise(const double* state, CompiledMap& accelerations, Seen& seen) const {
  constexpr int samples = 4;
  constexpr double digits = 4.0;  ///< changes, in units of ε
  const std::size_t n = size();
  const std::size_t positions = space_.positions();
  const auto look = [&](std::span<const double> there, std::vector<double>& found) {
    accelerations.set(Slot::position, there.first(positions));
    accelerations.set(Slot::velocity, there.last(n));
    if (!accelerations.run()) return false;
    found.assign(accelerations(Slot::acceleration).begin(), accelerations(Slot::acceleration).end());
    return true;
  };
  std::vector<double> here;
  std::vector<double> there;
  if (!look({state, positions + n}, here)) return;
  std::ranges::fill(seen.noise, 0.0);
  std::mt19937_64 generator;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<double> moved(state, state + positions + n);
    for (std::size_t i = 0; i < moved.size(); ++i) {
      double least = 0.0;
      if (i < space_.numbers) least = time_ * seen.velocity[i];
      if (i >= positions) least = seen.velocity[i - positions];
      const double size = std::max(std::abs(moved[i]), least);
      moved[i] += (generator() % 2 == 0 ? digits : -digits) * std::numeric_limits<double>::epsilon() * size;
    }
    if (!look(moved, there)) return;
    for (std::size_t i = 0; i < n; ++i) {
      const double noise = std::abs(there[i] - here[i]) / (digits * std::numeric_limits<double>::epsilon());
      seen.noise[i] = std::max(seen.noise[i], noise);
    }
  }
}

// Velocities are measured by the largest so far, positions by the way on which such a velocity is gained or lost, and
// both at least by what rounding errors of accelerations do in a step. A coordinate that is zero by cancellation has
// rounding errors relative to what it changes by in a step.
void MotionScale::weigh(const double* state, double tolerance, const Seen& seen, double* weights) const {
  constexpr double least = std::numeric_limits<double>::min();
  const std::size_t positions = space_.positions();
  for (std::size_t i = 0; i < size(); ++i) {
    const double speed = std::max(seen.velocity[i], above_noise * seen.noise[i] * seen.step);
    const double braking = std::min(speed / seen.acceleration[i], longest_);
    const double way = std::max(braking, seen.step) * speed;
    if (i < space_.numbers) weights[i] = 1.0 / std::max(tolerance * std::max(std::abs(state[i]), way), least);
    weights[positions + i] = 1.0 / std::max(tolerance * std::max(std::abs(state[positions + i]), speed), least);
  }
  std::fill(weights + space_.numbers, weights + positions, 1.0 / tolerance);  // entries of rotations
}

std::vector<double> MotionScale::Seen::save() const {
  std::vector<double> saved{step};
  for (const auto* numbers : {&velocity, &acceleration, &noise}) {
    saved.insert(saved.end(), numbers->begin(), numbers->end());
  }
  return saved;
}

MotionScale::Seen MotionScale::Seen::restored(std::span<const double> saved) {
  Seen seen;
  seen.step = saved[0];
  const std::size_t n = (saved.size() - 1) / 3;
  auto rest = saved.subspan(1);
  for (auto* numbers : {&seen.velocity, &seen.acceleration, &seen.noise}) {
    numbers->assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n));
    rest = rest.subspan(n);
  }
  return seen;
}

}  // namespace rattleback
