#include "rattleback/kernel/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "careful_solver.hpp"
#include "jit.hpp"
#include "rattleback/expr/print.hpp"
#include "step_interpreter.hpp"

namespace rattleback {

const char* outcome_name(Outcome outcome) {
  constexpr const char* names[] = {"converged", "not converged", "singular", "not finite"};
  return names[static_cast<std::size_t>(outcome)];
}

struct Step::State {
  State(ImplicitSystem s, int lane_count, Backend backend)
      : system(std::move(s)), lanes(lane_count), program(make_step_program(system)), interpreter(program),
        careful(system), reports(static_cast<std::size_t>(lane_count)), lane_data(system.data.size()),
        lane_outputs(system.outputs.size()), saved_state(system.state * static_cast<std::size_t>(lane_count)) {
    if (use_compiler(backend)) {
      compiled = compile_cached(program, lanes);
      workspace.resize(compiled.workspace);
    }
  }

  std::size_t width() const { return static_cast<std::size_t>(lanes); }

  /// Up to `steps` steps of all lanes on the fast path.
  std::int64_t run_fast(double* data, double* outputs, std::int64_t steps) {
    if (compiled.function != nullptr) return compiled.function(data, outputs, steps, &counters, workspace.data());
    return interpret(data, outputs, steps);
  }

  std::int64_t interpret(double* data, double* outputs, std::int64_t steps) {
    counters = {};
    for (std::int64_t n = 0; n < steps; ++n) {
      bool failed = false;
      std::int64_t iterations[max_lanes] = {};
      for (std::size_t l = 0; l < width(); ++l) {
        gather(data, l);
        int count = 0;
        counters.failed[l] = interpreter(lane_data.data(), lane_outputs.data(), count) ? 0 : -1;
        failed = failed || counters.failed[l] != 0;
        iterations[l] = counters.last[l] = count;
        scatter_outputs(outputs, l);
      }
      if (failed) return n;
      advance(data, outputs);
      for (std::size_t l = 0; l < width(); ++l) {
        counters.iterations[l] += iterations[l];
        counters.max_iterations[l] = std::max(counters.max_iterations[l], iterations[l]);
      }
    }
    return steps;
  }

  /// Redoes the step in the lanes where the fast path failed. True if all of them succeed.
  bool rescue(const double* data, double* outputs) {
    bool all_converged = true;
    for (std::size_t l = 0; l < width(); ++l) {
      if (counters.failed[l] == 0) continue;
      LaneReport& report = reports[l];
      const std::int64_t before = report.iterations;
      gather(data, l);
      careful.solve(lane_data, lane_outputs, report);
      const int used = static_cast<int>(report.iterations - before);
      if (report.outcome != Outcome::converged) report.failed_iterations = used;
      report.max_iterations = std::max(report.max_iterations, used);
      ++report.pivoted;
      if (report.outcome == Outcome::converged) {
        scatter_outputs(outputs, l);
      } else {
        all_converged = false;
      }
    }
    return all_converged;
  }

  /// The generated code watches what may be undefined, not what may overflow by mere growth; that is
  /// noticed here, at the end of a call. Then the steps are repeated one by one to find the place.
  /// (The outputs of a call that ends with a failure belong to no step and say nothing.)
  std::int64_t run_watched(double* data, double* outputs, std::int64_t steps) {
    std::copy_n(data, saved_state.size(), saved_state.data());
    const std::int64_t taken = run_fast(data, outputs, steps);
    const auto is_finite = [&] {  // the first outputs are the state
      return all_finite(data, saved_state.size()) &&
             (taken < steps || all_finite(outputs + saved_state.size(), outputs_size() - saved_state.size()));
    };
    if (taken == 0 || is_finite()) return taken;
    std::copy(saved_state.begin(), saved_state.end(), data);
    StepCounters total{};
    for (std::int64_t n = 0; n < taken; ++n) {
      run_fast(data, outputs, 1);
      if (is_finite()) {
        std::copy_n(data, saved_state.size(), saved_state.data());
        for (std::size_t l = 0; l < width(); ++l) {
          total.iterations[l] += counters.iterations[l];
          total.max_iterations[l] = std::max(total.max_iterations[l], counters.iterations[l]);
        }
        continue;
      }
      for (std::size_t l = 0; l < width(); ++l) {
        total.last[l] = counters.last[l];
        for (std::size_t i = 0; i < system.outputs.size(); ++i) {
          if (!std::isfinite(outputs[i * width() + l])) total.failed[l] = -1;
        }
      }
      counters = total;
      std::copy(saved_state.begin(), saved_state.end(), data);
      return n;
    }
    return taken;
  }

