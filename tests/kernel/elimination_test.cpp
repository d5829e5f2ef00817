// Checks of linear blocks that are not computed because they are implied, and long sums.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "kernel/derivation.hpp"
#include "kernel/elimination.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/step.hpp"
#include "tests/kernel/small_systems.hpp"

namespace rattleback {
namespace elimination_test {

using test::equations;

/// What remains of a step of the quadratic particle: one entry grows, from k to k + g s y.
ImplicitSystem particle_block() {
  ImplicitSystem s = equations({"k", "y", "g", "s", "b", "c"}, {"u", "w", "l"},
                               {"k*u - y*l - b", "g*w + l - c", "w - s*u"}, {"0", "0", "0"});
  s.typical = {1.1, 0.9, 1.2, 0.8, 1.0, 0.7};
  return s;
}

/// Most divisions in a row of an elimination: three pairs that share one number, as McLachlan and Perlmutter's do.
int divisions_in_a_row(bool is_iterated) {
  Builder builder;
  std::uint32_t inputs = 0;
  const auto number = [&](double sample) {
    const double size = sample + 0.01 * inputs;
    return builder.input(inputs++, 2, {size, 1.1 * size, 0.9 * size});
  };
  SymbolicLinearSystem system{std::vector<std::map<int, Value>>(7), {}, {}, is_iterated};
  for (int y = 0; y < 6; y += 2) {
    system.rows[static_cast<std::size_t>(y)] = {{y, number(2.0)}, {y + 1, number(0.5)}};
    system.rows[static_cast<std::size_t>(y) + 1] = {{y, number(0.5)}, {y + 1, number(2.0)}, {6, number(0.3)}};
    system.rows[6][y] = number(0.4);
    system.rows[6][y + 1] = number(0.6);
  }
  for (int i = 0; i < 7; ++i) system.right_hand_side.push_back(number(1.0));
  eliminate(builder, system, {});
  const std::vector<Instruction>& code = builder.code();
  std::vector<int> waits(code.size(), 0);
  for (Value v = 0; v < code.size(); ++v) {
    const Value operands[] = {code[v].a, code[v].b, code[v].c};
    for (int k = 0; k < operand_count(code[v].op); ++k) waits[v] = std::max(waits[v], waits[operands[k]]);
    if (code[v].op == Opcode::divide) ++waits[v];
  }
  return *std::ranges::max_element(waits);
}

TEST(IteratedElimination, divisions_of_a_pair_do_not_wait_for_each_other) {
  EXPECT_EQ(divisions_in_a_row(true), 2);
  EXPECT_EQ(divisions_in_a_row(false), 3);
}

/// Two pairs that share one number.
TEST(IteratedElimination, solves) {
  ImplicitSystem s = equations(
      {"b", "c", "d", "e"}, {"y", "z", "u", "v", "l"},
      {"y*(1 + z^2) - b", "z*(1 + y^2) + b*l - c", "u*(1 + v^2) - d", "v*(1 + u^2) + d*l - e", "l + y*z + u*v - 0.68"},
      {"0.7", "0.6", "0.7", "0.2", "0"});
  s.typical = {1.0, 0.92, 0.654, 0.4734};  // of (0.8, 0.5, 0.6, 0.3, 0.1)
  Step step(s);
  std::vector<double> data = s.typical;
  std::vector<double> x(5);
  ASSERT_EQ(step.run(data, x), 1);
  EXPECT_EQ(step.reports()[0].pivoted, 0);
  const auto solution = std::array{0.8, 0.5, 0.6, 0.3, 0.1};
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], solution[k], 2e-15);
}

TEST(ImpliedCheck, is_found_for_the_particle) {
  const StepProgram program = make_step_program(particle_block());
  ASSERT_EQ(program.blocks.size(), 1U);
  EXPECT_FALSE(program.blocks[0].implied.empty());
  EXPECT_EQ(program.blocks[0].growth.size(), 1U);
  EXPECT_TRUE(program.blocks[0].residuals.empty());
}

/// p = v + a l with a·v = 0: v may be small beside p and l, which no entry tells.
TEST(ImpliedCheck, is_not_claimed_where_right_hand_sides_cancel) {
  const StepProgram program = make_step_program(
      equations({"p", "r", "a", "b"}, {"u", "v", "l"}, {"u - p - a*l", "v - r - b*l", "a*u + b*v"}, {"0", "0", "0"}));
  ASSERT_EQ(program.blocks.size(), 1U);
  EXPECT_FALSE(program.blocks[0].residuals.empty());
  EXPECT_TRUE(program.blocks[0].implied.empty());
}

/// Of the worst of the equations, relative to its terms.
double residual(const std::vector<double>& d, const std::vector<double>& x) {
  const auto product = [](double a, double b) { return static_cast<long double>(a) * b; };
  const std::vector<long double> rows[] = {{product(d[0], x[0]), -product(d[1], x[2]), -d[4]},
                                           {product(d[2], x[1]), x[2], -d[5]},
                                           {x[1], -product(d[3], x[0])}};
  double worst = 0.0;
  for (const auto& row : rows) {
    long double sum = 0;
    long double size = 0;
    for (const long double t : row) sum += t, size += std::abs(t);
    worst = std::max(worst, static_cast<double>(std::abs(sum) / size));
  }
  return worst;
}

