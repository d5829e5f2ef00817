#include "rattleback/method/reference.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>

#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

constexpr int steps_between_restarts = 1000;

/// A map (q, v, parameters) ↦ outputs, compiled.
class StateMap {
 public:
  StateMap(ImplicitSystem map, const Problem& problem)
      : data_(problem.start_data()), step_([&] {
          map.typical = data_;
          return std::move(map);
        }()) {
    outputs_.resize(step_.system().outputs.size());
  }
  bool operator()(const double* state, std::size_t size) {
    std::copy_n(state, size, data_.begin());
    return step_.run(data_, outputs_) == 1;
  }
  const std::vector<double>& outputs() const { return outputs_; }
  std::string failure() const { return step_.describe(step_.reports()[0]); }

 private:
  std::vector<double> data_;
  Step step_;
  std::vector<double> outputs_;
};

void ignore_message(int, const char*, const char*, char*, void*) {}

}  // namespace

struct ReferenceFlow::Implementation {
  struct Snapshot {
    double t;
    std::vector<double> y;
  };

  Implementation(const Problem& problem, double tolerance, double absolute_tolerance)
      : n(problem.system.dimension()), accelerations(rattleback::accelerations(problem.system), problem),
        projection(rattleback::projection(problem.system), problem),
        constrained(!problem.system.velocity_rows().empty()) {
    std::vector<double> start = problem.start.q;
    start.insert(start.end(), problem.start.v.begin(), problem.start.v.end());
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(static_cast<sunindextype>(2 * n), context);
    interpolated = N_VClone(y);
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(y));
    memory = CVodeCreate(CV_ADAMS, context);
    solver = SUNNonlinSol_FixedPoint(y, 0, context);
    const bool made = CVodeInit(memory, &rates, 0.0, y) == CV_SUCCESS &&
                      CVodeSetErrHandlerFn(memory, &ignore_message, nullptr) == CV_SUCCESS &&
                      CVodeSStolerances(memory, tolerance, absolute_tolerance) == CV_SUCCESS &&
                      CVodeSetUserData(memory, this) == CV_SUCCESS &&
                      CVodeSetNonlinearSolver(memory, solver) == CV_SUCCESS;
    if (!made) throw FlowError(fmt::format("CVODE refuses the tolerances {} and {}", tolerance, absolute_tolerance));
    snapshots.push_back({0.0, std::move(start)});
    begin_at(snapshots.back());
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() {
    CVodeFree(&memory);
    SUNNonlinSolFree(solver);
    N_VDestroy(interpolated);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }

  static int rates(realtype, N_Vector state, N_Vector derivative, void* self) {
    auto& flow = *static_cast<Implementation*>(self);
    const double* from = N_VGetArrayPointer(state);
    double* to = N_VGetArrayPointer(derivative);
    if (!flow.accelerations(from, 2 * flow.n)) {
      flow.trouble = flow.accelerations.failure();
      return 1;  // CVODE tries a smaller step
    }
    std::copy_n(from + flow.n, flow.n, to);
    std::copy_n(flow.accelerations.outputs().begin(), flow.n, to + flow.n);
    return 0;
  }

  void begin_at(const Snapshot& snapshot) {
    std::copy(snapshot.y.begin(), snapshot.y.end(), N_VGetArrayPointer(y));
    CVodeReInit(memory, snapshot.t, y);
    t = snapshot.t;
    last_step = 0.0;
    steps_since_restart = 0;
  }

  /// The state on the constraints.
  void project(double* state) {
    if (!constrained) return;
    if (!projection(state, 2 * n)) {
      throw FlowError(fmt::format("no state on the constraints is found near t = {:.6g}: {}", t, projection.failure()));
    }
    std::copy(projection.outputs().begin(), projection.outputs().end(), state);
  }

  void take_internal_step() {
    if (steps_since_restart == steps_between_restarts) {
      Snapshot here{t, std::vector<double>(2 * n)};
      std::copy_n(N_VGetArrayPointer(y), 2 * n, here.y.begin());
      project(here.y.data());
      snapshots.push_back(std::move(here));
      begin_at(snapshots.back());
    }
    trouble.clear();
    const int flag = CVode(memory, snapshots.back().t + 1.0, y, &t, CV_ONE_STEP);
    if (flag < 0) {
      char* name = CVodeGetReturnFlagName(flag);
      const std::string reason =
          trouble.empty() ? std::string("the step size became too small (") + name + ")" : trouble;
      free(name);
      throw FlowError(
          fmt::format("the reference solution ends at t = {:.10g}: {}; the motion may reach a singularity", t, reason));
    }
    CVodeGetLastStep(memory, &last_step);
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
    double* values = N_VGetArrayPointer(interpolated);
    if (time == snapshots.back().t) {  // on the constraints already
      std::copy(snapshots.back().y.begin(), snapshots.back().y.end(), values);
    } else {
      if (CVodeGetDky(memory, time, 0, interpolated) != CV_SUCCESS) {
        throw FlowError(fmt::format("CVODE cannot interpolate to t = {}", time));
      }
      project(values);
    }
    std::copy_n(values, n, state.q.begin());
    std::copy_n(values + n, n, state.v.begin());
    return state;
  }

  std::size_t n;
  StateMap accelerations;
  StateMap projection;
  bool constrained;
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  N_Vector interpolated = nullptr;
  void* memory = nullptr;
  SUNNonlinearSolver solver = nullptr;
  std::vector<Snapshot> snapshots;
  double t = 0.0;
  double last_step = 0.0;
  int steps_since_restart = 0;
  std::int64_t internal_steps = 0;
  std::string trouble;
};

ReferenceFlow::ReferenceFlow(const Problem& problem, double tolerance, double absolute_tolerance)
    : implementation_(std::make_unique<Implementation>(problem, tolerance, absolute_tolerance)) {}
ReferenceFlow::ReferenceFlow(ReferenceFlow&&) noexcept = default;
ReferenceFlow& ReferenceFlow::operator=(ReferenceFlow&&) noexcept = default;
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

namespace {

class Reference final : public Stepper {
 public:
  Reference(const Problem& problem, double tolerance, double absolute_tolerance)
      : flow_(problem, tolerance, absolute_tolerance), step_size_(problem.step), node_(flow_.at(0.0)) {}

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return {}; }

  bool advance() override {
    try {
      node_ = flow_.at(static_cast<double>(steps_ + 1) * step_size_);
    } catch (const FlowError& error) {
      failure_ = error.what();
      return false;
    }
    ++steps_;
    flow_.forget_the_past();
    return true;
  }

  std::vector<double> save() const override {
    std::vector<double> saved = flow_.save();
    saved.push_back(static_cast<double>(steps_));
    return saved;
  }

  void restore(std::span<const double> saved) override {
    if (saved.empty()) throw std::invalid_argument("the saved state is empty");
    flow_.restore(saved.first(saved.size() - 1));
    steps_ = static_cast<std::int64_t>(saved.back());
    node_ = flow_.at(static_cast<double>(steps_) * step_size_);
  }

 private:
  ReferenceFlow flow_;
  double step_size_;
  std::int64_t steps_ = 0;
  State node_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Stepper> make_reference(const Problem& problem, double tolerance, double absolute_tolerance) {
  return std::make_unique<Reference>(problem, tolerance, absolute_tolerance);
}

}  // namespace rattleback
