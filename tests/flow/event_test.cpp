// Events: where they are found, what impacts do, and how runs with them end and go on.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace event_test {

Model model_of(const std::string& rest, const std::string& head =
                                            "coordinates = [\"z\"]\nlagrangian = \"0.5*z'^2 - "
                                            "g*z\"\n[parameters]\ng = 10\n") {
  return read_model(head + rest, "test.toml");
}

Problem problem_of(const Model& model, double step) {
  return {model.system, model.system.parameter_values(), *model.initial, step};
}

struct Course {
  RunResult result;
  std::vector<double> times;  ///< of the events
  std::vector<std::string> names;
};

Course run_with(const Model& model, const std::string& method, double step, std::int64_t steps) {
  const Problem problem = problem_of(model, step);
  const auto stepper = make_stepper(MethodSpec(method), problem);
  RunOptions options;
  options.steps = steps;
  Course course{run(*stepper, problem, options), {}, {}};
  for (const EventRecord& e : course.result.statistics.events) {
    course.times.push_back(e.time);
    course.names.push_back(model.system.events()[e.event].name);
  }
  return course;
}

void expect_near_relatively(double value, double expected, double tolerance) {
  EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

/// Methods that are exact for a free fall: their impacts are those of the ball.
class ExactFall : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Method, ExactFall,
                         testing::Values("reference", "dla", "dla:trapezoidal", "gni", "rk4", "dla:order=4"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST_P(ExactFall, bounces_on_a_moving_table_at_the_times_of_another_program) {
  // tests/flow/bounce_times.py
  const double expected[] = {0.43395669643975316049, 1.1772300750677896143, 1.7589442740769367918};
  const Course course = run_with(load_model("bouncing-ball"), GetParam(), 0.01, 200);
  ASSERT_EQ(course.times.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) expect_near_relatively(course.times[k], expected[k], 1e-14);
  // What impacts cost is no error of the method.
  EXPECT_LT(course.result.statistics.impact_energy, -7.0);
  EXPECT_LT(course.result.statistics.max_energy_error(), 2e-14);
}

TEST_P(ExactFall, stops_where_the_height_is_zero) {
  const Model model = model_of("[initial]\nq = [5]\n[events]\nground = { when = \"z\", action = \"stop\" }\n");
  const Course course = run_with(model, GetParam(), 0.07, 1000);
  EXPECT_EQ(course.result.outcome, RunOutcome::finished);
  EXPECT_EQ(course.result.stopped_by, 0U);
  EXPECT_EQ(course.result.steps, 15);  // 1/0.07 = 14.3
  expect_near_relatively(course.result.time, 1.0, 1e-14);
  EXPECT_NEAR(course.result.node.q[0], 0.0, 1e-13);
  expect_near_relatively(course.result.node.v[0], -10.0, 1e-13);
}

TEST_P(ExactFall, hops_as_the_closed_form_of_a_knife_edge_does) {
  const Model model = load_model("hopping-knife-edge");
  const Course course = run_with(model, GetParam(), 0.02, 200);
  const double g = 9.81, e = 0.9, f = 0.8, omega = 0.7;
  double t = 0.0, x = 0.0, y = 0.0, u = 1.0, z = 0.5, w = 0.0;
  std::size_t landings = 0;
  while (true) {
    const double flight = (w + std::sqrt(w * w + 2.0 * g * z)) / g;
    const double end = std::min(4.0, t + flight);
    x += u / omega * (std::sin(omega * end) - std::sin(omega * t));
    y -= u / omega * (std::cos(omega * end) - std::cos(omega * t));
    z += w * (end - t) - 0.5 * g * (end - t) * (end - t);
    w -= g * (end - t);
    t = end;
    if (end == 4.0) break;
    ASSERT_LT(landings, course.times.size());
    expect_near_relatively(course.times[landings++], t, 1e-14);
    z = 0.0;
    w *= -e;
    u *= f;
  }
  EXPECT_EQ(landings, course.times.size());
  const State& node = course.result.node;
  EXPECT_NEAR(node.q[3], z, 1e-12);  // rounding of 200 steps
  EXPECT_NEAR(node.v[3], w, 1e-12);
  const double tolerance = GetParam() == "reference" ? 1e-13 : 1e-4;  // of order 2 in the plane
  EXPECT_NEAR(node.q[0], x, tolerance);
  EXPECT_NEAR(node.q[1], y, tolerance);
  EXPECT_NEAR(node.v[0], u * std::cos(2.8), tolerance);
  EXPECT_NEAR(node.v[1], u * std::sin(2.8), tolerance);
}

TEST_P(ExactFall, goes_on_to_the_same_bits_from_a_checkpoint) {
  const Problem problem = problem_of(load_model("hopping-knife-edge"), 0.02);
  const MethodSpec method = GetParam();
  const auto whole = make_stepper(method, problem);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(whole->advance()) << whole->failure();
  for (const int interruption : {7, 16, 45, 80}) {  // before and after the first landing, in step 16
    const auto first = make_stepper(method, problem);
    for (int k = 0; k < interruption; ++k) ASSERT_TRUE(first->advance());
    const auto second = make_stepper(method, problem);
    second->restore(first->save());
    for (int k = interruption; k < 100; ++k) ASSERT_TRUE(second->advance());
    EXPECT_EQ(second->node().q, whole->node().q) << interruption;
    EXPECT_EQ(second->node().v, whole->node().v) << interruption;
    EXPECT_TRUE(std::ranges::equal(second->event_counts(), whole->event_counts()));
  }
}

TEST(Events, of_the_midpoint_rule_are_those_of_its_own_rotation) {
  // The rule turns (x, x') by 2 atan(h/2), and by a fraction of the step likewise.
  const Model model = model_of("[initial]\nq = [1]\n[events]\nzero = { when = \"x\" }\n",
                               "coordinates = [\"x\"]\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n");
  const double h = 0.1;
  const double angle = 2.0 * std::atan(0.5 * h);
  const Course course = run_with(model, "dla:midpoint", h, 100);
  ASSERT_EQ(course.times.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    const double whole = std::floor((k + 0.5) * std::numbers::pi / angle);
    const double rest = (k + 0.5) * std::numbers::pi - whole * angle;
    expect_near_relatively(course.times[static_cast<std::size_t>(k)], whole * h + 2.0 * std::tan(0.5 * rest), 1e-14);
  }
  const Course reference = run_with(model, "reference", h, 100);
  ASSERT_EQ(reference.times.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    expect_near_relatively(reference.times[static_cast<std::size_t>(k)], (k + 0.5) * std::numbers::pi, 1e-14);
  }
}

TEST(Events, in_one_step_happen_in_the_order_of_time_and_then_of_the_file) {
  // z = 5 − 5 t²: 3 at 0.632, 1 at 0.894, both in the step to 1.1; the last two at the same time.
  const Model model = model_of(
      "[initial]\nq = [5]\n[events]\n"
      "low = { when = \"z - 1\" }\nhigh = { when = \"2*z - 6\", direction = \"falling\" }\n"
      "up = { when = \"z - 3\", direction = \"rising\" }\nagain = { when = \"z - 1\" }\nsame = { when = \"3*z - 3\" "
      "}\n");
  const Course course = run_with(model, "dla", 1.1, 1);
  EXPECT_EQ(course.names, (std::vector<std::string>{"high", "low", "again", "same"}));
  expect_near_relatively(course.times[0], std::sqrt(0.4), 1e-14);
  expect_near_relatively(course.times[1], std::sqrt(0.8), 1e-14);
}

TEST(Events, are_both_found_where_a_function_passes_zero_twice_in_a_step) {
  // z = 2 t − 5 t² + 1 passes 1.1 at (2 ± √2)/10, twice in the step from 0 to 0.4.
  for (const char* direction : {"either", "rising", "falling"}) {
    const Model model = model_of(std::string("[initial]\nq = [1]\nv = [2]\n[events]\ntop = { when = \"z - 1.1\", "
                                             "direction = \"") +
                                 direction + "\" }\n");
    const Course course = run_with(model, "dla", 0.4, 1);
    std::vector<double> expected{(2.0 - std::numbers::sqrt2) / 10.0, (2.0 + std::numbers::sqrt2) / 10.0};
    if (direction == std::string("rising")) expected.pop_back();
    if (direction == std::string("falling")) expected.erase(expected.begin());
    ASSERT_EQ(course.times.size(), expected.size()) << direction;
    for (std::size_t k = 0; k < expected.size(); ++k) expect_near_relatively(course.times[k], expected[k], 1e-14);
  }
}

TEST(Events, at_the_start_are_none) {
  const Model model = model_of(
      "[initial]\nq = [0]\nv = [5]\n[events]\nground = { when = \"z\", direction = \"falling\", action = \"stop\" }\n");
  for (const char* method : {"dla", "reference"}) {
    const Course course = run_with(model, method, 0.3, 10);  // up and down again: at t = 1
    expect_near_relatively(course.result.time, 1.0, 1e-14);
  }
}

TEST(Events, happen_again_and_again_within_one_step) {
  // Bounces of equal height, each of 0.2: six in a step of 1.15.
  const Model model = model_of(
      "[initial]\nq = [0]\nv = [1]\n[events]\nground = { when = \"z\", direction = \"falling\", set = { v = { z = "
      "\"-z'\" } } }\n");
  for (const char* method : {"dla", "reference"}) {
    const Course course = run_with(model, method, 1.15, 1);
    ASSERT_EQ(course.times.size(), 5U);
    for (std::size_t k = 0; k < 5; ++k)
      expect_near_relatively(course.times[k], 0.2 * static_cast<double>(k + 1), 1e-14);
  }
}

TEST(Events, that_follow_each_other_ever_faster_end_the_run) {
  // With e = 1/2 all impacts are over at t = 1 + 2·(1/2 + 1/4 + …) = 3.
  const Model model = model_of(
      "[initial]\nq = [5]\n[events]\nground = { when = \"z\", direction = \"falling\", set = { v = { z = "
      "\"-0.5*z'\" } } }\n");
  for (const char* method : {"dla", "reference"}) {
    const Course course = run_with(model, method, 0.1, 100);
    EXPECT_EQ(course.result.outcome, RunOutcome::failed);
    EXPECT_NE(course.result.failure.find("the event ground happens again and again near t = "), std::string::npos)
        << course.result.failure;
    EXPECT_GT(course.times.size(), 20U);
    EXPECT_NEAR(course.times.back(), 3.0, 1e-7);
    double end = 1.0;
    for (std::size_t k = 0; k < 10; end += std::pow(0.5, k), ++k) expect_near_relatively(course.times[k], end, 1e-13);
  }
}

TEST(Events, that_leave_the_motion_in_contact_end_the_run) {
  const Model model = model_of(
      "[initial]\nq = [5]\n[events]\nground = { when = \"z\", direction = \"falling\", set = { v = { z = \"0\" } } "
      "}\n");
  const Course course = run_with(model, "dla", 0.1, 100);
  EXPECT_EQ(course.result.outcome, RunOutcome::failed);
  EXPECT_NE(course.result.failure.find("after the event ground the motion stays in contact"), std::string::npos)
      << course.result.failure;
}

TEST(Events, leave_momenta_alone_that_are_not_hit) {
  // A cart with a pendulum whose bob is stopped and thrown back: the impulse is along x alone.
  const Model model = model_of(
      "[initial]\nq = [0, 0.3]\nv = [1, 0]\n[events]\nwall = { when = \"x - 0.5\", set = { v = { x = \"-x'\" } } }\n",
      "coordinates = [\"x\", \"a\"]\nlagrangian = \"x'^2 + 0.5*a'^2 + x'*a'*cos(a) + 10*cos(a)\"\n");
  const Course course = run_with(model, "dla", 0.01, 60);
  ASSERT_EQ(course.times.size(), 1U);
  const EventRecord& e = course.result.statistics.events[0];
  const double c = std::cos(e.node.q[1]);
  EXPECT_EQ(e.after[0], -e.node.v[0]);
  expect_near_relatively(e.after[1] + c * e.after[0], e.node.v[1] + c * e.node.v[0], 1e-14);
}

TEST(Events, that_set_what_constraints_forbid_name_them) {
  const std::string knife =
      "coordinates = [\"x\", \"y\", \"a\"]\nlagrangian = \"0.5*(x'^2 + y'^2 + a'^2)\"\nconstraints = [{ edge = "
      "\"x'*sin(a) - y'*cos(a)\" }]\n";
  const Model model = model_of(
      "[initial]\nq = [0, 0, 0.5]\nv = { x = 1, a = 0 }\n[events]\nwall = { when = \"x - 0.5\", set = { v = { x = "
      "\"-x'\", y = \"y'\" } } }\n",
      knife);
  const Course course = run_with(model, "dla", 0.01, 60);
  EXPECT_EQ(course.result.outcome, RunOutcome::failed);
  for (const char* part : {"the event wall at t = 0.5", "no velocities with these values of x, y satisfy", "edge"}) {
    EXPECT_NE(course.result.failure.find(part), std::string::npos) << course.result.failure;
  }
}

TEST(Events, are_refused_by_methods_that_cannot_take_a_fraction_of_a_step) {
  const Model model =
      read_model(load_model("knife-edge").text + "\n[events]\nwall = { when = \"x - 0.5\" }\n", "k.toml");
  for (const char* method : {"pthdel", "dla:start=reference"}) {
    try {
      make_stepper(MethodSpec(method), problem_of(model, 0.01));
      ADD_FAILURE() << method;
    } catch (const MethodError& error) {
      EXPECT_NE(std::string(error.what()).find("cannot run a model with events"), std::string::npos) << error.what();
    }
  }
}

}  // namespace event_test
}  // namespace rattleback
