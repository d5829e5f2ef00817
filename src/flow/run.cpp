#include "rattleback/flow/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "rattleback/base/work.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"
#include "step_failure.hpp"
#include "work_meter.hpp"

namespace rattleback {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs of so many steps are worth compiling, whatever they are.
constexpr std::int64_t long_run = 20000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Energy, constraints and conserved quantities at every node; momenta and multipliers when they are recorded.
class NodeObserver {
 public:
  NodeObserver(const Problem& problem, bool records)
      : map_(rattleback::observables(problem.system)), observables_(CompiledMap::functions(map_, problem)),
        momenta_(CompiledMap::functions(legendre(problem.system), problem)), values_(map_.outputs.size()),
        multipliers_(problem.system.velocity_rows().size()) {
    if (!records || multipliers_.empty()) return;
    accelerations_.emplace(typical_at(accelerations(problem.system), problem), problem);
  }

  void observe(const Stepper& stepper) {
    observe(stepper.node());
    // Methods that keep the constraints between the nodes are judged by that.
    const IntervalValues* const interval = stepper.interval();
    if (interval == nullptr || !stepper.keeps_constraints_between_nodes()) return;
    std::ranges::copy(interval->constraints, map_.output_layout.of(values_, Slot::constraints).begin());
  }
  void observe(const State& node) {
    observables_.run(node);
    values_ = observables_.outputs();
  }
  /// What somebody else has seen at a node.
  void take(const std::vector<double>& values) { values_ = values; }
  Program functions() const { return make_program(map_.data, map_.outputs); }
  const std::vector<double>& values() const { return values_; }
  double energy() const { return map_.output_layout.of(values_, Slot::energy)[0]; }
  std::span<const double> constraints() const { return map_.output_layout.of(values_, Slot::constraints); }
  std::span<const double> conserved() const { return map_.output_layout.of(values_, Slot::conserved); }

  std::span<const double> momenta(const State& node) {
    momenta_.run(node);
    return momenta_.outputs();
  }
  /// NaN where the constraints lose their rank.
  std::span<const double> multipliers(const State& node) {
    if (!accelerations_) return multipliers_;
    if (accelerations_->run(node)) return (*accelerations_)(Slot::multipliers);
    std::ranges::fill(multipliers_, std::numeric_limits<double>::quiet_NaN());
    return multipliers_;
  }

 private:
  ImplicitSystem map_;
  CompiledMap observables_;
  CompiledMap momenta_;
  std::optional<CompiledMap> accelerations_;
  std::vector<double> values_;
  std::vector<double> multipliers_;
};

/// One run from beginning to end; its members are the run's state.
class Run {
 public:
  Run(Stepper& stepper, const Problem& problem, const RunOptions& options)
      : stepper_(stepper), problem_(problem), options_(options), observer_(problem, options.recorder != nullptr) {
    for (const Observer* o : options.observers) observed_.resize(observed_.size() + o->quantity().labels.size());
    if (WorkMeter::is_needed(problem)) meter_.emplace(problem);
    std::optional<CompileAtOnce> at_once;  // of a long run, before the clock begins
    if (options.steps >= long_run) at_once.emplace();
    leaps_ = options.observers.empty() && !meter_ && stepper.watch(observer_.functions());
    watched_ = Watched(observer_.values().size());
    begin_ = Clock::now();  // what was compiled belongs to no step
  }

