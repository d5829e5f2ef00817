// Compiled code against the interpreter, and lanes against each other.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "../expr/random_expression.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/number_table.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/kernel/quadruple.hpp"

namespace rattleback {
namespace compiled_test {

/// Distance in units in the last place of the larger one.
double ulps(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  const double size = std::max(std::abs(a), std::abs(b));
  if (!std::isfinite(size)) return std::numeric_limits<double>::infinity();
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return std::abs(a - b) / ulp;
}

struct FunctionRange {
  Function function;
  double low;
  double high;
};

class ElementaryFunction : public testing::TestWithParam<FunctionRange> {};

TEST_P(ElementaryFunction, is_within_4_ulp_of_the_interpreter) {
  const auto [function, low, high] = GetParam();
  const Expression x = Expression::symbol("x");
  const Expression y = Expression::symbol("y");
  const Program p = info(function).arity == 1
                        ? make_program(std::vector{x, y}, std::vector{call(function, std::vector{x})})
                        : make_program(std::vector{x, y}, std::vector{call(function, std::vector{x, y})});
  const Kernel kernel(p, 1, Backend::compiled);
  Interpreter<double> reference(p);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(low, high);
  double worst = 0.0;
  for (int n = 0; n < 100000; ++n) {
    const double in[] = {uniform(random), uniform(random)};
    double compiled = 0.0;
    kernel(in, &compiled);
    const double expected = reference(in)[0];
    if (std::abs(expected) < std::numeric_limits<double>::min()) continue;  // subnormal results may be flushed
    worst = std::max(worst, ulps(compiled, expected));
  }
  EXPECT_LE(worst, 4.0) << info(function).name << " on [" << low << ", " << high << "]";
}

INSTANTIATE_TEST_SUITE_P(
    All, ElementaryFunction,
    testing::Values(FunctionRange{Function::sin, -10, 10}, FunctionRange{Function::sin, -1e6, 1e6},
                    FunctionRange{Function::sin, -1e300, 1e300}, FunctionRange{Function::sin, 3.14159265, 3.14159266},
                    FunctionRange{Function::sin, -1e-8, 1e-8}, FunctionRange{Function::cos, -10, 10},
                    FunctionRange{Function::cos, -1e6, 1e6}, FunctionRange{Function::cos, 1.57079632, 1.57079633},
                    FunctionRange{Function::cos, -2e6, 2e6}, FunctionRange{Function::tan, -10, 10},
                    FunctionRange{Function::tan, -1e5, 1e5}, FunctionRange{Function::asin, -1, 1},
                    FunctionRange{Function::acos, -1, 1}, FunctionRange{Function::atan, -100, 100},
                    FunctionRange{Function::atan2, -5, 5}, FunctionRange{Function::sinh, -20, 20},
                    FunctionRange{Function::cosh, -20, 20}, FunctionRange{Function::tanh, -5, 5},
                    FunctionRange{Function::asinh, -100, 100}, FunctionRange{Function::exp, -700, 700},
                    FunctionRange{Function::exp, -1, 1}, FunctionRange{Function::log, 1e-300, 10},
                    FunctionRange{Function::log, 0.9, 1.1}, FunctionRange{Function::sqrt, 0, 1e10}),
    [](const auto& instance) {
      return std::string(rattleback::info(instance.param.function).name) + "_" + std::to_string(instance.index);
    });

TEST(Compiled, pow_is_within_4_ulp_of_the_interpreter) {
  const Expression x = Expression::symbol("x");
  const Expression y = Expression::symbol("y");
  const Program p = make_program(std::vector{x, y}, std::vector{pow(x, y)});
  const Kernel kernel(p, 1, Backend::compiled);
  Interpreter<double> reference(p);
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> base(1e-3, 50.0);
  std::uniform_real_distribution<double> exponent(-30.0, 30.0);
  for (int n = 0; n < 100000; ++n) {
    const double in[] = {base(random), exponent(random)};
    double compiled = 0.0;
    kernel(in, &compiled);
    ASSERT_LE(ulps(compiled, reference(in)[0]), 4.0) << in[0] << "^" << in[1];
  }
}

TEST(Compiled, sines_at_zeros_of_the_cosine_and_at_special_values) {
  const Expression x = Expression::symbol("x");
  const Program p = make_program(std::vector{x}, std::vector{sin(x), cos(x)});
  const Kernel kernel(p, 1, Backend::compiled);
  for (int k = -2000; k <= 2000; ++k) {  // the doubles nearest to multiples of π/2: all digits of the reduction count
    const double at = k * 1.57079632679489661923;
    double out[2];
    kernel(&at, out);
    EXPECT_LE(ulps(out[0], std::sin(at)), 4.0) << k;
    EXPECT_LE(ulps(out[1], std::cos(at)), 4.0) << k;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double special : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    double out[2];
    kernel(&special, out);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1])) << special;
  }
  const double minus_zero = -0.0;
  double out[2];
  kernel(&minus_zero, out);
  EXPECT_EQ(out[0], 0.0);
  EXPECT_EQ(out[1], 1.0);
}

