// `rattleback ensemble`: many trajectories, described by a file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "../base/files.hpp"
#include "commands.hpp"
#include "exit_status.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/ensemble/ensemble_result.hpp"
#include "rattleback/ensemble/ranks.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "report_option.hpp"
#include "request.hpp"
#include "terminal.hpp"

namespace rattleback::cli {
namespace {

struct Options {
  std::string spec;
  OutputOptions output;
  std::optional<std::string> file;
  std::string lanes = "8";
  std::optional<std::string> threads;
  bool resume = false;
  bool force = false;
  bool dry_run = false;
};

EnsembleOptions engine_options(const Options& o) {
  EnsembleOptions options;
  options.lanes = static_cast<int>(std::min<std::int64_t>(positive_integer(o.lanes, "--lanes"), 1000));
  if (std::ranges::find(lane_counts, options.lanes) == std::end(lane_counts)) {
    throw Failure(ExitStatus::wrong_request, fmt::format("--lanes is 1, 4, 8 or 16, found {}", o.lanes));
  }
  constexpr std::int64_t most_threads = 4096;
  if (o.threads) {
    const std::int64_t threads = positive_integer(*o.threads, "--threads");
    if (threads > most_threads) {
      throw Failure(ExitStatus::wrong_request, fmt::format("--threads is at most {}, found {}", most_threads, threads));
    }
    options.threads = static_cast<int>(threads);
  }
  return options;
}

std::string what_is_run(const EnsembleFile& file, const Members& members) {
  const Ensemble& e = file.ensemble;
  std::string text =
      fmt::format("{} member{} of {}, {}, {:.6g} steps in all", members.count(), members.count() == 1 ? "" : "s",
                  file.model.name, fmt::join(e.methods, ", "), members.total_steps());
  if (!members.varied().empty()) text += fmt::format("; varied: {}", fmt::join(members.varied(), ", "));
  return text;
}

/// Where a time is no multiple of a step, trajectories end at the nearest node.
std::optional<std::string> note_about_time(const Ensemble& e, const Members& members) {
  if (!e.time) return std::nullopt;
  constexpr std::int64_t enough = 100000;
  for (std::int64_t k = 0; k < std::min(members.count(), enough); ++k) {
    const Member member = members.at(k);
    const double end = static_cast<double>(member.steps) * member.step;
    if (std::abs(end - *e.time) <= 1e-9 * *e.time) continue;
    return fmt::format(
        "the time {} is no multiple of the step {}: a trajectory ends at the nearest node, here at {:.10g}", *e.time,
        member.step, end);
  }
  return std::nullopt;
}

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json to_json(const EnsembleQuantities& quantities) {
  nlohmann::json document{{"histograms", nlohmann::json::array()}, {"volumes", nlohmann::json::array()}};
  for (const HistogramResult& h : quantities.histograms) {
    document["histograms"].push_back({{"name", h.name},
                                      {"time", number(h.time)},
                                      {"count", h.count},
                                      {"mean", number(h.mean)},
                                      {"deviation", number(h.deviation)},
                                      {"least", number(h.least)},
                                      {"largest", number(h.largest)}});
  }
  for (const VolumeResult& v : quantities.volumes) {
    document["volumes"].push_back({{"name", v.name}, {"time", number(v.time)}, {"volume", number(v.volume)}});
  }
  return document;
}

void print(const EnsembleQuantities& quantities) {
  constexpr std::size_t most = 12;  // a page; the file has all
  const auto at = [](double time) { return std::isfinite(time) ? fmt::format(" at t = {:.6g}", time) : ""; };
  for (std::size_t k = 0; k < std::min(most, quantities.histograms.size()); ++k) {
    const HistogramResult& h = quantities.histograms[k];
    fmt::print("  {}{}: mean {:.6g}, deviation {:.6g}, from {:.6g} to {:.6g} ({} values)\n", h.name, at(h.time), h.mean,
               h.deviation, h.least, h.largest, h.count);
  }
  for (std::size_t k = 0; k < std::min(most, quantities.volumes.size()); ++k) {
    const VolumeResult& v = quantities.volumes[k];
    fmt::print("  {}{}: {:.10g}\n", v.name, at(v.time), v.volume);
  }
}

class Run {
 public:
  Run(const Options& o, const EnsembleFile& file, const Members& members)
      : options_(o), file_(file), members_(members),
        path_(o.file.value_or(std::filesystem::path(o.spec).stem().string() + ".h5")), engine_(engine_options(o)) {
    if (!path_.ends_with(".h5") && !path_.ends_with(".hdf5")) {
      throw Failure(ExitStatus::wrong_request, fmt::format("the result is an HDF5 file (.h5, .hdf5), found {}", path_));
    }
    if (o.resume && o.force) {
      throw Failure(ExitStatus::wrong_request, "--resume continues what --force gives up: give one of them");
    }
  }

