#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dla_midpoint.hpp"
#include "kernel/step_program.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {
namespace tangent_test {

TEST(Tangent, matrix_agrees_with_differences_in_float128) {
  const ImplicitSystem system = test::dla_midpoint(test::chaplygin_sleigh());
  const ImplicitSystem extended = with_tangent_matrix(system, 6, 6);
  std::vector<double> data{0.3, -0.2, 0.7, 0.4, 0.1, -0.6, 0.01, 0.02, -0.03, 0.12, 1.3, 0.8, 0.6, 0.4};
  const std::vector<double> start = data;
  Step step(extended);
  std::vector<double> out(extended.outputs.size());
  ASSERT_EQ(step.run(data, out), 1);
  const float128 epsilon = 1e-9;
  for (std::size_t j = 0; j < 6; ++j) {
    std::vector<float128> plus(start.begin(), start.end());
    std::vector<float128> minus = plus;
    plus[j] += epsilon;
    minus[j] -= epsilon;
    const auto above = interpret_step<float128>(system, plus);
    const auto below = interpret_step<float128>(system, minus);
    for (std::size_t i = 0; i < 6; ++i) {
      const double difference = static_cast<double>((above[i] - below[i]) / (2 * epsilon));
      EXPECT_NEAR(out[9 + 6 * i + j], difference, 1e-13 * (1.0 + std::abs(difference))) << i << ", " << j;
    }
  }
}

TEST(Tangent, direction_agrees_with_the_matrix) {
  const ImplicitSystem system = test::dla_midpoint(test::quadratic_particle());
  Step along(with_tangent(system));
  Step matrix(with_tangent_matrix(system, 6, 6));
  std::vector<double> data{0.3, -0.2, 0.7, 0.4, 0.1, -0.6, 0.0, 0.0, 0.0, 0.2};
  std::vector<double> direction{0.5, -1.0, 2.0, 0.25, 1.0, -0.75, 0.0, 0.0, 0.0, 0.0};
  std::vector<double> both = data;
  both.insert(both.end(), direction.begin(), direction.end());
  std::vector<double> out(18);
  ASSERT_EQ(along.run(both, out), 1);
  std::vector<double> all(9 + 36);
  ASSERT_EQ(matrix.run(data, all), 1);
  for (std::size_t i = 0; i < 6; ++i) {
    double product = 0.0;
    for (std::size_t j = 0; j < 6; ++j) product += all[9 + 6 * i + j] * direction[j];
    EXPECT_NEAR(out[9 + i], product, 1e-14);
  }
}

TEST(Tangent, columns_share_one_factorisation) {
  const ImplicitSystem system = test::dla_midpoint(test::chaplygin_sleigh());
  const auto divisions = [](const StepProgram& p) {
    return std::count_if(p.code.begin(), p.code.end(), [](const Instruction& i) { return i.op == Opcode::divide; });
  };
  const auto one = divisions(make_step_program(with_tangent_matrix(system, 6, 1)));
  const auto six = divisions(make_step_program(with_tangent_matrix(system, 6, 6)));
  EXPECT_EQ(one, six);
}

}  // namespace tangent_test
}  // namespace rattleback
