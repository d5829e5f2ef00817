// Lanes × threads × ranks. Members are handed out in ranges that become smaller towards the end: by the first rank to
// all ranks, and in each rank to its threads. Only the main thread of a rank talks to the others; the threads compute.

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "engine.hpp"
#include "rattleback/ensemble/ranks.hpp"

namespace rattleback {
namespace {

using Clock = std::chrono::steady_clock;

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool empty() const { return begin == end; }
};

/// All members that are not done, in ranges: guided self-scheduling (Polychronopoulos & Kuck 1987).
class Dispenser {
 public:
  Dispenser(std::int64_t count, const std::vector<bool>& done, std::int64_t workers, std::int64_t smallest)
      : count_(count), done_(done), workers_(workers), smallest_(smallest) {}

  Range take() {
    while (next_ < count_ && is_done(next_)) ++next_;
    constexpr std::int64_t largest = 4096;
    const std::int64_t size = std::clamp((count_ - next_) / (4 * workers_), smallest_, largest);
    Range range{next_, next_};
    while (range.end < count_ && range.end - range.begin < size && !is_done(range.end)) ++range.end;
    next_ = range.end;
    return range;
  }

 private:
  bool is_done(std::int64_t k) const { return !done_.empty() && done_[static_cast<std::size_t>(k)]; }

  std::int64_t count_;
  const std::vector<bool>& done_;
  std::int64_t workers_;
  std::int64_t smallest_;
  std::int64_t next_ = 0;
};

/// The ranges that wait in this process, and who waits for them.
class Pool {
 public:
  /// Waits for a range; empty if there will be none.
  Range take() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    arrived_.wait(lock, [&] { return !ranges_.empty() || closed_; });
    --waiting_;
    if (ranges_.empty()) return {};
    const Range range = ranges_.front();
    ranges_.pop_front();
    return range;
  }
  void put(Range range) {
    const std::lock_guard lock(mutex_);
    ranges_.push_back(range);
    arrived_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    arrived_.notify_all();
  }
  /// Ranges that are wanted: for all who wait, and some to spare.
  std::int64_t wanted(std::int64_t spare) {
    const std::lock_guard lock(mutex_);
    return waiting_ + spare - static_cast<std::int64_t>(ranges_.size());
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Range> ranges_;
  std::int64_t waiting_ = 0;
  bool closed_ = false;
};

/// What the threads of this process share.
struct Shared {
  Pool pool;
  EnsembleSink& sink;
  std::mutex sink_mutex;
  std::atomic<bool> stop{false};
  std::atomic<bool> failed_badly{false};  ///< not a trajectory, but a thread
  std::atomic<std::int64_t> members{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> taken{0};
  std::atomic<std::int64_t> not_needed{0};
  std::atomic<int> running{0};
};

/// One thread.
class Worker final : public Workload {
 public:
  Worker(const Ensemble& ensemble, const Members& members, int lanes, Shared& shared)
      : ensemble_(ensemble), members_(members), lanes_(lanes), shared_(shared), engines_(ensemble.methods.size()),
        per_method_(members.count() / static_cast<std::int64_t>(ensemble.methods.size())) {}

  void run() {
    while (!stopped() && find()) {
      const auto method = static_cast<std::size_t>(range_.begin / per_method_);
      if (!engines_[method]) engines_[method] = make_engine(ensemble_, members_, method, lanes_);
      engines_[method]->run(*this);
    }
  }

