#pragma once

// Trajectories of models for the tests of methods.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::test {

/// A model from its own start; its own step if none is given.
inline Problem problem_of(const Model& model, double step = 0.0) {
  return {model.system, model.system.parameter_values(), *model.initial, step > 0.0 ? step : *model.step};
}
inline Problem problem_of(const std::string& model, double step = 0.0) { return problem_of(load_model(model), step); }

/// McLachlan and Perlmutter's particles with n = 6, as in Evensberget's section 3.2.
inline Problem twelve_oscillators(double step) {
  Problem problem = problem_of(load_model("mclachlan-perlmutter", {{"n", 6}}), step);
  problem.start = {{1, 0, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 0}, {0, 1, 0, -1, 1, 0, -1, 0, 1, -1, 1, 1, 1}};
  return problem;
}

/// So many steps; a failure is one of the test.
inline void take(Stepper& stepper, std::int64_t steps) {
  for (std::int64_t k = 0; k < steps; ++k) ASSERT_TRUE(stepper.advance()) << stepper.failure();
}

inline double distance(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= largest)) largest = std::abs(a[i] - b[i]);  // NaN counts as large
  }
  return largest;
}
/// Of numbers in braces, too.
inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  return distance(std::span<const double>(a), std::span<const double>(b));
}

}  // namespace rattleback::test
