// Large programs: instructions that do the same to many numbers become loops. They must compute what the interpreter
// computes, bit for bit, in any number of lanes.

#include "kernel/packing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>

#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {
namespace packing_test {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::vector<Expression> symbols(const char* name, std::size_t count) {
  std::vector<Expression> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(Expression::symbol(name + std::to_string(i)));
  return result;
}

std::vector<Expression> joined(std::vector<Expression> a, const std::vector<Expression>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A ring of nonlinear springs by implicit Euler: each equation has three unknowns.
ImplicitSystem ring(std::size_t n) {
  ImplicitSystem s;
  const Expression h = Expression::symbol("h");
  s.data = symbols("x", n);
  s.unknowns = symbols("u", n);
  s.guess = s.data;
  s.state = n;
  for (std::size_t i = 0; i < n; ++i) {
    const Expression stretch = s.unknowns[(i + 1) % n] - 2 * s.unknowns[i] + s.unknowns[(i + n - 1) % n];
    s.residuals.push_back(s.unknowns[i] - s.data[i] - h * (stretch + 0.1 * pow(stretch, 3) - s.unknowns[i]));
  }
  s.data.push_back(h);
  s.outputs = s.unknowns;
  return s;
}

/// n pairs that know each other by one number only, like McLachlan and Perlmutter's particles. The state takes the
/// inputs in another order, the first two pairs are special, and some outputs are inputs, constants or unknowns.
ImplicitSystem star(std::size_t n) {
  ImplicitSystem s;
  const auto y = symbols("y", n);
  const auto z = symbols("z", n);
  const auto a = symbols("a", n);
  const auto b = symbols("b", n);
  const Expression h = Expression::symbol("h");
  const Expression l = Expression::symbol("l");
  s.data = joined(joined(y, z), {h});
  s.state = 2 * n;
  s.unknowns = joined(joined(a, {l}), b);
  s.guess = joined(joined(y, {Expression(0)}), z);
  Expression sum = l;
  for (std::size_t i = 0; i < n; ++i) {
    const Expression my = 0.5 * (y[i] + a[i]);
    const Expression mz = 0.5 * (z[i] + b[i]);
    Expression force = my + my * sq(mz);
    if (i < 2) force += sq(my) * a[1 - i];
    s.residuals.push_back(a[i] - y[i] - h * (mz - l * my));
    s.residuals.push_back(b[i] - z[i] + h * (force / (2 + sq(my)) + 0.25 * l));
    sum += my * (b[i] - z[i]) / static_cast<double>(n);
  }
  s.residuals.push_back(sum);
  for (std::size_t i = 0; i < n; ++i) s.outputs.push_back(a[(i + 3) % n]);
  s.outputs = joined(s.outputs, b);
  s.outputs = joined(s.outputs, {l, Expression(2.5)});
  s.outputs = joined(s.outputs, y);
  return s;
}

/// A chain that remembers where it was: inputs become other entries of the state, some of them in circles, while
/// outputs still show them. Sums over all, in which the first terms are computed in another way, as those of watched
/// functions.
ImplicitSystem remembering(std::size_t n) {
  ImplicitSystem s;
  const auto x = symbols("x", n);
  const auto before = symbols("before", n);
  const auto long_before = symbols("long_before", n);
  const auto left = symbols("left", n);
  const auto right = symbols("right", n);
  const Expression h = Expression::symbol("h");
  s.unknowns = symbols("u", n);
  for (const auto& part : {x, before, long_before, left, right}) s.data = joined(s.data, part);
  s.state = s.data.size();
  const Expression common = Expression::symbol("common");
  Expression mean = 0;
  Expression product = 0;
  Expression square = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Expression& u = s.unknowns[i];
    const Expression special = i < 2 ? h * u * left[i] : Expression(0);
    s.guess.push_back(3 * x[i] - 3 * before[i] + long_before[i]);
    s.residuals.push_back(u - x[i] + h * (u * sq(u) + 0.3 * long_before[i] + common * u) + special);
    mean += u / static_cast<double>(n);
    product += (u - 0.5 * x[i] + special) * (left[i] - h * u);
    square += sq(u + special);
  }
  for (const auto& part : {s.unknowns, x, before}) s.outputs = joined(s.outputs, part);
  s.unknowns.push_back(common);
  s.guess.emplace_back(0.1);
  s.residuals.push_back(common - mean);
  for (std::size_t i = 0; i < n; ++i) s.outputs.push_back(i < 2 ? left[i] : right[i]);  // two stay
  for (std::size_t i = 0; i < n; ++i) s.outputs.push_back(i < 2 ? right[i] : left[i]);
  s.outputs = joined(s.outputs, {product, square, product * square});
  s.outputs = joined(s.outputs, before);
  s.data.push_back(h);
  return s;
}

std::vector<double> start_of(const ImplicitSystem& s, std::size_t lane) {
  std::vector<double> data;
  for (std::size_t i = 0; i < s.state; ++i) data.push_back(0.8 * std::sin(0.7 * static_cast<double>(i + 11 * lane)));
  data.push_back(0.1 + 0.01 * static_cast<double>(lane));
  return data;
}

/// Instructions that loops stand for, and those that have none.
struct Sizes {
  std::size_t in_loops = 0;
  std::size_t straight = 0;
};

Sizes sizes_of(const StepProgram& p) {
  std::vector<CodeRange> ranges;
  for (const StepBlock& b : p.blocks) ranges.insert(ranges.end(), {b.before, b.check, b.magnitudes, b.solve});
  ranges.push_back(p.after);
  PackingTask task;
  task.code = p.code;
  task.ranges = ranges;
  task.state = p.state;
  task.variables = p.inputs;
  task.first_free = p.inputs + p.variables;
  Sizes sizes;
  const Packing packing = pack(task);
  for (const auto& parts : packing.ranges) {
    for (const CodePart& part : parts) {
      sizes.in_loops += part.count * part.lines.size();
      sizes.straight += part.straight.size();
    }
  }
  return sizes;
}

void expect_equal_steps(const ImplicitSystem& s, std::initializer_list<std::size_t> lane_choices) {
  constexpr int steps = 3;
  Step interpreted(s, 1, Backend::interpreted);
  std::vector<std::vector<double>> ends;
  std::vector<std::vector<double>> outputs;
  std::vector<std::int64_t> iterations;
  for (std::size_t lane = 0; lane < std::max(lane_choices); ++lane) {
    ends.push_back(start_of(s, lane));
    outputs.emplace_back(s.outputs.size());
    ASSERT_EQ(interpreted.run(ends.back(), outputs.back(), steps), steps);
    EXPECT_EQ(interpreted.reports()[0].pivoted, 0);
    iterations.push_back(interpreted.reports()[0].iterations);
  }
  for (const std::size_t lanes : lane_choices) {
    Step compiled(s, static_cast<int>(lanes), Backend::compiled);
    std::vector<double> data(s.data.size() * lanes);
    std::vector<double> out(s.outputs.size() * lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto start = start_of(s, l);
      for (std::size_t i = 0; i < start.size(); ++i) data[i * lanes + l] = start[i];
    }
    ASSERT_EQ(compiled.run(data, out, steps), steps);
    for (std::size_t l = 0; l < lanes; ++l) {
      EXPECT_EQ(compiled.reports()[l].iterations, iterations[l]);
      for (std::size_t i = 0; i < s.state; ++i) ASSERT_EQ(bits(data[i * lanes + l]), bits(ends[l][i])) << i;
      for (std::size_t i = 0; i < s.outputs.size(); ++i) ASSERT_EQ(bits(out[i * lanes + l]), bits(outputs[l][i])) << i;
    }
  }
}

TEST(Packed, ring_of_springs_steps_as_if_interpreted) {
  expect_equal_steps(ring(61), {1, 4, 8, 16});
  expect_equal_steps(ring(400), {1, 8});
}

/// Small steps of one lane have no loops; four numbers that are treated alike share a vector.
TEST(Packed, small_steps_are_as_if_interpreted) {
  for (const int n : {4, 5, 6, 9}) expect_equal_steps(star(n), {1, 4});
  expect_equal_steps(ring(8), {1, 4});
}

TEST(PackedLanes, pairs_around_a_centre_step_as_if_interpreted) {
  const StepProgram program = make_step_program(star(300));
  EXPECT_GT(sizes_of(program).in_loops, program.code.size() * 2 / 3);
  EXPECT_LT(sizes_of(program).straight, program.code.size() / 20);
  expect_equal_steps(star(40), {1, 16});
  expect_equal_steps(star(45), {1, 4});
  expect_equal_steps(star(300), {1, 4, 8, 16});
}

TEST(PackedLanes, what_is_remembered_moves_as_if_interpreted) {
  expect_equal_steps(remembering(60), {1, 8});
  expect_equal_steps(remembering(101), {1, 4, 16});
}

/// Sums side by side are vectors though their first terms are computed in another way.
TEST(Packing, sums_with_special_terms_become_loops) {
  const Sizes sizes = sizes_of(make_step_program(remembering(100)));
  EXPECT_LT(sizes.straight, 176U);  // 136, and 80 more if the terms of `square` are added one by one
}

TEST(Packing, size_does_not_make_more_code) {
  const auto size = [](std::size_t n) { return sizes_of(make_step_program(star(n))).straight; };
  EXPECT_LT(size(800), size(400) + 100);
}

/// Inputs in lanes, all outputs against the interpreter.
void expect_equal_values(const Program& p, std::mt19937_64& random) {
  ASSERT_GT(p.code.size() + 4 * p.outputs.size(), 1500U);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<std::vector<double>> points(16, std::vector<double>(p.inputs));
  for (auto& point : points) std::generate(point.begin(), point.end(), [&] { return uniform(random); });
  for (const std::size_t lanes : {1U, 4U, 8U, 16U}) {
    const Kernel kernel(p, static_cast<int>(lanes), Backend::compiled);
    std::vector<double> in(p.inputs * lanes);
    std::vector<double> out(p.outputs.size() * lanes);
    for (std::size_t i = 0; i < p.inputs; ++i) {
      for (std::size_t l = 0; l < lanes; ++l) in[i * lanes + l] = points[l][i];
    }
    kernel(in, out);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto expected = Interpreter<double>(p)(points[l]);
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(bits(out[i * lanes + l]), bits(expected[i])) << i;
    }
  }
}

