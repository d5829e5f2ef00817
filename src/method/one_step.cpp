// A one-step method on its way along a trajectory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/not_a_number.hpp"
#include "../base/signed_size.hpp"
#include "guards.hpp"
#include "interval_watch.hpp"
#include "leap.hpp"
#include "node_solver.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "second_position.hpp"
#include "stage_solver.hpp"

namespace rattleback {
namespace {

std::vector<Remark> remarks_at_start(const Method& method, const Problem& problem) {
  std::vector<Remark> list;
  for (const StartRemark& remark : method.remarks) {
    const ImplicitSystem map = map_of_node(problem.system);
    Interpreter<double> value(make_program(map.data, {&remark.value, 1}));
    list.push_back({remark.name, value(data_of(map.data_layout, problem))[0], remark.text});
  }
  return list;
}

class OneStep final : public OneStepper {
 public:
  OneStep(const Method& method, const MethodMaps& maps, const Problem& problem)
      : method_(method), problem_(problem), maps_(maps), remarks_(remarks_at_start(method, problem)),
        n_(problem.system.dimension()), positions_(problem.system.coordinates().size()), solver_(method, maps, problem),
        nodes_(method, maps, problem), clock_(method), kept_(whole_start(method, maps, problem)), node_(problem.start) {
    if (method.interval) {
      watch_.emplace(*method.interval, problem);
      interval_.constraints.resize(method.interval->constraints.size());
    }
    interval_.multipliers.resize(method.multipliers());
    if (problem.second_position) second_.emplace(method, problem);
    if (method.adjust && !adjust_state()) throw MethodError(failure_);
    before_ = kept_;
    if (!read_node()) throw MethodError(failure_);
    guards_.emplace(method, problem);
  }

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return solver_.newton(); }
  std::span<const double> state() const override { return std::span(kept_).first(method_.state_size()); }
  std::span<const double> kept() const override { return kept_; }
  const IntervalValues* interval() const override { return watch_ && has_interval_ ? &interval_ : nullptr; }

  bool keeps_constraints_between_nodes() const override {
    return method_.structure.constraint == Structure::Constraint::between_nodes;
  }

  std::vector<Remark> remarks() const override {
    std::vector<Remark> list = remarks_;
    for (Remark& remark : guards_->remarks()) list.push_back(std::move(remark));
    if (nodes_.by_interval() > 0.0) {
      list.push_back({"velocities_by_interval", nodes_.by_interval(),
                      "how often no velocity near that of the interval before had the momentum of a node: the velocity "
                      "of the interval is taken there"});
    }
    return list;
  }

  bool advance() override {
    before_ = kept_;
    has_interval_ = false;
    failure_ = guards_->before_step(node_);
    if (!failure_.empty()) return false;
    if (!guards_->empty()) node_before_ = node_;
    const bool crosses = guards_->cross();
    if (crosses) extrapolate_linearly();
    must_be_near_ = !guards_->empty() && !crosses;  // at a crossing the guards judge the solution
    if ((!method_.adjusts_every_step || adjust_state()) && take_step() && read_node() && passes_guards()) {
      if (second_) second_->is_next = false;
      has_interval_ = true;
      return true;
    }
    kept_ = before_;
    return false;
  }

  bool watch(const Program& functions) override {
    if (!guards_->empty() || method_.adjusts_every_step) return false;
    if (leap_ && watched_ == functions) return true;
    leap_ = Leap::make(method_, maps_, problem_, watch_ ? std::optional(watch_->program()) : std::nullopt, functions);
    watched_ = functions;
    return leap_.has_value();
  }

  std::int64_t leap(Watched& watched, std::int64_t steps) override {
    if (!leap_ || second_is_next() || (watch_ && !has_interval_)) return 0;
    const std::int64_t taken =
        leap_->run({own_state(), memories(), clock(), node_, interval_, solver_.newton()}, watched, steps);
    if (taken > 0) node_.t = time_of_node();
    return taken;
  }