  void go() {
    const bool is_first = ranks().rank() == 0;
    std::optional<EnsembleResult> result;
    if (is_first) {
      require_folder(path_, "-o");
      using Start = EnsembleResult::Start;
      result.emplace(path_, file_, program_,
                     options_.resume  ? Start::resume
                     : options_.force ? Start::forced
                                      : Start::fresh);
      engine_.done = result->done();
      engine_.failed_before = result->failed();
      if (options_.output.talks()) fmt::print("{}\n", what_is_run(file_, members_));
      if (const auto note = note_about_time(file_.ensemble, members_)) print_notes({*note}, options_.output);
      std::fflush(stdout);
    }
    const auto generation = static_cast<int>(told_by_first_rank(is_first ? result->generation() : 0));
    EnsembleRecorder recorder(path_, file_, program_, generation, ranks().rank());
    EnsembleSummary summary;
    try {
      summary = compute(recorder, is_first);
    } catch (...) {
      if (is_first) result->give_up();
      throw;
    }
    recorder.close();
    ranks().meet();  // all journals are complete
    if (is_first) finish(*result, summary);
    communicates_ = false;
    ranks().finish();
    const bool all_there = is_first && result->missing() == 0;
    if (is_first && !all_there && !summary.interrupted) {
      throw Failure(ExitStatus::system, fmt::format("{} members could not be read back from the journals in {}.parts; "
                                                    "--resume runs them again",
                                                    result->missing(), path_));
    }
    if (summary.interrupted && !all_there) {
      throw Failure(ExitStatus::interrupted,
                    is_first
                        ? fmt::format("interrupted after {} of {} members, which are in {}; --resume runs the others",
                                      summary.progress.members, members_.count(), path_)
                        : "interrupted");
    }
    if (is_first && summary.progress.failed == members_.count()) {
      throw Failure(ExitStatus::numerics_failed, fmt::format("all members failed; {} has the reasons", path_));
    }
  }

  /// Between the first message to other ranks and the last.
  bool communicates() const { return communicates_; }

 private:
  EnsembleSummary compute(EnsembleSink& sink, bool is_first) {
    const InterruptGuard guard;
    engine_.interrupt = &guard.flag();
    ProgressBar bar("ensemble", options_.output.talks() && is_first);
    if (is_first) {
      engine_.progress = [&](const EnsembleProgress& p) {
        // The bar counts steps: members differ in length.
        bar({static_cast<std::int64_t>(p.steps), static_cast<std::int64_t>(p.total_steps), p.seconds,
             static_cast<std::int64_t>(p.first_steps)});
      };
    }
    return rattleback::run(file_.ensemble, engine_, sink);
  }

