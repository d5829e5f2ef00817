// What a step reports, and when it may say that it has converged.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/kernel/step.hpp"
#include "small_systems.hpp"

namespace rattleback {
namespace outcome_test {

using namespace test;

class Outcomes : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Step, Outcomes, testing::Values(Backend::interpreted, Backend::compiled),
                         [](const auto& p) { return p.param == Backend::compiled ? "compiled" : "interpreted"; });

TEST_P(Outcomes, a_runaway_exponential_does_not_pass_for_a_solution) {
  // The first correction leads to u = 706: the magnitude of exp(u), u·exp(u), must not overflow there.
  Step step(equations({"d", "start"}, {"u"}, {"exp(u) - d"}, {"start"}), 1, GetParam());
  std::vector<double> u(1);
  for (const double start : {-6.57, -6.56, -5.0}) {
    std::vector<double> data{2.0, start};
    ASSERT_EQ(step.run(data, u), 1) << start;
    EXPECT_NEAR(u[0], std::log(2.0), 1e-15) << start;
  }
  std::vector<double> data{2.0, 709.0};
  if (step.run(data, u) == 1) {
    EXPECT_NEAR(u[0], std::log(2.0), 1e-15);
  }
}

TEST_P(Outcomes, an_ill_conditioned_system_that_is_solved_to_rounding_has_converged) {
  // Nearly dependent rows, and a diagonal that looked like good pivots and is none.
  constexpr std::size_t n = 6;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  ImplicitSystem s;
  for (std::size_t i = 0; i < n; ++i) s.unknowns.push_back(Expression::symbol("x" + std::to_string(i)));
  for (std::size_t i = 0; i < n; ++i) {
    Expression r;
    for (std::size_t j = 0; j < n; ++j) {
      s.data.push_back(Expression::symbol("a" + std::to_string(i) + "_" + std::to_string(j)));
      s.typical.push_back(i == j ? 1.0 : 0.1 * uniform(random));
      r += s.data.back() * s.unknowns[j];
    }
    s.data.push_back(Expression::symbol("b" + std::to_string(i)));
    s.typical.push_back(1.0);
    s.residuals.push_back(r - s.data.back());
  }
  s.guess.assign(n, 0.0);
  s.outputs = s.unknowns;
  Step step(s, 1, GetParam());
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> data(n * (n + 1));
    for (double& v : data) v = uniform(random);
    for (std::size_t i = 0; i < n; ++i) data[i * (n + 1) + i] *= 1e-17;
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 1e-9 * uniform(random);
      for (std::size_t i = 0; i + 1 < n; ++i) sum += data[i * (n + 1) + j];
      data[(n - 1) * (n + 1) + j] = sum;
    }
    std::vector<double> x(n);
    ASSERT_EQ(step.run(data, x), 1) << trial << ": " << step.describe(step.reports()[0]);
    EXPECT_EQ(step.reports()[0].pivoted, 1);
    EXPECT_EQ(step.reports()[0].residual, 0.0);
  }
}

TEST_P(Outcomes, units_of_an_unknown_do_not_make_a_matrix_singular) {
  // v is of the size 10²⁰; the guess for u is one that the fast path gives up.
  Step step(equations({"d"}, {"u", "v"}, {"atan(u) + 1e-20*d*v - 1.5", "1e-20*v - 0.5*d*atan(u)"}, {"20", "0"}), 1,
            GetParam());
  std::vector<double> data{1.0};
  std::vector<double> out(2);
  ASSERT_EQ(step.run(data, out), 1) << step.describe(step.reports()[0]);
  EXPECT_EQ(step.reports()[0].pivoted, 1);
  EXPECT_NEAR(out[0], std::tan(1.0), 1e-14);
  EXPECT_NEAR(out[1], 5e19, 1e5);
}

