// Power series: the recurrences against Cauchy's integral formula, and all ways of running them against each other.

#include "rattleback/kernel/series.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/kernel/interpreter.hpp"

namespace rattleback {
namespace series_test {

constexpr int order = 16;

/// t′ = 1 in the form of a position s, and y′ = g(s): the coefficients of y are those of g, divided by j + 1.
SeriesSystem quadrature(const std::string& function) {
  const Expression s = Expression::symbol("s");
  const Expression y = Expression::symbol("y");
  SeriesSystem system;
  system.positions = {s, y};
  system.position_rates = {1.0, parse(function)};
  return system;
}

/// cⱼ = (1/2πi) ∮ g(s) / (s − s₀)^{j+1} ds on a circle of this radius.
std::vector<double> by_cauchy(const std::string& function, double at, double radius) {
  constexpr int points = 128;
  using Complex = std::complex<double>;
  const Expression s = Expression::symbol("s");
  const Expression g = parse(function);
  Interpreter<Complex> evaluate(make_program(std::vector{s}, std::vector{g}));
  std::vector<Complex> values;
  for (int k = 0; k < points; ++k) {
    const Complex z = std::polar(radius, 2.0 * std::numbers::pi * k / points);
    values.push_back(evaluate(std::vector{at + z})[0]);
  }
  std::vector<double> coefficients;
  for (int j = 0; j < order; ++j) {
    Complex sum = 0.0;
    for (int k = 0; k < points; ++k) {
      sum += values[static_cast<std::size_t>(k)] * std::polar(1.0, -2.0 * std::numbers::pi * j * k / points);
    }
    coefficients.push_back(sum.real() / points / std::pow(radius, j));
  }
  return coefficients;
}

class Recurrence : public testing::TestWithParam<const char*> {};

// The argument, 0.4 + s/3 + s²/5 at s = 0.2, is no series of two terms; every function is analytic within 0.3 of it.
INSTANTIATE_TEST_SUITE_P(Of, Recurrence,
                         testing::Values("u*u", "u*(1 + s)", "3*u - s/7", "(1 + s)/u", "1/(2 + u*s)", "sqrt(u)",
                                         "sin(u)", "cos(u)", "sin(u)*cos(u)", "tan(u)", "asin(u)", "acos(u)", "atan(u)",
                                         "atan2(u, 1 + s)", "sinh(u)", "cosh(u)", "tanh(u)", "asinh(u)", "exp(u)",
                                         "log(u)", "u^2.7", "u^(-3)", "u^7", "u^(1 + s)", "2^u", "sqrt(u)^3",
                                         "exp(sin(u))/(1 + log(u)^2)"),
                         [](const auto& function) { return "number_" + std::to_string(function.index); });

TEST_P(Recurrence, gives_the_coefficients_of_cauchys_formula) {
  std::string function = GetParam();
  for (std::size_t at = 0; (at = function.find('u', at)) != std::string::npos;) {
    const bool is_variable = at + 1 == function.size() || !std::isalpha(static_cast<unsigned char>(function[at + 1]));
    if (!is_variable) {
      ++at;
      continue;
    }
    const std::string argument = "(0.4 + s/3 + s^2/5)";
    function.replace(at, 1, argument);
    at += argument.size();
  }
  constexpr double at = 0.2;
  constexpr double radius = 0.3;
  const std::vector<double> expected = by_cauchy(function, at, radius);
  for (const Backend backend : {Backend::interpreted, Backend::compiled}) {
    Series series(quadrature(function), order, 1, backend);
    std::vector<double> found(2 * (order + 1));
    series.expand(std::vector{at, 0.0}, found);
    double scale = 0.0;
    for (int j = 0; j < order; ++j) {
      scale = std::max(scale, std::abs(expected[static_cast<std::size_t>(j)]) * std::pow(radius, j));
    }
    for (int j = 0; j < order; ++j) {
      const double c = (j + 1) * found[static_cast<std::size_t>(2 * (j + 1) + 1)];
      EXPECT_NEAR(c * std::pow(radius, j), expected[static_cast<std::size_t>(j)] * std::pow(radius, j), 4e-15 * scale)
          << function << ", j = " << j;
    }
  }
}

// A pendulum as a mass on a rod, x² + y² = 1, that turns quickly: the solution of x″ = −λ x, y″ = −λ y − 1 for series
// by hand, (x + iy) = e^{iθ} with θ from its own series.
TEST(SeriesOf, a_constrained_motion_is_that_in_minimal_coordinates) {
  const auto symbol = [](const char* name) { return Expression::symbol(name); };
  const std::vector all{symbol("x"), symbol("y"), symbol("v"), symbol("w"), symbol("l"), symbol("m")};
  SeriesSystem rod;
  rod.positions = {all[0], all[1]};
  rod.velocities = {all[2], all[3]};
  rod.position_rates = rod.velocities;
  rod.momenta = {parse("m*v"), parse("m*w")};
  rod.forces = {0.0, parse("-m")};
  rod.multipliers = {all[4]};
  rod.reactions = {parse("2*x*l"), parse("2*y*l")};
  rod.rows = {parse("2*x*v + 2*y*w")};
  rod.parameters = {all[5]};
  rod.scale = {1.0, 1.0};
  SeriesSystem angle;  // θ″ = −cos θ, and e^{iθ} as quadratures
  const std::vector<Expression> of_angle{symbol("a"), symbol("b"), symbol("x"), symbol("y")};
  angle.positions = {of_angle[0], of_angle[2], of_angle[3]};
  angle.velocities = {of_angle[1]};
  angle.position_rates = {of_angle[1], parse("-y*b"), parse("x*b")};
  angle.momenta = {of_angle[1]};
  angle.forces = {parse("-cos(a)")};
  angle.reactions = {0.0};
  angle.scale = {1.0};

  constexpr double theta = 0.3;
  constexpr double speed = 1.7;
  Series constrained(rod, order);
  Series minimal(angle, order);
  std::vector<double> x(4 * (order + 1));
  std::vector<double> y(4 * (order + 1));
  const double c = std::cos(theta);
  const double s = std::sin(theta);
  constrained.expand(std::vector{c, s, -s * speed, c * speed, 2.5}, x);
  minimal.expand(std::vector{theta, c, s, speed}, y);
  for (std::size_t j = 0; j <= order; ++j) {
    const double scale = std::pow(speed, static_cast<double>(j));
    EXPECT_NEAR(x[4 * j], y[4 * j + 1], 1e-13 * scale) << j;
    EXPECT_NEAR(x[4 * j + 1], y[4 * j + 2], 1e-13 * scale) << j;
  }
  ASSERT_EQ(constrained.trial().size(), 3U);
  EXPECT_NEAR(constrained.trial()[0], 1.0, 1e-14);
  EXPECT_NEAR(constrained.trial()[1], 1.0, 1e-14);
}

/// A ring of n masses with springs that become stiff, m ẍ = −x − x³ + neighbours: as long as it has to be.
SeriesSystem ring(int n) {
  std::vector<Expression> all;
  SeriesSystem system;
  for (int i = 0; i < n; ++i) {
    system.positions.push_back(Expression::symbol("x" + std::to_string(i)));
    system.velocities.push_back(Expression::symbol("v" + std::to_string(i)));
  }
  system.position_rates = system.velocities;
  const Expression k = Expression::symbol("k");
  system.parameters = {k};
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int j) { return system.positions[static_cast<std::size_t>((j + n) % n)]; };
    const Expression stretched = at(i + 1) - 2.0 * at(i) + at(i - 1);
    // Without sines: not all processors compute those as the interpreter does.
    system.momenta.push_back((2.0 + at(i) * at(i)) * system.velocities[static_cast<std::size_t>(i)]);
    system.forces.push_back(k * stretched - at(i) - at(i) * at(i) * at(i));
    system.reactions.emplace_back(0.0);
  }
  system.scale.assign(static_cast<std::size_t>(n), 1.0);
  return system;
}

