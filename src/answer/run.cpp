#include "rattleback/answer/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "check.hpp"
#include "describe.hpp"
#include "measured.hpp"
#include "page.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/io/result_file.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"
#include "rattleback/report/runs.hpp"

namespace rattleback::answer {
namespace {

void check_files(const RunRequest& r) {
  if (r.output) require_known_format(*r.output);
  require_page(r.report, r.force);
  if (r.resume && r.report) {
    throw RequestError(
        "`report` shows a whole run, and one that is resumed does not know its beginning any more: drop one");
  }
  if (r.force && !r.output && !r.report)
    throw RequestError("`force` needs the file that is to be replaced: `output=FILE`");
  if (r.resume && !r.output) {
    throw RequestError("`resume` needs the file of the run that is to be resumed: `output=FILE`");
  }
  if (r.resume && r.force) throw RequestError("`resume` continues and `force` starts anew: give one");
}

void check(const RunRequest& r) {
  for (auto name = r.observe.begin(); name != r.observe.end(); ++name) {
    if (std::find(r.observe.begin(), name, *name) != name) {
      throw RequestError(fmt::format("`observe` has {} twice", *name));
    }
  }
  check_files(r);
  require_positive(r.every, "every");
}

/// How often each event has happened: a column for each.
class EventCounts final : public Observer {
 public:
  explicit EventCounts(const System& system) : Observer({"events", labels(system)}) {}
  void observe(const Stepper& stepper, std::span<double> values) override {
    std::ranges::copy(stepper.event_counts(), values.begin());
  }

 private:
  static std::vector<std::string> labels(const System& system) {
    std::vector<std::string> list;
    for (const Event& event : system.events()) list.push_back("events_" + event.name);
    return list;
  }
};

using Observers = std::vector<std::unique_ptr<Observer>>;

Observers observers_of(const RunRequest& request, const DerivedMethod& method, const PreparedProblem& prepared) {
  const Problem& problem = prepared.problem;
  Observers observers;
  if (!problem.system.events().empty()) observers.push_back(std::make_unique<EventCounts>(problem.system));
  for (const std::string& name : request.observe)
    observers.push_back(make_observer(name, method, problem, prepared.model));
  for (const auto& observer : observers) {
    if (request.resume && observer->counts_from_start()) {
      throw RequestError(fmt::format(
          "{} compares with the start of the run, which a resumed one does not know: start anew with `force`",
          observer->quantity().name));
    }
  }
  return observers;
}

std::unique_ptr<ResultFile> open_file(const RunRequest& request, const RunAnswer& answer) {
  if (!request.output) return nullptr;
  const auto start = request.resume  ? ResultFile::Start::resume
                     : request.force ? ResultFile::Start::forced
                                     : ResultFile::Start::fresh;
  return std::make_unique<ResultFile>(*request.output, answer.prepared.problem.system, description_of(answer), start);
}

/// Samples go to a file and into memory, or to one of them.
class Recorders final : public Recorder {
 public:
  void add(Recorder* recorder) {
    if (recorder != nullptr) recorders_.push_back(recorder);
  }
  void record(const Sample& sample) override {
    for (Recorder* r : recorders_) r->record(sample);
  }
  void checkpoint(const Checkpoint& checkpoint) override {
    for (Recorder* r : recorders_) r->checkpoint(checkpoint);
  }
  bool empty() const { return recorders_.empty(); }

 private:
  std::vector<Recorder*> recorders_;
};

const Checkpoint* resumption(const ResultFile* file, PreparedProblem& prepared, const Hooks& hooks) {
  const Checkpoint* resumed = file != nullptr ? file->resumed() : nullptr;
  if (resumed == nullptr) return nullptr;
  if (resumed->step > prepared.steps) {
    throw RequestError(
        fmt::format("the run is at step {} already, beyond the {} asked for", resumed->step, prepared.steps));
  }
  prepared.notes.push_back(fmt::format("resumed at step {} of {}", resumed->step, prepared.steps));
  hooks.tell({prepared.notes.back()});
  return resumed;
}

}  // namespace

RunDescription description_of(const RunAnswer& answer) {
  const auto& [model, problem, steps, notes] = answer.prepared;
  RunDescription description{version,
                             model.name,
                             model.title,
                             model.text,
                             problem.system.parameter_list(),
                             answer.method,
                             problem.step,
                             answer.every,
                             problem.start,
                             problem.second_position.value_or(std::vector<double>()),
                             answer.observed,
                             {}};
  for (const NamedExpression& input : model.inputs) {
    description.inputs.emplace_back(input.name, input_text(input.expression));
  }
  description.stop_when = answer.stop_when;
  return description;
}

void require_known_format(const std::string& output) {
  if (ResultFile::knows(output)) return;
  throw RequestError(
      fmt::format("the format of `output` '{}' is not known; the file must end with .h5, .hdf5 or .csv", output));
}

RunAnswer run(const RunRequest& request, const Hooks& hooks) {
  std::optional<Interruptible> deriving(hooks.interrupt);
  auto patience = hooks.patience();
  const MethodSpec spec = request.method;
  check(request);
  RunAnswer answer{.prepared = prepare(request.problem), .method = request.method, .result = {}};
  answer.every = request.every;
  answer.stop_when = request.problem.stop_when;
  answer.output = request.output;
  const Problem& problem = answer.prepared.problem;
  hooks.tell(answer.prepared.notes);
  const DerivedMethod method(spec, problem);
  const auto stepper = make_stepper(method, problem);  // before an old result is replaced
  const Observers observers = observers_of(request, method, answer.prepared);
  for (const auto& observer : observers) answer.observed.push_back(observer->quantity());
  const std::size_t most = request.samples > 0 ? request.samples : request.report ? report::most_rows : 0;
  std::optional<TableRecorder> table;
  if (most > 0) table.emplace(answer.samples, problem.system, answer.observed, most);
  const auto file = open_file(request, answer);
  Recorders recorders;
  recorders.add(file.get());
  recorders.add(table ? &*table : nullptr);
  RunOptions options;
  options.steps = answer.prepared.steps;
  options.every = request.every;
  options.recorder = recorders.empty() ? nullptr : &recorders;
  for (const auto& observer : observers) options.observers.push_back(observer.get());
  options.interrupt = hooks.interrupt;
  if (hooks.progress) options.progress = [&](const Progress& p) { hooks.progress(answer.prepared.model.name, p); };
  deriving.reset();
  patience.reset();
  answer.result = run(*stepper, problem, options, resumption(file.get(), answer.prepared, hooks));
  if (table) table->finish();
  if (file) file->finish(answer.result);
  answer.exact_error = exact_error(answer.result, problem);
  if (request.report) {
    write_page(ReportKind::run, *request.report,
               report::of_runs(answer.prepared.model, problem, {{request.method, answer.samples, answer.result}},
                               answer.observed),
               request.command);
    answer.report = request.report;
  }
  return answer;
}

std::optional<Error> complaint(const RunAnswer& a) {
  switch (a.result.outcome) {
    case RunOutcome::finished: break;
    case RunOutcome::failed:
      return Error(Error::Kind::numerics,
                   fmt::format("{}: the run failed in {}{}", a.prepared.model.name, a.result.failure,
                               a.output ? fmt::format("\nEverything up to there is in {}.", *a.output) : ""));
    case RunOutcome::interrupted:
      return Error(Error::Kind::interrupted,
                   fmt::format("interrupted after step {} of {}; {}", a.result.steps, a.prepared.steps,
                               a.output ? "continue it with `resume`" : "without `output=FILE` it cannot be resumed"));
  }
  return std::nullopt;
}

}  // namespace rattleback::answer