TEST_P(Outcomes, outputs_that_are_not_finite_are_noticed_whatever_their_form) {
  struct Case {
    const char* output;
    double d;
  };
  for (const auto& [output, d] : {Case{"u + log(d)", -1.0}, Case{"u/(d + 1)", -1.0}, Case{"log(d)", -2.0},
                                  Case{"sqrt(u)", -2.0}, Case{"1e200*u*d", 1e200}}) {
    ImplicitSystem s = equations({"d"}, {"u"}, {"u - d"}, {"0"});
    s.outputs = parse_all({output});
    Step step(s, 1, GetParam());
    std::vector<double> data{d};
    std::vector<double> out(1);
    EXPECT_EQ(step.run(data, out), 0) << output;
    EXPECT_EQ(step.reports()[0].outcome, Outcome::not_finite) << output;
    data[0] = 2.0;
    EXPECT_EQ(step.run(data, out), 1) << output;
  }
}

TEST_P(Outcomes, iterations_are_those_of_the_lane_even_if_a_neighbour_is_rescued) {
  ImplicitSystem s = equations({"d"}, {"u"}, {"atan(u) - d"}, {"20*d"});
  Step four(s, 4, GetParam());
  Step one(s, 1, GetParam());
  std::vector<double> data{0.01, 0.5, 0.02, 0.03};  // the second lane needs damping
  std::vector<double> out(4);
  ASSERT_EQ(four.run(data, out), 1);
  EXPECT_EQ(four.reports()[1].pivoted, 1);
  for (std::size_t l = 0; l < 4; ++l) {
    std::vector<double> lane{data[l]};
    std::vector<double> lane_out(1);
    ASSERT_EQ(one.run(lane, lane_out), 1);
    EXPECT_EQ(four.reports()[l].iterations, one.reports()[0].iterations) << l;
    EXPECT_EQ(four.reports()[l].max_iterations, one.reports()[0].max_iterations) << l;
  }
}

TEST_P(Outcomes, rescues_in_the_middle_of_a_run_change_nothing_for_anyone) {
  // Sines near ±1 make the guess so bad that a step is rescued: in each lane at its own times.
  ImplicitSystem s = equations({"x", "d"}, {"u"}, {"atan(u) - sin(x + d)"}, {"5*sin(x + d)"});
  s.outputs = parse_all({"u + 2", "u"});
  s.state = 1;
  constexpr std::int64_t steps = 50;
  Step eight(s, 8, GetParam());
  Step one(s, 1, GetParam());
  std::vector<double> data(16);
  for (std::size_t l = 0; l < 8; ++l) data[l] = data[8 + l] = 0.1 * static_cast<double>(l);
  const std::vector<double> start = data;
  std::vector<double> out(16);
  ASSERT_EQ(eight.run(data, out, steps), steps);
  std::int64_t rescued = 0;
  for (std::size_t l = 0; l < 8; ++l) {
    std::vector<double> together{start[l], start[8 + l]};
    std::vector<double> singly = together;
    std::vector<double> lane_out(2);
    LaneReport sum;
    for (int n = 0; n < steps; ++n) {
      ASSERT_EQ(one.run(singly, lane_out), 1);
      sum.iterations += one.reports()[0].iterations;
      sum.max_iterations = std::max(sum.max_iterations, one.reports()[0].max_iterations);
      sum.pivoted += one.reports()[0].pivoted;
    }
    ASSERT_EQ(one.run(together, lane_out, steps), steps);
    EXPECT_EQ(together, singly);
    EXPECT_EQ(singly[0], data[l]);
    EXPECT_EQ(lane_out, (std::vector<double>{out[l], out[8 + l]}));
    for (const LaneReport& report : {one.reports()[0], eight.reports()[l]}) {
      EXPECT_EQ(report.iterations, sum.iterations) << l;
      EXPECT_EQ(report.max_iterations, sum.max_iterations) << l;
      EXPECT_EQ(report.pivoted, sum.pivoted) << l;
    }
    rescued += sum.pivoted;
  }
  EXPECT_GT(rescued, 20);
  EXPECT_LT(rescued, 8 * steps - 20);
}