TEST(Compiled, whole_programs_agree_with_the_interpreter) {
  test::RandomExpression random(23);
  int well_conditioned = 0;
  constexpr int programs = 200;
  for (int n = 0; n < programs; ++n) {
    const Program p = make_program(random.symbols(), std::vector{random(5), random(4)});
    const Kernel kernel(p, 1, Backend::compiled);
    std::vector<double> point;
    for (const Expression& s : random.symbols()) point.push_back(random.point().at(s));
    const std::vector<float128> wide(point.begin(), point.end());
    const auto exact = Interpreter<float128>(p)(wide);
    const auto interpreted = Interpreter<double>(p)(point);
    double compiled[2];
    kernel(point, compiled);
    for (int k = 0; k < 2; ++k) {
      const double size = std::abs(static_cast<double>(exact[static_cast<std::size_t>(k)]));
      const auto i = static_cast<std::size_t>(k);
      // A program that cancels loses digits in any order of rounding: by how many is measured, not assumed.
      const double lost = std::abs(static_cast<double>(float128(interpreted[i]) - exact[i]));
      if (lost <= 1e-15 * size) ++well_conditioned;
      EXPECT_LE(std::abs(compiled[k] - interpreted[i]), lost <= 1e-15 * size ? 1e-14 * size : 30.0 * lost) << n;
    }
  }
  EXPECT_GT(well_conditioned, programs);  // more than half of all outputs
}

/// Every function at once, so that each lane passes through all of them.
Program everything() {
  const Expression x = Expression::symbol("x");
  const Expression y = Expression::symbol("y");
  const Expression z = Expression::symbol("z");
  std::vector<Expression> outputs{sin(x), cos(x), sin(x) * cos(x), tan(x), sin(y), cos(z), atan2(y, z), pow(sq(y), z)};
  for (const Function f : all_functions()) {
    if (info(f).arity == 1) outputs.push_back(call(f, std::vector{z}));
  }
  for (const char* text : {"min(y, z)", "max(x, y, z)", "if(y < z, x, y)", "if(x <= y and z > 0 or not y >= 1, x, z)",
                           "if(z > 0, sqrt(z), log(1 - z))"}) {
    outputs.push_back(parse(text));
  }
  const std::vector<double> values{1.0, -2.0, 0.5, 0.25, 4.0};
  for (const auto& times : {std::vector{-4.0, -1.0, 0.0, 0.5, 3.0}, std::vector{-1.0, -0.9, -0.8, -0.7, -0.6}}) {
    for (const Interpolation i : {Interpolation::hold, Interpolation::linear, Interpolation::cubic})
      outputs.push_back(interpolated(make_number_table("u", times, values, i), z));
  }
  outputs.push_back(x * y + z / (1 + sq(y)) - sqrt(1 + sq(z)) * exp(-sq(z)));
  return make_program(std::vector{x, y, z}, outputs);
}

// Pieces of tables are found by other code when they lie on a grid: everywhere the same bits.
TEST(CompiledTables, have_the_bits_of_the_interpreter) {
  const Expression x = Expression::symbol("x");
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  for (const bool on_a_grid : {true, false}) {
    std::vector<double> times;
    std::vector<double> values;
    for (int k = 0; k < 300; ++k) {
      times.push_back((on_a_grid ? k : k + 0.9 * std::sin(k)) / 299.0);
      values.push_back(std::cos(7.0 * k));
    }
    for (const Interpolation i : {Interpolation::hold, Interpolation::linear, Interpolation::cubic}) {
      const NumberTable& table = make_number_table("u", times, values, i);
      EXPECT_EQ(table.search().index.empty(), on_a_grid);
      const Expression u = interpolated(table, x);
      const Program p = make_program(std::vector{x}, std::vector{u, derivative(u, x)});
      const Kernel one(p, 1, Backend::compiled);
      const Kernel four(p, 4, Backend::compiled);
      Interpreter<double> interpreted(p);
      const auto check = [&](double t) {
        const std::vector<double> truth = interpreted(std::vector{t});
        std::vector<double> scalar(2);
        std::vector<double> lanes(8);
        one(std::vector{t}, scalar);
        four(std::vector{t, 0.5, t, std::nan("")}, lanes);
        ASSERT_EQ(scalar, truth) << t;
        ASSERT_EQ(lanes[2], truth[0]) << t;
        ASSERT_EQ(lanes[6], truth[1]) << t;
        ASSERT_TRUE(std::isnan(lanes[3]));
      };
      for (const double t : times) check(t), check(std::nextafter(t, -1.0)), check(std::nextafter(t, 2.0));
      for (int n = 0; n < 1000; ++n) check(uniform(random));
    }
  }
}

