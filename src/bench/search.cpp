#include "src/bench/search.hpp"

#include <fmt/format.h>

#include "src/bench/ratio.hpp"

namespace rattleback::bench {
namespace {

struct Scale {
  double largest, smallest;
  double coarse, fine;  ///< factors between neighbours: in the first look, and in the end
};

/// A tolerance twice as large costs a method of order 8 nine per cent less.
Scale scale(Contestant::Setting setting) {
  if (setting == Contestant::Setting::step) return {2.0, 1e-7, 0.92, 0.985};
  return {1e-1, 1e-17, 0.5, 0.9};
}

class Search {
 public:
  Search(Contestant& contestant, const SearchOptions& options)
      : contestant_(contestant), options_(options), scale_(scale(contestant.setting())),
        begin_(std::chrono::steady_clock::now()) {}

  SearchResult run() {
    double setting = scale_.largest;
    double failed = setting / scale_.coarse;
    while (!hold(setting, 1e-3 * options_.time).held) {
      failed = setting;
      setting *= scale_.coarse;
      if (const auto end = ends_before(setting)) return {.end = *end};
    }
    Attempt attempt;
    while (true) {
      if (const auto end = ends_before(setting)) return {.end = *end};
      attempt = hold(setting, options_.time);
      if (attempt.held) break;
      if (attempt.given_up) return {.end = SearchEnd::out_of_time};
      failed = setting;
      setting *= std::clamp(std::pow(attempt.fraction, 1.0 / contestant_.exponent()), scale_.coarse * scale_.coarse,
                            scale_.fine);
    }
    SearchResult result{.end = SearchEnd::found, .setting = setting, .worst = attempt.worst};
    while (setting / failed < scale_.fine) {
      const double middle = std::sqrt(setting * failed);
      attempt = hold(middle, options_.time);
      if (attempt.given_up) {
        result.end = SearchEnd::found_in_haste;
        break;
      }
      (attempt.held ? setting : failed) = middle;
      if (attempt.held) result.worst = attempt.worst;
    }
    result.setting = setting;
    const Timing timing = seconds_per_time(contestant_, setting, options_.time);
    result.seconds = timing.shortest;
    result.low = timing.low;
    result.high = timing.high;
    return result;
  }

 private:
  double seconds_left() const {
    return options_.seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  Attempt hold(double setting, double time) {
    options_.progress(fmt::format("{} within {:.0e}: {} {:.3g}", contestant_.name(), options_.bound,
                                  contestant_.setting() == Contestant::Setting::step ? "step" : "tolerance", setting));
    return contestant_.hold(setting, {time, options_.bound, std::max(0.0, seconds_left())});
  }

  /// Whether the search ends before such a setting is tried.
  std::optional<SearchEnd> ends_before(double setting) {
    if (setting < scale_.smallest) return SearchEnd::never;
    if (seconds_left() <= 0.0) {
      return SearchEnd::out_of_time;
    }
    if (options_.best_known == HUGE_VAL) return std::nullopt;
    const double estimate = seconds_per_time(contestant_, setting, 200.0, 0.0).shortest;
    if (estimate > options_.give_up_ratio * options_.best_known) return SearchEnd::too_dear;
    return std::nullopt;
  }

  Contestant& contestant_;
  const SearchOptions& options_;
  Scale scale_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace

SearchResult cheapest(Contestant& contestant, const SearchOptions& options) {
  return Search(contestant, options).run();
}

Timing seconds_per_time(Contestant& contestant, double setting, double time, double total_seconds) {
  const auto run = [&](double t) { return contestant.seconds(setting, t); };
  double stretch = std::min(time, 100.0);
  double taken = run(stretch);
  while (taken < 0.02 * total_seconds && 2.0 * stretch <= time) {
    stretch *= 2.0;
    taken = run(stretch);
  }
  std::vector<double> times{taken / stretch};
  for (double total = taken; total < total_seconds || times.size() < 3;) {
    taken = run(stretch);
    total += taken;
    times.push_back(taken / stretch);
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 4], times[3 * times.size() / 4]};
}

}  // namespace rattleback::bench
