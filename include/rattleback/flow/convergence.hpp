#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/flow/run.hpp"

namespace rattleback {

/// One run of a method to the end of a time interval.
struct ConvergencePoint {
  double step = 0.0;
  std::int64_t steps = 0;
  RunOutcome outcome = RunOutcome::finished;
  double error = 0.0;         ///< largest difference of the last positions from the reference; NaN unless finished
  double energy_error = 0.0;  ///< largest at the nodes, as in RunStatistics
  double seconds = 0.0;       ///< the shortest of a few runs if it is short
  double newton = 0.0;        ///< mean number of iterations
  bool fitted = false;        ///< used for the order
};

struct Convergence {
  std::string method;
  std::optional<int> expected_order;     ///< what the method promises on this system from this start
  std::optional<double> measured_order;  ///< none if fewer than three points are above round-off
  std::vector<ConvergencePoint> points;  ///< from large to small steps
};

/// `count` numbers of steps between two, evenly spaced on a logarithmic scale (Evensberget, Experiment 3.1: with N
/// points in time there are N − 1 steps).
std::vector<std::int64_t> step_counts(std::int64_t fewest, std::int64_t most, int count);

/// Runs a method from the start of a problem, whose step is ignored, to a time with different numbers of steps.
/// `reference` is the state at that time. Stops early when `interrupt` is set.
Convergence measure_convergence(const MethodSpec& method, const Problem& problem, double time,
                                const std::vector<std::int64_t>& counts, const State& reference,
                                const std::atomic<bool>* interrupt = nullptr,
                                const std::function<void(const Progress&)>& progress = {});

/// The largest coordinate at the start or at the end.
double size_of_positions(const State& start, const State& end);

/// The slope of log(error) over log(h) by least squares, over the finer half of those points that are above round-off:
/// errors above 1e-11 of the size of positions. Marks these points.
std::optional<double> fit_order(std::vector<ConvergencePoint>& points, double scale);

}  // namespace rattleback
