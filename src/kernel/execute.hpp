#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "as_compiled.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/kernel/program.hpp"

namespace rattleback {

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};

/// atan2 continued analytically from the real axis, accurate for tiny imaginary parts (complex step).
template <class T>
T atan2_of(const T& y, const T& x) {
  if constexpr (is_complex<T>::value) {
    using std::abs;
    constexpr double pi = std::numbers::pi;
    if (abs(x.real()) >= abs(y.real())) {
      const T principal = atan(y / x);
      if (x.real() >= 0.0) return principal;
      return principal + (y.real() >= 0.0 ? pi : -pi);
    }
    return (y.real() >= 0.0 ? 0.5 * pi : -0.5 * pi) - atan(x / y);
  } else {
    using std::atan2;
    return atan2(y, x);
  }
}

template <class T>
T minimum_of(const T& a, const T& b) {
  if constexpr (is_complex<T>::value) {
    return a.real() < b.real() ? a : b;
  } else {
    return a < b ? a : b;
  }
}

/// Continued from the real axis, as the others below: the real parts decide.
template <class T>
T absolute_of(const T& x) {
  if constexpr (is_complex<T>::value) {
    return x.real() < 0.0 ? -x : x;
  } else {
    using std::abs;
    return abs(x);
  }
}

template <class T>
T sign_of(const T& x) {
  return real_part(x) > 0 ? T(1) : real_part(x) < 0 ? T(-1) : x;
}

template <class T>
T least_of(const T& a, const T& b) {
  return real_part(a) < real_part(b) || real_part(a) != real_part(a) ? a : b;
}

template <class T>
T largest_of(const T& a, const T& b) {
  return real_part(a) > real_part(b) || real_part(a) != real_part(a) ? a : b;
}

template <class T>
T less_of(const T& a, const T& b) {
  return real_part(a) < real_part(b) ? T(1) : real_part(a) >= real_part(b) ? T(0) : T(a + b);
}

template <class T>
T less_equal_of(const T& a, const T& b) {
  return real_part(a) <= real_part(b) ? T(1) : real_part(a) > real_part(b) ? T(0) : T(a + b);
}

template <class T>
T select_of(const T& condition, const T& a, const T& b) {
  if (real_part(condition) != real_part(condition)) return condition;
  return real_part(condition) != 0 ? a : b;
}

/// Addresses are below 2⁵³: as numbers they are exact.
inline const NumberTable& table_at(double address) {
  return static_cast<const NumberTable&>(
      *reinterpret_cast<const CallableNumbers*>(static_cast<std::uintptr_t>(address)));
}

template <class T>
T fma_of(const T& a, const T& b, const T& c) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fma(a, b, c);
  } else {
    return a * b + c;
  }
}

template <class T>
T sine_of(const T& x, bool as_compiled) {
  using std::sin;
  if constexpr (std::is_same_v<T, double>) {
    if (as_compiled) return sine_as_compiled(x);
  }
  return sin(x);
}

template <class T>
T cosine_of(const T& x, bool as_compiled) {
  using std::cos;
  if constexpr (std::is_same_v<T, double>) {
    if (as_compiled) return cosine_as_compiled(x);
  }
  return cos(x);
}

/// One instruction in the number type T; `values` holds the results of the earlier ones, `inputs`
/// and `variables` what comes from outside. Sines are those of the C library, or of compiled code.
template <class T>
T execute(const Instruction& i, const double* constants, const T* inputs, const T* variables, const T* values,
          bool as_compiled = false) {
  using std::sqrt, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::asinh, std::exp,
      std::log, std::pow;
  switch (i.op) {
    case Opcode::constant: return T(constants[i.a]);
    case Opcode::input: return inputs[i.a];
    case Opcode::variable: return variables[i.a];
    case Opcode::add: return values[i.a] + values[i.b];
    case Opcode::subtract: return values[i.a] - values[i.b];
    case Opcode::multiply: return values[i.a] * values[i.b];
    case Opcode::divide: return values[i.a] / values[i.b];
    case Opcode::negate: return -values[i.a];
    case Opcode::absolute: return absolute_of(values[i.a]);
    case Opcode::sign: return sign_of(values[i.a]);
    case Opcode::least: return least_of(values[i.a], values[i.b]);
    case Opcode::largest: return largest_of(values[i.a], values[i.b]);
    case Opcode::less: return less_of(values[i.a], values[i.b]);
    case Opcode::less_equal: return less_equal_of(values[i.a], values[i.b]);
    case Opcode::select: return select_of(values[i.a], values[i.b], values[i.c]);
    case Opcode::table: return table_at(static_cast<double>(real_part(values[i.b]))).at(values[i.a]);
    case Opcode::minimum: return minimum_of(values[i.a], values[i.b]);
    case Opcode::fma: return fma_of(values[i.a], values[i.b], values[i.c]);
    case Opcode::sqrt: return sqrt(values[i.a]);
    case Opcode::sincos: return sine_of(values[i.a], as_compiled);
    case Opcode::cosine_of: return cosine_of(values[i.b], as_compiled);
    case Opcode::sin: return sine_of(values[i.a], as_compiled);
    case Opcode::cos: return cosine_of(values[i.a], as_compiled);
    case Opcode::tan: return tan(values[i.a]);
    case Opcode::asin: return asin(values[i.a]);
    case Opcode::acos: return acos(values[i.a]);
    case Opcode::atan: return atan(values[i.a]);
    case Opcode::atan2: return atan2_of(values[i.a], values[i.b]);
    case Opcode::sinh: return sinh(values[i.a]);
    case Opcode::cosh: return cosh(values[i.a]);
    case Opcode::tanh: return tanh(values[i.a]);
    case Opcode::asinh: return asinh(values[i.a]);
    case Opcode::exp: return exp(values[i.a]);
    case Opcode::log: return log(values[i.a]);
    case Opcode::pow: return pow(values[i.a], values[i.b]);
  }
  return T(0);
}

}  // namespace rattleback