  std::optional<std::int64_t> next(std::size_t method) override {
    if (!find() || static_cast<std::size_t>(range_.begin / per_method_) != method) return std::nullopt;
    return range_.begin++;
  }
  void finished(const MemberResult& result) override {
    const std::lock_guard lock(shared_.sink_mutex);
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
  int lanes_;
  Shared& shared_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::int64_t per_method_;
  Range range_;
};

enum class Kind : std::int64_t {
  request,   ///< of a range; with the counts of the rank
  range,     ///< the answer: empty if there is none
  status,    ///< members, failed, steps taken, steps not needed
  finished,  ///< the last status of a rank
  stop,
};

/// What one rank has done.
struct RankStatus {
  std::int64_t members = 0;
  std::int64_t failed = 0;
  double taken = 0.0;
  double not_needed = 0.0;
  bool finished = false;
};

/// The main thread of a rank, while the others compute.
class Conductor {
 public:
  Conductor(const EnsembleOptions& options, const Members& members, Shared& shared, std::int64_t threads)
      : options_(options), members_(members), shared_(shared), threads_(threads),
        dispenser_(members.count(), options.done, threads * ranks().count(), std::max<std::int64_t>(1, options.lanes)),
        status_(static_cast<std::size_t>(ranks().count())) {
    for (std::size_t k = 0; k < options.done.size(); ++k) known_ += options.done[k] ? 1 : 0;
    first_steps_ = members.total_steps() * static_cast<double>(known_) / static_cast<double>(members.count());
  }

  EnsembleSummary conduct() {
    while (shared_.running.load() > 0 || asked_ > 0 || !all_finished()) {
      const bool busy = listen() || distribute();
      const bool interrupted = options_.interrupt != nullptr && options_.interrupt->load();
      if ((interrupted || shared_.failed_badly) && !told_to_stop_) stop_all();
      flush();
      report(false);
      if (!busy) std::this_thread::sleep_for(std::chrono::microseconds(ranks().count() > 1 ? 500 : 2000));
    }
    report(true);
    ranks().meet();
    EnsembleSummary summary;
    summary.progress = progress();
    summary.interrupted = interrupted_;
    summary.seconds = seconds();
    return summary;
  }

 private:
  bool is_first() const { return ranks().rank() == 0; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// The other ranks have told that they are done; others than the first have told it themselves.
  bool all_finished() {
    if (!is_first()) {
      if (!told_) tell(Kind::finished);
      told_ = true;
      return true;
    }
    return std::ranges::all_of(status_.begin() + 1, status_.end(), &RankStatus::finished);
  }

  bool listen() {
    RankMessage message;
    int from = 0;
    if (!ranks().receive(message, from)) return false;
    RankStatus& status = status_[static_cast<std::size_t>(from)];
    switch (static_cast<Kind>(message.kind)) {
      case Kind::request: {
        const Range range = shared_.stop ? Range{} : dispenser_.take();
        ranks().send(from, {static_cast<std::int64_t>(Kind::range), range.begin, range.end});
        break;
      }
      case Kind::range:
        --asked_;
        if (message.first == message.second) {
          exhausted_ = true;
        } else {
          shared_.pool.put({message.first, message.second});
        }
        break;
      case Kind::status:
      case Kind::finished:
        status = {message.first, message.second, message.number, message.other,
                  message.kind == static_cast<std::int64_t>(Kind::finished)};
        break;
      case Kind::stop:
        if (is_first() && !told_to_stop_) {
          stop_all();
        } else {
          told_to_stop_ = true;
          shared_.stop = true;
          interrupted_ = true;
        }
        break;
    }
    return true;
  }

  /// Keeps the threads of this rank supplied.
  bool distribute() {
    if (closed_) return false;
    if (shared_.stop || (exhausted_ && asked_ == 0)) {
      shared_.pool.close();
      closed_ = true;
      return true;
    }
    // A range to spare hides the time that an answer of the first rank takes.
    const std::int64_t wanted = shared_.pool.wanted(threads_) - asked_;
    if (wanted <= 0 || exhausted_) return false;
    if (is_first()) {
      const Range range = dispenser_.take();
      if (range.empty()) {
        exhausted_ = true;
      } else {
        shared_.pool.put(range);
      }
    } else {
      ++asked_;
      ranks().send(0, {static_cast<std::int64_t>(Kind::request)});
    }
    return true;
  }

  void flush() {
    constexpr double interval = 0.05;
    if (seconds() - last_flush_ < interval) return;
    last_flush_ = seconds();
    const std::lock_guard lock(shared_.sink_mutex);
    shared_.sink.flush();
  }

  void stop_all() {
    told_to_stop_ = true;
    shared_.stop = true;
    interrupted_ = true;
    if (is_first()) {
      for (int r = 1; r < ranks().count(); ++r) ranks().send(r, {static_cast<std::int64_t>(Kind::stop)});
    } else {
      ranks().send(0, {static_cast<std::int64_t>(Kind::stop)});
    }
  }

  void tell(Kind kind) {
    ranks().send(0, {static_cast<std::int64_t>(kind), shared_.members, shared_.failed,
                     static_cast<double>(shared_.taken), static_cast<double>(shared_.not_needed)});
  }

  void report(bool last) {
    constexpr double interval = 0.2;
    if (!last && seconds() - last_report_ < interval) return;
    last_report_ = seconds();
    if (!is_first()) {
      if (!last && !told_) tell(Kind::status);
    } else if (options_.progress) {
      options_.progress(progress());
    }
  }

  EnsembleProgress progress() const {
    EnsembleProgress all;
    all.members = known_ + shared_.members;
    all.failed = options_.failed_before + shared_.failed;
    all.taken = static_cast<double>(shared_.taken);
    double not_needed = static_cast<double>(shared_.not_needed);
    for (std::size_t r = 1; is_first() && r < status_.size(); ++r) {
      all.members += status_[r].members;
      all.failed += status_[r].failed;
      all.taken += status_[r].taken;
      not_needed += status_[r].not_needed;
    }
    all.steps = first_steps_ + all.taken + not_needed;
    all.total_steps = members_.total_steps();
    all.seconds = seconds();
    all.first_steps = first_steps_;
    return all;
  }

  const EnsembleOptions& options_;
  const Members& members_;
  Shared& shared_;
  std::int64_t threads_;
  Dispenser dispenser_;
  std::vector<RankStatus> status_;
  std::int64_t known_ = 0;
  double first_steps_ = 0.0;
  std::int64_t asked_ = 0;
  bool exhausted_ = false;
  bool closed_ = false;
  bool told_ = false;
  bool interrupted_ = false;
  bool told_to_stop_ = false;
  double last_report_ = 0.0;
  double last_flush_ = 0.0;
  Clock::time_point begin_ = Clock::now();
};

class InMemory final : public EnsembleSink {
 public:
  explicit InMemory(std::vector<MemberResult>& results) : results_(results) {}
  void record(const MemberResult& result) override { results_[static_cast<std::size_t>(result.member)] = result; }

