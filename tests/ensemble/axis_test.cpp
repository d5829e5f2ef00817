#include "rattleback/ensemble/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

namespace rattleback {
namespace axis_test {

std::vector<std::vector<double>> points(const Axis& axis) {
  std::vector<std::vector<double>> all;
  for (std::int64_t k = 0; k < axis.count; ++k) axis.point(k, all.emplace_back(axis.names.size()));
  return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

// The known answers that come with the authors' library Random123.
TEST(Philox, gives_the_known_answers) {
  const auto words = [](const PhiloxBlock& b) { return std::vector<std::uint32_t>(b.words, b.words + 4); };
  EXPECT_EQ(words(philox({{0, 0, 0, 0}}, 0)),
            (std::vector<std::uint32_t>{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
  EXPECT_EQ(words(philox({{~0U, ~0U, ~0U, ~0U}}, ~std::uint64_t{0})),
            (std::vector<std::uint32_t>{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU}));
  EXPECT_EQ(words(philox({{0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U}}, 0x299f31d0a4093822U)),
            (std::vector<std::uint32_t>{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U}));
}

TEST(Axis, lines_include_both_ends) {
  EXPECT_EQ(points(line_axis({"x"}, {0.0}, {1.0}, 5)),
            (std::vector<std::vector<double>>{{0.0}, {0.25}, {0.5}, {0.75}, {1.0}}));
  const auto ratios = points(line_axis({"x"}, {0.1}, {1000.0}, 5, Spacing::logarithmic));
  EXPECT_EQ(ratios.front()[0], 0.1);
  EXPECT_EQ(ratios.back()[0], 1000.0);
  for (std::size_t k = 1; k < ratios.size(); ++k) EXPECT_NEAR(ratios[k][0] / ratios[k - 1][0], 10.0, 1e-13);
  EXPECT_EQ(points(line_axis({"x"}, {3.0}, {5.0}, 1)), (std::vector<std::vector<double>>{{3.0}}));
}

TEST(Axis, random_points_depend_on_seed_stream_and_number_alone) {
  const auto some = points(uniform_axis({"x", "y"}, {0, 0}, {1, 1}, 10, {7, 2}));
  const auto more = points(uniform_axis({"x", "y"}, {0, 0}, {1, 1}, 1000, {7, 2}));
  for (std::size_t k = 0; k < some.size(); ++k) EXPECT_EQ(some[k], more[k]);
  EXPECT_NE(points(uniform_axis({"x", "y"}, {0, 0}, {1, 1}, 10, {8, 2})), some);
  EXPECT_NE(points(uniform_axis({"x", "y"}, {0, 0}, {1, 1}, 10, {7, 3})), some);
  std::set<double> different;
  for (const auto& point : more) different.insert(point.begin(), point.end());
  EXPECT_EQ(different.size(), 2000U);
}

/// Mean and variance within five standard deviations of their estimates; points are the same in every run.
void expect_moments(const std::vector<std::vector<double>>& all, std::size_t i, double mean, double variance,
                    double fourth) {
  double m = 0.0;
  double v = 0.0;
  for (const auto& p : all) m += p[i] / static_cast<double>(all.size());
  for (const auto& p : all) v += (p[i] - mean) * (p[i] - mean) / static_cast<double>(all.size());
  const double n = static_cast<double>(all.size());
  EXPECT_NEAR(m, mean, 5.0 * std::sqrt(variance / n));
  EXPECT_NEAR(v, variance, 5.0 * std::sqrt((fourth - variance * variance) / n));
}

TEST(Axis, distributions_have_their_moments) {
  const auto uniform = points(uniform_axis({"x", "y"}, {-1, 2}, {1, 4}, 40000, {1, 0}));
  expect_moments(uniform, 0, 0.0, 1.0 / 3.0, 1.0 / 5.0);
  expect_moments(uniform, 1, 3.0, 1.0 / 3.0, 1.0 / 5.0);
  const auto normal = points(normal_axis({"x", "y"}, {1, -2}, {0.5, 2}, 40000, {1, 0}));
  expect_moments(normal, 0, 1.0, 0.25, 3.0 * 0.0625);
  expect_moments(normal, 1, -2.0, 4.0, 3.0 * 16.0);
  const std::vector<double> center{1, 2, 3};
  const auto sphere = points(sphere_axis({"x", "y", "z"}, center, 0.5, 40000, {1, 0}));
  for (const auto& p : sphere) ASSERT_NEAR(distance(p, center), 0.5, 1e-15);
  for (std::size_t i = 0; i < 3; ++i) expect_moments(sphere, i, center[i], 0.25 / 3.0, 0.0625 / 5.0);
  // In a ball of dimension d, the d-th power of the distance is uniformly distributed.
  auto ball = points(ball_axis({"x", "y", "z"}, center, 0.5, 40000, {1, 0}));
  for (auto& p : ball) p = {std::pow(distance(p, center) / 0.5, 3)};
  expect_moments(ball, 0, 0.5, 1.0 / 12.0, 1.0 / 80.0);
}

TEST(Axis, polytopes_are_regular) {
  const std::vector<double> center{1, 2, 3};
  for (const auto& [name, vertices, edge] : {std::tuple{"simplex", 4, std::sqrt(8.0 / 3.0)},
                                             {"cube", 8, 2.0 / std::sqrt(3.0)},
                                             {"cross", 6, std::sqrt(2.0)}}) {
    const auto all = points(polytope_axis({"x", "y", "z"}, center, 2.0, name));
    ASSERT_EQ(static_cast<int>(all.size()), vertices);
    for (const auto& p : all) {
      EXPECT_NEAR(distance(p, center), 2.0, 1e-14);
      double nearest = 1e9;
      for (const auto& other : all) nearest = &p == &other ? nearest : std::min(nearest, distance(p, other));
      EXPECT_NEAR(nearest, 2.0 * edge, 1e-14) << name;
    }
  }
  EXPECT_EQ(polytope_axis({"a", "b", "c", "d"}, {0, 0, 0, 0}, 1.0, "600-cell").count, 120);
  EXPECT_THROW(polytope_axis({"x"}, {0}, 1.0, "600-cell"), std::invalid_argument);
  EXPECT_THROW(polytope_axis({"x"}, {0}, 1.0, "dodecahedron"), std::invalid_argument);
  EXPECT_THROW(polytope_axis(std::vector<std::string>(30, "x"), std::vector<double>(30), 1.0, "cube"),
               std::invalid_argument);
}

}  // namespace axis_test
}  // namespace rattleback
