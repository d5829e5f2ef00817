// Starts of which only some numbers are given.

#include "rattleback/model/start.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "rattleback/expr/graph.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/model/rotation.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace start_test {

std::string refusal(const std::string& text) {
  try {
    read_model(text, "m.toml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

// A knife edge: y' cos a = x' sin a.
const std::string edge =
    "coordinates = ['x', 'y', 'a']\nlagrangian = \"0.5*(x'^2 + 3*y'^2 + a'^2)\"\n"
    "constraints = [{ blade = \"y'*cos(a) - x'*sin(a)\" }]\n[initial]\n";

TEST(PartialStart, what_is_given_is_kept_and_the_rest_follows) {
  const State s = *read_model(edge + "q = {a = 'pi/6'}\nv = {x = 2}\n", "m.toml").initial;
  EXPECT_EQ(s.q, (std::vector<double>{0, 0, std::acos(-1.0) / 6}));
  EXPECT_EQ(s.v[0], 2.0);
  EXPECT_NEAR(s.v[1], 2 / std::sqrt(3.0), 1e-15);
  EXPECT_EQ(s.v[2], 0.0) << "with the least energy";
}

// x' + y' = 1 with masses 1 and 3: the least ½ (x'² + 3 y'²) is at x' = 3/4, y' = 1/4.
TEST(PartialStart, the_kinetic_energy_is_the_least) {
  const std::string text =
      "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + 3*y'^2 + z'^2) + 0.5*x'*z'\"\n"
      "constraints = [\"x' + y' - 1\"]\n[initial]\nq = [0, 0, 0]\n";
  const State free = *read_model(text + "v = {z = 0}\n", "m.toml").initial;
  EXPECT_NEAR(free.v[0], 0.75, 1e-15);
  EXPECT_NEAR(free.v[1], 0.25, 1e-15);
  // With z' = 2 the energy ½ (x'² + 3 y'²) + x' + 2 has the least at x' = 1/2; free, z' = −x'/2 and x' = 4/5.
  const State pulled = *read_model(text + "v = {z = 2}\n", "m.toml").initial;
  EXPECT_NEAR(pulled.v[0], 0.5, 1e-15);
  const State all = *read_model(text + "v = {}\n", "m.toml").initial;
  EXPECT_NEAR(all.v[0], 0.8, 1e-15);
  EXPECT_NEAR(all.v[2], -0.4, 1e-15);
}

TEST(PartialStart, holonomic_constraints_correct_what_is_not_given) {
  const std::string text =
      "coordinates = ['x', 'y', 'z']\nlagrangian = \"x'^2 + y'^2 + z'^2\"\nholonomic = [\"z - x^2 - "
      "sin(y)\"]\n[initial]\n";
  const State s = *read_model(text + "q = {x = 0.5, y = 0.25}\nv = {x = 1, y = -2}\n", "m.toml").initial;
  EXPECT_EQ(s.q[0], 0.5);
  EXPECT_NEAR(s.q[2], 0.25 + std::sin(0.25), 1e-15);
  EXPECT_NEAR(s.v[2], 1 - 2 * std::cos(0.25), 1e-15);
  const State zero = *read_model(text + "q = {}\n", "m.toml").initial;
  EXPECT_EQ(zero.q, (std::vector<double>{0, 0, 0}));
  const State moved = *read_model(text + "q = {z = 0.3}\n", "m.toml").initial;
  EXPECT_NEAR(moved.q[0] * moved.q[0] + std::sin(moved.q[1]), 0.3, 1e-15);
}

TEST(PartialStart, redundant_rows_do_not_hurt) {
  const State s = *read_model(
                       "coordinates = ['x', 'y']\nlagrangian = \"x'^2 + y'^2\"\nconstraints = [\"x' - y'\", "
                       "\"2*x' - 2*y'\"]\n[initial]\nq = [0, 0]\nv = {x = 3}\n",
                       "m.toml")
                       .initial;
  EXPECT_NEAR(s.v[1], 3.0, 1e-15);
}

TEST(PartialStart, units_do_not_matter) {
  for (const char* scale : {"1e-8", "1", "1e9"}) {
    const State s = *read_model(std::string("coordinates = ['x', 'a']\nlagrangian = \"m*x'^2 + a'^2\"\nconstraints = "
                                            "[\"x' - u*a'\"]\n[parameters]\nu = ") +
                                    scale + "\nm = '1/u^2'\n[initial]\nq = [0, 0]\nv = {a = 2}\n",
                                "m.toml")
                         .initial;
    EXPECT_NEAR(s.v[0] / (2 * std::stod(scale)), 1.0, 1e-14);
  }
}

TEST(PartialStart, rows_that_cannot_be_satisfied_are_named) {
  EXPECT_EQ(refusal(edge + "q = {a = 'pi/2'}\nv = {x = 1, y = 0}\n"),
            "m.toml:6:5: no velocities with these values of x, y satisfy\n"
            "  constraint blade (0 = -x'*sin(a) + y'*cos(a))\nLeave some of them out, or change them.\n"
            "  v = {x = 1, y = 0}\n      ^");
  const std::string two =
      "coordinates = ['x', 'y', 'z']\nlagrangian = \"x'^2 + y'^2 + z'^2\"\nconstraints = [\"z' - x'\", "
      "{ roll = \"x' - 2*y'\" }]\n[initial]\nq = [0, 0, 0]\n";
  const std::string message = refusal(two + "v = {x = 1, y = 3}\n");
  EXPECT_NE(message.find("constraint roll"), std::string::npos) << message;
  EXPECT_EQ(message.find("constraint 1"), std::string::npos) << "that one can be satisfied: " << message;
  const std::string pendulum =
      "coordinates = ['x', 'y']\nlagrangian = \"x'^2 + y'^2\"\nholonomic = [\"x^2 + y^2 - "
      "1\"]\n[initial]\n";
  EXPECT_NE(
      refusal(pendulum + "q = {x = 2}\n").find("no positions with these values of x satisfy\n  holonomic constraint 1"),
      std::string::npos)
      << refusal(pendulum + "q = {x = 2}\n");
}

TEST(PartialStart, without_constraints_is_what_is_given) {
  const std::string free = "coordinates = ['x', 'y']\nlagrangian = \"x'^2 + y'^2\"\n[initial]\nq = [0, 0]\n";
  EXPECT_EQ(read_model(free + "v = {x = 1, y = 2}\n", "m.toml").initial->v, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(read_model(free + "v = {y = 2}\n", "m.toml").initial->v, (std::vector<double>{0.0, 2.0}));
}

TEST(PartialStart, wrong_tables_are_refused) {
  const auto expect = [](const std::string& rest, const std::string& start) {
    EXPECT_TRUE(refusal(edge + rest).starts_with(start)) << refusal(edge + rest);
  };
  expect("q = {b = 1}\n", "m.toml:5:6: unknown key 'b' in q of [initial], whose keys are coordinates; ");
  expect("q = [0, 0, 0]\nv = {x = 'y'}\n", "m.toml:6:11: unknown name 'y'");
  expect("q = [0, 0, 0]\nv = {x = true}\n", "m.toml:6:10: v of x must be a number, found true or false");
  expect("q = [0, 0, 0]\nv = 3\n", "m.toml:6:5: v must be a list in brackets, found a number");
}

TEST(Numbers, may_have_names) {
  EXPECT_EQ(named_numbers_from_text("a=1, b = 2*m", "--v0", {{"m", 3.0}}),
            (std::map<std::string, double>{{"a", 1.0}, {"b", 6.0}}));
  EXPECT_THROW(named_numbers_from_text("a=1,2", "--v0"), ModelError);
  EXPECT_THROW(named_numbers_from_text("a=1,a=2", "--v0"), ModelError);
  EXPECT_THROW(named_numbers_from_text("a=", "--v0"), ModelError);
}

// Slopes of a position on the way, against those that differentiation finds.
TEST(Turns, are_the_slopes_of_rotations) {
  const System system =
      read_model("coordinates = ['x']\nrotations = ['R']\nlagrangian = \"0.5*x'^2 + 0.5*dot(R.omega, R.omega)\"\n",
                 "m.toml")
          .system;
  std::vector<Expression> increments;
  std::unordered_map<Expression, double> values;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    increments.push_back(Expression::symbol("d" + std::to_string(i)));
    values[increments[i]] = 0.9 - 0.7 * static_cast<double>(i);
  }
  const RotationMatrix r = matrix_of(quaternion_of_axis_angle({0.3, -1.1, 0.8}));
  values[system.coordinates()[0]] = 0.0;
  for (std::size_t i = 0; i < r.size(); ++i) values[system.coordinates()[1 + i]] = r[i];
  for (const double fraction : {0.3, 0.5, 1.0}) {
    const auto turns = turns_by(system, increments, fraction);
    ASSERT_EQ(turns.size(), 1U);
    const Matrix slopes = turns[0].outer * turns[0].inner;
    for (std::size_t i = 0; i < slopes.rows; ++i) {
      for (std::size_t j = 0; j < slopes.columns; ++j) {
        EXPECT_NEAR(evaluate(slopes(i, j), values),
                    evaluate(derivative(turns[0].parts[i], turns[0].variables[j]), values), 1e-14);
      }
    }
  }
  EXPECT_TRUE(turns_by(system, increments, 0.0).empty());
}

}  // namespace start_test
}  // namespace rattleback
