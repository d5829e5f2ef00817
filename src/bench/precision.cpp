// Work and precision: the error of the coordinates at the end of a run against the time it takes.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/bench/competitors.hpp"
#include "src/bench/heyoka.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/our_flow.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/rattleback_motion.hpp"
#include "src/bench/solution.hpp"
#include "src/bench/tables.hpp"

namespace rattleback::bench {
namespace {

/// The coordinates at the end.
template <class Motion>
std::vector<long double> exact_end(double time, long steps) {
  auto state = solution<Motion>(Motion::start(), time, steps);
  state.resize(Motion::position(Motion::start()).size());
  return state;
}

double distance(const auto& a, const std::vector<long double>& b) {
  long double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) most = std::max(most, std::abs(static_cast<long double>(a[i]) - b[i]));
  return static_cast<double>(most);
}

/// Noise only adds to times: the shortest of some.
double seconds_of_run(Contestant& contestant, double setting, double time) {
  double shortest = HUGE_VAL;
  int runs = 0;
  for (double total = 0.0; total < 0.02 || runs < 3; ++runs) {
    const double taken = contestant.seconds(setting, time);
    shortest = std::min(shortest, taken);
    total += taken;
  }
  return shortest;
}

PrecisionEntry measure(Contestant& contestant, Side side, double time, const std::vector<long double>& exact,
                       double floor, const Session& session) {
  PrecisionEntry entry{contestant.name(), side, contestant.setting(), {}};
  const bool steps = contestant.setting() == Contestant::Setting::step;
  for (double setting = steps ? 2.0 : 1e-2; setting > (steps ? 5e-4 : 3e-16); setting *= steps ? 0.7 : 0.25) {
    session.progress(fmt::format("{}: {} {:.3g}", contestant.name(), steps ? "step" : "tolerance", setting));
    const std::vector<double> q = contestant.end(setting, time);
    if (q.empty()) continue;
    const double error = distance(q, exact);
    if (!(error < 1.0)) continue;
    const PrecisionPoint point{setting, std::max(error, floor), seconds_of_run(contestant, setting, time)};
    add_unless_beaten(point, entry.points);
    if (error < 1e-13) break;
  }
  return entry;
}

/// `name` is for people, `heyoka` what that calls the problem.
template <class Motion>
PrecisionTable table(const char* name, const char* heyoka, int size, const Problem& problem, double time, long steps,
                     Contestants theirs, const Session& session) {
  const auto exact = exact_end<Motion>(time, steps);
  PrecisionTable result{name, time, std::max(1e-16, distance(exact_end<Motion>(time, steps * 3 / 4), exact)), {}};
  const auto add = [&](Contestant& contestant, Side side) {
    result.entries.push_back(measure(contestant, side, time, exact, result.floor, session));
  };
  for (const char* method : our_methods) {
    session.progress("compiling");
    OurMethod ours(method, problem);
    add(ours, Side::our_maps);
  }
  OurFlow flow(problem);
  add(flow, Side::our_flows);
  std::ranges::move(heyoka_contestants(session.heyoka, heyoka, problem, size), std::back_inserter(theirs));
  for (const auto& c : theirs) add(*c, Side::theirs);
  return result;
}

}  // namespace

std::vector<PrecisionTable> precision(const Session& session) {
  std::vector<PrecisionTable> tables;
  tables.push_back(table<ParticleMotion>("quadratic particle", "particle", 0, particle(), 100.0, 4000,
                                         competitors_particle(), session));
  tables.push_back(
      table<SleighMotion>("Chaplygin sleigh", "sleigh", 0, sleigh(), 100.0, 4000, competitors_sleigh(), session));
  tables.push_back(table<SixOscillators>("McLachlan and Perlmutter, n = 6", "oscillators", 6, oscillators(6), 10.0,
                                         1000, competitors_oscillators(), session));
  tables.push_back(table<RattlebackMotion>("rattleback", "rattleback", 0, rattleback_on_ground(), 5.0, 8000,
                                           competitors_rattleback(), session));
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
