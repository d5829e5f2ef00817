// In a program of its own: nothing else may compile before it.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <span>
#include <string>

#include "rattleback/kernel/kernel.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {
namespace loading_test {

bool llvm_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find("libLLVM") != std::string::npos) return true;
  }
  return false;
}

TEST(Compiler, is_loaded_only_when_something_is_compiled) {
  const Expression x = Expression::symbol("x");
  const Program p = make_program(std::vector{x}, std::vector{sin(x)});
  const Kernel interpreted(p, 1, Backend::interpreted);
  EXPECT_FALSE(llvm_is_loaded());
  const Kernel automatic(p);
  const double at = 0.5;
  double once = 0.0;
  automatic(&at, &once);
  EXPECT_FALSE(llvm_is_loaded());
  const Kernel compiled(p, 1, Backend::compiled);
  EXPECT_TRUE(llvm_is_loaded());
  EXPECT_TRUE(compiled.is_compiled());
}

/// The Verlet map of a pendulum, solved as an implicit equation.
ImplicitSystem pendulum() {
  const Expression q = Expression::symbol("q");
  const Expression p = Expression::symbol("p");
  const Expression u = Expression::symbol("u");
  ImplicitSystem s;
  s.data = {q, p};
  s.unknowns = {u};
  s.residuals = {u - p + 0.01 * sin(q + 0.005 * u)};
  s.guess = {p};
  s.outputs = {q + 0.01 * u, u};
  s.state = 2;
  return s;
}

TEST(Compiler, is_asked_when_there_is_enough_to_do_and_changes_no_bit) {
  Step little(pendulum());
  Step much(pendulum());
  Step compiled(pendulum(), 4, Backend::compiled);  // code for another number of lanes is other code
  std::vector<double> outputs(8);
  std::vector<double> by_pieces{1.0, 0.5};
  std::vector<double> expected{1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5};
  for (int k = 0; k < 300; ++k) {
    ASSERT_EQ(little.run(by_pieces, std::span(outputs).first(2), 1000), 1000);
    ASSERT_EQ(compiled.run(expected, outputs, 1000), 1000);
    ASSERT_EQ(by_pieces[0], expected[0]) << k;
    ASSERT_EQ(by_pieces[1], expected[4]) << k;
    if (k == 0) {
      EXPECT_FALSE(little.is_compiled());
    }
  }
  EXPECT_TRUE(little.is_compiled());
  std::vector<double> at_once{1.0, 0.5};
  ASSERT_EQ(much.run(at_once, std::span(outputs).first(2), 300000), 300000);
  EXPECT_EQ(at_once, by_pieces);
  EXPECT_TRUE(much.is_compiled());
}

TEST(Compiler, is_asked_where_the_interpreter_would_have_other_bits) {
  const Expression x = Expression::symbol("x");
  // Other functions than sines, and sines of huge numbers, are SLEEF's.
  EXPECT_TRUE(Kernel(make_program(std::vector{x}, std::vector{exp(x)})).is_compiled());
  const Program p = make_program(std::vector{x}, std::vector{sin(x), cos(3.0 * x)});
  const Kernel compiled(p, 4, Backend::compiled);  // code for another number of lanes is other code
  const Kernel automatic(p);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-30.0, 18.4);  // 3·2^18.4 < 2²⁰
  for (int k = 0; k < 10000; ++k) {
    const double at = std::exp2(exponent(random)) * (k % 2 == 0 ? 1.0 : -1.0);
    const double four[] = {at, at, at, at};
    double found[2];
    double expected[8];
    automatic(&at, found);
    compiled(four, expected);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(found[0]), std::bit_cast<std::uint64_t>(expected[0])) << at;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(found[1]), std::bit_cast<std::uint64_t>(expected[4])) << at;
  }
  EXPECT_FALSE(automatic.is_compiled());
  const double huge = 1e9;
  const double four[] = {huge, huge, huge, huge};
  double found[2];
  double expected[8];
  automatic(&huge, found);
  compiled(four, expected);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found[0]), std::bit_cast<std::uint64_t>(expected[0]));
  EXPECT_TRUE(automatic.is_compiled());
}

TEST(Compiler, leaves_no_step_to_the_interpreter_that_needs_a_sine_of_a_huge_number) {
  ImplicitSystem s = pendulum();
  s.outputs[0] = s.outputs[0] + 1000.0;  // after some thousand steps q passes 2²⁰
  Step automatic(s);
  Step compiled(s, 4, Backend::compiled);
  std::vector<double> one{0.0, 0.5};
  std::vector<double> four{0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5};
  std::vector<double> outputs(8);
  ASSERT_EQ(automatic.run(one, std::span(outputs).first(2), 1000), 1000);
  EXPECT_FALSE(automatic.is_compiled());
  ASSERT_EQ(automatic.run(one, std::span(outputs).first(2), 200), 200);
  EXPECT_TRUE(automatic.is_compiled());
  ASSERT_EQ(compiled.run(four, outputs, 1200), 1200);
  EXPECT_EQ(one[0], four[0]);
  EXPECT_EQ(one[1], four[4]);
}

TEST(Compiler, is_asked_at_once_by_those_in_a_hurry) {
  ImplicitSystem s = pendulum();
  s.outputs[0] = s.outputs[0] + 1.0;  // not known from the test before
  EXPECT_FALSE(Step(s).is_compiled());
  const CompileAtOnce at_once;
  EXPECT_TRUE(Step(s).is_compiled());
}

}  // namespace loading_test
}  // namespace rattleback
