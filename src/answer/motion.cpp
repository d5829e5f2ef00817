#include "rattleback/answer/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rattleback/base/work.hpp"
#include "rattleback/method/method_spec.hpp"

namespace rattleback::answer {
namespace {

/// A flow as a trajectory with nodes at given times, which are counted from the start and do not decrease.
class AtTimes final : public Stepper {
 public:
  AtTimes(Flow& flow, std::vector<double> times)
      : flow_(flow), times_(std::move(times)), node_(flow_.at(times_.front())) {}

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return {}; }
  std::optional<double> time() const override { return times_[reached_]; }
  bool advance() override {
    try {
      node_ = flow_.at(times_[reached_ + 1]);
    } catch (const FlowError& error) {
      failure_ = error.what();
      return false;
    }
    ++reached_;
    return true;
  }
  std::vector<double> save() const override { return {}; }
  void restore(std::span<const double>) override {}

 private:
  Flow& flow_;
  std::vector<double> times_;
  std::size_t reached_ = 0;
  State node_;
  std::string failure_;
};

void check(const RunAnswer& run, bool is_flow) {
  if (!is_flow) {
    throw MethodError(fmt::format(
        "{} has nodes, and no motion between them; reference has, and steps as small as one likes", run.method));
  }
  for (const Event& event : run.prepared.problem.system.events()) {
    if (event.action == Event::Action::set) {
      throw MethodError(fmt::format(
          "the event {} changes velocities on the way, and the motion between nodes is known without such events only",
          event.name));
    }
  }
}

}  // namespace

Motion::Motion(const RunAnswer& run)
    : problem_(run.prepared.problem), first_(problem_.start.t), last_(run.result.time) {
  const MethodSpec method = run.method;
  check(run, method.is_flow());
  problem_.system = problem_.system.with_events({});
  flow_ = method.flow(problem_);
}

Table Motion::at(std::span<const double> times, const Hooks& hooks) {
  std::optional<Interruptible> beginning(hooks.interrupt);
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const double t : times) {
    if (t >= first_ && t <= last_) continue;
    throw RequestError(
        fmt::format("the run leads from t = {:.10g} to {:.10g} and has no state at t = {}", first_, last_, t));
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i]; });  // flows go forwards
  Table table;
  TableRecorder recorder(table, problem_.system, {});
  if (times.empty()) return table;
  std::vector<double> since_start;
  for (const std::size_t i : order) since_start.push_back(times[i] - first_);
  AtTimes stepper(*flow_, std::move(since_start));
  RunOptions options;
  options.steps = static_cast<std::int64_t>(times.size()) - 1;
  options.recorder = &recorder;
  options.interrupt = hooks.interrupt;
  beginning.reset();
  const RunResult result = rattleback::run(stepper, problem_, options);
  if (result.outcome == RunOutcome::failed) throw FlowError(result.failure);
  if (result.outcome == RunOutcome::interrupted) throw Interrupted();
  recorder.finish();
  // The work is that since the first of these times, by what happens at them: not what a run records.
  std::erase_if(table.columns, [](const Table::Column& c) { return c.kind == ColumnKind::work; });
  std::vector<double> sorted(times.size());
  for (Table::Column& column : table.columns) {
    sorted = column.values;
    for (std::size_t k = 0; k < order.size(); ++k) column.values[order[k]] = sorted[k];
  }
  std::ranges::copy(times, table.columns.front().values.begin());  // as they were given, not t₀ + (t − t₀)
  return table;
}

}  // namespace rattleback::answer
