#pragma once

// The members of InterpretedStep<T>, for those who instantiate it.

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

#include "rattleback/kernel/step.hpp"
#include "step_interpreter.hpp"

namespace rattleback {

template <class T>
struct InterpretedStep<T>::State {
  explicit State(const ImplicitSystem& system)
      : program(make_step_program(system, std::is_same_v<T, double> ? Constants::folded : Constants::folded_if_exact)),
        interpreter(program) {}
  StepProgram program;
  StepInterpreter<T> interpreter;
  StepIterations iterations;
};

template <class T>
InterpretedStep<T>::InterpretedStep(const ImplicitSystem& system) : state_(std::make_unique<State>(system)) {}
template <class T>
InterpretedStep<T>::InterpretedStep(InterpretedStep&&) noexcept = default;
template <class T>
InterpretedStep<T>& InterpretedStep<T>::operator=(InterpretedStep&&) noexcept = default;
template <class T>
InterpretedStep<T>::~InterpretedStep() = default;

template <class T>
bool InterpretedStep<T>::run(std::span<const T> data, std::span<T> outputs) {
  const StepProgram& program = state_->program;
  if (data.size() != program.inputs || outputs.size() != program.outputs.size()) {
    throw std::invalid_argument(fmt::format("a step of {} data and {} outputs was called with {} and {}",
                                            program.inputs, program.outputs.size(), data.size(), outputs.size()));
  }
  return state_->interpreter(data.data(), outputs.data(), state_->iterations);
}

template <class T>
std::vector<T> interpret_step(const ImplicitSystem& system, std::span<const T> data) {
  if (data.size() != system.data.size()) {
    throw std::invalid_argument(fmt::format("a step of {} data was called with {}", system.data.size(), data.size()));
  }
  ImplicitSystem here = system;
  here.typical.clear();
  for (const T& d : data) here.typical.push_back(static_cast<double>(d));
  std::vector<T> outputs(system.outputs.size());
  if (!InterpretedStep<T>(here).run(data, outputs)) {
    throw std::runtime_error("the step did not converge from its guess; Step has means for such cases");
  }
  return outputs;
}

}  // namespace rattleback
