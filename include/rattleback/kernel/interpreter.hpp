#pragma once

#include <complex>
#include <span>
#include <vector>

#include "rattleback/kernel/program.hpp"

namespace rattleback {

/// Runs a program in any number type: the reference for compiled code, and the way to more digits
/// than double has. Instantiated for double, long double and std::complex<double>; in quadruple.hpp for float128.
template <class T>
class Interpreter {
 public:
  explicit Interpreter(Program program);

  /// Not thread-safe: the values of the instructions are kept between calls.
  void operator()(std::span<const T> inputs, std::span<T> outputs);
  std::vector<T> operator()(std::span<const T> inputs);

 private:
  Program program_;
  std::vector<T> values_;
};

extern template class Interpreter<double>;
extern template class Interpreter<long double>;
extern template class Interpreter<std::complex<double>>;

}  // namespace rattleback