TEST(ImpliedCheck, accepts_nothing_that_the_check_would_not) {
  for (const Backend backend : {Backend::interpreted, Backend::compiled}) {
    Step step(particle_block(), 1, backend);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> exponent(-5.0, 5.0);
    std::bernoulli_distribution sign;
    int implied = 0;
    int checked = 0;
    int rescued = 0;
    for (int k = 0; k < 20000; ++k) {
      std::vector<double> data(6);
      for (double& d : data) d = (sign(random) ? 1.0 : -1.0) * std::pow(10.0, exponent(random));
      if (k % 4 == 0) data[1] = -data[0] / (data[2] * data[3]) * (1.0 + std::pow(10.0, 2.0 * exponent(random) - 6.0));
      std::vector<double> solution(3);
      ASSERT_EQ(step.run(data, solution), 1);
      const double growth = (data[0] + data[2] * data[3] * data[1]) / data[0];
      if (step.reports()[0].pivoted > 0) {
        ++rescued;
      } else {
        (growth > 0.05 && growth < 20.0 ? implied : checked)++;
        ASSERT_LE(residual(data, solution), linear_floor * std::numeric_limits<double>::epsilon()) << growth;
      }
    }
    EXPECT_GT(implied, 1000);
    EXPECT_GT(checked, 1000);
    EXPECT_GT(rescued, 100);
  }
}

TEST(ImpliedCheck, a_lane_that_needs_the_check_does_not_change_its_neighbours) {
  Step four(particle_block(), 4, Backend::compiled);
  Step one(particle_block(), 1, Backend::compiled);
  const double y[] = {0.5, 1e9, -0.7, 300.0};
  std::vector<double> data(6 * 4, 1.25);
  std::vector<double> solution(3 * 4);
  for (std::size_t l = 0; l < 4; ++l) data[4 + l] = y[l];
  ASSERT_EQ(four.run(data, solution), 1);
  for (std::size_t l = 0; l < 4; ++l) {
    std::vector<double> alone(6, 1.25);
    alone[1] = y[l];
    std::vector<double> expected(3);
    ASSERT_EQ(one.run(alone, expected), 1);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(solution[4 * i + l], expected[i]) << l;
    EXPECT_EQ(four.reports()[l].pivoted, one.reports()[0].pivoted) << l;
  }
}

TEST(ImpliedCheck, a_pivot_that_vanishes_is_noticed) {
  Step step(particle_block());
  std::vector<double> data{1.0, -1.0, 1.0, 1.0, 1.0, 0.7};  // k + g s y = 0
  std::vector<double> solution(3);
  EXPECT_EQ(step.run(data, solution), 0);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::singular);
}

/// One row shares all unknowns: u_i = d_i − a_i l, Σ a_i u_i = 0.
TEST(LongSum, the_elimination_of_a_shared_row_is_accurate) {
  constexpr std::size_t n = 200;
  ImplicitSystem s;
  const Expression l = Expression::symbol("l");
  Expression row;
  for (std::size_t i = 0; i < n; ++i) {
    const Expression a = Expression::symbol("a" + std::to_string(i));
    const Expression d = Expression::symbol("d" + std::to_string(i));
    const Expression u = Expression::symbol("u" + std::to_string(i));
    s.data.insert(s.data.end(), {a, d});
    s.unknowns.push_back(u);
    s.residuals.push_back(u - d + a * l);
    row += a * u;
  }
  s.unknowns.push_back(l);
  s.residuals.push_back(row);
  s.guess.assign(n + 1, Expression(0.0));
  s.outputs = {l};
  std::vector<double> data(2 * n);
  long double over = 0;
  long double under = 0;
  for (std::size_t i = 0; i < n; ++i) {
    data[2 * i] = 1.0 + 0.01 * static_cast<double>(i * i % 37);
    data[2 * i + 1] = 2.0 + std::sin(static_cast<double>(i));
    over += static_cast<long double>(data[2 * i]) * data[2 * i + 1];
    under += static_cast<long double>(data[2 * i]) * data[2 * i];
  }
  s.typical = data;
  for (const Backend backend : {Backend::interpreted, Backend::compiled}) {
    std::vector<double> result(1);
    ASSERT_EQ(Step(s, 1, backend).run(data, result), 1);
    // 25 terms one after the other and three levels of pairs, in two sums, and a quotient
    EXPECT_NEAR(result[0], static_cast<double>(over / under),
                30.0 * std::numeric_limits<double>::epsilon() * std::abs(result[0]));
  }
}

// Typical data choose pivots and nothing else: others have the same program exactly where eliminations come out alike.
TEST(Derivation, is_known_again_by_its_pivots) {
  ImplicitSystem s = equations({"a", "b", "c", "d", "e", "f"}, {"u", "v", "w"},
                               {"a*u + b*v + w*u^2 - e", "c*u + d*v + w - f", "u + v*w + b*w - d"}, {"e", "f", "0.1"});
  s.typical = {1.1, 0.9, 1.2, 0.8, 1.0, 0.7};
  Derivation derivation = derive_step(s, Constants::folded);
  EXPECT_TRUE(derivation.is_that_of(s));
  std::mt19937 random(1);
  std::lognormal_distribution<double> size(0.0, 2.0);
  int same = 0;
  int others = 0;
  for (int k = 0; k < 200; ++k) {
    for (double& x : s.typical) x = size(random);
    const bool is_same = derive_step(s, Constants::folded).program == derivation.program;
    EXPECT_EQ(derivation.is_that_of(s), is_same);
    EXPECT_EQ(make_step_program(s), derive_step(s, Constants::folded).program);
    ++(is_same ? same : others);
  }
  EXPECT_GT(same, 10);
  EXPECT_GT(others, 10);
  s.typical[0] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(derivation.is_that_of(s));
  EXPECT_THROW(make_step_program(s), StructureError);
}

}  // namespace elimination_test
}  // namespace rattleback
