#pragma once

// Times of two codes that take turns: noise of the machine hits both, and the ratio survives it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <vector>

namespace rattleback::benchmark {

/// Keeps a value from being optimised away.
inline void keep(const void* p) { asm volatile("" : : "g"(p) : "memory"); }

inline double seconds(auto&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// By the clock; what takes so long that the processor is likely to be given to others meanwhile, by the time it had.
inline double undisturbed_seconds(auto&& work) {
  constexpr double long_enough = 1e-3;
  const auto of_thread = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double begin = of_thread();
  const double taken = seconds(work);
  return taken < long_enough ? taken : std::min(taken, of_thread() - begin);
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  double ratio;      ///< of the shortest times, each for one unit of work: noise only adds to times
  double low, high;  ///< quartiles of the ratios of neighbours: what the machine's noise does to them
  double ours;       ///< seconds of one unit of work, shortest
  double theirs;
};

/// Long enough to find a quiet moment: what else runs on the physical core slows code that fills it more than code that
/// waits for its own results.
inline constexpr double seconds_of_comparison = 1.0;

/// Each call of ours() does `our_units` units of work, each call of theirs() `their_units`; they say how many seconds
/// it took.
inline Comparison compare_seconds(double our_units, auto&& ours, double their_units, auto&& theirs) {
  std::vector<double> ratios;
  std::vector<double> our_times;
  std::vector<double> their_times;
  ours();
  theirs();
  for (double total = 0.0; total < seconds_of_comparison;) {
    our_times.push_back(ours() / our_units);
    their_times.push_back(theirs() / their_units);
    ratios.push_back(our_times.back() / their_times.back());
    total += our_times.back() * our_units + their_times.back() * their_units;
  }
  std::sort(ratios.begin(), ratios.end());
  const auto n = ratios.size();
  const double our_best = *std::min_element(our_times.begin(), our_times.end());
  const double their_best = *std::min_element(their_times.begin(), their_times.end());
  return {our_best / their_best, ratios[n / 4], ratios[3 * n / 4], our_best, their_best};
}

/// The same, by the clock.
inline Comparison compare(double our_units, auto&& ours, double their_units, auto&& theirs) {
  return compare_seconds(our_units, [&] { return seconds(ours); }, their_units, [&] { return seconds(theirs); });
}

/// One line of the table. The goal is an upper bound on ours/theirs.
inline void print(const std::string& what, const Comparison& c, double goal) {
  fmt::print("  {:<62} {:6.2f}  [{:.2f}, {:.2f}]  {}  ({:.2f} ns : {:.2f} ns)\n", what, c.ratio, c.low, c.high,
             goal <= 0.0      ? "            "
             : c.ratio > goal ? fmt::format("goal {:4.2f} NO", goal)
                              : fmt::format("goal {:4.2f} ok", goal),
             1e9 * c.ours, 1e9 * c.theirs);
}

}  // namespace rattleback::benchmark
