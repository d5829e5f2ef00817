#include "rattleback/method/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "adams.hpp"
#include "motion_scale.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/mech/motion_series.hpp"
#include "taylor.hpp"

namespace rattleback {
namespace {

constexpr int steps_between_restarts = 1000;
/// The first steps of Adams methods, whose order is low, have errors of the same sign, which add up.
constexpr int starting_steps = 60;
constexpr double starting_fraction = 0.25;
constexpr double least_tolerance = 2.0 * std::numeric_limits<double>::epsilon();
constexpr double tightest_of_adams = 3e-15;
/// Errors of truncation have one sign and add up over a long time; rounding errors do not.
constexpr double tightest_of_series = std::numeric_limits<double>::epsilon() / 256.0;
/// The pace of the integration is that of so many of its last restarts.
constexpr std::size_t watched_restarts = 10;
/// So many steps to one node would take the better part of an hour.
constexpr double most_steps = 1e9;

}  // namespace

struct ReferenceFlow::Implementation {
  struct Snapshot {
    double t;
    MotionScale::Seen seen;
    std::vector<double> y;
    std::vector<double> memory = {};  ///< of the integrator
  };

  Implementation(const Problem& problem, const ReferenceOptions& options)
      : space(problem.system.space()), positions(space.positions()), n(space.velocities()), first_time(problem.start.t),
        by_series(options.by == ReferenceOptions::By::series ||
                  (options.by == ReferenceOptions::By::either && has_motion_series(problem.system))),
        name(options.by == ReferenceOptions::By::either ? "the reference solution"
             : by_series                                ? "the flow taylor"
                                                        : "the flow cvode"),
        tolerance(options.tolerance > 0.0 ? options.tolerance
                  : by_series             ? tightest_of_series
                                          : tightest_of_adams),
        accelerations(typical_at(rattleback::accelerations(problem.system), problem), problem),
        projection(typical_at(rattleback::projection(problem.system), problem), problem),
        constrained(!problem.system.velocity_rows().empty() || space.rotations > 0), scale(problem, accelerations) {
    std::vector<double> start = problem.start.q;
    start.insert(start.end(), problem.start.v.begin(), problem.start.v.end());
    // What changes suddenly may change back between two places that an integrator looks at.
    const double longest_step = problem.system.has_kinks() ? problem.step : 0.0;
    const MotionEquations equations{positions + n, &rates, &weights, this, longest_step};
    integrator = by_series ? make_taylor(problem, equations, tolerance, options.order) : make_adams(equations);
    interpolated.resize(positions + n);
    last_acceleration.resize(n);
    snapshots.push_back({0.0, scale.at_start(), std::move(start)});
    begin_at(snapshots.back());
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  static bool rates(double time, const double* state, double* slopes, void* self) {
    auto& flow = *static_cast<Implementation*>(self);
    if (!flow.run(flow.accelerations, time, state)) {
      flow.trouble = flow.accelerations.failure();
      return false;
    }
    const double* const v = state + flow.positions;
    flow.space.rates({state, flow.positions}, {v, flow.n}, {slopes, flow.positions});
    std::ranges::copy(flow.accelerations(Slot::acceleration), slopes + flow.positions);
    std::ranges::copy(flow.accelerations(Slot::acceleration), flow.last_acceleration.begin());
    return true;
  }

  static void weights(const double* state, double* weights, void* self) {
    const auto& flow = *static_cast<Implementation*>(self);
    const bool starting = !flow.by_series && flow.steps_since_restart < starting_steps;
    const double wanted = starting ? starting_fraction * flow.tolerance : flow.tolerance;
    flow.scale.weigh(state, flow.by_series ? wanted : std::max(wanted, least_tolerance), flow.seen, weights);
  }

  /// A map at a state (q, v). Times are counted from the start: where t does not matter, that changes nothing.
  bool run(CompiledMap& map, double time, const double* state) const {
    map.set_time(first_time + time);
    map.set(Slot::position, {state, positions});
    map.set(Slot::velocity, {state + positions, n});
    return map.run();
  }

  void begin_at(const Snapshot& snapshot) {
    integrator->remember(snapshot.memory);
    integrator->restart(snapshot.t, snapshot.y.data());
    t = snapshot.t;
    seen = snapshot.seen;
    // The first step is of order 1 and shorter than the last one, which was not.
    first_reach = seen.step > 0.0 ? seen.step : scale.time();
    seen.step = 0.0;
    last_step = 0.0;
    steps_since_restart = 0;
  }

  void start_anew() {
    Snapshot here{t, seen, std::vector<double>(positions + n), integrator->memory()};
    std::copy_n(integrator->state(), positions + n, here.y.begin());
    project(t, here.y.data());
    accelerations.set_time(first_time + t);
    scale.see_noise(here.y.data(), accelerations, here.seen);
    snapshots.push_back(std::move(here));
    begin_at(snapshots.back());
  }

  /// The state on the constraints, its rotations without rounding errors.
  void project(double time, double* state) {
    if (!constrained) return;
    if (!run(projection, time, state)) {
      throw FlowError(fmt::format("no state on the constraints is found near t = {:.6g}: {}", first_time + time,
                                  projection.failure()));
    }
    std::copy(projection.outputs().begin(), projection.outputs().end(), state);
  }

  [[noreturn]] void end(const std::string& reason) const {
    throw FlowError(fmt::format("{} ends at t = {:.10g}: {}", name, first_time + t, reason));
  }

  void take_internal_step() {
    keep_working();
    if (steps_since_restart == steps_between_restarts) start_anew();
    trouble.clear();
    const double before = t;
    const char* const failure = integrator->step(snapshots.back().t + first_reach);
    t = integrator->time();
    last_step = integrator->last_step();
    if (failure != nullptr) {
      end(fmt::format("{}; the motion may reach a singularity", trouble.empty() ? failure : trouble));
    }
    if (!(t > before)) end("its steps become too small to change t; the motion reaches a singularity");
    const double* const slopes = integrator->slopes();
    scale.see(integrator->state() + positions, slopes != nullptr ? slopes + positions : last_acceleration.data(),
              last_step, seen);
    ++steps_since_restart;
    ++internal_steps;
  }

  /// To a time, as long as the pace of the last restarts leads there.
  void go_to(double time) {
    std::vector<double> restarts;
    while (t < time) {
      take_internal_step();
      if (steps_since_restart != steps_between_restarts) continue;
      restarts.push_back(t);
      if (restarts.size() <= watched_restarts) continue;
      const double advance = t - restarts[restarts.size() - 1 - watched_restarts];
      const double steps = static_cast<double>(watched_restarts * steps_between_restarts);
      const double left = std::min((time - t) / advance * steps, std::numeric_limits<double>::max());
      if (left <= most_steps) continue;
      end(
          fmt::format("to reach t = {:.10g} it would take about {:.0e} steps of its own, the last one of {:.2g}; the "
                      "motion may reach "
                      "a singularity, or is too fast for a time as long as this",
                      first_time + time, left, last_step));
    }
  }

  State at(double time) {
    if (!(time >= 0.0) || !std::isfinite(time)) {
      throw std::invalid_argument(fmt::format("{} starts at t = 0 and has no state at t = {}", name, time));
    }
    if (time < snapshots.front().t) throw std::invalid_argument(fmt::format("the state at t = {} was forgotten", time));
    if (time < t - last_step) {  // behind the step the interpolation is valid for: again from a snapshot
      while (snapshots.back().t > time) snapshots.pop_back();
      begin_at(snapshots.back());
    }
    go_to(time);
    State state{std::vector<double>(positions), std::vector<double>(n), first_time + time};
    double* values = interpolated.data();
    if (time == snapshots.back().t) {  // on the constraints already
      std::copy(snapshots.back().y.begin(), snapshots.back().y.end(), values);
    } else {
      if (!integrator->interpolate(time, values)) {
        end(fmt::format("it cannot be interpolated to t = {}", first_time + time));
      }
      project(time, values);
    }
    std::copy_n(values, positions, state.q.begin());
    std::copy_n(values + positions, n, state.v.begin());
    return state;
  }

  Space space;
  std::size_t positions;  ///< how many numbers they are
  std::size_t n;          ///< velocities
  double first_time;      ///< t of the start
  bool by_series;
  const char* name;  ///< for people
  double tolerance;
  CompiledMap accelerations;
  CompiledMap projection;
  bool constrained;
  MotionScale scale;
  std::unique_ptr<Integrator> integrator;
  std::vector<double> interpolated;
  std::vector<double> last_acceleration;
  std::vector<Snapshot> snapshots;
  MotionScale::Seen seen;
  double t = 0.0;
  double last_step = 0.0;
  double first_reach = 0.0;  ///< time within which the first step after a restart ends
  int steps_since_restart = 0;
  std::int64_t internal_steps = 0;
  std::string trouble;
};

ReferenceFlow::ReferenceFlow(const Problem& problem, const ReferenceOptions& options)
    : implementation_(std::make_unique<Implementation>(problem, options)) {}
ReferenceFlow::~ReferenceFlow() = default;

State ReferenceFlow::at(double t) { return implementation_->at(t); }
void ReferenceFlow::forget_the_past() {
  auto& snapshots = implementation_->snapshots;
  snapshots.erase(snapshots.begin(), snapshots.end() - 1);
}
std::int64_t ReferenceFlow::internal_steps() const { return implementation_->internal_steps; }

std::vector<double> ReferenceFlow::save() const {
  const auto& last = implementation_->snapshots.back();
  std::vector<double> saved{last.t};
  const std::vector<double> seen = last.seen.save();
  saved.insert(saved.end(), last.y.begin(), last.y.end());
  saved.insert(saved.end(), seen.begin(), seen.end());
  saved.insert(saved.end(), last.memory.begin(), last.memory.end());
  return saved;
}

void ReferenceFlow::restore(std::span<const double> saved) {
  const std::size_t size = implementation_->positions + implementation_->n;
  const std::size_t of_scale = implementation_->scale.at_start().save().size();
  if (saved.size() < 1 + size + of_scale) throw std::invalid_argument("the saved state belongs to another system");
  const auto y = saved.subspan(1, size);
  const auto memory = saved.subspan(1 + size + of_scale);
  implementation_->snapshots = {{saved[0],
                                 MotionScale::Seen::restored(saved.subspan(1 + size, of_scale)),
                                 {y.begin(), y.end()},
                                 {memory.begin(), memory.end()}}};
  implementation_->begin_at(implementation_->snapshots.back());
}

}  // namespace rattleback
