// `rattleback run`: one trajectory.

#include "rattleback/answer/run.hpp"

#include <fmt/format.h>

#include <memory>

#include "answers.hpp"
#include "commands.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback::cli {
namespace {

struct RunVerbOptions {
  ProblemOptions problem;
  answer::RunRequest request;
  OutputOptions output;
  std::optional<std::string> newton_tolerance;
  std::optional<std::string> newton_iterations;

  /// Where iterations stop is an option of methods.
  void complete_method() {
    if (newton_tolerance) request.method += ":newton-tolerance=" + *newton_tolerance;
    if (newton_iterations) request.method += ":newton-iterations=" + *newton_iterations;
  }
};

/// The line that continues a run: one that is continued does not start anew.
std::string line_to_resume(const answer::RunRequest& request) {
  std::string line = command_line();
  const std::string flag = " --force";
  if (const std::size_t at = line.find(flag); at != std::string::npos) line.erase(at, flag.size());
  return request.resume ? line : line + " --resume";
}

void run_model(RunVerbOptions& o) {
  o.complete_method();
  o.request.problem = o.problem.request();
  o.request.command = command_line();
  const answer::RunAnswer answer =
      attend(o.output, [&](const answer::Hooks& hooks) { return answer::run(o.request, hooks); });
  print(answer, o.output);
  const auto error = complaint(answer);
  if (error && error->kind() == Error::Kind::interrupted && answer.output) {
    throw Error(error->kind(), fmt::format("interrupted after step {} of {}; resume with\n  {}", answer.result.steps,
                                           answer.prepared.steps, line_to_resume(o.request)));
  }
  if (error) throw *error;
}

}  // namespace

Command run_command() {
  Command command{"run", "Integrates one trajectory"};
  auto o = std::make_shared<RunVerbOptions>();
  o->problem.add_to(command);
  command.add({.names = "-m,--method",
               .value = "METHOD",
               .help = "The integrator, with options after colons",
               .target = &o->request.method,
               .values = {Values::Kind::method}});
  command.add({.names = "--newton-tolerance",
               .value = "T",
               .help = "Ends the iterations of a step where all residuals are below T, not where rounding ends them; "
                       "the option newton-tolerance=T of the method",
               .target = &o->newton_tolerance});
  command.add({.names = "--newton-iterations",
               .value = "N",
               .help = "Takes N iterations in every step, whatever they leave; the option newton-iterations=N of the "
                       "method",
               .target = &o->newton_iterations});
  command.add({.names = "--every", .value = "K", .help = "Records every K-th step", .target = &o->request.every});
  command.add({.names = "--observe",
               .value = "A,B,...",
               .help =
                   "What to watch besides energy and constraints, separated by commas: observers, and expressions of "
                   "the motion, as in R[3,3] or speed=norm(c')",
               .target = &o->request.observe,
               .values = {Values::Kind::observer},
               .list = true});
  command.add({.names = "-o,--output",
               .value = "FILE",
               .help = "Where the samples go: a file ending with .h5 or .csv",
               .target = &o->request.output,
               .values = {Values::Kind::file, {".h5", ".hdf5", ".csv"}}});
  add_report_option(command, o->request.report);
  command.add({.names = "--resume",
               .help = "Continues an interrupted run from the checkpoint beside its file",
               .target = &o->request.resume});
  command.add({.names = "--force",
               .help = "Starts anew even if an unfinished run is in the file, and replaces other files",
               .target = &o->request.force});
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
  command.notes = {"Without --step, --time, --q0, --v0 and --t0 those of the model are taken."};
  command.examples = {
      "rattleback run chaplygin-sleigh -m dla:midpoint:order=4 --step 0.12 --time 30 -o sleigh.h5 --report sleigh.html",
      "rattleback run snakeboard -m dla:trapezoidal --observe momentum-equation,symplectic",
      "rattleback run knife-edge-incline -m pthdel:through --observe midpoint-energy",
      "rattleback run rattleback -m dla:order=4 --v0 R.omega1=0,R.omega2=0,R.omega3=5 --time 3",
      "rattleback run rattleback -m dla --q0 R.xyz1=0.02 --observe \"R[3,3],tilt=euler_xyz(R)[1]\"",
      "rattleback run differential-drive -m dla --input \"steer=0.02*sin(2*t)\" --t0 pi/2",
      "rattleback run chaplygin-sleigh -m dla --newton-tolerance 1e-6",
      "rattleback run quadratic-particle -m dla:project=energy"};
  command.action = [o] { run_model(*o); };
  return command;
}

}  // namespace rattleback::cli
