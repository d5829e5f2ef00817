// Starts of members by formulas that contain rotations and definitions, and starts that constraints complete.

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/ensemble/ensemble_file.hpp"

namespace rattleback {
namespace start_test {

const std::string head = R"toml(model = "rattleback"
method = "dla"
step = 0.002
steps = 20
)toml";

const std::string tilted = R"toml(
[[vary]]
of = "initial_spin"
from = -5
to = 5
count = 3
[[vary]]
of = "degrees"
from = 0.1
to = 1.5
count = 2
[start]
angle = "degrees*pi/180"
"R.xyz1" = "angle"
"R.xyz2" = "angle"
"R.xyz3" = 0
"R.omega1" = 0
"R.omega2" = 0
"R.omega3" = "initial_spin"
)toml";

// The vertical seen from the body, the point of contact of the ellipsoid and the velocity of rolling, by hand.
const std::string by_hand = R"toml(
u1 = "-cos(angle)*sin(angle)"
u2 = "sin(angle)"
u3 = "cos(angle)^2"
length = "sqrt((a1*u1)^2 + (a2*u2)^2 + (a3*u3)^2)"
r1 = "-a1^2*u1/length"
r2 = "-a2^2*u2/length"
r3 = "d - a3^2*u3/length"
z = "-(u1*r1 + u2*r2 + u3*r3)"
"x'" = "initial_spin*cos(angle)*r2"
"y'" = "initial_spin*(sin(angle)^2*r2 - cos(angle)*r1)"
"z'" = "initial_spin*(u1*r2 - u2*r1)"
)toml";

const std::string by_definitions = R"toml(
z = "-dot(u, r)"
"x'" = "-(R*cross(R.omega, r))[1]"
"y'" = "-(R*cross(R.omega, r))[2]"
"z'" = "-(R*cross(R.omega, r))[3]"
)toml";

std::vector<MemberResult> results(const std::string& text) {
  return run_in_memory(read_ensemble(text, "ensemble.toml").ensemble);
}

void expect_the_same(const std::string& text) {
  const std::vector<MemberResult> expected = results(head + tilted + by_hand);
  const std::vector<MemberResult> found = results(text);
  ASSERT_EQ(found.size(), 6U);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].failure, "");
    ASSERT_EQ(expected[k].failure, "");
    for (std::size_t i = 0; i < expected[k].last.q.size(); ++i)
      EXPECT_NEAR(found[k].last.q[i], expected[k].last.q[i], 1e-13) << k << " " << i;
    for (std::size_t i = 0; i < expected[k].last.v.size(); ++i)
      EXPECT_NEAR(found[k].last.v[i], expected[k].last.v[i], 1e-12) << k << " " << i;
  }
}

TEST(Starts, may_be_formulas_of_rotations_and_definitions) { expect_the_same(head + tilted + by_definitions); }

TEST(Starts, are_completed_by_constraints) { expect_the_same("complete = true\n" + head + tilted); }

TEST(Starts, that_constraints_cannot_complete_say_so) {
  const auto found = results("complete = true\n" + head + tilted + "\"x'\" = 7\n");
  for (const MemberResult& member : found)
    EXPECT_NE(member.failure.find("it cannot start: no velocities with these values of"), std::string::npos)
        << member.failure;
}

std::string refusal(const std::string& text) {
  try {
    read_ensemble(text, "ensemble.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Starts, that_cannot_be_are_refused) {
  std::string text = head + tilted;
  text.replace(text.find("\"R.xyz3\" = 0"), 12, "\"R.xyz3\" = \"R[1,1]\"");
  EXPECT_NE(refusal(text).find("the formula of R.xyz3 contains 'R[1,1]', a rotation: rotations are given by numbers"),
            std::string::npos)
      << refusal(text);
  EXPECT_NE(refusal("project = true\ncomplete = true\n" + head + tilted)
                .find("project moves all of a start, complete what is not given: give one of them"),
            std::string::npos);
}

}  // namespace start_test
}  // namespace rattleback
