// The reference solution where it cannot go on, and where the numbers of a model say nothing about its units.

#include "rattleback/method/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rattleback/base/work.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace reference_test {

Problem problem_of(const char* text, double step = 0.1) {
  const Model model = read_model(text, "model.toml");
  return {model.system, model.system.parameter_values(), *model.initial, step};
}

/// Why there is no state at a time.
std::string why_not(const Problem& problem, double t) {
  ReferenceFlow flow(problem);
  try {
    flow.at(t);
  } catch (const FlowError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* vanishing_inertia = R"toml(
coordinates = ["z"]
lagrangian = "0.5*cos(z)*z'^2"
[initial]
q = [0]
v = [1]
)toml";

TEST(ReferenceEnds, where_inertia_vanishes) {
  // √cos z ż = 1: z = π/2 is reached, with infinite speed, at t = ∫ √cos z dz = 1.19814…
  const std::string why = why_not(problem_of(vanishing_inertia), 2.0);
  EXPECT_NE(why.find("ends at t = 1.19814"), std::string::npos) << why;
  EXPECT_NE(why.find("too small to change t"), std::string::npos) << why;
}

TEST(ReferenceEnds, and_its_states_before_are_good) {
  ReferenceFlow flow(problem_of(vanishing_inertia));
  const State before = flow.at(1.1);
  EXPECT_NEAR(std::cos(before.q[0]) * before.v[0] * before.v[0], 1.0, 1e-11);
  EXPECT_THROW(flow.at(1.2), FlowError);
  EXPECT_EQ(flow.at(1.1).q, before.q);
}

TEST(ReferenceEnds, where_dry_friction_has_no_direction) {
  const std::string why = why_not(problem_of(R"toml(
coordinates = ["x"]
lagrangian = "0.5*x'^2"
[forces]
x = "-x'/sqrt(x'^2)"
[initial]
q = [0]
v = [1]
)toml"),
                                  2.0);
  EXPECT_NE(why.find("ends at t = 1:"), std::string::npos) << why;
  EXPECT_EQ(why.find("CV_"), std::string::npos) << why;
}

TEST(ReferenceEnds, where_the_time_asked_for_is_beyond_reach) {
  const std::string why = why_not(problem_of(R"toml(
coordinates = ["x"]
lagrangian = "0.5*x'^2 - 0.5*x^2"
[initial]
q = [1]
v = [0]
)toml"),
                                  1e308);
  EXPECT_NE(why.find("to reach t = 1e+308 it would take about "), std::string::npos) << why;
}

TEST(ReferenceEnds, when_it_is_interrupted) {
  std::atomic<bool> stop = false;
  const Interruptible interruptible(&stop);
  ReferenceFlow flow(problem_of(vanishing_inertia));
  stop = true;
  EXPECT_THROW(flow.at(1.0), Interrupted);
}

TEST(ReferenceScales, free_motion_reaches_any_time) {
  ReferenceFlow flow(problem_of(R"toml(
coordinates = ["x"]
lagrangian = "0.5*x'^2"
[initial]
q = [0]
v = [1]
)toml"));
  EXPECT_NEAR(flow.at(1e300).q[0] / 1e300, 1.0, 1e-13);
}

TEST(ReferenceScales, slow_oscillations_are_oscillations) {
  ReferenceFlow flow(problem_of(R"toml(
coordinates = ["x"]
lagrangian = "0.5*x'^2 - 0.5*1e-30*x^2"
[initial]
q = [1]
v = [0]
)toml"));
  EXPECT_NEAR(flow.at(7e15).q[0], std::cos(7.0), 1e-12);
}

TEST(ReferenceScales, a_fall_from_rest_has_those_of_its_time) {
  // Nothing but g and the step: no length, and no time in which g changes.
  for (const double step : {1e-12, 1.0, 1e12}) {
    ReferenceFlow flow(problem_of(R"toml(
coordinates = ["z"]
lagrangian = "0.5*z'^2 - 9.81*z"
[initial]
q = [0]
v = [0]
)toml",
                                  step));
    EXPECT_NEAR(flow.at(step).q[0] / (-0.5 * 9.81 * step * step), 1.0, 1e-12);
  }
}

TEST(ReferenceScales, a_heavy_body_does_not_blur_a_light_one) {
  // Their energies differ by a factor of 1e318: what one of them does says nothing about the other.
  ReferenceFlow flow(problem_of(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*1e-10*x'^2 + 0.5*1e308*y'^2 - 0.5*1e-10*x^2"
[initial]
q = [1, 0]
v = [0, 1]
)toml"));
  EXPECT_NEAR(flow.at(10.0).q[0], std::cos(10.0), 1e-12);
  EXPECT_NEAR(flow.at(10.0).q[1], 10.0, 1e-12);
}

TEST(ReferenceScales, balanced_forces_stay_balanced) {
  // At rest the acceleration is a rounding error of forces of size 9.81, and follows no law.
  ReferenceFlow flow(problem_of(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(0.3*x'^2 + 0.7*y'^2) - 0.5*7.3*(x - 0.1)^2 - 0.5*2.1*(y - x)^2 + 9.81*(0.3*x + 0.7*y)"
[initial]
q = ["0.1 + 9.81/7.3", "0.1 + 9.81/7.3 + 0.7*9.81/2.1"]
v = [0, 0]
)toml"));
  const State first = flow.at(0.0);
  const State last = flow.at(100.0);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(last.q[i], first.q[i], 1e-12);
  EXPECT_LT(flow.internal_steps(), 40000);
}

TEST(ReferenceScales, a_motion_that_dies_out_leaves_rounding_errors_and_goes_on) {
  ReferenceFlow flow(problem_of(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - 0.5*3.7*(x - 1.3)^2 - 0.5*2.1*(y - x)^2 - 9.81*y"
[forces]
x = "-0.5*x'"
y = "-0.5*y'"
[initial]
q = [1, 0.3]
v = [0, 1]
)toml"));
  const State last = flow.at(1000.0);
  EXPECT_NEAR(last.q[0], 1.3 - 9.81 / 3.7, 1e-12);
  EXPECT_NEAR(last.v[1], 0.0, 1e-12);
}

TEST(ReferenceScales, a_restored_flow_has_the_same_bits) {
  const Problem problem = problem_of(R"toml(
coordinates = ["x", "y", "phi"]
lagrangian = "0.5e-12*(x'^2 + y'^2) + 0.25e-36*phi'^2 - 1e-12*(x^2 + y^2)"
constraints = ["x'*sin(phi) - y'*cos(phi)"]
[initial]
q = [1e-12, 0, "pi/2"]
v = [0, 1e-12, 0.7]
)toml");
  ReferenceFlow flow(problem);
  flow.at(60.0);
  ReferenceFlow other(problem);
  other.restore(flow.save());
  EXPECT_EQ(other.at(100.0).q, flow.at(100.0).q);
}

}  // namespace reference_test
}  // namespace rattleback
