// Taylor series as a flow: precision everywhere, what it ends at, and the same bits after an interruption.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "../case_name.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/mech/exact.hpp"
#include "rattleback/method/reference.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace taylor_test {

using By = ReferenceOptions::By;
using test::distance;
using test::problem_of;

Problem read(const char* text, double step = 0.1) { return problem_of(read_model(text, "model.toml"), step); }

std::string why_not(const Problem& problem, double t, const ReferenceOptions& options = {By::series}) {
  try {
    ReferenceFlow(problem, options).at(t);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Times at random, not in order.
std::vector<double> some_times(int count, double end) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(0.0, end);
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(uniform(generator));
  return times;
}

class DenseOutput : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Model, DenseOutput,
                         testing::Values("quadratic-particle", "harmonic-particle", "rolling-disk", "snakeboard",
                                         "contact-particle", "sinusoidal-particle", "mobile-robot", "tractor-trailers",
                                         "chaplygin-sleigh-horizontal"),
                         [](const auto& model) { return test::case_name(model.param); });

// Conserved energies and constraints to rounding at any time, exact solutions as far as the models know them.
TEST_P(DenseOutput, keeps_energy_constraints_and_exact_solutions_everywhere) {
  const Problem problem = problem_of(GetParam());
  ReferenceFlow flow(problem, {By::series});
  CompiledMap watch(observables(problem.system), problem);
  ASSERT_TRUE(watch.run(problem.start));
  const double energy = watch(Slot::energy)[0];
  const double end = 20.0;
  int exact = 0;
  for (const double t : some_times(1000, end)) {
    const State state = flow.at(t);
    ASSERT_TRUE(watch.run(state));
    if (problem.system.conserves_energy()) {
      ASSERT_NEAR(watch(Slot::energy)[0], energy, 1e-13 * std::max(1.0, std::abs(energy))) << t;
    }
    for (const double c : watch(Slot::constraints)) ASSERT_NEAR(c, 0.0, 1e-13) << t;
    const std::vector<double> solution = exact_position(problem.system, problem.parameters, problem.start, t);
    for (std::size_t i = 0; i < solution.size(); ++i) {
      if (std::isnan(solution[i])) continue;
      ++exact;
      ASSERT_NEAR(state.q[i], solution[i], 1e-13 * std::max(1.0, std::abs(solution[i]))) << t;
    }
  }
  EXPECT_GT(exact, 0);
}

// Against CVODE.
TEST(Tolerance, is_what_errors_are_near) {
  for (const char* model : {"quadratic-particle", "chaplygin-sleigh", "snakeboard", "suslov", "veselova"}) {
    const Problem problem = problem_of(model);
    const State best = ReferenceFlow(problem, {By::adams}).at(3.0);
    double last = 1.0;
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      ReferenceFlow flow(problem, {By::series, tolerance});
      const double error = distance(flow.at(3.0).q, best.q);
      EXPECT_LT(error, 100 * tolerance) << model;
      EXPECT_LE(error, last) << model;
      last = error;
    }
  }
}

TEST(Tolerance, decides_about_the_order_and_steps_become_longer) {
  const Problem problem = problem_of("quadratic-particle");
  std::int64_t fewer = std::numeric_limits<std::int64_t>::max();
  for (const int order : {8, 12, 20}) {
    ReferenceFlow flow(problem, {By::series, 1e-10, order});
    flow.at(20.0);
    EXPECT_LT(flow.internal_steps(), fewer);
    fewer = flow.internal_steps();
  }
}

// Over 10⁴ units of time rounding errors add up like a random walk.
TEST(LongRuns, keep_the_energy_like_a_random_walk) {
  const Problem problem = problem_of("quadratic-particle");
  CompiledMap watch(observables(problem.system), problem);
  ASSERT_TRUE(watch.run(problem.start));
  const double energy = watch(Slot::energy)[0];
  ReferenceFlow flow(problem, {By::series});
  double largest = 0.0;
  for (double t = 100.0; t <= 1e4; t += 100.0) {
    ASSERT_TRUE(watch.run(flow.at(t)));
    flow.forget_the_past();
    largest = std::max(largest, std::abs(watch(Slot::energy)[0] / energy - 1.0));
  }
  const double walk = std::sqrt(static_cast<double>(flow.internal_steps())) * 0x1p-53;
  EXPECT_LT(largest, 5.0 * walk) << walk;
}

// Interrupted anywhere, it goes on to the same bits; also where other pivots had to be chosen on the way.
TEST(Interruption, changes_no_bits) {
  for (const char* model : {"quadratic-particle", "chaplygin-sleigh", "rattleback", "roller-racer", "heavy-top"}) {
    const Problem problem = problem_of(model);
    ReferenceFlow flow(problem, {By::series});
    const double end = model == std::string("rattleback") ? 4.0 : 250.0;
    const State expected = flow.at(end);
    ReferenceFlow first(problem, {By::series});
    first.at(0.6 * end);
    const std::vector<double> saved = first.save();
    ReferenceFlow second(problem, {By::series});
    second.restore(saved);
    EXPECT_EQ(second.at(end).q, expected.q) << model;
    EXPECT_EQ(second.at(end).v, expected.v) << model;
  }
}

// A mass that falls into a centre, r = cos²η at t = (η + ½ sin 2η)/√2.
TEST(Ends, at_a_collision) {
  const Problem falling = read(R"toml(
coordinates = ["r"]
lagrangian = "0.5*r'^2 + 1/r"
[initial]
q = [1]
v = [0]
)toml");
  const double collision = std::numbers::pi / (2.0 * std::sqrt(2.0));
  const std::string why = why_not(falling, 2.0);
  EXPECT_NE(why.find("ends at t = 1.1107207"), std::string::npos) << why;
  ReferenceFlow flow(falling, {By::series});
  const double eta = 1.5;
  const double t = (eta + 0.5 * std::sin(2.0 * eta)) / std::sqrt(2.0);
  ASSERT_LT(t, collision);
  EXPECT_NEAR(flow.at(t).q[0], std::cos(eta) * std::cos(eta), 1e-12);
}

TEST(Refused, are_systems_that_are_not_smooth) {
  const std::string kink = why_not(read(R"toml(
coordinates = ["x"]
lagrangian = "0.5*x'^2 - abs(x)"
[initial]
q = [1]
v = [0]
)toml"),
                                   1.0);
  EXPECT_NE(kink.find("taylor needs equations of motion that are smooth"), std::string::npos) << kink;
  EXPECT_NE(kink.find("cvode"), std::string::npos) << kink;
}

TEST(Refused, are_wrong_options) {
  const auto message = [](const char* text) {
    try {
      MethodSpec spec(text);
    } catch (const MethodError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("taylor:order=1.5").find("order"), std::string::npos);
  EXPECT_NE(message("taylor:order=1").find("order"), std::string::npos);
  EXPECT_NE(message("taylor:tolerance=0").find("tolerance"), std::string::npos);
  EXPECT_NE(message("cvode:order=5").find("order"), std::string::npos);
  EXPECT_NE(message("taylor:tolerance=1").find("tolerance"), std::string::npos);
  EXPECT_EQ(message("taylor:tolerance=1e-10:order=14"), "");
}

}  // namespace taylor_test
}  // namespace rattleback
