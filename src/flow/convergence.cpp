#include "rattleback/flow/convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/raise.hpp"
#include "rattleback/method/registry.hpp"

namespace rattleback {
namespace {

constexpr double round_off = 1e-11;
constexpr std::size_t fewest_points = 3;
/// A run shorter than this is repeated, for the sake of its time.
constexpr double short_run = 0.005;
constexpr int repetitions = 5;

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) raise(largest, std::abs(a[i] - b[i]));
  return largest;
}

ConvergencePoint measure(Stepper& stepper, const Problem& problem, const RunOptions& options, const State& reference) {
  ConvergencePoint point{problem.step, options.steps};
  const std::vector<double> start = stepper.save();
  for (int k = 0; k < repetitions; ++k) {
    stepper.restore(start);
    const RunResult result = run(stepper, problem, options);
    point.outcome = result.outcome;
    const bool finished = result.outcome == RunOutcome::finished;
    point.error = finished ? distance(result.node.q, reference.q) : std::numeric_limits<double>::quiet_NaN();
    point.energy_error = result.statistics.max_energy_error();
    point.newton = result.newton.mean();
    const double seconds = result.statistics.seconds;
    point.seconds = k == 0 ? seconds : std::min(point.seconds, seconds);
    if (seconds > short_run || result.outcome != RunOutcome::finished) break;
  }
  return point;
}

}  // namespace

double size_of_positions(const State& start, const State& end) {
  double scale = 0.0;
  for (const double q : start.q) scale = std::max(scale, std::abs(q));
  for (const double q : end.q) scale = std::max(scale, std::abs(q));
  return scale > 0.0 ? scale : 1.0;
}

std::vector<std::int64_t> step_counts(std::int64_t fewest, std::int64_t most, int count) {
  std::vector<std::int64_t> counts;
  const double ratio = std::pow(static_cast<double>(most) / static_cast<double>(fewest), 1.0 / std::max(1, count - 1));
  for (int i = 0; i < count; ++i) {
    const auto n =
        static_cast<std::int64_t>(std::floor(static_cast<double>(fewest) * std::pow(ratio, i) * (1 + 1e-12)));
    if (counts.empty() || n - 1 > counts.back()) counts.push_back(n - 1);
  }
  return counts;
}

std::optional<double> fit_order(std::vector<ConvergencePoint>& points, double scale) {
  std::vector<ConvergencePoint*> usable;
  for (ConvergencePoint& p : points) {
    p.fitted = false;
    if (p.outcome == RunOutcome::finished && p.error > round_off * scale) usable.push_back(&p);
  }
  if (usable.size() < fewest_points) return std::nullopt;
  const std::size_t kept = std::max(fewest_points, (usable.size() + 1) / 2);
  usable.erase(usable.begin(), usable.end() - static_cast<std::ptrdiff_t>(kept));
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (ConvergencePoint* p : usable) {
    p->fitted = true;
    const double x = std::log(p->step);
    const double y = std::log(p->error);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const auto n = static_cast<double>(usable.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Convergence measure_convergence(const MethodSpec& method, const Problem& problem, double time,
                                const std::vector<std::int64_t>& counts, const State& reference,
                                const std::atomic<bool>* interrupt,
                                const std::function<void(const Progress&)>& progress) {
  const DerivedMethod derived(method, problem);
  Convergence result{method.text(), std::nullopt, std::nullopt, {}};
  if (derived.map && !derived.map->structure.exact) {
    const Structure& structure = derived.map->structure;
    const bool from_two_positions = method.starts_from_reference() || problem.second_position;
    result.expected_order = structure.order + (from_two_positions ? structure.order_gained_from_two_positions : 0);
  }
  std::unique_ptr<Stepper> stepper;
  for (const std::int64_t steps : counts) {
    Problem here = problem;
    here.step = time / static_cast<double>(steps);
    RunOptions options;
    options.steps = steps;
    options.interrupt = interrupt;
    options.progress = progress;
    stepper = make_stepper(derived, here);  // while the last one lives, its code need not be compiled again
    if (stepper->time()) {
      throw MethodError(
          fmt::format("{0} has nodes at times of its own and not at the end: {0}:resample has", method.text()));
    }
    result.points.push_back(measure(*stepper, here, options, reference));
    if (result.points.back().outcome == RunOutcome::interrupted) break;
  }
  result.measured_order = fit_order(result.points, size_of_positions(problem.start, reference));
  return result;
}

}  // namespace rattleback
