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
      : program_(program), values_(program.code.size()), variables_(program.variables()),
        left_(program.convolutions() * static_cast<std::size_t>(program.order)), right_(left_.size()) {}

  /// Coefficients from order 1 on, and the solution for y₀.
  void operator()(const T* data, T* coefficients, T* solution) {
    const std::size_t n = program_.state;
    const std::size_t size = program_.convolutions();
    run(program_.head, data);
    for (std::size_t i = 0; i < n; ++i) coefficients[n + i] = values_[program_.first[i]];
    for (std::size_t k = 0; k < program_.solution.size(); ++k) solution[k] = values_[program_.solution[k]];
    for (int j = 1; j < program_.order; ++j) {
      const auto row = static_cast<std::size_t>(j);
      std::copy_n(coefficients + row * n, n, variables_.begin());
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
      for (std::size_t i = 0; i < n; ++i) coefficients[(row + 1) * n + i] = values_[program_.next[i]];
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
  std::vector<T> left_;  ///< row by row, one for each order
  std::vector<T> right_;
};

}  // namespace rattleback
