#pragma once

// Work that may take long: somebody can stop it, and memory is not taken without end.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "rattleback/base/error.hpp"

namespace rattleback {

/// Somebody asked the work to stop.
class Interrupted : public Error {
 public:
  Interrupted() : Error(Kind::interrupted, "interrupted") {}
};

/// More memory is needed than there may be.
class MemoryError : public SystemFailure {
 public:
  using SystemFailure::SystemFailure;
};

/// While it lives, the work of this thread stops when the flag is set, wherever it looks (keep_working).
class Interruptible {
 public:
  explicit Interruptible(const std::atomic<bool>* flag);
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible();

 private:
  const std::atomic<bool>* outer_;
};

/// While it lives, somebody is told once if the work of this thread takes longer than three seconds.
class Patience {
 public:
  explicit Patience(std::function<void()> tell);
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience();

 private:
  friend void keep_working();
  Patience* outer_;
  std::int64_t ends_;  ///< of a clock in nanoseconds
  std::function<void()> tell_;
};

/// Every loop that may run long calls it, at least ten times a second. Throws Interrupted when this thread was asked to
/// stop, and MemoryError when the process holds more than memory_limit(). Costs a few nanoseconds.
void keep_working();

/// Bytes that this process may hold: the environment variable RATTLEBACK_MEMORY, in gigabytes; without it three
/// quarters of what the machine or its control group has.
std::int64_t memory_limit();

/// Refuses work whose memory is known before it begins: throws MemoryError with what it would take, the limit, and the
/// way around, a clause like "choose fewer points".
void require_memory(double bytes, const std::string& what, const std::string& way_around);

}  // namespace rattleback