  std::size_t outputs_size() const { return system.outputs.size() * width(); }

  static bool all_finite(const double* values, std::size_t count) {
    return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
  }

  void gather(const double* data, std::size_t lane) {
    for (std::size_t i = 0; i < lane_data.size(); ++i) lane_data[i] = data[i * width() + lane];
  }
  void scatter_outputs(double* outputs, std::size_t lane) const {
    for (std::size_t i = 0; i < lane_outputs.size(); ++i) outputs[i * width() + lane] = lane_outputs[i];
  }
  void advance(double* data, const double* outputs) const { std::copy_n(outputs, system.state * width(), data); }

  ImplicitSystem system;
  int lanes;
  StepProgram program;
  StepInterpreter<double> interpreter;
  Compiled<StepFunction> compiled;
  CarefulSolver careful;
  StepCounters counters{};
  std::vector<LaneReport> reports;
  std::vector<double> lane_data;
  std::vector<double> lane_outputs;
  std::vector<double> saved_state;
  std::vector<double> workspace;
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
    throw std::invalid_argument(fmt::format("a step of {} lanes needs {} data and {} outputs, found {} and {}", s.lanes,
                                            s.system.data.size() * s.width(), s.outputs_size(), data.size(),
                                            outputs.size()));
  }
  std::fill(s.reports.begin(), s.reports.end(), LaneReport{});
  std::int64_t taken = 0;
  while (taken < steps) {
    taken += s.run_watched(data.data(), outputs.data(), steps - taken);
    for (std::size_t l = 0; l < s.width(); ++l) {
      s.reports[l].iterations += s.counters.iterations[l];
      s.reports[l].max_iterations =
          std::max(s.reports[l].max_iterations, static_cast<int>(s.counters.max_iterations[l]));
    }
    if (taken == steps) break;
    if (!s.rescue(data.data(), outputs.data())) break;
    for (std::size_t l = 0; l < s.width(); ++l) {  // the lanes that did not need it have taken the step too
      if (s.counters.failed[l] != 0) continue;
      s.reports[l].iterations += s.counters.last[l];
      s.reports[l].max_iterations = std::max(s.reports[l].max_iterations, static_cast<int>(s.counters.last[l]));
    }
    s.advance(data.data(), outputs.data());
    ++taken;
  }
  return taken;
}

std::span<const LaneReport> Step::reports() const { return state_->reports; }
int Step::lanes() const { return state_->lanes; }
const ImplicitSystem& Step::system() const { return state_->system; }

bool Step::is_compiled() const { return state_->compiled.function != nullptr; }

std::string Step::describe(const LaneReport& report) const {
  const char* const name = outcome_name(report.outcome);
  if (report.outcome == Outcome::converged) return name;
  if (report.equation < 0) return fmt::format("{}: an output is infinite or undefined", name);
  const std::string equation = shortened(state_->system.residuals[static_cast<std::size_t>(report.equation)], 100);
  const std::string place = fmt::format("{} at equation {} (0 = {})", name, report.equation + 1, equation);
  switch (report.outcome) {
    case Outcome::singular: return place + ": here it does not determine the unknowns together with the others";
    case Outcome::not_finite: return place + ": it is infinite or undefined here, or its derivatives are";
    default:
      return fmt::format("{}: residual {:.2g} of its terms after {} iteration{}; a smaller step may help", place,
                         report.residual, report.failed_iterations, report.failed_iterations == 1 ? "" : "s");
  }
}

}  // namespace rattleback