  RunResult go(const Checkpoint* resume) {
    begin(resume);
    std::optional<Interruptible> interruptible(options_.interrupt);
    while (step_ < options_.steps && outcome_ == RunOutcome::finished && !stepper_.stopped_by()) {
      if (!leap()) advance();
      if (step_ >= next_look_) look_at_clock();
      if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed) &&
          step_ < options_.steps && outcome_ == RunOutcome::finished && !stepper_.stopped_by()) {
        outcome_ = RunOutcome::interrupted;
      }
    }
    interruptible.reset();  // what was done is kept in peace
    if (outcome_ != RunOutcome::failed && !broken_off_) save_checkpoint();
    report_progress();
    return result();
  }

 private:
  void begin(const Checkpoint* resume) {
    for (Observer* o : options_.observers) o->reset();
    if (resume != nullptr) {
      stepper_.restore(resume->stepper);
      step_ = resume->step;
      statistics_ = resume->statistics;
      shown_ = resume->shown;
      observe();
    } else {
      observe();
      statistics_.begin(observer_.energy(), observer_.conserved());
      statistics_.measure_scales(problem_, stepper_.node());
      statistics_.observed.resize(observed_.size());
      statistics_.event_counts.resize(problem_.system.events().size());
      update_statistics();
      record();
    }
    last_node_ = stepper_.node();
    time_ = stepper_.time();
    if (meter_) meter_->begin(last_node_, time());
    first_step_ = step_;
    next_look_ = step_ + 1;
    earlier_seconds_ = statistics_.seconds;
    save_checkpoint();
  }

  /// To the next step at which something is to be done, or as far as it goes; false if that is nowhere.
  bool leap() {
    if (!leaps_ || step_ < next_leap_) return false;
    std::int64_t steps = std::min(options_.steps, next_look_) - step_;
    if (options_.recorder != nullptr) steps = std::min(steps, options_.every - step_ % options_.every);
    watched_.values = observer_.values();
    std::int64_t taken = 0;
    try {
      taken = stepper_.leap(watched_, std::max<std::int64_t>(steps, 1));
    } catch (const Interrupted&) {  // the stepper is where it was before
      outcome_ = RunOutcome::interrupted;
      return true;
    }
    // Where leaps fail again and again, they are tried less often.
    fruitless_ = taken > 0 ? 0 : std::min(fruitless_ + 1, 10);
    if (taken == 0) next_leap_ = step_ + (fruitless_ > 1 ? std::int64_t{1} << fruitless_ : 1);
    if (taken == 0) return false;
    step_ += taken;
    observer_.take(watched_.values);
    last_node_ = stepper_.node();
    statistics_.see(watched_.least, place());
    statistics_.see(watched_.largest, place());
    statistics_.final_energy = observer_.energy();
    const IntervalValues* const interval = stepper_.interval();
    if (interval != nullptr && !std::isnan(interval->energy)) {
      see_midpoint(watched_.least_midpoint);
      see_midpoint(watched_.largest_midpoint);
    }
    if (step_ % options_.every == 0) record();
    return true;
  }

  void advance() {
    try {
      const bool taken = stepper_.advance();
      for (const EventRecord& event : stepper_.events()) account(event);
      if (!taken) return fail(stepper_.failure());
      observe();
    } catch (const Interrupted&) {  // inside a long step, which is then not taken
      outcome_ = RunOutcome::interrupted;
      broken_off_ = true;
      return;
    }
    if (!std::isfinite(observer_.energy())) {
      fail("the energy is not finite any more; a smaller step may help");
      return;
    }
    ++step_;
    last_node_ = stepper_.node();
    time_ = stepper_.time();
    if (meter_) statistics_.work += meter_->advance(last_node_, time());
    update_statistics();
    if (step_ % options_.every == 0 || stepper_.stopped_by()) record();
  }

  /// An impact is no error of the method: what it does to energy and conserved quantities is kept by itself.
  void account(const EventRecord& event) {
    ++statistics_.event_counts[event.event];
    if (statistics_.events.size() < RunStatistics::most_events) statistics_.events.push_back(event);
    if (event.after.empty()) return;
    observer_.observe(event.node);
    const double energy = observer_.energy();
    const std::vector<double> conserved(observer_.conserved().begin(), observer_.conserved().end());
    if (meter_) statistics_.work += meter_->advance(event.node, event.time);
    const State after{event.node.q, event.after, event.node.t};
    observer_.observe(after);
    if (meter_) meter_->begin(after, event.time);
    statistics_.impact_energy += observer_.energy() - energy;
    statistics_.impact_conserved.resize(conserved.size());
    for (std::size_t k = 0; k < conserved.size(); ++k) {
      statistics_.impact_conserved[k] += observer_.conserved()[k] - conserved[k];
    }
  }

  void observe() {
    observer_.observe(stepper_);
    std::span<double> rest = observed_;
    for (Observer* o : options_.observers) {
      const std::size_t size = o->quantity().labels.size();
      o->observe(stepper_, rest.first(size));
      rest = rest.subspan(size);
    }
  }

  void update_statistics() {
    statistics_.final_energy = observer_.energy();
    statistics_.see(observer_.values(), place());
    std::size_t i = 0;
    for (const Observer* o : options_.observers) {
      for (std::size_t k = 0; k < o->quantity().labels.size(); ++k, ++i) {
        if (step_ < o->first_node()) continue;
        const bool exists = std::isfinite(observed_[i]);
        statistics_.observed[i].see(observed_[i], place(), exists ? std::string() : o->why_undefined());
      }
    }
    const IntervalValues* const interval = stepper_.interval();
    if (interval != nullptr && !std::isnan(interval->energy)) see_midpoint(interval->energy);
  }

  void see_midpoint(double energy) {
    auto& range = statistics_.midpoint_energy;
    if (range.empty()) range.assign(2, energy);
    range[0] = std::min(range[0], energy);
    range[1] = std::max(range[1], energy);
  }

  void fail(const std::string& why) {
    outcome_ = RunOutcome::failed;
    failure_ = step_failure(step_, options_.steps, time(), problem_.step, why);
  }

  /// Of the last good node.
  NodePlace place() const { return {step_, time()}; }
  double time() const {
    return time_ ? problem_.start.t + *time_ : std::fma(static_cast<double>(step_), problem_.step, problem_.start.t);
  }

  void record() {
    if (options_.recorder == nullptr) return;
    const State& node = stepper_.node();
    const Space space = problem_.system.space();
    if (space.rotations > 0) shown_ = space.shown(node.q, shown_);
    options_.recorder->record({step_, time(), space.rotations > 0 ? shown_ : node.q, node.v, observer_.momenta(node),
                               observer_.multipliers(node), observer_.energy(),
                               std::span(&statistics_.work, records_work_ ? 1 : 0), observer_.constraints(),
                               observer_.conserved(), observed_});
  }

  /// Steps are counted so that the clock is read about a thousand times a second, whatever a step costs.
  void look_at_clock() {
    const double now = seconds_since(begin_);
    const double rate = static_cast<double>(step_ - first_step_) / std::max(now, 1e-6);
    next_look_ = step_ + std::clamp<std::int64_t>(static_cast<std::int64_t>(rate * 1e-3), 1, 1 << 16);
    if (now - last_checkpoint_ >= options_.checkpoint_interval) {
      save_checkpoint();
      last_checkpoint_ = seconds_since(begin_);
    }
    if (now - last_progress_ >= options_.progress_interval) {
      report_progress();
      last_progress_ = now;
    }
  }

  void save_checkpoint() {
    statistics_.seconds = earlier_seconds_ + seconds_since(begin_);
    if (options_.recorder != nullptr) options_.recorder->checkpoint({step_, stepper_.save(), statistics_, shown_});
  }

  void report_progress() const {
    if (options_.progress) options_.progress({step_, options_.steps, seconds_since(begin_), first_step_});
  }

  RunResult result() {
    statistics_.seconds = earlier_seconds_ + seconds_since(begin_);
    statistics_.measure_scales(problem_, last_node_);
    const auto p = observer_.momenta(last_node_);
    return {outcome_,
            step_,
            time(),
            last_node_,
            {p.begin(), p.end()},
            statistics_,
            stepper_.newton(),
            failure_,
            stepper_.remarks(),
            time_.has_value() && !stepper_.stopped_by(),
            stepper_.stopped_by()};
  }

  Stepper& stepper_;
  const Problem& problem_;
  const RunOptions& options_;
  NodeObserver observer_;
  const bool records_work_ = !problem_.system.conserves_energy();
  std::optional<WorkMeter> meter_;  ///< where some may be done
  std::vector<double> observed_;
  RunStatistics statistics_;
  RunOutcome outcome_ = RunOutcome::finished;
  bool broken_off_ = false;  ///< the stepper is between two nodes: the last checkpoint stands
  std::string failure_;
  std::optional<double> time_;  ///< of that node since the start, if the stepper has one of its own
  State last_node_;             ///< the last good one: a failed step may leave the stepper at a worse
  std::int64_t step_ = 0;
  std::int64_t first_step_ = 0;
  std::int64_t next_look_ = 1;
  bool leaps_ = false;
  std::vector<double> shown_;  ///< the last recorded position, as people see it
  Watched watched_;
  std::int64_t next_leap_ = 0;
  int fruitless_ = 0;  ///< leaps in a row
  double earlier_seconds_ = 0.0;
  Clock::time_point begin_ = Clock::now();
  double last_checkpoint_ = 0.0;
  double last_progress_ = 0.0;
};

