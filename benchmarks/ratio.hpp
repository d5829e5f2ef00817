#pragma once

// Times of two codes that take turns: noise of the machine hits both, and the ratio survives it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct Comparison {
  double ratio;      ///< median of time(ours)/time(theirs), each for one unit of work
  double low, high;  ///< quartiles: what the machine's noise does to it
  double ours;       ///< seconds of one unit of work, median
  double theirs;
};

/// Each call of ours() does `our_units` units of work, each call of theirs() `their_units`.
inline Comparison compare(double our_units, auto&& ours, double their_units, auto&& theirs, int rounds = 41) {
  std::vector<double> ratios;
  std::vector<double> our_times;
  std::vector<double> their_times;
  ours();
  theirs();
  for (int i = 0; i < rounds; ++i) {
    our_times.push_back(seconds(ours) / our_units);
    their_times.push_back(seconds(theirs) / their_units);
    ratios.push_back(our_times.back() / their_times.back());
  }
  std::sort(ratios.begin(), ratios.end());
  const auto n = ratios.size();
  return {ratios[n / 2], ratios[n / 4], ratios[3 * n / 4], median(our_times), median(their_times)};
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