  bool take_over(const Problem& problem, std::span<const double> kept) override {
    problem_ = problem;
    solver_.surround(problem);
    nodes_.surround(problem);
    if (watch_) watch_->surround(problem);
    leap_.reset();
    has_interval_ = false;
    std::ranges::copy(kept, kept_.begin());
    node_ = problem.start;
    return read_node();
  }

  void go_from(const State& node, std::span<const double> kept, double start, double h) override {
    problem_.start.t = start;
    problem_.step = h;
    nodes_.surround(problem_);
    leap_.reset();
    has_interval_ = false;
    std::ranges::copy(kept, kept_.begin());
    node_ = node;
  }

  void set_step(double h) override {
    problem_.start.t = node_.t;
    std::ranges::fill(clock(), 0.0);
    problem_.step = h;
    leap_.reset();
    if (second_is_next()) second_.emplace(method_, problem_);
  }

  bool set_parameters(std::span<const double> values) override {
    std::ranges::copy(values, problem_.parameters.begin());
    solver_.surround(problem_);
    nodes_.surround(problem_);
    if (watch_) watch_->surround(problem_);
    leap_.reset();
    has_interval_ = false;
    return read_node();
  }

  // state, memories of the stages, clock, velocity of the node, whether the second position is next, counters
  std::vector<double> save() const override {
    const NewtonCount& newton = solver_.newton();
    std::vector<double> saved = kept_;
    saved.insert(saved.end(), node_.v.begin(), node_.v.end());
    saved.push_back(second_is_next() ? 1.0 : 0.0);
    saved.push_back(static_cast<double>(newton.iterations));
    saved.push_back(newton.max);
    saved.push_back(static_cast<double>(newton.solutions));
    for (const double number : guards_->save()) saved.push_back(number);
    saved.push_back(nodes_.by_interval());
    return saved;
  }

  void restore(std::span<const double> saved) override {
    const std::size_t guarded = guards_->save().size();
    if (saved.size() != kept_.size() + n_ + 5 + guarded) {
      throw std::invalid_argument("the saved state belongs to another system or method");
    }
    std::ranges::copy(saved.first(kept_.size()), kept_.begin());
    std::ranges::copy(saved.subspan(kept_.size(), n_), node_.v.begin());
    const auto rest = saved.subspan(kept_.size() + n_);
    if (second_) second_->is_next = rest[0] != 0.0;
    has_interval_ = false;
    solver_.newton() = {static_cast<std::int64_t>(rest[1]), static_cast<int>(rest[2]),
                        static_cast<std::int64_t>(rest[3])};
    std::ranges::copy(method_.state.of(state(), Slot::position), node_.q.begin());
    if (!read_node()) throw std::invalid_argument(failure_);
    guards_->restore(rest.subspan(4, guarded), node_);
    nodes_.set_by_interval(rest.back());
  }

 private:
  std::span<double> own_state() { return std::span(kept_).first(method_.state_size()); }
  std::span<double> memories() {
    return std::span(kept_).subspan(method_.state_size(), method_.stages.size() * method_.memory_size());
  }
  std::span<double> clock() { return std::span(kept_).last(method_.depends_on_time() ? 1 : 0); }
  std::span<double> memory(std::size_t stage) {
    return memories().subspan(stage * method_.memory_size(), method_.memory_size());
  }
  bool second_is_next() const { return second_ && second_->is_next; }

  /// Two solutions meet where a quantity vanishes that the equations divide by, and errors of the steps before are
  /// large: what continues the motion is looked for on the line through the last two, not on the parabola through
  /// three.
  void extrapolate_linearly() {
    const std::size_t n = method_.remembered;
    for (std::size_t stage = 0; stage < method_.stages.size(); ++stage) {
      const std::span<double> m = memory(stage);
      for (std::size_t k = 0; k < n; ++k) m[2 * n + k] = 2.0 * m[n + k] - m[k];
    }
  }

  bool passes_guards() {
    failure_ = guards_->after_step(node_before_, node_);
    if (!failure_.empty()) node_ = node_before_;
    return failure_.empty();
  }

  bool adjust_state() {
    failure_ = method_.adjust(own_state(), node_.v, problem_.step);
    return failure_.empty();
  }

