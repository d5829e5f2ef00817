#pragma once

// The cheapest setting with which a contestant holds the energy over the whole time.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "src/bench/contestant.hpp"

namespace rattleback::bench {

struct SearchOptions {
  double time = 1e6;
  double bound = 1e-6;
  double seconds = 60.0;         ///< of one search
  double best_known = HUGE_VAL;  ///< seconds per unit of time
  double give_up_ratio = 20.0;   ///< a setting that costs so many times the best known ends the search
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

enum class SearchEnd : std::uint8_t {
  found,
  found_in_haste,  ///< a setting holds; there was no time to look for a larger one
  too_dear,        ///< nothing holds that costs less than give_up_ratio times the best known
  out_of_time,     ///< nothing was seen to hold
  never            ///< no setting down to the smallest holds
};

struct SearchResult {
  SearchEnd end = SearchEnd::never;
  double setting = 0.0;
  double seconds = 0.0;  ///< per unit of time, unwatched, shortest
  double low = 0.0;      ///< quartiles of the measurements: the machine's noise
  double high = 0.0;
  double worst = 0.0;  ///< error of the energy over the whole time
  bool holds() const { return end == SearchEnd::found || end == SearchEnd::found_in_haste; }
};

/// Downwards from settings that fail early: a run is given up as soon as the bound is left, and how early that is tells
/// how far to go down (errors of methods without structure grow about linearly in time). A setting counts only if it
/// holds over the whole time: steps near resonances hold for long, and fail.
SearchResult cheapest(Contestant& contestant, const SearchOptions& options);

struct Timing {
  double shortest, low, high;
};

/// Seconds per unit of time of unwatched runs, of up to the given time but no longer than measuring needs.
Timing seconds_per_time(Contestant& contestant, double setting, double time, double total_seconds = 1.0);

}  // namespace rattleback::bench
