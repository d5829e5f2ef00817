// `rattleback run`: one trajectory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/io/result_file.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"
#include "rattleback/report/runs.hpp"
#include "report_option.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

/// A run that is continued does not start anew.
std::string without_force(std::string command) {
  const std::string flag = " --force";
  if (const std::size_t at = command.find(flag); at != std::string::npos) command.erase(at, flag.size());
  return command;
}

struct Options {
  ProblemOptions problem;
  OutputOptions output;
  std::string method = "reference";
  std::string every = "1";
  std::vector<std::string> observe;
  std::optional<std::string> file;
  std::optional<std::string> report;
  bool resume = false;
  bool force = false;
};

void check(const Options& o) {
  MethodSpec{o.method};
  for (std::size_t i = 0; i < o.observe.size(); ++i) {
    check_observer(o.observe[i]);
    if (std::find(o.observe.begin(), o.observe.begin() + static_cast<std::ptrdiff_t>(i), o.observe[i]) !=
        o.observe.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw Failure(ExitStatus::wrong_request, fmt::format("--observe has {} twice", o.observe[i]));
    }
  }
  if (o.file && !ResultFile::knows(*o.file)) {
    throw Failure(
        ExitStatus::wrong_request,
        fmt::format("the format of -o '{}' is not known; the file must end with .h5, .hdf5 or .csv", *o.file));
  }
  check_report(o.report);
  if (o.resume && o.report) {
    throw Failure(
        ExitStatus::wrong_request,
        "--report shows a whole run, and one that is resumed does not know its beginning any more: leave one away");
  }
  if (o.force && !o.file)
    throw Failure(ExitStatus::wrong_request, "--force needs the file that is to be replaced: -o FILE");
  if (o.resume && !o.file) {
    throw Failure(ExitStatus::wrong_request, "--resume needs the file of the run that is to be resumed: -o FILE");
  }
  if (o.resume && o.force)
    throw Failure(ExitStatus::wrong_request, "--resume continues and --force starts anew: give one");
}

using Observers = std::vector<std::unique_ptr<Observer>>;

std::vector<ObservedQuantity> quantities(const Observers& observers) {
  std::vector<ObservedQuantity> list;
  for (const auto& observer : observers) list.push_back(observer->quantity());
  return list;
}

/// Samples go to a file and into a report, or to one of them.
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

std::unique_ptr<ResultFile> open_file(const Options& o, const Request& request, const Observers& observers) {
  if (!o.file) return nullptr;
  const auto start = o.resume  ? ResultFile::Start::resume
                     : o.force ? ResultFile::Start::forced
                               : ResultFile::Start::fresh;
  RunDescription description{version,
                             request.model.name,
                             request.model.title,
                             request.model.text,
                             request.problem.system.parameter_list(),
                             o.method,
                             request.problem.step,
                             positive_integer(o.every, "--every"),
                             request.problem.start,
                             request.problem.second_position.value_or(std::vector<double>()),
                             quantities(observers)};
  return std::make_unique<ResultFile>(*o.file, request.problem.system, std::move(description), start);
}

void print(const RunResult& r, const Request& request, const Options& o, const Observers& observers) {
  const System& system = request.problem.system;
  const RunStatistics& s = r.statistics;
  const double reached = static_cast<double>(r.steps) * request.problem.step;
  fmt::print("{}: {}, h = {}, {} steps to {}t = {:.10g}\n\n", request.model.title, o.method, request.problem.step,
             r.steps, r.own_time ? fmt::format("tau = {:.10g}, ", reached) : "", r.time);
  fmt::print("  ({})\n", names(system.coordinates()));
  fmt::print("  q           {}\n  v           {}\n  p           {}\n", tuple(r.node.q), tuple(r.node.v),
             tuple(r.momenta));
  fmt::print("  energy      {:.10g} at the start, {:.10g} at the end, largest error {:.3g} of max(1, |E|){}\n",
             s.initial_energy, s.final_energy, s.max_energy_error,
             system.is_affine()          ? " (affine constraints do work)"
             : system.conserves_energy() ? ""
                                         : " (applied forces do work)");
  if (!s.midpoint_energy.empty()) {
    fmt::print("  midpoints   energy in [{:.7g}, {:.7g}]\n", s.midpoint_energy[0], s.midpoint_energy[1]);
  }
  if (!system.velocity_rows().empty()) fmt::print("  constraint  largest residual {:.3g}\n", s.max_constraint);
  for (std::size_t k = 0; k < s.max_conserved_error.size(); ++k) {
    fmt::print("  conserved   {} = {:.10g}, largest error {:.3g}\n", system.conserved()[k].name, s.initial_conserved[k],
               s.max_conserved_error[k]);
  }
  std::size_t k_observed = 0;
  for (const auto& observer : observers) {
    for (const std::string& label : observer->quantity().labels) {
      const double largest = s.max_observed[k_observed++];
      fmt::print("  observed    {}, {}\n", label,
                 std::isnan(largest) ? std::string("nothing to see") : fmt::format("largest {:.3g}", largest));
    }
  }
  if (const auto error = exact_error(r, request)) fmt::print("  exact       q differs by {:.3g} at the end\n", *error);
  if (r.newton.mean() >= 0.005) {
    fmt::print("  newton      {:.2f} iterations each time, at most {}\n", r.newton.mean(), r.newton.max);
  }
  for (const Remark& remark : r.remarks) fmt::print("  method      {:.6g} is {}\n", remark.value, remark.text);
  fmt::print("  time        {:.3g} s, {:.3g} ns each step\n", s.seconds,
             1e9 * s.seconds / static_cast<double>(std::max<std::int64_t>(r.steps, 1)));
  if (o.file) fmt::print("\nWritten to {}\n", *o.file);
}

