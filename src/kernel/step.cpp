#include "rattleback/kernel/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "careful_solver.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/expr/print.hpp"
#include "step_runner.hpp"

namespace rattleback {

const char* outcome_name(Outcome outcome) {
  constexpr const char* names[] = {"converged", "not converged", "singular", "not finite"};
  return names[static_cast<std::size_t>(outcome)];
}

struct Step::State {
  State(ImplicitSystem s, int lanes, Backend backend)
      : system(std::move(s)), runner(make_step_program(system), lanes, backend),
        reports(static_cast<std::size_t>(lanes)), lane_data(system.data.size()), lane_outputs(system.outputs.size()) {}

  std::size_t width() const { return static_cast<std::size_t>(runner.lanes()); }

  /// Redoes the step in the lanes where the fast path failed. True if all of them succeed.
  bool rescue(const double* data, double* outputs) {
    bool all_converged = true;
    for (std::size_t l = 0; l < width(); ++l) {
      if (runner.counters().failed[l] == 0) continue;
      LaneReport& report = reports[l];
      const std::int64_t before = report.iterations;
      runner.gather(data, l, lane_data);
      if (!careful) careful.emplace(system);
      careful->solve(lane_data, lane_outputs, report);
      const int used = static_cast<int>(report.iterations - before);
      if (report.outcome != Outcome::converged) report.failed_iterations = used;
      report.max_iterations = std::max(report.max_iterations, used);
      ++report.pivoted;
      if (report.outcome == Outcome::converged) {
        runner.scatter(lane_outputs, l, outputs);
      } else {
        all_converged = false;
      }
    }
    return all_converged;
  }

  ImplicitSystem system;
  StepRunner runner;
  std::optional<CarefulSolver> careful;  ///< derived when a step needs it: most never do
  std::vector<LaneReport> reports;
  std::vector<double> lane_data;
  std::vector<double> lane_outputs;
};

Step::Step(ImplicitSystem system, int lanes, Backend backend) {
  check_lanes(lanes);
  state_ = std::make_unique<State>(std::move(system), lanes, backend);
}

Step::Step(Step&&) noexcept = default;
Step& Step::operator=(Step&&) noexcept = default;
Step::~Step() = default;

std::int64_t Step::run(std::span<double> data, std::span<double> outputs, std::int64_t steps) {
  State& s = *state_;
  if (steps < 0) throw std::invalid_argument(fmt::format("{} steps: the number cannot be negative", steps));
  if (data.size() != s.system.data.size() * s.width() || outputs.size() != s.system.outputs.size() * s.width()) {
    throw std::invalid_argument(fmt::format("a step of {} lanes needs {} data and {} outputs, found {} and {}",
                                            s.width(), s.system.data.size() * s.width(),
                                            s.system.outputs.size() * s.width(), data.size(), outputs.size()));
  }
  std::fill(s.reports.begin(), s.reports.end(), LaneReport{});
  std::int64_t taken = 0;
  while (taken < steps) {
    taken += s.runner.run(data.data(), outputs.data(), steps - taken);
    const StepCounters& counters = s.runner.counters();
    for (std::size_t l = 0; l < s.width(); ++l) {
      s.reports[l].iterations += counters.iterations[l];
      s.reports[l].max_iterations = std::max(s.reports[l].max_iterations, static_cast<int>(counters.max_iterations[l]));
    }
    if (taken == steps) break;
    if (!s.rescue(data.data(), outputs.data())) break;
    for (std::size_t l = 0; l < s.width(); ++l) {  // the lanes that did not need it have taken the step too
      if (counters.failed[l] != 0) continue;
      s.reports[l].iterations += counters.last[l];
      s.reports[l].max_iterations = std::max(s.reports[l].max_iterations, static_cast<int>(counters.last[l]));
    }
    s.runner.advance(data.data(), outputs.data());
    ++taken;
  }
  return taken;
}

std::span<const LaneReport> Step::reports() const { return state_->reports; }
int Step::lanes() const { return state_->runner.lanes(); }
const ImplicitSystem& Step::system() const { return state_->system; }

bool Step::is_compiled() const { return state_->runner.is_compiled(); }

std::string Step::describe(const LaneReport& report) const {
  const char* const name = outcome_name(report.outcome);
  if (report.outcome == Outcome::converged) return name;
  if (report.equation < 0) return fmt::format("{}: an output is infinite or undefined", name);
  const std::string equation = shortened(state_->system.residuals[static_cast<std::size_t>(report.equation)], 100);
  const std::string place = fmt::format("{} at equation {} (0 = {})", name, report.equation + 1, equation);
  switch (report.outcome) {
    case Outcome::singular: return place + ": here it does not determine the unknowns together with the others";
    case Outcome::not_finite: return place + ": it is infinite or undefined here, or its derivatives are";
    default: {
      const auto& residuals = state_->system.residuals;
      const auto has_kinks = [&](const Expression& r) { return has_kinks_in(r, state_->system.unknowns); };
      const char* advice = "a smaller step may help";
      if (has_kinks(residuals[static_cast<std::size_t>(report.equation)])) {
        advice = "it is not smooth, and where it jumps it may have no solution, as friction at rest";
      } else if (std::ranges::any_of(residuals, has_kinks)) {
        advice =
            "others are not smooth, and together they may have no solution, as with too much friction; a smaller "
            "step may help";
      }
      return fmt::format("{}: residual {:.2g} of its terms after {} iteration{}; {}", place, report.residual,
                         report.failed_iterations, report.failed_iterations == 1 ? "" : "s", advice);
    }
  }
}

}  // namespace rattleback
