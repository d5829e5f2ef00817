#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback::test {

/// An expression and its value at the generator's sample point, computed along the way in plain
/// double arithmetic: a check on the library that does not pass through it.
struct Sample {
  Expression expression;
  double value = 0.0;
};

/// Random expressions that are smooth in a neighbourhood of the sample point. Every operation and
/// every function occurs. A function is applied to the raw operand where that lies well inside the
/// domain, and to a wrapped one (1 + u², u/(1 + u²), …) elsewhere, so both kinds of nesting appear.
/// The sequence depends on the seed alone: no std::*_distribution, which differ between libraries.
class RandomExpression {
 public:
  explicit RandomExpression(std::uint64_t seed, std::vector<std::string> names = {"x", "y1", "y2'", "theta"})
      : random_(seed) {
    for (const std::string& name : names) {
      symbols_.push_back(Expression::symbol(name));
      point_.emplace(symbols_.back(), uniform(-1.5, 1.5));
    }
  }

  const std::vector<Expression>& symbols() const { return symbols_; }
  const std::unordered_map<Expression, double>& point() const { return point_; }

  Sample sample(int depth) {
    if (depth <= 0) return leaf();
    // A part that was built before: shared subexpressions are the rule in mechanics.
    if (!recent_.empty() && below(12) == 0) return recent_[below(recent_.size())];
    const Sample result = bounded(operation(depth));
    if (recent_.size() < 16) {
      recent_.push_back(result);
    } else {
      recent_[below(recent_.size())] = result;
    }
    return result;
  }

  Expression operator()(int depth) { return sample(depth).expression; }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 11U) * 0x1p-53);
  }

 private:
  Sample leaf() {
    if (below(4) == 0) {
      // Mostly numbers as people write them, now and then one with a full mantissa.
      static constexpr std::array plain{0.5, 1.0, 2.0, 3.0, 0.25, -1.0, -2.0, 1.5, 0.1, 1.0 / 3.0, 9.81};
      const double c = below(6) == 0 ? uniform(-2.0, 2.0) : plain[below(plain.size())];
      return {Expression(c), c};
    }
    const Expression& s = symbols_[below(symbols_.size())];
    return {s, point_.at(s)};
  }

  Sample operation(int depth) {
    switch (below(10)) {
      case 0:
      case 1: {
        const Sample a = sample(depth - 1);
        const Sample b = sample(depth - 1);
        return {a.expression + b.expression, a.value + b.value};
      }
      case 2: {
        const Sample a = sample(depth - 1);
        const Sample b = sample(depth - 1);
        return {a.expression - b.expression, a.value - b.value};
      }
      case 3:
      case 4: {
        const Sample a = sample(depth - 1);
        const Sample b = sample(depth - 1);
        return {a.expression * b.expression, a.value * b.value};
      }
      case 5: {
        const Sample a = sample(depth - 1);
        const Sample b = nonzero(sample(depth - 1));
        return {a.expression / b.expression, a.value / b.value};
      }
      case 6: return power(depth);
      default: return function(static_cast<Function>(below(all_functions().size())), depth);
    }
  }

  Sample power(int depth) {
    const Sample base = sample(depth - 1);
    switch (below(3)) {
      case 0: {
        static constexpr std::array exponents{2.0, 3.0, 4.0, -1.0, -2.0, -3.0};
        const double n = exponents[below(exponents.size())];
        const Sample b = n < 0.0 ? nonzero(base) : base;
        return {pow(b.expression, n), std::pow(b.value, n)};
      }
      case 1: {
        static constexpr std::array exponents{0.5, 1.5, 2.5, -0.5, -1.5, 1.0 / 3.0, -0.7};
        const double n = exponents[below(exponents.size())];
        const Sample b = positive(base);
        return {pow(b.expression, n), std::pow(b.value, n)};
      }
      default: {
        const Sample b = positive(base);
        const Sample e = limited(sample(depth - 1), 3.0);
        return {pow(b.expression, e.expression), std::pow(b.value, e.value)};
      }
    }
  }

  Sample function(Function f, int depth) {
    Sample u = sample(depth - 1);
    switch (f) {
      case Function::tan:
        if (std::abs(std::cos(u.value)) < 0.3) u = halved(u);
        break;
      case Function::asin:
      case Function::acos:
        if (std::abs(u.value) > 0.9) u = halved(u);
        break;
      case Function::atan2: {
        const Sample y = u;
        Sample x = sample(depth - 1);
        if (x.value < 0.1 && std::abs(y.value) < 0.1) x = one_plus_square(x);
        const Expression arguments[] = {y.expression, x.expression};
        return {call(f, arguments), std::atan2(y.value, x.value)};
      }
      case Function::sinh:
      case Function::cosh:
      case Function::tanh:
      case Function::exp: u = limited(u, 3.0); break;
      case Function::log:
      case Function::sqrt: u = positive(u); break;
      case Function::abs:
      case Function::sign: u = nonzero(u); break;  // away from the kink
      case Function::min:
      case Function::max: {
        Sample v = sample(depth - 1);
        if (std::abs(u.value - v.value) < 0.1) v = {u.expression + 1, u.value + 1.0};
        const Expression arguments[] = {u.expression, v.expression};
        return {call(f, arguments), info(f).evaluate(u.value, v.value, 0.0)};
      }
      default: break;
    }
    return {call(f, {&u.expression, 1}), info(f).evaluate(u.value, 0.0, 0.0)};
  }

  static Sample one_plus_square(const Sample& u) { return {1 + sq(u.expression), 1.0 + u.value * u.value}; }
  /// u/(1 + u²), between −1/2 and 1/2.
  static Sample halved(const Sample& u) {
    const Sample s = one_plus_square(u);
    return {u.expression / s.expression, u.value / s.value};
  }
  static Sample positive(const Sample& u) { return u.value > 0.1 ? u : one_plus_square(u); }
  static Sample nonzero(const Sample& u) { return std::abs(u.value) > 0.1 ? u : one_plus_square(u); }
  static Sample limited(const Sample& u, double bound) {
    return std::abs(u.value) <= bound ? u : Sample{sin(u.expression), std::sin(u.value)};
  }
  /// Keeps values small enough for finite differences and for the functions that grow fast.
  static Sample bounded(const Sample& u) {
    return std::abs(u.value) <= 20.0 ? u : Sample{asinh(u.expression), std::asinh(u.value)};
  }

  std::mt19937_64 random_;
  std::vector<Expression> symbols_;
  std::unordered_map<Expression, double> point_;
  std::vector<Sample> recent_;
};

}  // namespace rattleback::test
