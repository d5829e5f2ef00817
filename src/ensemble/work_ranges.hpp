#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace rattleback {

/// Members that are handed out together: so many that handing out costs nothing, so few that all end at one time.
struct MemberRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool empty() const { return begin == end; }
};

/// All members that are not done, in ranges: guided self-scheduling (Polychronopoulos & Kuck 1987).
class RangeDispenser {
 public:
  RangeDispenser(std::int64_t count, const std::vector<bool>& done, std::int64_t workers, std::int64_t smallest)
      : count_(count), done_(done), workers_(workers), smallest_(smallest) {}

  MemberRange take() {
    while (next_ < count_ && is_done(next_)) ++next_;
    constexpr std::int64_t largest = 4096;
    const std::int64_t size = std::clamp((count_ - next_) / (4 * workers_), smallest_, largest);
    MemberRange range{next_, next_};
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
class RangePool {
 public:
  /// Waits for a range; empty if there will be none.
  MemberRange take() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    arrived_.wait(lock, [&] { return !ranges_.empty() || closed_; });
    --waiting_;
    if (ranges_.empty()) return {};
    const MemberRange range = ranges_.front();
    ranges_.pop_front();
    return range;
  }
  void put(MemberRange range) {
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
  std::deque<MemberRange> ranges_;
  std::int64_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace rattleback