  void finish(EnsembleResult& result, const EnsembleSummary& summary) {
    const EnsembleProgress& p = summary.progress;
    const EnsembleQuantities quantities = result.finish();
    constexpr std::size_t most_failures = 5;
    const std::vector<std::string> failures = result.failures(options_.output.json ? 100 : most_failures);
    if (options_.output.json) {
      nlohmann::json document = to_json(quantities);
      document["model"] = file_.model.name;
      document["methods"] = file_.ensemble.methods;
      document["members"] = members_.count();
      document["finished"] = p.members - p.failed;
      document["failed"] = p.failed;
      document["failures"] = failures;
      document["steps"] = static_cast<std::int64_t>(p.taken);
      for (std::size_t k = 0; k < quantities.crossings.size(); ++k) {
        document["crossings"][file_.ensemble.sections[k].name] = quantities.crossings[k];
      }
      document["ranks"] = ranks().count();
      document["seconds"] = summary.seconds;
      document["ns_per_step"] = number(1e9 * summary.seconds / p.taken);
      document["file"] = path_;
      fmt::print("{}\n", document.dump(2));
    }
    if (!options_.output.talks()) return;
    fmt::print("{} of {} finished, {:.2f} s", p.members - p.failed, members_.count(), summary.seconds);
    constexpr double enough_steps = 1e6;  // to speak of a rate
    if (p.taken > enough_steps) fmt::print(", {:.3g} ns per step", 1e9 * summary.seconds / p.taken);
    if (ranks().count() > 1) fmt::print(", {} ranks", ranks().count());
    fmt::print("\n");
    if (p.failed > 0) {
      fmt::print("{} failed:\n", p.failed);
      for (const std::string& failure : failures) fmt::print("  {}\n", failure);
      if (p.failed > static_cast<std::int64_t>(failures.size())) fmt::print("  ...\n");
      const bool against_constraints = std::ranges::any_of(
          failures, [](const std::string& f) { return f.find("violate the constraints") != std::string::npos; });
      if (against_constraints) {
        fmt::print("  project = true moves starts onto the constraints; formulas in [start] can put them there\n");
      }
    }
    for (std::size_t k = 0; k < quantities.crossings.size(); ++k) {
      fmt::print("  {}: {} crossings\n", file_.ensemble.sections[k].name, quantities.crossings[k]);
    }
    print(quantities);
    fmt::print("The result is {}\n", path_);
  }

  const Options& options_;
  const EnsembleFile& file_;
  const Members& members_;
  std::string path_;
  EnsembleOptions engine_;
  bool communicates_ = true;
  const std::string program_ = fmt::format("rattleback {}", version);
};

/// All ranks read the same file; what is wrong with it is said by one of them.
EnsembleFile read(const std::string& path) {
  try {
    return read_ensemble(read_file(path), path);
  } catch (const std::exception&) {
    if (started_as_rank() > 0) std::exit(static_cast<int>(ExitStatus::wrong_request));
    throw;
  }
}

void ensemble(const Options& o) {
  const EnsembleFile file = read(o.spec);
  const Members members(file.ensemble);
  Run run(o, file, members);
  if (o.dry_run && started_as_rank() > 0) return;
  if (o.dry_run) {
    if (o.output.json) {
      fmt::print(
          "{}\n",
          nlohmann::json{{"members", members.count()}, {"steps", members.total_steps()}, {"varied", members.varied()}}
              .dump(2));
    } else {
      fmt::print("{}\n", what_is_run(file, members));
    }
    return;
  }
  try {
    run.go();
  } catch (const std::exception& error) {
    if (ranks().count() == 1 || !run.communicates()) throw;
    // The others wait for this one, and would wait for ever.
    fmt::print(stderr, "rattleback: rank {}: {}\n", ranks().rank(), error.what());
    ranks().abort(static_cast<int>(ExitStatus::system));
  }
}

}  // namespace

Command ensemble_command() {
  Command command{"ensemble", "Many trajectories: initial conditions, parameters, steps and methods varied"};
  auto o = std::make_shared<Options>();
  command.add({.names = "spec",
               .value = "SPEC.toml",
               .help = "The file that describes the ensemble (docs/ensembles.md)",
               .target = &o->spec,
               .values = {Values::Kind::file, {".toml"}},
               .required = true,
               .hint = "docs/ensembles.md says how one is written"});
  command.add({.names = "-o,--output",
               .value = "FILE",
               .help = "The result, an HDF5 file; the name of SPEC with .h5 if it is not given",
               .target = &o->file,
               .values = {Values::Kind::file, {".h5", ".hdf5"}}});
  Values lanes{Values::Kind::word};
  for (const int count : lane_counts) lanes.words.push_back(std::to_string(count));
  command.add({.names = "--lanes",
               .value = "N",
               .help = "Trajectories at once on each thread: 1, 4, 8 or 16",
               .target = &o->lanes,
               .values = std::move(lanes)});
  command.add({.names = "--threads",
               .value = "N",
               .help = "Threads of each process; all cores it may use if not given",
               .target = &o->threads});
  command.add(
      {.names = "--resume", .help = "Continues an ensemble that was interrupted or killed", .target = &o->resume});
  command.add({.names = "--force", .help = "Gives up an unfinished ensemble that is there", .target = &o->force});
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
