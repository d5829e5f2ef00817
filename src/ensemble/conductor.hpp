#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <vector>

#include "rattleback/ensemble/ensemble.hpp"
#include "work_ranges.hpp"

namespace rattleback {

/// What the threads of this process share.
struct SharedWork {
  explicit SharedWork(EnsembleSink& s) : sink(s) {}

  RangePool pool;
  EnsembleSink& sink;
  std::mutex sink_mutex;
  std::atomic<bool> stop{false};
  std::atomic<bool> failed_badly{false};  ///< not a trajectory, but a thread
  std::exception_ptr failure;             ///< of the first thread that failed; for when all have ended
  std::mutex failure_mutex;
  std::atomic<std::int64_t> members{0};
  std::atomic<std::int64_t> failed{0};
  std::atomic<std::int64_t> taken{0};
  std::atomic<std::int64_t> not_needed{0};
  std::atomic<int> running{0};

  /// What one thread cannot do ends the work of all.
  void fail(const std::exception_ptr& why) {
    const std::lock_guard lock(failure_mutex);
    if (!failure) failure = why;
    failed_badly = true;
    stop = true;
  }
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
  Conductor(const EnsembleOptions& options, const Members& members, SharedWork& shared, std::int64_t threads);
  /// Returns when all threads of all ranks have ended. Throws nothing: what fails is kept in the shared work.
  EnsembleSummary conduct();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_first() const;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// The other ranks have told that they are done; others than the first have told it themselves.
  bool all_finished();
  bool listen();
  /// Keeps the threads of this rank supplied.
  bool distribute();
  /// What was recorded should not wait for the next result, nor die with this process.
  void flush(bool last);
  /// The threads wait for this one, so it goes on whatever happens.
  void guarded(auto&& work);
  void stop_all();
  enum class MessageKind : std::int64_t;
  void tell(MessageKind kind);
  void report(bool last);
  EnsembleProgress progress() const;

  const EnsembleOptions& options_;
  const Members& members_;
  SharedWork& shared_;
  std::int64_t threads_;
  RangeDispenser dispenser_;
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

}  // namespace rattleback
