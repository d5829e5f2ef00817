// `rattleback ensemble`: many trajectories, described by a file.

#include "rattleback/answer/ensemble.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "answers.hpp"
#include "commands.hpp"
#include "rattleback/ensemble/ranks.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback::cli {
namespace {

struct EnsembleOptions {
  answer::EnsembleRequest request;
  OutputOptions output;
  bool dry_run = false;
};

void run_ensemble(const EnsembleOptions& o) {
  const auto begins = [&](const answer::EnsemblePlan& plan) {
    if (o.output.talks()) say(to_text(plan));
    std::fflush(stdout);
  };
  const auto answer =
      attend(o.output, [&](const answer::Hooks& hooks) { return answer::ensemble(o.request, hooks, begins); });
  if (answer.first_rank) print(answer, o.output);
  if (const auto error = complaint(answer)) throw *error;
}

void show_plan(const EnsembleOptions& o) {
  const answer::EnsemblePlan plan = answer::plan(o.request);
  if (started_as_rank() > 0) return;
  o.output.json ? say_json(to_json(plan)) : say(to_text(plan));
}

void ensemble(const EnsembleOptions& o) {
  try {
    o.dry_run ? show_plan(o) : run_ensemble(o);
  } catch (const answer::RankError& error) {
    // The others wait for this one, and would wait for ever.
    say(fmt::format("rattleback: {}\n", program().command("ensemble").in_its_words(error.what())), stderr);
    ranks().abort(static_cast<int>(error.kind()));
  } catch (const Error& error) {
    // What is wrong is wrong on all ranks, and is said by one of them.
    if (started_as_rank() > 0) std::exit(static_cast<int>(error.kind()));
    throw;
  }
}

}  // namespace

Command ensemble_command() {
  Command command{"ensemble", "Many trajectories: initial conditions, parameters, steps and methods varied"};
  auto o = std::make_shared<EnsembleOptions>();
  command.add({.names = "spec",
               .value = "SPEC.toml",
               .help = "The file that describes the ensemble (docs/ensembles.md)",
               .target = &o->request.spec,
               .values = {Values::Kind::file, {".toml"}},
               .required = true,
               .hint = "docs/ensembles.md says how one is written"});
  command.add({.names = "-o,--output",
               .value = "FILE",
               .help = "The result, an HDF5 file; the name of SPEC with .h5 if it is not given",
               .target = &o->request.output,
               .values = {Values::Kind::file, {".h5", ".hdf5"}}});
  Values lanes{Values::Kind::word};
  for (const int count : lane_counts) lanes.words.push_back(std::to_string(count));
  command.add({.names = "--lanes",
               .value = "N",
               .help = "Trajectories at once on each thread: 1, 4, 8 or 16",
               .target = &o->request.lanes,
               .values = std::move(lanes)});
  command.add({.names = "--threads",
               .value = "N",
               .help = "Threads of each process; all cores it may use if not given",
               .target = &o->request.threads});
  command.add({.names = "--resume",
               .help = "Continues an ensemble that was interrupted or killed",
               .target = &o->request.resume});
  command.add({.names = "--force",
               .help = "Replaces whatever file is there, and gives up an unfinished ensemble",
               .target = &o->request.force});
  command.add({.names = "--dry-run", .help = "Only reads SPEC and tells what would be run", .target = &o->dry_run});
  o->output.add_to(command);
  command.notes = {
      "A trajectory that fails is recorded with its reason and does not stop the others. Results do not depend on "
      "lanes, threads and ranks.",
      "On several processes or machines: mpirun -n 4 rattleback ensemble SPEC.toml"};
  command.examples = {"rattleback ensemble sleighs.toml -o sleighs.h5", "rattleback ensemble sleighs.toml --resume"};
  command.action = [o] { ensemble(*o); };
  return command;
}

}  // namespace rattleback::cli
