// Large programs are compiled in chunks that hand their values on in memory. They must give what the
// interpreter gives, in any number of lanes and steps, like small ones that stay in registers.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "kernel/step_program.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {
namespace chunk_test {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::vector<Expression> joined(std::vector<Expression> a, const std::vector<Expression>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

long count(const std::vector<Instruction>& code, Opcode op) {
  return std::count_if(code.begin(), code.end(), [&](const Instruction& i) { return i.op == op; });
}

/// Columns of `lanes`, as a structure of arrays.
std::vector<double> interleaved(const std::vector<std::vector<double>>& lanes) {
  std::vector<double> result;
  for (std::size_t i = 0; i < lanes[0].size(); ++i) {
    for (const auto& lane : lanes) result.push_back(lane[i]);
  }
  return result;
}

/// A ring of springs by the midpoint rule. Five more states only change places from step to step and
/// drive the ring, so that a state written too early would be noticed.
ImplicitSystem ring(std::size_t n) {
  ImplicitSystem s;
  const auto symbols = [&](const char* name, std::size_t count) {
    std::vector<Expression> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(Expression::symbol(name + std::to_string(i)));
    return result;
  };
  const auto x = symbols("x", n);
  const auto v = symbols("v", n);
  const auto places = symbols("s", 5);
  s.data = joined(joined(places, x), v);
  s.state = s.data.size();
  const Expression h = Expression::symbol("h");
  const Expression k = Expression::symbol("k");
  s.data = joined(s.data, {h, k});
  s.unknowns = symbols("w", n);
  s.guess = v;
  std::vector<Expression> middle;
  for (std::size_t i = 0; i < n; ++i) middle.push_back(x[i] + 0.25 * h * (v[i] + s.unknowns[i]));
  for (std::size_t i = 0; i < n; ++i) {
    const Expression right = middle[(i + 1) % n] - middle[i];
    const Expression left = middle[i] - middle[(i + n - 1) % n];
    const Expression force = k * (right - left) + pow(right, 3) - pow(left, 3) - sin(middle[i]) * cos(x[i]);
    s.residuals.push_back(s.unknowns[i] - v[i] - h * force - 0.1 * h * places[i % 5]);
  }
  for (const std::size_t from : {1, 0, 3, 4, 2}) s.outputs.push_back(places[from]);
  for (std::size_t i = 0; i < n; ++i) s.outputs.push_back(x[i] + 0.5 * h * (v[i] + s.unknowns[i]));
  for (std::size_t i = 0; i < n; ++i) s.outputs.push_back(s.unknowns[i]);
  s.outputs.push_back(sin(middle[0]) * cos(middle[1]));
  s.outputs.push_back(k);
  return s;
}

std::vector<double> ring_start(std::size_t n, std::size_t lane) {
  std::vector<double> data{1.0, -2.0, 0.5, 0.25, -1.5};
  for (std::size_t i = 0; i < 2 * n; ++i) data.push_back(0.5 * std::sin(static_cast<double>(3 * i + 5 * lane)));
  data.insert(data.end(), {lane == 2 ? 1e-9 : 0.1, 1.0 + 0.1 * static_cast<double>(lane)});
  return data;
}

class Ring : public testing::TestWithParam<std::size_t> {};
// One function; chunks with inline sines; chunks that call them.
INSTANTIATE_TEST_SUITE_P(Chunks, Ring, testing::Values(4, 30, 70),
                         [](const auto& p) { return std::to_string(p.param) + "_bodies"; });

TEST_P(Ring, steps_in_one_call_one_by_one_and_in_lanes_have_equal_bits) {
  const std::size_t n = GetParam();
  const ImplicitSystem system = ring(n);
  const StepProgram program = make_step_program(system);
  EXPECT_EQ(program.code.size() > 1500, n > 4);
  EXPECT_EQ(count(program.code, Opcode::sincos) + count(program.code, Opcode::cos) > 64, n > 30);
  constexpr int steps = 7;
  std::vector<std::vector<double>> starts;
  std::vector<std::vector<double>> ends;
  std::vector<std::vector<double>> end_outputs;
  std::vector<std::int64_t> iterations;
  Step one(system, 1, Backend::compiled);
  Step interpreted(system, 1, Backend::interpreted);
  for (std::size_t lane = 0; lane < 16; ++lane) {
    starts.push_back(ring_start(n, lane));
    ends.push_back(starts.back());
    end_outputs.emplace_back(system.outputs.size());
    ASSERT_EQ(one.run(ends.back(), end_outputs.back(), steps), steps);
    iterations.push_back(one.reports()[0].iterations);
    EXPECT_EQ(one.reports()[0].pivoted, 0);
    std::vector<double> singly = starts.back();
    std::vector<double> out(system.outputs.size());
    for (int k = 0; k < steps; ++k) ASSERT_EQ(one.run(singly, out), 1);
    ASSERT_EQ(singly, ends.back());
    ASSERT_EQ(out, end_outputs.back());
    EXPECT_EQ(ends.back()[0], -2.0);  // after 7 exchanges
    EXPECT_EQ(ends.back()[2], 0.25);  // after 7 turns of three
    std::vector<double> slowly = starts.back();
    ASSERT_EQ(interpreted.run(slowly, out, steps), steps);
    for (std::size_t i = 0; i < slowly.size(); ++i) EXPECT_NEAR(slowly[i], ends.back()[i], 1e-13);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], end_outputs.back()[i], 1e-13);
  }
  for (const std::size_t lanes : {4U, 16U}) {
    Step many(system, static_cast<int>(lanes), Backend::compiled);
    std::vector<double> data = interleaved({starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(lanes)});
    std::vector<double> out(system.outputs.size() * lanes);
    ASSERT_EQ(many.run(data, out, steps), steps);
    for (std::size_t l = 0; l < lanes; ++l) {
      EXPECT_EQ(many.reports()[l].iterations, iterations[l]);
      const auto& end = ends[l];
      const auto& end_out = end_outputs[l];
      for (std::size_t i = 0; i < end.size(); ++i) ASSERT_EQ(bits(data[lanes * i + l]), bits(end[i])) << i;
      for (std::size_t i = 0; i < end_out.size(); ++i) ASSERT_EQ(bits(out[lanes * i + l]), bits(end_out[i])) << i;
    }
  }
}

