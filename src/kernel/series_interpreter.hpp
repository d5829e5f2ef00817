#pragma once

#include <algorithm>
#include <vector>

#include "execute.hpp"
#include "series_program.hpp"

namespace rattleback {

/// Runs a program instruction by instruction in the number type T; in double precision with the bits of compiled code.
template <class T>
class SeriesInterpreter {
 public:
  explicit SeriesInterpreter(const SeriesProgram& program)
      : program_(program), values_(program.code.size()), variables_(program.variables()), carried_(program.state()),
        left_(program.convolutions() * static_cast<std::size_t>(program.order + 1)), right_(left_.size()) {}

  /// Coefficients from order 1 on, and the trial.
  void operator()(const T* data, T* coefficients, T* trial) {
    const std::size_t positions = program_.positions;
    const std::size_t state = program_.state();
    const std::size_t size = program_.convolutions();
    run(program_.head, data);
    for (std::size_t k = 0; k < program_.trial.size(); ++k) trial[k] = values_[program_.trial[k]];
    for (int j = 1; j <= program_.order; ++j) {
      const auto row = static_cast<std::size_t>(j);
      T* const x = coefficients + row * state;
      const std::vector<Value>& carried = j == 1 ? program_.first : program_.next;
      for (std::size_t i = 0; i < state; ++i) carried_[i] = values_[carried[i]];
      std::ranges::copy(carried_, variables_.begin());
      variables_[program_.number()] = T(j);
      variables_[program_.over_number()] = T(1) / T(j);
      variables_[program_.over_next()] = T(1) / T(j + 1);
      variables_[program_.time()] = T(j == 1 ? 1 : 0);
      for (std::size_t k = 0; k < size; ++k) {
        variables_[program_.convolution(k)] = convolution(j, T(0), [&](int i, const T& sum) {
          const auto left = static_cast<std::size_t>(i) * size + k;
          const auto right = static_cast<std::size_t>(j - i) * size + k;
          return fma_of(left_[left], right_[right], sum);
        });
      }
      run(program_.each_order, data);
      for (std::size_t k = 0; k < size; ++k) {
        left_[row * size + k] = values_[program_.left[k]];
        right_[row * size + k] = values_[program_.right[k]];
      }
      std::copy_n(variables_.begin(), positions, x);
      for (std::size_t i = 0; i < program_.velocities; ++i) x[positions + i] = values_[program_.velocity[i]];
    }
  }

 private:
  void run(const CodeRange& range, const T* data) {
    for (Value v = range.begin; v < range.end; ++v) {
      values_[v] =
          execute<T>(program_.code[v], program_.constants.data(), data, variables_.data(), values_.data(), true);
    }
  }

  const SeriesProgram& program_;
  std::vector<T> values_;
  std::vector<T> variables_;
  std::vector<T> carried_;
  std::vector<T> left_;  ///< row by row, one for each order
  std::vector<T> right_;
};

}  // namespace rattleback