void run_model(const Options& o) {
  check(o);
  const std::int64_t every = positive_integer(o.every, "--every");
  const Request request = make_request(o.problem);
  print_notes(request.notes, o.output);
  const auto stepper = make_stepper(o.method, request.problem);  // before an old result is replaced
  Observers observers;
  for (const std::string& name : o.observe) observers.push_back(make_observer(name, o.method, request.problem));
  for (const auto& observer : observers) {
    if (o.resume && observer->counts_from_start()) {
      throw Failure(ExitStatus::wrong_request,
                    fmt::format("{} compares with the start of the run, which a resumed one does not know: start anew "
                                "with --force",
                                observer->quantity().name));
    }
  }
  const auto file = open_file(o, request, observers);
  const InterruptGuard guard;
  report::MethodRun whole{o.method, {}, {}};
  std::optional<TableRecorder> table;
  if (o.report) table.emplace(whole.table, request.problem.system, quantities(observers), report::most_rows);
  Recorders recorders;
  recorders.add(file.get());
  recorders.add(table ? &*table : nullptr);
  RunResult& result = whole.result;
  {
    ProgressBar bar(request.model.name, o.output.talks());
    RunOptions options;
    options.steps = request.steps;
    options.every = every;
    options.recorder = recorders.empty() ? nullptr : &recorders;
    for (const auto& observer : observers) options.observers.push_back(observer.get());
    options.interrupt = &guard.flag();
    options.progress = [&](const Progress& p) { bar(p); };
    const Checkpoint* resumed = file ? file->resumed() : nullptr;
    if (resumed != nullptr && resumed->step > request.steps) {
      throw Failure(ExitStatus::wrong_request, fmt::format("the run is at step {} already, beyond the {} asked for",
                                                           resumed->step, request.steps));
    }
    if (resumed != nullptr)
      print_notes({fmt::format("resumed at step {} of {}", resumed->step, request.steps)}, o.output);
    result = run(*stepper, request.problem, options, resumed);
    if (table) table->finish();
  }
  if (file) file->finish(result);
  if (o.output.json) {
    nlohmann::json document = to_json(result, request, o.method);
    if (o.file) document["output"] = *o.file;
    std::size_t k = 0;
    for (const auto& observer : observers) {
      for (const std::string& label : observer->quantity().labels) {
        document["observed"][label] = {{"max", result.statistics.max_observed[k++]}};
      }
    }
    if (!request.notes.empty()) document["notes"] = request.notes;
    fmt::print("{}\n", document.dump(2));
  }
  if (o.output.talks()) print(result, request, o, observers);
  if (o.report) {
    write_report(ReportKind::run, *o.report,
                 report::of_runs(request.model, request.problem, {whole}, quantities(observers)), o.output);
  }
  if (result.outcome == RunOutcome::failed) {
    throw Failure(ExitStatus::numerics_failed,
                  fmt::format("{}: the run failed in {}{}", request.model.name, result.failure,
                              file ? fmt::format("\nEverything up to there is in {}.", *o.file) : ""));
  }
  if (result.outcome == RunOutcome::interrupted) {
    const bool again = o.resume;
    throw Failure(
        ExitStatus::interrupted,
        fmt::format("interrupted after step {} of {}; {}", result.steps, request.steps,
                    file ? fmt::format("resume with\n  {}{}", without_force(command_line()), again ? "" : " --resume")
                         : "without -o FILE it cannot be resumed"));
  }
}

}  // namespace

Command run_command() {
  Command command{"run", "Integrates one trajectory"};
  auto o = std::make_shared<Options>();
  o->problem.add_to(command);
  command.add({.names = "-m,--method",
               .value = "METHOD",
               .help = "The integrator, with options after colons",
               .target = &o->method,
               .values = {Values::Kind::method}});
  command.add({.names = "--every", .value = "K", .help = "Records every K-th step", .target = &o->every});
  command.add({.names = "--observe",
               .value = "A,B,...",
               .help = "What to watch besides energy and constraints, separated by commas",
               .target = &o->observe,
               .values = {Values::Kind::observer},
               .list = true});
  command.add({.names = "-o,--output",
               .value = "FILE",
               .help = "Where the samples go: a file ending with .h5 or .csv",
               .target = &o->file,
               .values = {Values::Kind::file, {".h5", ".hdf5", ".csv"}}});
  add_report_option(command, o->report);
  command.add({.names = "--resume",
               .help = "Continues an interrupted run from the checkpoint beside its file",
               .target = &o->resume});
  command.add(
      {.names = "--force", .help = "Starts anew even if an unfinished run is in the file", .target = &o->force});
  o->output.add_to(command);
  Section methods_there{"Methods", {}};
  for (const MethodInfo& m : methods()) {
    methods_there.entries.push_back(
        {m.name, m.summary, m.options.empty() ? "" : fmt::format(":{}", fmt::join(m.options, " :"))});
  }
  methods_there.note = "ld, lds, hd and hds stand for dla:midpoint, dla:trapezoidal, gni:midpoint and gni:trapezoidal";
  Section observers_there{"Observers", {}};
  for (const ObserverInfo& info : observers()) observers_there.entries.push_back({info.name, info.summary});
  command.sections = {std::move(methods_there), std::move(observers_there)};
  command.notes = {"Without --step, --time, --q0 and --v0 those of the model are taken."};
  command.examples = {
      "rattleback run chaplygin-sleigh -m dla:midpoint:order=4 --step 0.12 --time 30 -o sleigh.h5 --report sleigh.html",
      "rattleback run snakeboard -m dla:trapezoidal --observe momentum-equation,symplectic"};
  command.action = [o] { run_model(*o); };
  return command;
}

}  // namespace rattleback::cli