  /// Where the system depends on it.
  double time_of_node() {
    clock_.set(clock(), problem_.start.t, problem_.step);
    return method_.depends_on_time() ? clock_.stage(0) : node_.t;
  }

  bool take_step() {
    clock_.set(clock(), problem_.start.t, problem_.step);
    if (!take_stages()) return false;
    for (double& steps : clock()) steps += 1.0;
    return true;
  }

  bool take_stages() {
    std::ranges::fill(interval_.constraints, 0.0);
    std::ranges::fill(interval_.multipliers, not_a_number);
    if (second_is_next()) {  // the first step is given
      std::ranges::copy(second_->state, kept_.begin());
      watch_interval(before_, second_->increments, clock_.stage(0), problem_.step);
      return true;
    }
    if (method_.stages.size() > 1) return compose();
    if (!solver_(own_state(), memory(0), clock_.stage(0), problem_.step, node_.v, must_be_near_)) {
      failure_ = solver_.failure();
      return false;
    }
    std::ranges::copy(solver_.multipliers(), interval_.multipliers.begin());
    watch_interval(before_, solver_.increments(), clock_.stage(0), problem_.step);
    return true;
  }

  /// The stages one after the other, each with its own memory: from step to step a stage changes smoothly.
  bool compose() {
    for (std::size_t i = 0; i < method_.stages.size(); ++i) {
      const double h = method_.stages[i] * problem_.step;
      stage_before_.assign(kept_.begin(), kept_.begin() + signed_size(positions_));
      if (!solver_(own_state(), memory(i), clock_.stage(i), h, node_.v, must_be_near_)) {
        failure_ = fmt::format("stage {} of {}: {}", i + 1, method_.stages.size(), solver_.failure());
        return false;
      }
      watch_interval(stage_before_, solver_.increments(), clock_.stage(i), h);
    }
    interval_.energy = not_a_number;
    return true;
  }

  void watch_interval(std::span<const double> from, std::span<const double> by, double t, double h) {
    if (!watch_) return;
    (*watch_)(from, by, t, h);
    interval_.energy = watch_->energy();
    for (std::size_t k = 0; k < interval_.constraints.size(); ++k) {
      const double residual = watch_->constraints()[k] * (h / problem_.step);  // slip, relative to the whole step
      if (!(std::abs(residual) <= std::abs(interval_.constraints[k]))) interval_.constraints[k] = residual;
    }
  }

  /// False if there is no node, or its numbers are not finite any more.
  bool read_node() {
    if (nodes_(state(), time_of_node(), node_)) return true;
    failure_ = nodes_.failure();
    return false;
  }

  Method method_;
  Problem problem_;
  MethodMaps maps_;
  std::vector<Remark> remarks_;
  std::size_t n_;  ///< velocities
  std::size_t positions_;
  StageSolver solver_;
  NodeSolver nodes_;
  StepClock clock_;
  std::vector<double> kept_;  ///< state, memories of all stages, clock
  std::vector<double> before_;
  std::optional<IntervalWatch> watch_;
  std::optional<Guards> guards_;
  IntervalValues interval_;
  bool has_interval_ = false;
  bool must_be_near_ = false;  ///< the next step must be near its extrapolation
  std::optional<SecondPosition> second_;
  std::vector<double> stage_before_;  ///< q
  State node_;
  State node_before_;  ///< of guarded methods
  std::string failure_;
  Program watched_;
  std::optional<Leap> leap_;
};

}  // namespace

std::unique_ptr<Stepper> make_one_step(const Method& method, const Problem& problem) {
  if (method.needs_inertia && !direction_without_inertia(problem.system, problem.parameters, problem.start).empty()) {
    throw MethodError(
        "the method needs inertia in every direction, and this system does not have it; dla and rk4 need "
        "it only where the constraints let the system move");
  }
  Guards(method, problem);  // says why a start is singular
  return make_one_step(method, maps_of(method, problem), problem);
}

std::unique_ptr<OneStepper> make_one_step(const Method& method, const MethodMaps& maps, const Problem& problem) {
  return std::make_unique<OneStep>(method, maps, problem);
}

}  // namespace rattleback