std::vector<double> some_data(int n, double shift) {
  std::vector<double> data;
  for (int i = 0; i < 2 * n; ++i) data.push_back(std::sin(1.3 * i + shift));
  data.push_back(0.7);
  return data;
}

/// One lane interpreted, compiled with all orders written out, as a loop, in chunks; several lanes.
class RingOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Masses, RingOf, testing::Values(1, 7, 150), testing::PrintToStringParamName());

TEST_P(RingOf, has_the_same_bits_however_it_is_computed) {
  const int n = GetParam();
  const SeriesSystem system = ring(n);
  const std::size_t size = static_cast<std::size_t>(2 * n * (order + 1));
  std::vector<std::vector<double>> expected;
  Series interpreted(system, order, 1, Backend::interpreted);
  for (int lane = 0; lane < 8; ++lane) {
    expected.emplace_back(size);
    interpreted.expand(some_data(n, 0.1 * lane), expected.back());
  }
  Series compiled(system, order, 1, Backend::compiled);
  ASSERT_TRUE(compiled.is_compiled());
  std::vector<double> found(size);
  for (int lane = 0; lane < 8; ++lane) {
    compiled.expand(some_data(n, 0.1 * lane), found);
    EXPECT_EQ(found, expected[static_cast<std::size_t>(lane)]) << "lane " << lane;
  }
  for (const int lanes : {4, 8}) {
    Series several(system, order, lanes, Backend::compiled);
    const auto width = static_cast<std::size_t>(lanes);
    std::vector<double> data((static_cast<std::size_t>(2 * n) + 1) * width);
    std::vector<double> together(size * width);
    for (std::size_t l = 0; l < width; ++l) {
      const std::vector<double> of_lane = some_data(n, 0.1 * static_cast<double>(l));
      for (std::size_t i = 0; i < of_lane.size(); ++i) data[i * width + l] = of_lane[i];
    }
    several.expand(data, together);
    for (std::size_t l = 0; l < width; ++l) {
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(together[i * width + l], expected[l][i]) << lanes << " lanes";
    }
  }
}

TEST(SeriesOf, what_cannot_be_determined_is_refused) {
  SeriesSystem system = ring(2);
  system.momenta[1] = system.momenta[0];
  EXPECT_THROW(Series(system, order), StructureError);
}

TEST(SeriesOf, wrong_sizes_are_refused) {
  Series series(ring(2), order);
  std::vector<double> coefficients(4 * (order + 1));
  EXPECT_THROW(series.expand(std::vector<double>(3), coefficients), std::invalid_argument);
  EXPECT_THROW(Series(ring(2), 0), std::invalid_argument);
}

}  // namespace series_test
}  // namespace rattleback
