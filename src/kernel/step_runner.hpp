#pragma once

#include <span>
#include <vector>

#include "jit.hpp"
#include "step_interpreter.hpp"

namespace rattleback {

/// A step program on its fast path, compiled or, as long as there is little to do, interpreted, for lanes of
/// trajectories.
class StepRunner {
 public:
  StepRunner(StepProgram program, int lanes, Backend backend);
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  /// Up to `steps` steps of all lanes. Fewer if one fails somewhere: counters() tells where, and no lane has taken it.
  std::int64_t run(double* data, double* outputs, std::int64_t steps);

  const StepCounters& counters() const { return counters_; }
  int lanes() const { return lanes_; }
  std::size_t data_size() const { return program_.inputs; }
  std::size_t outputs_size() const { return program_.outputs.size(); }
  bool is_compiled() const { return compiled_.function != nullptr; }

  void gather(const double* data, std::size_t lane, std::span<double> into) const;
  void scatter(std::span<const double> outputs, std::size_t lane, double* into) const;
  /// The state of all lanes becomes what the outputs say.
  void advance(double* data, const double* outputs) const;

 private:
  std::size_t width() const { return static_cast<std::size_t>(lanes_); }
  std::int64_t run_fast(double* data, double* outputs, std::int64_t steps);
  void compile();
  /// Ends before a step that compiled code alone can take.
  std::int64_t interpret(double* data, double* outputs, std::int64_t steps);

  StepProgram program_;
  int lanes_;
  StepInterpreter<double> interpreter_;
  Compiled<StepFunction> compiled_;
  StepCounters counters_{};
  std::vector<double> lane_data_;
  std::vector<double> lane_outputs_;
  std::vector<double> saved_state_;
  std::vector<double> workspace_;
  Warmup warmup_;
};

}  // namespace rattleback
