// Where Newton's iteration ends: at a tolerance, or after a number of iterations.

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/kernel/chain.hpp"
#include "rattleback/kernel/step.hpp"
#include "small_systems.hpp"

namespace rattleback {
namespace iteration_end_test {

using namespace test;

/// u³ = d from u = 1.
ImplicitSystem cube_root(IterationEnd end) {
  ImplicitSystem system = equations({"d"}, {"u"}, {"u^3 - d"}, {"1"});
  system.end = end;
  return system;
}

/// Newton's method by hand: how far it is when all that is left is at most `tolerance`, or after some iterations.
struct ByHand {
  double u = 1.0;
  int iterations = 0;
  ByHand(double d, double tolerance, int most) {
    for (; iterations < most && std::abs(u * u * u - d) > tolerance; ++iterations) u -= (u * u * u - d) / (3 * u * u);
  }
};

class IterationEnds : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Step, IterationEnds, testing::Values(Backend::interpreted, Backend::compiled),
                         [](const auto& p) { return p.param == Backend::compiled ? "compiled" : "interpreted"; });

TEST_P(IterationEnds, a_number_of_iterations_is_taken_whatever_they_leave) {
  for (const int iterations : {1, 2, 3, 20}) {
    Step step(cube_root({0.0, iterations}), 1, GetParam());
    for (const double d : {1.0, 2.0, 300.0}) {
      std::vector<double> data{d};
      std::vector<double> u(1);
      ASSERT_EQ(step.run(data, u), 1);
      EXPECT_NEAR(u[0], ByHand(d, -1.0, iterations).u, 1e-13 * u[0]) << d << ", " << iterations;
      EXPECT_EQ(step.reports()[0].iterations, iterations) << "also where the guess is the solution, d = " << d;
    }
  }
}

TEST_P(IterationEnds, a_tolerance_ends_the_iteration_at_the_first_residual_below_it) {
  for (const double tolerance : {10.0, 1e-1, 1e-4, 1e-8}) {
    Step step(cube_root({tolerance, 0}), 1, GetParam());
    for (const double d : {1.5, 2.0, 300.0}) {
      const ByHand expected(d, tolerance, 100);
      std::vector<double> data{d};
      std::vector<double> u(1);
      ASSERT_EQ(step.run(data, u), 1);
      EXPECT_NEAR(u[0], expected.u, 1e-13 * u[0]) << d << ", " << tolerance;
      EXPECT_EQ(step.reports()[0].iterations, expected.iterations) << d << ", " << tolerance;
    }
  }
}

TEST_P(IterationEnds, a_tolerance_below_rounding_ends_where_rounding_does) {
  Step sharp(cube_root({}), 1, GetParam());
  Step sharper(cube_root({1e-30, 0}), 1, GetParam());
  std::vector<double> data{2.0};
  std::vector<double> a(1);
  std::vector<double> b(1);
  ASSERT_EQ(sharp.run(data, a), 1);
  ASSERT_EQ(sharper.run(data, b), 1);
  EXPECT_EQ(a, b);
}

TEST(IterationEndLanes, do_not_influence_each_other) {
  for (const IterationEnd end : {IterationEnd{1e-5, 0}, IterationEnd{0.0, 3}}) {
    Step alone(cube_root(end), 1, Backend::compiled);
    for (const int lanes : {4, 8, 16}) {
      Step together(cube_root(end), lanes, Backend::compiled);
      std::vector<double> data;  // some lanes converge at once, some need many iterations
      for (int l = 0; l < lanes; ++l) data.push_back(1.0 + l * l * l);
      std::vector<double> u(data.size());
      ASSERT_EQ(together.run(data, u), 1);
      for (std::size_t l = 0; l < data.size(); ++l) {
        std::vector<double> own{data[l]};
        std::vector<double> expected(1);
        ASSERT_EQ(alone.run(own, expected), 1);
        EXPECT_EQ(u[l], expected[0]) << "lane " << l << " of " << lanes;
        EXPECT_EQ(together.reports()[l].iterations, alone.reports()[0].iterations);
      }
    }
  }
}

/// Maps with the same equations that end differently are not taken for one.
TEST(IterationEnds, are_those_of_each_map_of_a_chain) {
  Chain chain;
  chain.data = 1;
  const ChainValue d{ChainValue::data, 0};
  const std::uint32_t rough = chain.add(cube_root({0.0, 1}), {d});
  const std::uint32_t sharp = chain.add(cube_root({}), {d});
  chain.outputs = {{rough, 0}, {sharp, 0}};
  auto step = ChainStep::make(chain);
  ASSERT_TRUE(step);
  std::vector<double> data{2.0};
  std::vector<double> out(2);
  ASSERT_EQ(step->run(data, out, 1), 1);
  EXPECT_DOUBLE_EQ(out[0], 4.0 / 3.0);
  EXPECT_DOUBLE_EQ(out[1], std::cbrt(2.0));
}

}  // namespace iteration_end_test
}  // namespace rattleback
