#pragma once

// The members of Interpreter<T>, for those who instantiate it.

#include <fmt/format.h>

#include <stdexcept>

#include "execute.hpp"
#include "rattleback/base/work.hpp"
#include "rattleback/kernel/interpreter.hpp"

namespace rattleback {

template <class T>
Interpreter<T>::Interpreter(Program program) : program_(std::move(program)), values_(program_.code.size()) {}

template <class T>
void Interpreter<T>::operator()(std::span<const T> inputs, std::span<T> outputs) {
  if (inputs.size() != program_.inputs || outputs.size() != program_.outputs.size()) {
    throw std::invalid_argument(fmt::format("a program of {} inputs and {} outputs was called with {} and {}",
                                            program_.inputs, program_.outputs.size(), inputs.size(), outputs.size()));
  }
  keep_working();
  for (std::size_t i = 0; i < program_.code.size(); ++i) {
    values_[i] = execute<T>(program_.code[i], program_.constants.data(), inputs.data(), nullptr, values_.data());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = values_[program_.outputs[i]];
}

template <class T>
std::vector<T> Interpreter<T>::operator()(std::span<const T> inputs) {
  std::vector<T> outputs(program_.outputs.size());
  (*this)(inputs, outputs);
  return outputs;
}

}  // namespace rattleback
