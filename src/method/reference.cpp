#include "rattleback/method/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adams.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

constexpr int steps_between_restarts = 1000;

}  // namespace

struct ReferenceFlow::Implementation {
  struct Snapshot {
    double t;
    std::vector<double> y;
  };

  Implementation(const Problem& problem, double tolerance, double absolute_tolerance)
      : n(problem.system.dimension()),
        accelerations(typical_at(rattleback::accelerations(problem.system), problem), problem),
        projection(typical_at(rattleback::projection(problem.system), problem), problem),
        constrained(!problem.system.velocity_rows().empty()) {
    std::vector<double> start = problem.start.q;
    start.insert(start.end(), problem.start.v.begin(), problem.start.v.end());
    adams = make_adams({2 * n, &rates, this, tolerance, absolute_tolerance});
    interpolated.resize(2 * n);
    snapshots.push_back({0.0, std::move(start)});
    begin_at(snapshots.back());
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  static bool rates(const double* state, double* slopes, void* self) {
    auto& flow = *static_cast<Implementation*>(self);
    if (!flow.run(flow.accelerations, state)) {
      flow.trouble = flow.accelerations.failure();
      return false;
    }
    std::copy_n(state + flow.n, flow.n, slopes);
    std::ranges::copy(flow.accelerations(Slot::acceleration), slopes + flow.n);
    return true;
  }

  /// A map at a state (q, v).
  bool run(CompiledMap& map, const double* state) const {
    map.set(Slot::position, {state, n});
    map.set(Slot::velocity, {state + n, n});
    return map.run();
  }

  void begin_at(const Snapshot& snapshot) {
    adams->restart(snapshot.t, snapshot.y.data());
    t = snapshot.t;
    last_step = 0.0;
    steps_since_restart = 0;
  }

  /// The state on the constraints.
  void project(double* state) {
    if (!constrained) return;
    if (!run(projection, state)) {
      throw FlowError(fmt::format("no state on the constraints is found near t = {:.6g}: {}", t, projection.failure()));
    }
    std::copy(projection.outputs().begin(), projection.outputs().end(), state);
  }

  void take_internal_step() {
    if (steps_since_restart == steps_between_restarts) {
      Snapshot here{t, std::vector<double>(2 * n)};
      std::copy_n(adams->state(), 2 * n, here.y.begin());
      project(here.y.data());
      snapshots.push_back(std::move(here));
      begin_at(snapshots.back());
    }
    trouble.clear();
    const char* failure = adams->step(snapshots.back().t + 1.0);
    t = adams->time();
    last_step = adams->last_step();
    if (failure != nullptr) {
      const std::string reason =
          trouble.empty() ? fmt::format("the step size became too small ({})", failure) : trouble;
      throw FlowError(
          fmt::format("the reference solution ends at t = {:.10g}: {}; the motion may reach a singularity", t, reason));
    }
    ++steps_since_restart;
    ++internal_steps;
  }

  State at(double time) {
    if (!(time >= 0.0) || !std::isfinite(time)) {
      throw std::invalid_argument(
          fmt::format("the reference solution starts at t = 0 and has no state at t = {}", time));
    }
    if (time < snapshots.front().t) throw std::invalid_argument(fmt::format("the state at t = {} was forgotten", time));
    if (time < t - last_step) {  // behind the step the interpolation is valid for: again from a snapshot
      while (snapshots.back().t > time) snapshots.pop_back();
      begin_at(snapshots.back());
    }
    while (t < time) take_internal_step();
    State state{std::vector<double>(n), std::vector<double>(n)};
    double* values = interpolated.data();
    if (time == snapshots.back().t) {  // on the constraints already
      std::copy(snapshots.back().y.begin(), snapshots.back().y.end(), values);
    } else {
      if (!adams->interpolate(time, values)) {
        throw FlowError(fmt::format("CVODE cannot interpolate to t = {}", time));
      }
      project(values);
    }
    std::copy_n(values, n, state.q.begin());
    std::copy_n(values + n, n, state.v.begin());
    return state;
  }

  std::size_t n;
  CompiledMap accelerations;
  CompiledMap projection;
  bool constrained;
  std::unique_ptr<AdamsIntegrator> adams;
  std::vector<double> interpolated;
  std::vector<Snapshot> snapshots;
  double t = 0.0;
  double last_step = 0.0;
  int steps_since_restart = 0;
  std::int64_t internal_steps = 0;
  std::string trouble;
};

ReferenceFlow::ReferenceFlow(const Problem& problem, double tolerance, double absolute_tolerance)
    : implementation_(std::make_unique<Implementation>(problem, tolerance, absolute_tolerance)) {}
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
  saved.insert(saved.end(), last.y.begin(), last.y.end());
  return saved;
}

void ReferenceFlow::restore(std::span<const double> saved) {
  if (saved.size() != 2 * implementation_->n + 1)
    throw std::invalid_argument("the saved state belongs to another system");
  implementation_->snapshots.push_back({saved[0], {saved.begin() + 1, saved.end()}});
  implementation_->begin_at(implementation_->snapshots.back());
}

}  // namespace rattleback