using Layers = std::vector<std::vector<Expression>>;

/// `count` expressions of one random shape whose operands are next to each other in other layers, at a distance,
/// anywhere, or shared.
std::vector<Expression> alike(const Layers& layers, std::size_t count, std::mt19937_64& random) {
  struct Source {
    std::size_t kind, first, stride;
    const std::vector<Expression>& layer;
  };
  std::vector<Source> sources;
  for (int k = 0; k < 4; ++k) {
    // One layer each, so that products have their factors in the same order.
    const auto& layer = layers[static_cast<std::size_t>(k)];
    sources.push_back({random() % 8, random() % layer.size(), 1 + random() % 3, layer});
  }
  const std::size_t shape = random() % 6;
  std::vector<Expression> result;
  for (std::size_t m = 0; m < count; ++m) {
    std::vector<Expression> x;
    for (const Source& s : sources) {
      const std::size_t size = s.layer.size();
      const std::size_t places[] = {s.first, m * s.stride, s.first + size * count - m, random(), m, m, m, s.first + m};
      x.push_back(s.layer[places[s.kind] % size]);
    }
    switch (shape) {
      case 0: result.push_back(0.5 * (x[0] * x[1] + x[2])); break;
      case 1: result.push_back((x[0] - x[1]) / (2 + sq(x[2]))); break;
      case 2: result.push_back(sqrt(1 + sq(x[0] * x[1])) - 1.25 * x[3]); break;
      case 3: result.push_back(0.25 * (x[0] + x[1] - x[2] * x[3]) / sqrt(2 + sq(x[1]))); break;
      case 4: result.push_back(x[m % 3] * (0.25 + 0.125 * static_cast<double>(m % 5))); break;
      default: result.push_back(0.5 * x[0] - 0.5 * x[1] * (x[2] - 0.5 * x[3])); break;
    }
  }
  return result;
}

