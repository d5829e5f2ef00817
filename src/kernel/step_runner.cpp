#include "step_runner.hpp"

#include <algorithm>
#include <cmath>

#include "rattleback/base/work.hpp"

namespace rattleback {
namespace {

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

}  // namespace

StepRunner::StepRunner(StepProgram program, int lanes, Backend backend)
    : program_(std::move(program)), lanes_(lanes), interpreter_(program_, backend == Backend::automatic),
      lane_data_(program_.inputs), lane_outputs_(program_.outputs.size()), saved_state_(program_.state * width()),
      warmup_(program_.code, program_.sines, backend) {
  if (backend != Backend::interpreted) compiled_ = find_compiled(program_, lanes_);
  if (!is_compiled() && warmup_.is_over(0)) compile();
  workspace_.resize(compiled_.workspace);
}

void StepRunner::compile() {
  compiled_ = compile_cached(program_, lanes_);
  workspace_.resize(compiled_.workspace);
}

std::int64_t StepRunner::run_fast(double* data, double* outputs, std::int64_t steps) {
  if (!is_compiled() && warmup_.is_over(steps * lanes_)) compile();
  if (is_compiled()) return compiled_.function(data, outputs, steps, &counters_, workspace_.data());
  left_range() = false;
  const std::int64_t taken = interpret(data, outputs, steps);
  if (!left_range() || !warmup_.can_end()) return taken;
  compile();
  const StepCounters before = counters_;
  const std::int64_t more = compiled_.function(data, outputs, steps - taken, &counters_, workspace_.data());
  for (std::size_t l = 0; l < width(); ++l) {
    counters_.iterations[l] += before.iterations[l];
    counters_.max_iterations[l] = std::max(counters_.max_iterations[l], before.max_iterations[l]);
  }
  return taken + more;
}

std::int64_t StepRunner::interpret(double* data, double* outputs, std::int64_t steps) {
  counters_ = {};
  for (std::int64_t n = 0; n < steps; ++n) {
    if (n % 1024 == 1023) keep_working();
    bool failed = false;
    StepIterations iterations[max_lanes];
    for (std::size_t l = 0; l < width(); ++l) {
      gather(data, l, lane_data_);
      counters_.failed[l] = interpreter_(lane_data_.data(), lane_outputs_.data(), iterations[l]) ? 0 : -1;
      failed = failed || counters_.failed[l] != 0;
      counters_.last[l] = iterations[l].total;
      scatter(lane_outputs_, l, outputs);
    }
    if (failed || (left_range() && warmup_.can_end())) return n;
    advance(data, outputs);
    for (std::size_t l = 0; l < width(); ++l) {
      counters_.iterations[l] += iterations[l].total;
      counters_.max_iterations[l] = std::max(counters_.max_iterations[l], iterations[l].largest);
    }
  }
  return steps;
}

// The generated code watches what may be undefined, not what may overflow by mere growth; that is noticed here, at the
// end of a call. Then the steps are repeated one by one to find the place. (The outputs of a call that ends with a
// failure belong to no step and say nothing.)
std::int64_t StepRunner::run(double* data, double* outputs, std::int64_t steps) {
  std::copy_n(data, saved_state_.size(), saved_state_.data());
  const std::int64_t taken = run_fast(data, outputs, steps);
  const std::size_t others = outputs_size() * width() - saved_state_.size();  // the first outputs are the state
  const auto is_finite = [&] {
    return all_finite(data, saved_state_.size()) &&
           (taken < steps || all_finite(outputs + saved_state_.size(), others));
  };
  if (taken == 0 || is_finite()) return taken;
  std::copy(saved_state_.begin(), saved_state_.end(), data);
  StepCounters total{};
  for (std::int64_t n = 0; n < taken; ++n) {
    run_fast(data, outputs, 1);
    if (is_finite()) {
      std::copy_n(data, saved_state_.size(), saved_state_.data());
      for (std::size_t l = 0; l < width(); ++l) {
        total.iterations[l] += counters_.iterations[l];
        total.max_iterations[l] = std::max(total.max_iterations[l], counters_.max_iterations[l]);
      }
      continue;
    }
    for (std::size_t l = 0; l < width(); ++l) {
      total.last[l] = counters_.last[l];
      for (std::size_t i = 0; i < outputs_size(); ++i) {
        if (!std::isfinite(outputs[i * width() + l])) total.failed[l] = -1;
      }
    }
    counters_ = total;
    std::copy(saved_state_.begin(), saved_state_.end(), data);
    return n;
  }
  return taken;
}

void StepRunner::gather(const double* data, std::size_t lane, std::span<double> into) const {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = data[i * width() + lane];
}

void StepRunner::scatter(std::span<const double> outputs, std::size_t lane, double* into) const {
  for (std::size_t i = 0; i < outputs.size(); ++i) into[i * width() + lane] = outputs[i];
}

void StepRunner::advance(double* data, const double* outputs) const {
  std::copy_n(outputs, program_.state * width(), data);
}

}  // namespace rattleback