 private:
  std::vector<MemberResult>& results_;
};

}  // namespace

EnsembleSummary run(const Ensemble& ensemble, const EnsembleOptions& options, EnsembleSink& sink) {
  if (std::ranges::find(lane_counts, options.lanes) == std::end(lane_counts)) {
    throw EnsembleError(fmt::format("{} lanes: 1, 4, 8 or 16 are possible", options.lanes));
  }
  if (options.threads < 0) throw EnsembleError(fmt::format("{} threads cannot be", options.threads));
  const Members members(ensemble);
  const int threads = options.threads > 0 ? options.threads : tbb::info::default_concurrency();
  Shared shared{{}, sink, {}};
  Conductor conductor(options, members, shared, threads);
  std::exception_ptr failure;
  std::mutex failure_mutex;
  shared.running = threads;
  // A thread more than those that compute: this one, which distributes and mostly sleeps.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads) + 1);
  tbb::task_arena arena(threads + 1, 1);
  tbb::task_group group;
  for (int t = 0; t < threads; ++t) {
    arena.enqueue(group.defer([&] {
      try {
        Worker(ensemble, members, options.lanes, shared).run();
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        shared.stop = true;
        shared.failed_badly = true;
      }
      --shared.running;
    }));
  }
  const EnsembleSummary summary = conductor.conduct();
  arena.execute([&] { group.wait(); });
  if (failure) std::rethrow_exception(failure);
  return summary;
}

std::vector<MemberResult> run_in_memory(const Ensemble& ensemble, const EnsembleOptions& options) {
  std::vector<MemberResult> results(static_cast<std::size_t>(Members(ensemble).count()));
  InMemory sink(results);
  run(ensemble, options, sink);
  return results;
}

}  // namespace rattleback
