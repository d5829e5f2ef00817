// Work and precision: the error of the coordinates at the end of a run against the time it takes.

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "src/bench/competitors.hpp"
#include "src/bench/motions.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/tables.hpp"

namespace rattleback::bench {
namespace {

constexpr double end_time = 100.0;

/// The solution to more digits than double has: Gragg's midpoint rule in long double, extrapolated to order 16.
template <class Motion>
std::vector<long double> solution(long steps) {
  using Real = long double;
  constexpr std::size_t size = std::tuple_size_v<typename Motion::State>;
  constexpr int rows = 8;
  using Vector = std::array<Real, size>;
  const auto rate = [](const Vector& s) {
    Vector r{};
    Motion{}(s, r, 0.0);
    return r;
  };
  const Real h = static_cast<Real>(end_time) / static_cast<Real>(steps);
  Vector state{};
  std::ranges::copy(Motion::start(), state.begin());
  for (long k = 0; k < steps; ++k) {
    Vector tableau[rows];
    const Vector first = rate(state);
    for (int j = 0; j < rows; ++j) {
      const int n = 2 * (j + 1);
      const Real d = h / static_cast<Real>(n);
      Vector before = state, here = state;
      for (std::size_t i = 0; i < size; ++i) here[i] += d * first[i];
      for (int m = 1; m < n; ++m) {
        const Vector r = rate(here);
        for (std::size_t i = 0; i < size; ++i) before[i] = std::exchange(here[i], before[i] + 2 * d * r[i]);
      }
      const Vector last = rate(here);
      for (std::size_t i = 0; i < size; ++i) tableau[j][i] = (before[i] + here[i] + d * last[i]) / 2;
      for (int m = j - 1; m >= 0; --m) {  // Aitken and Neville, in powers of d^2
        const Real ratio = static_cast<Real>(j + 1) / static_cast<Real>(m + 1);
        for (std::size_t i = 0; i < size; ++i) {
          tableau[m][i] = tableau[m + 1][i] + (tableau[m + 1][i] - tableau[m][i]) / (ratio * ratio - 1);
        }
      }
    }
    state = tableau[0];
  }
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
    const double taken = benchmark::seconds([&] { contestant.run(setting, end_time); });
    shortest = std::min(shortest, taken);
    total += taken;
  }
  return shortest;
}

PrecisionEntry measure(Contestant& contestant, bool ours, const std::vector<long double>& exact, double floor,
                       const Session& session) {
  PrecisionEntry entry{contestant.name(), ours, contestant.setting(), {}};
  const bool steps = contestant.setting() == Contestant::Setting::step;
  for (double setting = steps ? 2.0 : 1e-2; setting > (steps ? 5e-4 : 3e-16); setting *= steps ? 0.7 : 0.25) {
    session.progress(fmt::format("{}: {} {:.3g}", contestant.name(), steps ? "step" : "tolerance", setting));
    const std::vector<double> q = contestant.end(setting, end_time);
    if (q.empty()) continue;
    const double error = distance(q, exact);
    if (!(error < 1.0)) continue;
    const PrecisionPoint point{setting, std::max(error, floor), seconds_of_run(contestant, setting)};
    // Points that another one beats in both are noise, or rounding.
    std::erase_if(entry.points,
                  [&](const PrecisionPoint& p) { return p.error >= point.error && p.seconds >= point.seconds; });
    if (entry.points.empty() || point.error < entry.points.back().error) entry.points.push_back(point);
    if (error < 1e-13) break;
  }
  return entry;
}

template <class Motion>
PrecisionTable table(const std::string& name, const Problem& problem, const Contestants& theirs,
                     const Session& session) {
  const auto exact = solution<Motion>(4000);
  PrecisionTable result{name, end_time, std::max(1e-16, distance(solution<Motion>(3000), exact)), {}};
  for (const char* method : our_methods) {
    session.progress("compiling");
    OurMethod ours(method, problem);
    result.entries.push_back(measure(ours, true, exact, result.floor, session));
  }
  for (const auto& c : theirs) result.entries.push_back(measure(*c, false, exact, result.floor, session));
  return result;
}

}  // namespace

std::vector<PrecisionTable> precision(const Session& session) {
  std::vector<PrecisionTable> tables;
  tables.push_back(table<ParticleMotion>("quadratic particle", particle(), competitors_particle(), session));
  tables.push_back(table<SleighMotion>("Chaplygin sleigh", sleigh(), competitors_sleigh(), session));
  return tables;
}

std::optional<double> seconds_for(const PrecisionEntry& entry, double error) {
  const auto& points = entry.points;  // errors decrease
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
