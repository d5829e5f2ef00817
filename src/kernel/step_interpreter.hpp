#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "execute.hpp"
#include "rattleback/base/work.hpp"
#include "step_program.hpp"

namespace rattleback {

/// Newton iterations of one step.
struct StepIterations {
  std::int64_t total = 0;
  std::int64_t largest = 0;  ///< of one solution
};

/// Runs a step program instruction by instruction in the number type T: the reference for compiled
/// steps, and steps in more digits than double has.
template <class T>
class StepInterpreter {
 public:
  explicit StepInterpreter(const StepProgram& program, bool as_compiled = false)
      : program_(program), as_compiled_(as_compiled), values_(program.code.size()), variables_(program.variables) {}

  /// One step. False if the fast path failed: an iteration did not converge, a linear solve lost
  /// accuracy, or an output is not finite.
  bool operator()(const T* data, T* outputs, StepIterations& iterations) {
    if (!as_compiled_) keep_working();  // compiled code does not look up in the middle of a step either
    data_ = data;
    iterations = {};
    std::int64_t of_solution = 0;
    int solution = 0;
    run(program_.invariant);
    for (const CarriedValue& c : program_.carried) variables_[c.variable] = values_[c.initial];
    for (const StepBlock& block : program_.blocks) {
      run(block.before);
      std::int64_t count = 0;
      if (block.iterative ? !iterate(block, count) : !is_accurate(block)) return false;
      if (block.solution == StepBlock::not_counted) continue;
      of_solution = block.solution == solution ? of_solution + count : count;
      solution = block.solution;
      iterations.total += count;
      iterations.largest = std::max(iterations.largest, of_solution);
    }
    run(program_.after);
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) outputs[i] = values_[program_.outputs[i]];
    return all_finite(program_.must_be_finite);
  }

 private:
  void run(const CodeRange& range) {
    for (Value v = range.begin; v < range.end; ++v) {
      values_[v] = execute<T>(program_.code[v], program_.constants.data(), data_, variables_.data(), values_.data(),
                              as_compiled_);
    }
  }

  bool is_accurate(const StepBlock& block) {
    if (!all_below(block.residuals, linear_floor) || !all_finite(block.must_be_finite)) return false;
    using std::abs;
    const auto grew_little = [&](const GrowthCheck& g) { return abs(values_[g.deviation]) <= values_[g.limit]; };
    if (std::ranges::all_of(block.growth, grew_little)) return true;
    run(block.magnitudes);
    return all_below(block.implied, linear_floor);
  }

  bool all_finite(const std::vector<Value>& some) const {
    return std::all_of(some.begin(), some.end(), [&](Value v) { return values_[v] * T(0) == T(0); });
  }

  bool is_below(const ResidualCheck& c, double floor, T allowed) const {
    using std::abs;
    const T tolerance = T(floor) * std::numeric_limits<T>::epsilon();
    // As a difference: infinite residuals of infinite magnitude do not pass, and finite ones neither.
    const T excess = abs(values_[c.residual]) - tolerance * values_[c.magnitude];
    return excess <= allowed && excess >= -std::numeric_limits<T>::max();
  }
  bool all_below(const std::vector<ResidualCheck>& checks, double floor, const IterationEnd& end = {}) const {
    const T allowed = allowed_residual<T>(end);
    return std::ranges::all_of(checks, [&](const ResidualCheck& c) { return is_below(c, floor, allowed); });
  }

  void correct(const StepBlock& block) {
    run(block.solve);
    for (std::size_t k = 0; k < block.variables.size(); ++k) {
      variables_[block.variables[k]] += values_[block.correction[k]];
    }
  }

  bool iterate(const StepBlock& block, std::int64_t& iterations) {
    for (std::size_t k = 0; k < block.variables.size(); ++k) variables_[block.variables[k]] = values_[block.guess[k]];
    if (block.end.iterations > 0) {
      for (; iterations < block.end.iterations; ++iterations) {
        run(block.check);
        correct(block);
      }
      run(block.check);
      return true;
    }
    const T allowed = allowed_residual<T>(block.end);
    bool was_at_floor = false;
    for (int n = 0;; ++n) {
      run(block.check);
      bool at_floor = is_below(block.residuals.front(), stalled_floor, allowed);
      if (at_floor) {
        run(block.magnitudes);
        at_floor = all_below(block.residuals, stalled_floor, block.end);
        if (all_below(block.residuals, tight_floor, block.end) || (at_floor && was_at_floor)) return true;
      }
      if (n == max_fast_iterations) return false;
      was_at_floor = at_floor;
      correct(block);
      ++iterations;
    }
  }

  const StepProgram& program_;
  bool as_compiled_;
  std::vector<T> values_;
  std::vector<T> variables_;
  const T* data_ = nullptr;
};

}  // namespace rattleback
