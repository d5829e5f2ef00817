#pragma once

#include <cmath>

namespace rattleback {

/// The unevaluated sum of two doubles, 32 digits (T. J. Dekker, A floating-point technique for extending the available
/// precision, Numerische Mathematik 18 (1971) 224–242): what remains of a cancellation is told from what does not
/// cancel.
struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}

  friend bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const double sum = a.high + b.high;
    const double part = sum - a.high;
    const double error = (a.high - (sum - part)) + (b.high - part);
    return quick_sum(sum, error + a.low + b.low);
  }
  friend DoubleDouble operator-(const DoubleDouble& a) {
    DoubleDouble result;
    result.high = -a.high;
    result.low = -a.low;
    return result;
  }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const double product = a.high * b.high;
    return quick_sum(product, std::fma(a.high, b.high, -product) + a.high * b.low + a.low * b.high);
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    const DoubleDouble rest = a + -(b * first);
    const double second = rest.high / b.high;
    const DoubleDouble last = rest + -(b * second);
    return quick_sum(first, second) + last.high / b.high;
  }

 private:
  static DoubleDouble quick_sum(double a, double b) {  // |a| ≥ |b|
    DoubleDouble result;
    result.high = a + b;
    result.low = b - (result.high - a);
    return result;
  }
};

}  // namespace rattleback
