// Work and precision: the error of the coordinates at the end of a run against the time it takes.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/bench/competitors.hpp"
#include "src/bench/heyoka.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/our_flow.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/solution.hpp"
#include "src/bench/tables.hpp"

namespace rattleback::bench {
namespace {

constexpr double end_time = 100.0;

/// The coordinates at the end.
template <class Motion>
std::vector<long double> exact_end(long steps) {
  const auto state = solution<Motion>(Motion::start(), end_time, steps);
  return {state.begin(), state.begin() + 3};
}

double distance(const auto& a, const std::vector<long double>& b) {
  long double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) most = std::max(most, std::abs(static_cast<long double>(a[i]) - b[i]));
  return static_cast<double>(most);
}

/// Noise only adds to times: the shortest of some.
double seconds_of_run(Contestant& contestant, double setting) {
  double shortest = HUGE_VAL;
  int runs = 0;
  for (double total = 0.0; total < 0.02 || runs < 3; ++runs) {
    const double taken = contestant.seconds(setting, end_time);
    shortest = std::min(shortest, taken);
    total += taken;
  }
  return shortest;
}

PrecisionEntry measure(Contestant& contestant, Side side, const std::vector<long double>& exact, double floor,
                       const Session& session) {
  PrecisionEntry entry{contestant.name(), side, contestant.setting(), {}};
  const bool steps = contestant.setting() == Contestant::Setting::step;
  for (double setting = steps ? 2.0 : 1e-2; setting > (steps ? 5e-4 : 3e-16); setting *= steps ? 0.7 : 0.25) {
    session.progress(fmt::format("{}: {} {:.3g}", contestant.name(), steps ? "step" : "tolerance", setting));
    const std::vector<double> q = contestant.end(setting, end_time);
    if (q.empty()) continue;
    const double error = distance(q, exact);
    if (!(error < 1.0)) continue;
    const PrecisionPoint point{setting, std::max(error, floor), seconds_of_run(contestant, setting)};
    add_unless_beaten(point, entry.points);
    if (error < 1e-13) break;
  }
  return entry;
}

template <class Motion>
PrecisionTable table(const std::string& name, const Problem& problem, const Contestants& theirs,
                     const Session& session) {
  const auto exact = exact_end<Motion>(4000);
  PrecisionTable result{name, end_time, std::max(1e-16, distance(exact_end<Motion>(3000), exact)), {}};
  const auto add = [&](Contestant& contestant, Side side) {
    result.entries.push_back(measure(contestant, side, exact, result.floor, session));
  };
  for (const char* method : our_methods) {
    session.progress("compiling");
    OurMethod ours(method, problem);
    add(ours, Side::our_maps);
  }
  OurFlow flow(problem);
  add(flow, Side::our_flows);
  for (const auto& c : theirs) add(*c, Side::theirs);
  return result;
}

}  // namespace

std::vector<PrecisionTable> precision(const Session& session) {
  const auto with_heyoka = [&](Contestants others, const char* name, const Problem& problem) {
    std::ranges::move(heyoka_contestants(session.heyoka, name, problem), std::back_inserter(others));
    return others;
  };
  std::vector<PrecisionTable> tables;
  tables.push_back(table<ParticleMotion>("quadratic particle", particle(),
                                         with_heyoka(competitors_particle(), "particle", particle()), session));
  tables.push_back(table<SleighMotion>("Chaplygin sleigh", sleigh(),
                                       with_heyoka(competitors_sleigh(), "sleigh", sleigh()), session));
  return tables;
}

void add_unless_beaten(const PrecisionPoint& point, std::vector<PrecisionPoint>& points) {
  std::erase_if(points, [&](const PrecisionPoint& p) { return p.error >= point.error && p.seconds >= point.seconds; });
  if (points.empty() || point.error < points.back().error) points.push_back(point);
}

std::optional<double> seconds_for(const std::vector<PrecisionPoint>& points, double error) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (points[k].error > error) continue;
    if (k == 0) return points[0].seconds;
    const PrecisionPoint &a = points[k - 1], &b = points[k];
    const double weight = std::log(a.error / error) / std::log(a.error / b.error);
    return a.seconds * std::pow(b.seconds / a.seconds, weight);
  }
  return std::nullopt;
}

}  // namespace rattleback::bench
