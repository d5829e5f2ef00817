#include "rattleback/answer/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "../base/files.hpp"
#include "check.hpp"
#include "engine_options.hpp"
#include "rattleback/base/version.hpp"
#include "rattleback/ensemble/ranks.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback::answer {

EnsembleOptions engine_options(std::int64_t lanes, const std::optional<std::int64_t>& threads) {
  constexpr std::int64_t most_threads = 4096;
  EnsembleOptions options;
  require_positive(lanes, "lanes");
  if (std::ranges::find(lane_counts, lanes) == std::end(lane_counts)) {
    throw RequestError(fmt::format("`lanes` is 1, 4, 8 or 16, found {}", lanes));
  }
  options.lanes = static_cast<int>(lanes);
  if (threads) {
    if (require_positive(*threads, "threads") > most_threads)
      throw RequestError(fmt::format("`threads` is at most {}, found {}", most_threads, *threads));
    options.threads = static_cast<int>(*threads);
  }
  return options;
}

namespace {

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
        engine_(engine_options(request.lanes, request.threads)), start_(start_of(request)) {}

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
      const Interruptible interruptible(hooks.interrupt);
      require_folder(path_, "output");
      result.emplace(path_, file_, program_, start_);
      engine_.done = result->done();
      engine_.failed_before = result->failed();
      answer.notes = notes_about_time(file_.ensemble, members_);
      if (begins) begins(answer.plan);
      hooks.tell(answer.notes);
    }
    resumable(result, [&] {
      const int generation = tell_generation(result, hooks);
      EnsembleRecorder recorder(path_, file_, program_, generation, ranks().rank());
      const EnsembleSummary summary = compute(recorder, hooks, answer.first_rank);
      recorder.close();
      ranks().meet();  // all journals are complete
      answer.interrupted = summary.interrupted;
      if (result) finish(*result, summary, answer, hooks);
    });
    communicates_ = false;
    ranks().finish();
    return answer;
  }

  /// Between the first message to other ranks and the last.
  bool communicates() const { return communicates_; }

 private:
  /// What fails when members are done can be continued.
  static void resumable(std::optional<EnsembleResult>& result, auto&& work) {
    const auto with_way_out = [&](const Error& error) {
      if (result && !result->give_up()) return error;
      return Error(error.kind(),
                   fmt::format("{}; the members that are done are kept: `resume` runs the others", error.what()));
    };
    try {
      work();
    } catch (const SystemFailure& error) {
      throw with_way_out(error);
    } catch (const Interrupted& error) {
      throw with_way_out(error);
    } catch (...) {
      if (result) result->give_up();
      throw;
    }
  }

  static int tell_generation(const std::optional<EnsembleResult>& result, const Hooks& hooks) {
    const Interruptible interruptible(result ? nullptr : hooks.interrupt);
    return static_cast<int>(told_by_first_rank(result ? result->generation() : 0));
  }

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

  void finish(EnsembleResult& result, const EnsembleSummary& summary, EnsembleAnswer& answer,
              const Hooks& hooks) const {
    constexpr std::size_t most_failures = 100;
    answer.done = summary.progress.members;
    answer.failed = summary.progress.failed;
    answer.steps_taken = summary.progress.taken;
    answer.seconds = summary.seconds;
    answer.missing = answer.plan.members - answer.done;
    // Who interrupts does not want to wait: what is there is written if that takes less than a second.
    constexpr double bytes_of_a_second = 3e7;
    answer.written = !summary.interrupted || result.work_to_finish() < bytes_of_a_second;
    if (!answer.written) return;
    const Interruptible interruptible(summary.interrupted ? nullptr : hooks.interrupt);
    answer.quantities = result.finish();
    const auto note = [&](const std::string& text) {
      answer.notes.push_back(text);
      hooks.tell({text});
    };
    if (const auto strangers = result.strangers(); !strangers.empty()) {
      note(fmt::format("{}.parts has files that are not ours, and was left with them: {}", path_,
                       fmt::join(strangers, ", ")));
    }
    answer.missing = result.missing();
    answer.failures = result.failures(most_failures);
    const std::size_t sections = file_.ensemble.sections.size();
    for (std::size_t k = 0; k < sections; ++k) {
      answer.crossings.push_back({file_.ensemble.sections[k].name, answer.quantities.crossings[k]});
    }
    for (std::size_t k = sections; k < answer.quantities.crossings.size(); ++k) {
      answer.events.push_back({file_.ensemble.system.events()[k - sections].name, answer.quantities.crossings[k]});
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
  const auto work = [&] {
    const Interruptible interruptible(hooks.interrupt);
    return std::make_unique<Work>(request);
  }();
  const auto of_this_rank = [&](Error::Kind kind, const std::exception& error) {
    return RankError(kind, fmt::format("rank {}: {}", ranks().rank(), error.what()));
  };
  const auto alone = [&] { return ranks().count() == 1 || !work->communicates(); };
  try {
    return work->go(hooks, begins);
  } catch (const Error& error) {
    if (alone()) throw;
    throw of_this_rank(error.kind(), error);
  } catch (const std::exception& error) {
    if (alone()) throw;
    throw of_this_rank(Error::Kind::system, error);
  }
}

std::optional<Error> complaint(const EnsembleAnswer& a) {
  if (a.interrupted && !a.first_rank) return Error(Error::Kind::interrupted, "interrupted");
  if (!a.first_rank) return {};
  if (!a.written) {
    return Error(Error::Kind::interrupted,
                 fmt::format("interrupted after {} of {} members, which are kept in {}.parts; `resume` runs the others "
                             "and writes {}",
                             a.done, a.plan.members, a.output, a.output));
  }
  if (a.missing > 0 && !a.interrupted) {
    return SystemFailure(
        fmt::format("{} members could not be read back from the journals in {}.parts; `resume` runs them again",
                    a.missing, a.output));
  }
  if (a.missing > 0) {
    return Error(Error::Kind::interrupted,
                 fmt::format("interrupted after {} of {} members, which are in {}; `resume` runs the others", a.done,
                             a.plan.members, a.output));
  }
  if (a.failed == a.plan.members) {
    return NumericalError(fmt::format("all members failed; {} has the reasons", a.output));
  }
  return {};
}

}  // namespace rattleback::answer
