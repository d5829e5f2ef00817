// Clouds out of files, the weights of a ball, and points that are no corners of their hull.

#include "rattleback/observe/cloud.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/method/trajectory.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace cloud_test {

using test::problem_of;

const std::vector<std::string> plane{"x", "y"};

Problem harmonic(double step) {
  Problem problem = problem_of("harmonic-particle", step);
  problem.start = {{0, 0, 0}, {1, 1, 0}};
  return problem;
}

/// The cloud of García-Naranjo & Vermeeren's program: a 600-cell without the vertex in the direction of p_x.
Points vertices_119() {
  const std::string file = test::source_file("experiments/gv/119-vertices.csv");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return points_from_text(text.str(), file, {"x", "y", "p_x", "p_y"});
}

TEST(CloudFile, has_its_columns_in_any_order) {
  const Points points = points_from_text("y, x\n1,2\n\n-3e-1 ,\t0.5\r\n0,0\n4,5", "a.csv", plane);
  EXPECT_EQ(points, (Points{{2, 1}, {0.5, -0.3}, {0, 0}, {5, 4}}));
}

TEST(CloudFile, says_what_is_wrong_and_where) {
  const auto refused = [](const std::string& text, const std::string& words) {
    try {
      points_from_text(text, "a.csv", plane);
      ADD_FAILURE() << text;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("x\n1\n", "a.csv:1:1: the header names 1 coordinates; expected x,y in any order");
  refused("x,z\n", "a.csv:1:3: 'z' is no coordinate; expected x,y in any order");
  refused("x,x\n", "a.csv:1:3: 'x' is there twice");
  refused("x,y\n1,2\n3\n", "a.csv:3:1: a point has 2 numbers, found 1");
  refused("x,y\n1,two\n", "a.csv:2:3: 'two' is no finite number");
  refused("x,y\n1,inf\n", "a.csv:2:3: 'inf' is no finite number");
  refused("x,y\n1,2\n3,4\n", "a.csv:1:1: a cloud in 2 dimensions needs at least 4 points, found 2");
  refused("", "needs at least 4 points, found 0");
}

TEST(CloudPoints, are_those_that_a_shape_names) {
  const std::vector<std::string> space{"x", "y", "p_x", "p_y"};
  EXPECT_EQ(cloud_points({}, space), six_hundred_cell());
  EXPECT_EQ(cloud_points({.count = 7}, plane), points_on_sphere(7, 2));
  EXPECT_THROW(cloud_points({}, plane), RequestError);
  EXPECT_THROW(cloud_points({.count = 3}, plane), RequestError);
  EXPECT_THROW(cloud_points({.count = 100}, std::vector<std::string>(9, "x")), RequestError);
  EXPECT_THROW(cloud_points({.file = "nowhere.csv"}, plane), FileError);
}

TEST(ConvexHull, counts_points_that_are_no_corners) {
  EXPECT_EQ(ConvexHull({{0, 0}, {2, 0}, {0, 2}, {0.5, 0.5}, {0.4, 0.6}}).inside(), 2U);
  EXPECT_EQ(ConvexHull(six_hundred_cell()).inside(), 0U);
}

// Numbers of a program of its own (scipy: DOP853 with a tolerance of 1e-13, ConvexHull), for the exact motion.
TEST(Cloud, of_119_vertices_with_the_weights_of_a_ball_is_that_of_an_independent_program) {
  CloudOptions options;
  options.directions = vertices_119();
  ASSERT_EQ(options.directions.size(), 119U);
  options.weights = HullWeights::ball;
  options.steps = 2;
  const CloudResult cloud = follow_cloud("reference", harmonic(10.0), options);
  ASSERT_EQ(cloud.failure, "");
  EXPECT_NEAR(cloud.samples.at(2).mass / cloud.samples[0].mass - 1.0, 1.4924063459753611e-4, 1e-9);
  EXPECT_EQ(cloud.samples[2].inside, 0U);
}

// On a ball of n dimensions they integrate polynomials of degree 3: the mean of x₁² is 1/(n + 2).
TEST(Cloud, weights_of_a_ball_agree_with_those_of_simplices_for_a_small_ball) {
  for (const char* method : {"reference", "conformal:TT:ell=2"}) {
    CloudOptions options;
    options.directions = six_hundred_cell();
    options.steps = 4;
    if (std::string(method) != "reference") options.ells = {2};
    const CloudResult simplices = follow_cloud(method, harmonic(0.25), options);
    options.weights = HullWeights::ball;
    const CloudResult ball = follow_cloud(method, harmonic(0.25), options);
    for (std::size_t k = 0; k < 5; ++k) {
      const double difference = ball.samples[k].mass / simplices.samples[k].mass - 1.0;
      EXPECT_NE(difference, 0.0);
      EXPECT_LT(std::abs(difference), 2e-5) << method;  // a hull of 120 points is not a ball: O(r²)
      if (!options.ells.empty()) {
        EXPECT_LT(std::abs(ball.samples[k].modified[0] / simplices.samples[k].modified[0] - 1.0), 2e-5);
      }
    }
  }
}

TEST(Cloud, weights_of_a_ball_need_points_on_its_surface) {
  CloudOptions options;
  options.directions = six_hundred_cell();
  options.directions[4] = {0, 0, 0.5, 0};
  options.weights = HullWeights::ball;
  try {
    follow_cloud("reference", harmonic(0.25), options);
    FAIL();
  } catch (const MethodError& error) {
    EXPECT_NE(std::string(error.what()).find("point 5 has the distance 0.5"), std::string::npos) << error.what();
  }
}

// A long time turns the ball into something that is not convex.
TEST(Cloud, sees_that_its_image_is_not_convex) {
  CloudOptions options;
  options.directions = points_on_sphere(200, 4);
  options.radius = 0.3;
  options.steps = 1;
  const CloudResult cloud = follow_cloud("reference:tolerance=1e-9", harmonic(13.75), options);
  EXPECT_EQ(cloud.samples.at(0).inside, 0U);
  EXPECT_GT(cloud.samples.at(1).inside, 0U);
}

}  // namespace cloud_test
}  // namespace rattleback
