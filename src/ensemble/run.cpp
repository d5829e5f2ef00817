// Lanes × threads × ranks. Members are handed out in ranges that become smaller towards the end: by the first rank to
// all ranks, and in each rank to its threads. Only the main thread of a rank talks to the others; the threads compute.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "conductor.hpp"
#include "engine.hpp"
#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

/// One thread.
class Worker final : public Workload {
 public:
  Worker(const Ensemble& ensemble, const Members& members, MethodPlans& plans, int lanes, SharedWork& shared)
      : ensemble_(ensemble), members_(members), plans_(plans), lanes_(lanes), shared_(shared),
        engines_(ensemble.methods.size()),
        per_method_(members.count() / static_cast<std::int64_t>(ensemble.methods.size())) {}

  void run() {
    while (!stopped() && find()) {
      const auto method = static_cast<std::size_t>(range_.begin / per_method_);
      if (!engines_[method]) engines_[method] = make_engine(ensemble_, members_, plans_[method], lanes_);
      engines_[method]->run(*this);
    }
  }

  std::optional<std::int64_t> next(std::size_t method) override {
    if (!find() || static_cast<std::size_t>(range_.begin / per_method_) != method) return std::nullopt;
    return range_.begin++;
  }
  void finished(const MemberResult& result) override {
    const std::lock_guard lock(shared_.sink_mutex);
    if (shared_.failed_badly) return;  // maybe the sink: half a record is the last one of a journal
    shared_.sink.record(result);
    ++shared_.members;
    if (!result.failure.empty()) ++shared_.failed;
  }
  void count(std::int64_t taken, std::int64_t not_needed) override {
    shared_.taken.fetch_add(taken, std::memory_order_relaxed);
    if (not_needed != 0) shared_.not_needed.fetch_add(not_needed, std::memory_order_relaxed);
  }
  bool stopped() const override { return shared_.stop.load(std::memory_order_relaxed); }

 private:
  /// Whether there is a member left, in the range at hand or in another one.
  bool find() {
    if (range_.empty()) range_ = shared_.pool.take();
    return !range_.empty();
  }

  const Ensemble& ensemble_;
  const Members& members_;
  MethodPlans& plans_;
  int lanes_;
  SharedWork& shared_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::int64_t per_method_;
  MemberRange range_;
};

class InMemory final : public EnsembleSink {
 public:
  explicit InMemory(std::vector<MemberResult>& results) : results_(results) {}
  void record(const MemberResult& result) override { results_[static_cast<std::size_t>(result.member)] = result; }

 private:
  std::vector<MemberResult>& results_;
};

}  // namespace

int available_threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

EnsembleSummary run(const Ensemble& ensemble, const EnsembleOptions& options, EnsembleSink& sink) {
  if (std::ranges::find(lane_counts, options.lanes) == std::end(lane_counts)) {
    throw EnsembleError(fmt::format("{} lanes: 1, 4, 8 or 16 are possible", options.lanes));
  }
  if (options.threads < 0) throw EnsembleError(fmt::format("{} threads cannot be", options.threads));
  const Members members(ensemble);
  MethodPlans plans(ensemble, members);
  const int threads = options.threads > 0 ? options.threads : available_threads();
  SharedWork shared(sink);
  Conductor conductor(options, members, shared, threads);
  const auto compute = [&] {
    try {
      const Interruptible interruptible(&shared.stop);
      Worker(ensemble, members, plans, options.lanes, shared).run();
    } catch (const Interrupted&) {  // in the middle of a step: its trajectory has no result
    } catch (...) {
      shared.fail(std::current_exception());
    }
    --shared.running;
  };
  // Beside this thread, which distributes and mostly sleeps.
  std::vector<std::jthread> workers;
  try {
    for (; workers.size() < static_cast<std::size_t>(threads); ++shared.running) workers.emplace_back(compute);
  } catch (const std::system_error& error) {
    shared.fail(std::make_exception_ptr(SystemFailure(
        fmt::format("cannot start {} threads: {}; ask for fewer with `threads`", threads, error.code().message()))));
  }
  const EnsembleSummary summary = conductor.conduct();
  workers.clear();
  if (shared.failure) std::rethrow_exception(shared.failure);
  return summary;
}

std::vector<MemberResult> run_in_memory(const Ensemble& ensemble, const EnsembleOptions& options) {
  std::vector<MemberResult> results(static_cast<std::size_t>(Members(ensemble).count()));
  InMemory sink(results);
  run(ensemble, options, sink);
  return results;
}

}  // namespace rattleback
