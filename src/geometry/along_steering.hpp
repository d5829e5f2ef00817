#pragma once

// Functions of the coordinate r₁ that steers (see SteeredSystem), at random places.

#include <algorithm>
#include <cmath>
#include <limits>

#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"

namespace rattleback {

/// Coordinates, or velocities, on which expressions depend.
inline std::vector<Expression> occurring(const std::vector<Expression>& symbols,
                                         std::span<const Expression> expressions) {
  std::vector<Expression> found;
  const std::vector<Expression> all = free_symbols(expressions);
  for (const Expression& s : symbols) {
    if (std::ranges::find(all, s) != all.end()) found.push_back(s);
  }
  return found;
}

/// Functions of r₁ at random places near the start.
class AlongSteering {
 public:
  AlongSteering(const System& system, std::span<const double> parameters, const State& near, std::size_t steering)
      : system_(system), parameters_(parameters), near_(near), steering_(steering) {}

  /// The largest values of |f|; NaN where f is defined at none of the places.
  std::vector<double> sizes(const std::vector<Expression>& functions) const {
    std::vector<double> largest(functions.size(), std::nan(""));
    for (const std::vector<double>& values : values_of(functions)) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) largest[i] = std::fmax(largest[i], std::abs(values[i]));
      }
    }
    return largest;
  }

  bool changes_sign(const Expression& f) const {
    bool positive = false;
    bool negative = false;
    for (const std::vector<double>& values : values_of({f}, 10 * samples, 4.0)) {
      positive = positive || values[0] > 0.0;
      negative = negative || values[0] < 0.0;
    }
    return positive && negative;
  }

  /// Whether a direction of length 1 does not turn round from one place to a near one, as it does where a factor of all
  /// its entries changes its sign.
  bool is_continuous(const std::vector<Expression>& direction) const {
    Interpreter<double> program(make_program(joined({system_.coordinates(), system_.parameters()}), direction));
    std::vector<double> before;
    for (int k = -steps; k <= steps; ++k) {
      std::vector<double> point = near_.q;
      point[steering_] += 4.0 * std::max(1.0, std::abs(near_.q[steering_])) * k / steps;
      point.insert(point.end(), parameters_.begin(), parameters_.end());
      const std::vector<double> here = program(point);
      double product = 0.0;
      for (std::size_t i = 0; i < before.size(); ++i) product += before[i] * here[i];
      if (product < 0.0) return false;
      before = here;
    }
    return true;
  }

  double at_start(const Expression& f) const { return values_of({f}, 1)[0][0]; }

  /// Up to the rounding of the terms.
  bool vanishes(const Expression& f, std::span<const Expression> terms) const {
    const auto size = sizes(joined({{&f, 1}, terms}));
    const double largest = *std::max_element(size.begin() + 1, size.end());
    return size[0] <= rounding * largest;
  }
  bool is_constant(const Expression& f) const { return occurring({system_.coordinates()[steering_]}, {&f, 1}).empty(); }

  /// f itself, or its constant value as an expression of the parameters where it does not depend on r₁.
  Expression constant_or_same(const Expression& f) const {
    const Expression short_form = tidy(f);
    if (is_constant(short_form)) return short_form;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::vector<double>& values : values_of({short_form})) {
      if (!std::isfinite(values[0])) continue;
      low = std::min(low, values[0]);
      high = std::max(high, values[0]);
    }
    if (!(high - low <= rounding * std::max(std::abs(high), std::abs(low)))) return short_form;
    return tidy(substitute(short_form, {{system_.coordinates()[steering_], Expression(near_.q[steering_])}}));
  }

 private:
  /// At random places in a box about the start, and at the start.
  std::vector<std::vector<double>> values_of(const std::vector<Expression>& functions, int count = samples,
                                             double radius = 1.0) const {
    Interpreter<double> program(make_program(joined({system_.coordinates(), system_.parameters()}), functions));
    std::vector<std::vector<double>> list;
    RandomPoints random;
    for (int k = 0; k < count; ++k) {
      std::vector<double> point = near_.q;
      if (k > 0) point[steering_] = random.near({&near_.q[steering_], 1}, radius)[0];
      point.insert(point.end(), parameters_.begin(), parameters_.end());
      list.push_back(program(point));
    }
    return list;
  }

  static constexpr int samples = 12;
  static constexpr int steps = 500;
  static constexpr double rounding = 1e-11;  ///< relative

  const System& system_;
  std::span<const double> parameters_;
  const State& near_;
  std::size_t steering_;
};

}  // namespace rattleback