TEST_P(Outcomes, iterations_of_steps_before_an_overflow_are_counted) {
  // The equation is harmless, its unknown times 10⁶⁰ is not. Only the first step has to iterate.
  ImplicitSystem s = equations({"x"}, {"u"}, {"u + 0.5*tanh(u) - x"}, {"x"});
  s.outputs = parse_all({"1e60*u"});
  s.state = 1;
  Step step(s, 1, GetParam());
  std::vector<double> data{1.0};
  std::vector<double> out(1);
  std::int64_t singly = 0;
  for (int n = 0; n < 5; ++n) {
    ASSERT_EQ(step.run(data, out), 1);
    singly += step.reports()[0].iterations;
  }
  EXPECT_GT(singly, 1);
  const std::vector<double> end = data;
  data = {1.0};
  ASSERT_EQ(step.run(data, out, 5), 5);
  EXPECT_EQ(step.reports()[0].iterations, singly);
  data = {1.0};
  EXPECT_EQ(step.run(data, out, 100), 5);
  EXPECT_EQ(data, end);
  EXPECT_GE(step.reports()[0].iterations, singly);
}

TEST(MoreDigits, constants_of_a_linear_block_are_not_rounded_to_double) {
  const ImplicitSystem s =
      equations({"d"}, {"u", "v", "w"}, {"3*u + v - d", "0.1*u + 7*v - 2*d", "(w + 0.1)*0.3 - d"}, {"0", "0", "0"});
  const auto u = interpret_step<float128>(s, std::vector<float128>{1});
  EXPECT_LT(abs(3 * u[0] + u[1] - 1), 1e-32);
  EXPECT_LT(abs(float128(0.1) * u[0] + 7 * u[1] - 2), 1e-32);
}

TEST(Tangent, larger_matrices_than_the_system_has_are_refused) {
  const ImplicitSystem s = equations({"d"}, {"u"}, {"u - d"}, {"0"});
  EXPECT_NO_THROW(with_tangent_matrix(s, 1, 1));
  EXPECT_THROW(with_tangent_matrix(s, 2, 1), std::invalid_argument);
  EXPECT_THROW(with_tangent_matrix(s, 1, 2), std::invalid_argument);
}

TEST(Compiled, programs_and_steps_can_be_built_at_the_same_time) {
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &results] {
      double& result = results[static_cast<std::size_t>(t)];
      for (int n = 0; n < 3; ++n) {
        std::vector<double> data(4, 0.5 + t + 0.1 * n);
        std::vector<double> out(4);
        if (t % 2 == 0) {
          const Expression x = Expression::symbol("x");
          const Kernel kernel(make_program(std::vector{x}, std::vector{x + t + n}), 4);
          kernel(data, out);
          result += out[3] == data[3] + (t + n) ? 1.0 : 0.0;
        } else {
          Step step(equations({"d"}, {"u"}, {"u + " + std::to_string(t + n) + "*tanh(u) - d"}, {"d"}), 4);
          result += static_cast<double>(step.run(data, out));
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(results, std::vector<double>(8, 3.0));
}

// s is defined by u, whose block it goes through; bounded functions of it would hide that it is not defined.
TEST(Outcome, unknowns_defined_by_others_must_be_finite) {
  const Expression x = Expression::symbol("x");
  const Expression w = Expression::symbol("w");
  const Expression u = Expression::symbol("u");
  const Expression s = Expression::symbol("s");
  ImplicitSystem system;
  system.data = {x, w};
  system.unknowns = {u, s};
  system.residuals = {u - 2 * x, s - u / w};
  system.guess = {0.0, 0.0};
  system.outputs = {atan(s)};
  Step step(system);
  std::vector<double> outputs(1);
  std::vector<double> data{1.0, 4.0};
  ASSERT_EQ(step.run(data, outputs), 1);
  EXPECT_DOUBLE_EQ(outputs[0], std::atan(0.5));
  data = {1.0, 0.0};
  EXPECT_EQ(step.run(data, outputs), 0);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::not_finite);
}

}  // namespace outcome_test
}  // namespace rattleback