class Lanes : public testing::TestWithParam<int> {};

TEST_P(Lanes, give_the_bits_of_one_lane) {
  const auto width = static_cast<std::size_t>(GetParam());
  const Program p = everything();
  const Kernel one(p, 1, Backend::compiled);
  const Kernel many(p, GetParam(), Backend::compiled);
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const std::size_t outputs = p.outputs.size();
  std::vector<double> in(3 * width);
  std::vector<double> out(outputs * width);
  std::vector<double> single(outputs);
  const std::size_t points = 1000000 / width;
  for (std::size_t n = 0; n < points; ++n) {
    for (double& v : in) {
      v = 5.0 * uniform(random);
      // Neighbours with huge, tiny and undefined values must not be noticed.
      switch (random() % 32) {
        case 0: v *= 1e300; break;
        case 1: v *= 1e7; break;
        case 2: v *= 1e-300; break;
        case 3: v = std::numeric_limits<double>::infinity(); break;
        case 4: v = std::numeric_limits<double>::quiet_NaN(); break;
        default: break;
      }
    }
    many(in, out);
    for (std::size_t l = 0; l < width; ++l) {
      const double lane[] = {in[l], in[width + l], in[2 * width + l]};
      one(lane, single.data());
      for (std::size_t k = 0; k < outputs; ++k) {
        const double value = out[k * width + l];
        if (std::isnan(value) && std::isnan(single[k])) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(single[k]))
            << "output " << k << " lane " << l << " at " << lane[0] << ", " << lane[1] << ", " << lane[2];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Lanes, testing::Values(4, 8, 16),
                         [](const auto& p) { return std::to_string(p.param) + "_lanes"; });

TEST(Compiled, kernels_of_equal_programs_share_their_code) {
  const Expression x = Expression::symbol("x");
  const Expression a = Expression::symbol("a");
  const Program p = make_program(std::vector{x, a}, std::vector{sin(x) + a});
  const Program same = make_program(std::vector{a, x}, std::vector{sin(a) + x});  // other names, same program
  const Kernel first(p, 4, Backend::compiled);
  const Kernel second(same, 4, Backend::compiled);
  EXPECT_EQ(first.address(), second.address());
  const Kernel other(make_program(std::vector{x, a}, std::vector{sin(x) - a}), 4, Backend::compiled);
  EXPECT_NE(first.address(), other.address());
}

TEST(Compiled, can_be_built_and_called_from_several_threads) {
  std::vector<std::thread> threads;
  std::vector<double> results(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &results] {
      const Expression x = Expression::symbol("x");
      const Kernel k(make_program(std::vector{x}, std::vector{exp(x) * (t % 3)}), 1, Backend::compiled);
      const double in = 1.0;
      k(&in, &results[static_cast<std::size_t>(t)]);
    });
  }
  for (auto& t : threads) t.join();
  for (int t = 0; t < 8; ++t) EXPECT_NEAR(results[static_cast<std::size_t>(t)], (t % 3) * std::exp(1.0), 1e-15);
}

TEST(Kernel, rejects_other_numbers_of_lanes) {
  const Program p = make_program({}, std::vector{Expression(1.0)});
  try {
    const Kernel k(p, 3);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "3 lanes: 1, 4, 8 or 16 are possible");
  }
}

TEST(Kernel, interpreted_lanes_agree_with_compiled_ones) {
  const Program p = make_program(std::vector{Expression::symbol("x")}, std::vector{parse("3*x^2 + 1/x")});
  const Kernel interpreted(p, 4, Backend::interpreted);
  const Kernel compiled(p, 4, Backend::compiled);
  const double in[] = {1.0, 2.0, -3.0, 0.1};
  double a[4];
  double b[4];
  interpreted(in, a);
  compiled(in, b);
  for (int l = 0; l < 4; ++l) EXPECT_EQ(a[l], b[l]);  // arithmetic rounds the same way in both
}

}  // namespace compiled_test
}  // namespace rattleback
