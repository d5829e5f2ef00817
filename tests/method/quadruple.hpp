#pragma once

// A one-step method in quadruple precision, where the order of a method can be seen over many powers of ten.

#include <algorithm>
#include <memory>

#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback::test {

/// The state after so many steps.
inline std::vector<float128> quadruple_state(const Method& method, const Problem& problem, float128 time, int steps) {
  const float128 h = time / steps;
  const std::size_t size = method.step.state;
  const auto with_step = [&](std::vector<float128> data, const float128& step) {
    data.push_back(step);
    data.insert(data.end(), problem.parameters.begin(), problem.parameters.end());
    return data;
  };
  std::vector<float128> start(problem.start.q.begin(), problem.start.q.end());
  start.insert(start.end(), problem.start.v.begin(), problem.start.v.end());

  ImplicitSystem map = method.step;
  std::vector<float128> state;
  std::vector<std::vector<float128>> memory;
  for (const double fraction : method.stages) {
    state = interpret_step<float128>(method.start, with_step(start, fraction * h));
    memory.emplace_back(state.end() - static_cast<std::ptrdiff_t>(method.memory_size()), state.end());
  }
  for (const float128& x : with_step(state, h)) map.typical.push_back(static_cast<double>(x));
  InterpretedStep<float128> step(map);
  std::vector<float128> outputs(map.outputs.size());
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < method.stages.size(); ++i) {
      std::copy(memory[i].begin(), memory[i].end(), state.begin() + static_cast<std::ptrdiff_t>(method.state_size()));
      if (!step.run(with_step(state, method.stages[i] * h), outputs)) {
        throw std::runtime_error("the step in quadruple precision failed");
      }
      std::copy_n(outputs.begin(), size, state.begin());
      std::copy(state.begin() + static_cast<std::ptrdiff_t>(method.state_size()), state.end(), memory[i].begin());
    }
  }
  return state;
}

}  // namespace rattleback::test