/// How often each kind of operand occurs in loops. Returns how many are read at a distance.
int count_operands(const Program& p, std::array<int, 5>& counts) {
  const CodeRange all{0, static_cast<Value>(p.code.size())};
  PackingTask task;
  task.code = p.code;
  task.ranges = {&all, 1};
  task.roots = p.outputs;
  task.state = p.inputs;
  task.first_free = p.inputs;
  const Packing packing = pack(task);
  int distant = 0;
  for (const CodePart& part : packing.ranges[0]) {
    for (const LoopLine& line : part.lines) {
      for (std::size_t k = 0; k < line.operand_count; ++k) {
        const LoopOperand& operand = line.operands[k];
        ++counts[static_cast<std::size_t>(operand.from)];
        if (operand.from == LoopOperand::From::memory && std::abs(operand.stride) > 1) ++distant;
      }
    }
  }
  return distant;
}

TEST(Packed, random_programs_of_equal_pieces_have_the_bits_of_the_interpreter) {
  std::mt19937_64 random(11);
  std::array<int, 5> counts{};
  for (int trial = 0; trial < 4; ++trial) {
    Layers layers;
    std::vector<Expression> inputs;
    for (const char* name : {"a", "b", "c", "d"}) {
      layers.push_back(symbols(name, 60));
      inputs = joined(inputs, layers.back());
    }
    std::vector<Expression> pool;
    for (int k = 0; k < 16; ++k) {
      if (k == 8) {  // the next ones are made of those before
        std::vector<Expression>::iterator next = pool.begin();
        for (auto& layer : layers) {
          layer.assign(next, next + 12);
          next += 12;
        }
      }
      const auto more = alike(layers, 12 + random() % 60, random);  // some fill vectors, others do not
      pool.insert(pool.end(), more.begin(), more.end());
      if (random() % 2 == 0) continue;
      Expression sum = inputs[0];
      for (const Expression& x : more) sum = x * inputs[1] + sum / 2;
      pool.push_back(sum);
      sum = inputs[0];
      for (std::size_t i = 0; i < 60; ++i) sum = inputs[(7 * i) % 60] * inputs[60 + i] + sum;
      pool.push_back(sum);
    }
    const Program p = make_program(inputs, pool);
    count_operands(p, counts);
    expect_equal_values(p, random);
    if (testing::Test::HasFatalFailure()) return;
  }
  // Every kind was tried but one: long sums are in the steps.
  for (const int count : std::span(counts).first(4)) EXPECT_GT(count, 5);
}