/// Keeps everything.
class InMemory final : public Recorder {
 public:
  InMemory(const Space& space, Trajectory& trajectory) : space_(space), trajectory_(trajectory) {}
  void record(const Sample& s) override {
    trajectory_.time.push_back(s.time);
    trajectory_.nodes.push_back({space_.from_shown(s.q), {s.v.begin(), s.v.end()}});
    trajectory_.energy.push_back(s.energy);
  }
  void checkpoint(const Checkpoint&) override {}

 private:
  Space space_;
  Trajectory& trajectory_;
};

}  // namespace

const char* outcome_name(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::finished: return "finished";
    case RunOutcome::interrupted: return "interrupted";
    case RunOutcome::failed: return "failed";
  }
  return "";
}

RunResult run(Stepper& stepper, const Problem& problem, const RunOptions& options, const Checkpoint* resume) {
  if (options.steps < 0 || options.every < 1) {
    throw RequestError(fmt::format("a run of {} steps, recorded every {}, cannot be", options.steps, options.every));
  }
  return Run(stepper, problem, options).go(resume);
}

Trajectory integrate(const System& system, const MethodSpec& method, const IntegrateOptions& options) {
  const Problem problem{system, system.parameter_values(), {options.q, options.v, options.t}, options.step};
  if (!(options.step > 0.0) || !std::isfinite(options.step)) {
    throw RequestError(fmt::format("the step must be positive, found {}", options.step));
  }
  require_regular_start(system, problem.parameters, problem.start);
  const auto stepper = make_stepper(method, problem);
  Trajectory trajectory;
  InMemory recorder(system.space(), trajectory);
  RunOptions run_options;
  run_options.steps = options.steps;
  run_options.every = options.every;
  run_options.recorder = &recorder;
  trajectory.result = run(*stepper, problem, run_options);
  return trajectory;
}

}  // namespace rattleback