TEST(Chunks, large_programs_agree_with_the_interpreter_in_all_lanes) {
  std::mt19937_64 random(3);
  std::vector<Expression> inputs;
  for (int i = 0; i < 20; ++i) inputs.push_back(Expression::symbol("x" + std::to_string(i)));
  std::vector<Expression> pool = inputs;
  // The cosine of an angle is used long after its sine: in another chunk.
  std::vector<Expression> angles;
  for (int i = 0; i < 1200; ++i) {
    const auto pick = [&] { return pool[pool.size() - 1 - random() % std::min<std::size_t>(pool.size(), 60)]; };
    const Expression a = pick();
    switch (random() % 5) {
      case 0:
        angles.push_back(a + 0.25 * i);
        pool.push_back(sin(angles.back()));
        break;
      case 1: pool.push_back((angles.empty() ? a : cos(angles[random() % angles.size()])) * pick()); break;
      case 2: pool.push_back(a / (2 + sq(pick()))); break;
      case 3: pool.push_back(0.5 * a - 0.25 * pick()); break;
      default: pool.push_back(0.5 * (a * pick() + pick())); break;
    }
  }
  const Program p = make_program(inputs, {pool.begin() + 20, pool.end()});
  ASSERT_GT(p.code.size(), 1500U);
  ASSERT_GT(count(p.code, Opcode::sincos), 64);
  const Kernel one(p, 1, Backend::compiled);
  const Kernel eight(p, 8, Backend::compiled);
  const std::size_t outputs = p.outputs.size();
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<std::vector<double>> lanes(8, std::vector<double>(20));
  for (auto& lane : lanes) std::generate(lane.begin(), lane.end(), [&] { return uniform(random); });
  std::vector<double> all(8 * outputs);
  eight(interleaved(lanes), all);
  for (std::size_t l = 0; l < 8; ++l) {
    const auto exact = Interpreter<float128>(p)(std::vector<float128>(lanes[l].begin(), lanes[l].end()));
    const auto interpreted = Interpreter<double>(p)(lanes[l]);
    std::vector<double> out(outputs);
    one(lanes[l], out);
    for (std::size_t i = 0; i < outputs; ++i) {
      ASSERT_EQ(bits(out[i]), bits(all[8 * i + l])) << i;
      ASSERT_NEAR(static_cast<double>(exact[i] - out[i]), 0.0, 1e-13) << i;
      ASSERT_NEAR(out[i], interpreted[i], 1e-13) << i;
    }
  }
}

}  // namespace chunk_test
}  // namespace rattleback
