#include "rattleback/base/work.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <utility>

namespace rattleback {
namespace {

constexpr double gigabyte = 1e9;
constexpr std::int64_t nanoseconds = 1000000000;  ///< of a second
constexpr std::int64_t between_looks = nanoseconds / 20;
constexpr std::int64_t patience = 3 * nanoseconds;

thread_local const std::atomic<bool>* asked_to_stop = nullptr;
thread_local Patience* impatient = nullptr;

/// A clock that ticks a few hundred times a second, and costs little.
std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::int64_t{time.tv_sec} * nanoseconds + time.tv_nsec;
}

std::int64_t limit_of_machine() {
  auto bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  double group = 0.0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group && group > 0.0) bytes = std::min(bytes, group);
  return static_cast<std::int64_t>(0.75 * bytes);
}

std::int64_t find_limit() {
  const char* given = std::getenv("RATTLEBACK_MEMORY");
  if (given == nullptr) return limit_of_machine();
  char* end = nullptr;
  const double amount = std::strtod(given, &end);
  if (end == given || *end != '\0' || !(amount > 0.0) || !(amount < 1e9)) {
    throw RequestError(
        fmt::format("the environment variable RATTLEBACK_MEMORY is '{}', expected gigabytes, like 8", given));
  }
  return static_cast<std::int64_t>(amount * gigabyte);
}

double resident() {
  std::int64_t all = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void watch_memory(std::int64_t time) {
  static std::atomic<std::int64_t> next_look = 0;
  if (time < next_look.load(std::memory_order_relaxed)) return;
  next_look.store(time + between_looks, std::memory_order_relaxed);
  const double held = resident();
  if (held <= static_cast<double>(memory_limit())) return;
  throw MemoryError(fmt::format(
      "out of memory: {:.3g} GB are held, the limit is {:.3g} GB; make the problem smaller, or allow more with the "
      "environment variable RATTLEBACK_MEMORY (in GB)",
      held / gigabyte, static_cast<double>(memory_limit()) / gigabyte));
}

}  // namespace

Interruptible::Interruptible(const std::atomic<bool>* flag) : outer_(asked_to_stop) {
  if (flag != nullptr) asked_to_stop = flag;
}
Interruptible::~Interruptible() { asked_to_stop = outer_; }

Patience::Patience(std::function<void()> tell)
    : outer_(std::exchange(impatient, this)), ends_(now() + patience), tell_(std::move(tell)) {}
Patience::~Patience() { impatient = outer_; }

void keep_working() {
  if (asked_to_stop != nullptr && asked_to_stop->load(std::memory_order_relaxed)) throw Interrupted();
  const std::int64_t time = now();
  watch_memory(time);
  if (impatient == nullptr || time < impatient->ends_) return;
  impatient->ends_ = std::numeric_limits<std::int64_t>::max();
  impatient->tell_();
}

std::int64_t memory_limit() {
  static const std::int64_t limit = find_limit();
  return limit;
}

void require_memory(double bytes, const std::string& what, const std::string& way_around) {
  const auto limit = static_cast<double>(memory_limit());
  if (bytes <= limit) return;
  throw MemoryError(
      fmt::format("{} would take about {:.3g} GB of memory, the limit is {:.3g} GB: {}, or allow more with the "
                  "environment variable RATTLEBACK_MEMORY (in GB)",
                  what, bytes / gigabyte, limit / gigabyte, way_around));
}

}  // namespace rattleback
