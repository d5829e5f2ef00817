// Chains of maps: they give the bits of their maps, and take no step that one of them cannot take.

#include "rattleback/kernel/chain.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/chain_program.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/step.hpp"
#include "tests/kernel/small_systems.hpp"

namespace rattleback {
namespace chain_test {

using test::equations;
using test::parse_all;

/// x' = x + h f(x') with f = sin(a x') − x'³, x kept from step to step: implicit, and never linear.
ImplicitSystem implicit_euler() {
  ImplicitSystem s = equations({"x", "h", "a"}, {"u"}, {"u - x - h*(sin(a*u) - u^3)"}, {"x"});
  s.state = 1;
  return s;
}

ChainValue datum(std::uint32_t i, double factor = 1.0) { return {ChainValue::data, i, factor}; }

/// Two stages of implicit_euler with 0.3 h and 0.7 h, then a square and its extremes.
/// Data: x, least, largest, h, a. Outputs: x, least, largest, x².
Chain two_stages() {
  Chain chain;
  chain.data = 5;
  chain.state = 3;
  const auto first = chain.add(implicit_euler(), {datum(0), datum(3, 0.3), datum(4)});
  const auto second = chain.add(implicit_euler(), {{first, 0}, datum(3, 0.7), datum(4)});
  const auto square = chain.add(make_program(parse_all({"x"}), parse_all({"x^2 + cos(x)"})), {{second, 0}});
  chain.outputs = {{second, 0}, datum(1), datum(2), {square, 0}};
  chain.extremes = {{{{square, 0}}, 1, 2}};
  return chain;
}

TEST(Chain, has_the_bits_and_the_iterations_of_its_maps) {
  for (const Backend backend : {Backend::compiled, Backend::interpreted}) {
    auto chain = ChainStep::make(two_stages(), 1, backend);
    ASSERT_TRUE(chain);
    std::vector<double> data{2.0, 1e300, -1e300, 0.4, 1.3};
    std::vector<double> outputs(4);
    Step step(implicit_euler(), 1, backend);
    const Kernel square(make_program(parse_all({"x"}), parse_all({"x^2 + cos(x)"})), 1, backend);
    double x = 2.0;
    double least = 1e300;
    double largest = -1e300;
    std::int64_t iterations = 0;
    int most = 0;
    for (int k = 0; k < 20; ++k) {
      for (const double fraction : {0.3, 0.7}) {
        std::vector<double> one{x, fraction * 0.4, 1.3};
        double next = 0.0;
        ASSERT_EQ(step.run(one, {&next, 1}), 1);
        iterations += step.reports()[0].iterations;
        most = std::max(most, step.reports()[0].max_iterations);
        x = next;
      }
      double value = 0.0;
      square(&x, &value);
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
    ASSERT_EQ(chain->run(data, outputs, 20), 20);
    EXPECT_EQ(data[0], x);
    EXPECT_EQ(data[1], least);
    EXPECT_EQ(data[2], largest);
    EXPECT_EQ(chain->iterations(0), iterations);
    EXPECT_EQ(chain->max_iterations(0), most);
    EXPECT_EQ(outputs[0], x);
  }
}

TEST(Chain, has_the_same_bits_in_lanes) {
  auto one = ChainStep::make(two_stages(), 1, Backend::compiled);
  auto eight = ChainStep::make(two_stages(), 8, Backend::compiled);
  ASSERT_TRUE(one && eight);
  std::vector<double> data(5 * 8);
  std::vector<double> outputs(4 * 8);
  const auto start = [](std::size_t lane) {
    return std::vector<double>{0.5 + 0.2 * static_cast<double>(lane), 1e300, -1e300, 0.4, 1.3};
  };
  for (std::size_t l = 0; l < 8; ++l) {
    for (std::size_t i = 0; i < 5; ++i) data[8 * i + l] = start(l)[i];
  }
  ASSERT_EQ(eight->run(data, outputs, 15), 15);
  for (std::size_t l = 0; l < 8; ++l) {
    std::vector<double> alone = start(l);
    std::vector<double> more(4);
    ASSERT_EQ(one->run(alone, more, 15), 15);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(data[8 * i + l], alone[i]) << l << ' ' << i;
    EXPECT_EQ(eight->iterations(static_cast<int>(l)), one->iterations(0));
  }
}

/// A function that is not defined beyond some step ends the chain there, with the state before that step.
TEST(Chain, takes_no_step_that_a_map_cannot_take) {
  Chain chain;
  chain.data = 2;
  chain.state = 1;
  ImplicitSystem decrease;
  decrease.data = parse_all({"x", "d"});
  decrease.outputs = parse_all({"x - d"});
  decrease.state = 1;
  const auto step = chain.add(decrease, {datum(0), datum(1)});
  const auto root = chain.add(make_program(parse_all({"x"}), parse_all({"sqrt(x)"})), {{step, 0}});
  chain.outputs = {{step, 0}, {root, 0}};
  for (const Backend backend : {Backend::compiled, Backend::interpreted}) {
    auto compiled = ChainStep::make(chain, 1, backend);
    ASSERT_TRUE(compiled);
    std::vector<double> data{5.5, 1.0};
    std::vector<double> outputs(2);
    EXPECT_EQ(compiled->run(data, outputs, 3), 3);
    EXPECT_EQ(data[0], 2.5);
    EXPECT_EQ(compiled->run(data, outputs, 1), 1);
    EXPECT_EQ(compiled->run(data, outputs, 1), 1);
    EXPECT_EQ(compiled->run(data, outputs, 1), 0);
    EXPECT_TRUE(compiled->has_failed(0));
    EXPECT_EQ(data[0], 0.5);
  }
}

/// An angle that turns by h cos(angle), and what is watched of it: the next step begins with the same cosine.
Chain turning() {
  ImplicitSystem turn;
  turn.data = parse_all({"a", "h"});
  turn.outputs = parse_all({"a + h*cos(a) - h*h*sin(a)/(2 + sin(a))"});
  turn.state = 1;
  Chain chain;
  chain.data = 2;
  chain.state = 1;
  const auto step = chain.add(turn, {datum(0), datum(1)});
  const auto seen = chain.add(make_program(parse_all({"a"}), parse_all({"sin(a)", "cos(a)"})), {{step, 0}});
  chain.outputs = {{step, 0}, {seen, 0}, {seen, 1}};
  return chain;
}

TEST(Chain, carries_functions_of_the_state_from_step_to_step) {
  const Chain chain = turning();
  StepProgram watched;
  const Program& functions = chain.links[1].program;
  watched.code = functions.code;
  watched.constants = functions.constants;
  watched.inputs = functions.inputs;
  watched.after = {0, static_cast<Value>(functions.code.size())};
  watched.outputs = functions.outputs;
  const StepProgram whole = make_chain_program(chain, {make_step_program(chain.links[0].map), watched});
  EXPECT_EQ(whole.carried.size(), 2U);
  const auto sines = [&](const CodeRange& range) {
    return std::count_if(whole.code.begin() + range.begin, whole.code.begin() + range.end,
                         [](const Instruction& i) { return i.op == Opcode::sincos; });
  };
  EXPECT_EQ(sines(whole.invariant), 1);
  EXPECT_EQ(sines({whole.invariant.end, static_cast<Value>(whole.code.size())}), 1);

  for (const int lanes : {1, 4}) {
    auto many = ChainStep::make(chain, lanes, Backend::compiled);
    auto one_by_one = ChainStep::make(chain, 1, Backend::compiled);
    ASSERT_TRUE(many && one_by_one);
    const auto width = static_cast<std::size_t>(lanes);
    std::vector<double> data(2 * width, 0.1);
    std::vector<double> outputs(3 * width);
    for (std::size_t l = 0; l < width; ++l) data[l] = 0.3 + static_cast<double>(l);
    ASSERT_EQ(many->run(data, outputs, 50), 50);
    for (std::size_t l = 0; l < width; ++l) {
      std::vector<double> alone{0.3 + static_cast<double>(l), 0.1};
      std::vector<double> seen(3);
      for (int k = 0; k < 50; ++k) ASSERT_EQ(one_by_one->run(alone, seen, 1), 1);
      EXPECT_EQ(data[l], alone[0]);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(outputs[i * width + l], seen[i]);
    }
  }
}

TEST(Chain, is_refused_where_maps_compute_their_sines_in_different_ways) {
  std::string many = "0";
  for (int k = 0; k < 70; ++k) many += " + sin(" + std::to_string(k) + "*x)";
  Chain chain;
  chain.data = 1;
  const auto few = chain.add(make_program(parse_all({"x"}), parse_all({"sin(x)"})), {datum(0)});
  chain.outputs = {{few, 0}};
  EXPECT_TRUE(ChainStep::make(chain));
  const auto more = chain.add(make_program(parse_all({"x"}), parse_all({many})), {datum(0)});
  chain.outputs.push_back({more, 0});
  EXPECT_FALSE(ChainStep::make(chain));
}

TEST(Chain, refuses_what_is_not_there) {
  Chain chain = two_stages();
  chain.links[0].takes[0] = {1, 0};  // of a later link
  EXPECT_THROW(ChainStep::make(chain), std::invalid_argument);
  chain = two_stages();
  chain.links[1].takes[1] = {0, 0};  // h must not change within a step
  EXPECT_THROW(ChainStep::make(chain), std::invalid_argument);
  chain = two_stages();
  chain.outputs[3].index = 7;
  EXPECT_THROW(ChainStep::make(chain), std::invalid_argument);
  chain = two_stages();
  chain.extremes[0].largest = 3;  // h, which is no state
  EXPECT_THROW(ChainStep::make(chain), std::invalid_argument);
}

}  // namespace chain_test
}  // namespace rattleback
