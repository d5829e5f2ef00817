#include "conductor.hpp"

#include <algorithm>
#include <thread>

#include "rattleback/ensemble/ranks.hpp"

namespace rattleback {

enum class Conductor::MessageKind : std::int64_t {
  request,   ///< of a range; with the counts of the rank
  range,     ///< the answer: empty if there is none
  status,    ///< members, failed, steps taken, steps not needed
  finished,  ///< the last status of a rank
  stop,
};

bool Conductor::is_first() const { return ranks().rank() == 0; }

Conductor::Conductor(const EnsembleOptions& options, const Members& members, SharedWork& shared, std::int64_t threads)
    : options_(options), members_(members), shared_(shared), threads_(threads),
      dispenser_(members.count(), options.done, threads * ranks().count(), std::max<std::int64_t>(1, options.lanes)),
      status_(static_cast<std::size_t>(ranks().count())) {
  for (std::size_t k = 0; k < options.done.size(); ++k) known_ += options.done[k] ? 1 : 0;
  first_steps_ = members.total_steps() * static_cast<double>(known_) / static_cast<double>(members.count());
}

void Conductor::guarded(auto&& work) {
  try {
    work();
  } catch (...) {
    shared_.fail(std::current_exception());
  }
}

EnsembleSummary Conductor::conduct() {
  while (shared_.running.load() > 0 || asked_ > 0 || !all_finished()) {
    bool busy = false;
    guarded([&] {
      busy = listen() || distribute();
      flush(false);
      report(false);
    });
    const bool interrupted = options_.interrupt != nullptr && options_.interrupt->load();
    if ((interrupted || shared_.failed_badly) && !told_to_stop_) stop_all();
    if (!busy) std::this_thread::sleep_for(std::chrono::microseconds(ranks().count() > 1 ? 500 : 2000));
  }
  guarded([&] { flush(true); });
  guarded([&] { report(true); });
  ranks().meet();
  EnsembleSummary summary;
  summary.progress = progress();
  summary.interrupted = interrupted_;
  summary.seconds = seconds();
  return summary;
}

bool Conductor::all_finished() {
  if (!is_first()) {
    if (!told_) tell(MessageKind::finished);
    told_ = true;
    return true;
  }
  return std::ranges::all_of(status_.begin() + 1, status_.end(), &RankStatus::finished);
}

bool Conductor::listen() {
  RankMessage message;
  int from = 0;
  if (!ranks().receive(message, from)) return false;
  RankStatus& status = status_[static_cast<std::size_t>(from)];
  switch (static_cast<MessageKind>(message.kind)) {
    case MessageKind::request: {
      const MemberRange range = shared_.stop ? MemberRange{} : dispenser_.take();
      ranks().send(from, {static_cast<std::int64_t>(MessageKind::range), range.begin, range.end});
      break;
    }
    case MessageKind::range:
      --asked_;
      if (message.first == message.second) {
        exhausted_ = true;
      } else {
        shared_.pool.put({message.first, message.second});
      }
      break;
    case MessageKind::status:
    case MessageKind::finished:
      status = {message.first, message.second, message.number, message.other,
                message.kind == static_cast<std::int64_t>(MessageKind::finished)};
      break;
    case MessageKind::stop:
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

bool Conductor::distribute() {
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
    const MemberRange range = dispenser_.take();
    if (range.empty()) {
      exhausted_ = true;
    } else {
      shared_.pool.put(range);
    }
  } else {
    ++asked_;
    ranks().send(0, {static_cast<std::int64_t>(MessageKind::request)});
  }
  return true;
}

void Conductor::flush(bool last) {
  constexpr double interval = 0.05;
  if (shared_.failed_badly || (!last && seconds() - last_flush_ < interval)) return;
  last_flush_ = seconds();
  const std::lock_guard lock(shared_.sink_mutex);
  shared_.sink.flush();
}

void Conductor::stop_all() {
  told_to_stop_ = true;
  shared_.stop = true;
  interrupted_ = true;
  if (is_first()) {
    for (int r = 1; r < ranks().count(); ++r) ranks().send(r, {static_cast<std::int64_t>(MessageKind::stop)});
  } else {
    ranks().send(0, {static_cast<std::int64_t>(MessageKind::stop)});
  }
}

void Conductor::tell(MessageKind kind) {
  ranks().send(0, {static_cast<std::int64_t>(kind), shared_.members, shared_.failed, static_cast<double>(shared_.taken),
                   static_cast<double>(shared_.not_needed)});
}

void Conductor::report(bool last) {
  constexpr double interval = 0.2;
  if (!last && seconds() - last_report_ < interval) return;
  last_report_ = seconds();
  if (!is_first()) {
    if (!last && !told_) tell(MessageKind::status);
  } else if (options_.progress) {
    options_.progress(progress());
  }
}

EnsembleProgress Conductor::progress() const {
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

}  // namespace rattleback
