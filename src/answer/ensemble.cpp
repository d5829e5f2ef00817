#include "rattleback/answer/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../base/files.hpp"
#include "check.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/ensemble/ranks.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback::answer {
namespace {

EnsembleOptions engine_options(const EnsembleRequest& request) {
  constexpr std::int64_t most_threads = 4096;
  EnsembleOptions options;
  require_positive(request.lanes, "lanes");
  if (std::ranges::find(lane_counts, request.lanes) == std::end(lane_counts)) {
    throw RequestError(fmt::format("`lanes` is 1, 4, 8 or 16, found {}", request.lanes));
  }
  options.lanes = static_cast<int>(request.lanes);
  if (request.threads) {
    if (require_positive(*request.threads, "threads") > most_threads)
      throw RequestError(fmt::format("`threads` is at most {}, found {}", most_threads, *request.threads));
    options.threads = static_cast<int>(*request.threads);
  }
  return options;
}

std::string path_of(const EnsembleRequest& request) {
  std::string path = request.output.value_or(std::filesystem::path(request.spec).stem().string() + ".h5");
  if (!path.ends_with(".h5") && !path.ends_with(".hdf5")) {
    throw RequestError(fmt::format("the result is an HDF5 file (.h5, .hdf5), found {}", path));
  }
  return path;
}

EnsembleResult::Start start_of(const EnsembleRequest& request) {
  if (request.resume && request.force) throw RequestError("`resume` continues what `force` gives up: give one of them");
  using Start = EnsembleResult::Start;
  return request.resume ? Start::resume : request.force ? Start::forced : Start::fresh;
}

/// Where a time is no multiple of a step, trajectories end at the nearest node.
std::vector<std::string> notes_about_time(const Ensemble& e, const Members& members) {
  if (!e.time) return {};
  constexpr std::int64_t enough = 100000;
  for (std::int64_t k = 0; k < std::min(members.count(), enough); ++k) {
    const Member member = members.at(k);
    const double end = static_cast<double>(member.steps) * member.step;
    if (std::abs(end - *e.time) <= 1e-9 * *e.time) continue;
    return {
        fmt::format("the time {} is no multiple of the step {}: a trajectory ends at the nearest node, here at {:.10g}",
                    *e.time, member.step, end)};
  }
  return {};
}

/// The work of one rank.
class Work {
 public:
  explicit Work(const EnsembleRequest& request)
      : file_(read_ensemble(read_file(request.spec), request.spec)), members_(file_.ensemble), path_(path_of(request)),
        engine_(engine_options(request)), start_(start_of(request)) {}

  EnsemblePlan plan() const {
    return {file_.model.name, texts_of(file_.ensemble.methods), members_.count(), members_.total_steps(),
            members_.varied()};
  }

  EnsembleAnswer go(const Hooks& hooks, const std::function<void(const EnsemblePlan&)>& begins) {
    EnsembleAnswer answer{.plan = plan(), .output = path_};
    answer.first_rank = ranks().rank() == 0;
    answer.ranks = ranks().count();
    std::optional<EnsembleResult> result;
    if (answer.first_rank) {
      require_folder(path_, "output");
      result.emplace(path_, file_, program_, start_);
      engine_.done = result->done();
      engine_.failed_before = result->failed();
      answer.notes = notes_about_time(file_.ensemble, members_);
      if (begins) begins(answer.plan);
      hooks.tell(answer.notes);
    }
    const auto generation = static_cast<int>(told_by_first_rank(answer.first_rank ? result->generation() : 0));
    EnsembleRecorder recorder(path_, file_, program_, generation, ranks().rank());
    EnsembleSummary summary;
    try {
      summary = compute(recorder, hooks, answer.first_rank);
    } catch (...) {
      if (result) result->give_up();
      throw;
    }
    recorder.close();
    ranks().meet();  // all journals are complete
    answer.interrupted = summary.interrupted;
    if (result) finish(*result, summary, answer);
    communicates_ = false;
    ranks().finish();
    return answer;
  }

  /// Between the first message to other ranks and the last.
  bool communicates() const { return communicates_; }

 private:
  EnsembleSummary compute(EnsembleSink& sink, const Hooks& hooks, bool is_first) {
    engine_.interrupt = hooks.interrupt;
    if (is_first && hooks.progress) {
      // Progress counts steps: members differ in length.
      engine_.progress = [&](const EnsembleProgress& p) {
        hooks.progress("ensemble", {static_cast<std::int64_t>(p.steps), static_cast<std::int64_t>(p.total_steps),
                                    p.seconds, static_cast<std::int64_t>(p.first_steps)});
      };
    }
    return rattleback::run(file_.ensemble, engine_, sink);
  }

  void finish(EnsembleResult& result, const EnsembleSummary& summary, EnsembleAnswer& answer) const {
    constexpr std::size_t most_failures = 100;
    answer.quantities = result.finish();
    answer.done = summary.progress.members;
    answer.failed = summary.progress.failed;
    answer.missing = result.missing();
    answer.failures = result.failures(most_failures);
    answer.steps_taken = summary.progress.taken;
    answer.seconds = summary.seconds;
    for (std::size_t k = 0; k < answer.quantities.crossings.size(); ++k) {
      answer.crossings.push_back({file_.ensemble.sections[k].name, answer.quantities.crossings[k]});
    }
  }

  EnsembleFile file_;
  Members members_;
  std::string path_;
  EnsembleOptions engine_;
  EnsembleResult::Start start_;
  bool communicates_ = true;
  const std::string program_ = fmt::format("rattleback {}", version);
};

}  // namespace

EnsemblePlan plan(const EnsembleRequest& request) { return Work(request).plan(); }

EnsembleAnswer ensemble(const EnsembleRequest& request, const Hooks& hooks,
                        const std::function<void(const EnsemblePlan&)>& begins) {
  Work work(request);
  try {
    return work.go(hooks, begins);
  } catch (const std::exception& error) {
    if (ranks().count() == 1 || !work.communicates()) throw;
    throw RankError(fmt::format("rank {}: {}", ranks().rank(), error.what()));
  }
}

std::optional<Error> complaint(const EnsembleAnswer& a) {
  const bool all_there = a.first_rank && a.missing == 0;
  if (a.first_rank && a.missing > 0 && !a.interrupted) {
    return SystemFailure(
        fmt::format("{} members could not be read back from the journals in {}.parts; `resume` runs them again",
                    a.missing, a.output));
  }
  if (a.interrupted && !a.first_rank) return Error(Error::Kind::interrupted, "interrupted");
  if (a.interrupted && !all_there) {
    return Error(Error::Kind::interrupted,
                 fmt::format("interrupted after {} of {} members, which are in {}; `resume` runs the others", a.done,
                             a.plan.members, a.output));
  }
  if (a.first_rank && a.failed == a.plan.members)
    return NumericalError(fmt::format("all members failed; {} has the reasons", a.output));
  return {};
}

}  // namespace rattleback::answer