TEST(PackedLanes, every_count_of_members_at_any_distance_is_covered) {
  std::mt19937_64 random(12);
  const auto inputs = symbols("x", 120);
  std::vector<Expression> outputs;
  for (const std::size_t count : {7U, 8U, 9U, 15U, 16U, 17U, 31U, 34U}) {
    for (std::size_t i = 0; i < count; ++i) {
      outputs.push_back(inputs[i] * static_cast<double>(count) + sq(inputs[i + 3]) / (inputs[119] + 2));
      outputs.push_back(inputs[3 * i] / (sq(inputs[110 - 2 * i]) + static_cast<double>(count)));
    }
  }
  const Program p = make_program(inputs, outputs);
  std::array<int, 5> counts{};
  EXPECT_GT(count_operands(p, counts), 10);
  expect_equal_values(p, random);
}

TEST(PackedLanes, sines_in_loops_do_not_see_their_neighbours) {
  const auto inputs = symbols("x", 300);
  for (const std::size_t count : {50U, 300U}) {  // inline, and called
    std::vector<Expression> outputs;
    for (std::size_t i = 0; i < count; ++i) {
      const Expression& x = inputs[i];
      outputs.push_back(sin(x) + exp(cos(x)));
      outputs.push_back(sq(sin(x)) * x);
      for (int k = 1; k < 8; ++k) outputs.push_back(x * k + cos(x));
    }
    const Program p = make_program(inputs, outputs);
    ASSERT_GT(p.code.size() + 4 * p.outputs.size(), 1500U);
    std::vector<double> in(300);
    for (std::size_t i = 0; i < 300; ++i) {
      const auto k = static_cast<double>(i);
      in[i] = i % 37 == 5 ? 1e9 * k : std::sin(0.1 * k);
    }
    in[17] = std::numeric_limits<double>::infinity();
    std::vector<double> one(outputs.size());
    Kernel(p, 1, Backend::compiled)(in, one);
    const auto expected = Interpreter<double>(p)(in);
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (std::isnan(expected[i])) {
        ASSERT_TRUE(std::isnan(one[i])) << i;
      } else {
        ASSERT_NEAR(one[i], expected[i], 1e-14 * (1 + std::abs(expected[i]))) << i;
      }
    }
    for (const std::size_t lanes : {4U, 16U}) {
      std::vector<double> wide_in(300 * lanes);
      std::vector<double> wide(one.size() * lanes);
      for (std::size_t i = 0; i < 300 * lanes; ++i) wide_in[i] = i % lanes == 1 ? in[i / lanes] : 1e7;
      Kernel(p, static_cast<int>(lanes), Backend::compiled)(wide_in, wide);
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (std::isnan(one[i])) continue;
        ASSERT_EQ(bits(one[i]), bits(wide[i * lanes + 1])) << i;
      }
    }
  }
}

TEST(Packing, runs_are_cut_where_the_distance_changes) {
  std::vector<ValuePlace> column;
  for (std::size_t i = 0; i < 10; ++i) column.push_back({false, 100 + i});
  for (std::size_t i = 0; i < 9; ++i) column.push_back({false, 7 + 3 * i});
  column.push_back({true, 4});
  for (std::size_t i = 0; i < 8; ++i) column.push_back({true, 5});
  const auto runs = affine_runs({&column, 1}, 8);
  ASSERT_EQ(runs.size(), 4U);
  const std::size_t counts[] = {10, 9, 1, 8};
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_EQ(runs[r].count, counts[r]);
    EXPECT_EQ(runs[r].affine, counts[r] > 1);
  }
}

}  // namespace packing_test
}  // namespace rattleback
