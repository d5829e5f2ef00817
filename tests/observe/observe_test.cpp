// Observers: what they say about motions that are known, and what they explain.

#include "rattleback/observe/observers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/method/trajectory.hpp"
#include "rattleback/method/reference.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace observe_test {

using test::problem_of;
using test::take;

/// The values of an observer at every node of a run.
std::vector<std::vector<double>> observed(const std::string& observer_name, const std::string& method,
                                          const Problem& problem, int steps) {
  const auto observer = make_observer(observer_name, method, problem);
  const auto stepper = make_stepper(method, problem);
  std::vector<std::vector<double>> all;
  for (int k = 0; k <= steps; ++k) {
    all.emplace_back(observer->quantity().labels.size());
    observer->observe(*stepper, all.back());
    if (k < steps) take(*stepper, 1);
  }
  return all;
}

TEST(Observers, impulses_tend_to_minus_h_times_the_multipliers) {
  // p_{k+1} − p_k = … − A(q_k)ᵀλ_k, and the continuous force on a free disk is A(q)ᵀλ.
  const double h = 0.001;
  const Problem problem = problem_of("chaplygin-sleigh", h);
  const auto impulses = observed("impulses", "dla:midpoint", problem, 2000);
  const auto forces = observed("constraint-forces", "dla:midpoint", problem, 2000);
  EXPECT_TRUE(std::isnan(impulses[0][0]));
  const auto stepper = make_stepper("dla:midpoint", problem);
  take(*stepper, 1999);
  const double theta = stepper->node().q[2];
  const double multiplier = -impulses[2000][0] / h;  // of the step from node 1999
  EXPECT_NEAR(-std::sin(theta) * multiplier, forces[1999][0], 1e-5);
  EXPECT_NEAR(std::cos(theta) * multiplier, forces[1999][1], 1e-5);
}

TEST(Observers, momentum_of_a_free_particle_is_its_momentum) {
  const auto [x, y] = coordinates("x", "y");
  SystemDefinition d;
  d.coordinates = {x, y};
  d.lagrangian = 1.5 * (sq(dot(x)) + sq(dot(y)));
  d.symmetries = {{"translation of x", {Expression(1.0), Expression(0.0)}}, {"rotation", {-y, x}}};
  const Problem problem{System(d), {}, {{1, 2}, {0.3, -0.7}}, 0.1};
  for (const auto& values : observed("momentum", "del:midpoint", problem, 10)) {
    EXPECT_NEAR(values[0], 0.9, 1e-14);
    EXPECT_NEAR(values[1], 3 * (1 * -0.7 - 2 * 0.3), 1e-13);
  }
}

TEST(Observers, momentum_is_that_of_the_node_where_the_method_has_none) {
  const Problem problem = problem_of("quadratic-particle", 0.05);
  const State there = ReferenceFlow(problem).at(1.0);
  EXPECT_NEAR(observed("momentum", "reference", problem, 20)[20][0], there.q[1] * there.v[0], 1e-12);  // p_z = y x'
  EXPECT_NEAR(observed("momentum", "rk4", problem, 20)[20][0], there.v[2], 1e-6);
}

TEST(Observers, momenta_of_a_shape_space_are_those_of_the_method) {
  // ż = y ẋ: the true motion has constant √(1 + y²) ẋ = N (1 + y²) ẋ = P_x of hdel and pthdel, and dla has not.
  const Model model = load_model(test::source_file("experiments/cm/models/section.toml"));
  const Problem problem{model.system, model.system.parameter_values(), *model.initial, 0.05};
  const double constant = std::sqrt(1 + 0.4 * 0.4) * 1.0;
  for (const char* method : {"hdel", "pthdel", "pthdel:trapezoidal", "conformal:ell=2"}) {
    for (const auto& values : observed("momentum", method, problem, 40)) EXPECT_NEAR(values[0], constant, 1e-12);
    const auto residuals = observed("momentum-equation", method, problem, 40);
    for (std::size_t k = 1; k < residuals.size(); ++k) EXPECT_LT(residuals[k][0], 1e-13) << method;
  }
  // P_x of rdla is (1 + y²) ẋ, and the gyroscopic force changes it.
  const auto forced = observed("momentum", "rdla", problem, 40);
  EXPECT_NEAR(forced[0][0], 1.16, 1e-13);
  EXPECT_GT(forced[40][0] - forced[0][0], 0.5);
  EXPECT_GT(observed("momentum-equation", "rdla", problem, 40)[40][0], 1e-3);
}

TEST(Observers, say_when_there_is_nothing_to_observe) {
  const auto message = [](const char* observer, const char* method, const char* model) {
    try {
      make_observer(observer, method, problem_of(model));
    } catch (const MethodError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was wrong");
  };
  EXPECT_EQ(message("momentum", "dla", "mclachlan-perlmutter"),
            "momentum cannot be observed here: the model declares no symmetry");
  EXPECT_EQ(
      message("momentum-equation", "rk4", "rolling-disk"),
      "momentum-equation cannot be observed here: the method does not keep the momenta of the model's Lagrangian");
  EXPECT_EQ(message("momentum", "rdla", "quadratic-particle"),
            "momentum cannot be observed here: the declared symmetries move no coordinate whose momentum the method "
            "keeps; dla and reference have the momenta of all");
  EXPECT_EQ(message("symplectic", "rk4", "rolling-disk"),
            "symplectic cannot be observed here: the state of the method is not (q, p)");
  EXPECT_EQ(
      message("symplectic", "conformal:every-step", "quadratic-particle"),
      "symplectic cannot be observed here: the method chooses its energy anew before every step, which is no part "
      "of the step; drop every-step");
  EXPECT_EQ(message("reduced-equation", "rdla", "rolling-disk"),
            "reduced-equation cannot be observed here: the method does not keep the momenta of the model's Lagrangian");
  EXPECT_EQ(message("reduced-forces", "rk4", "rolling-disk"),
            "reduced-forces cannot be observed here: rk4 knows nothing between its nodes");
  EXPECT_EQ(message("symplectic", "gni", "rolling-disk"),
            "symplectic cannot be observed here: the state of the method is not (q, p)");
  EXPECT_EQ(message("impulses", "rk4", "rolling-disk"),
            "impulses cannot be observed here: rk4 has no multipliers that belong to a step");
  EXPECT_EQ(
      message("reversibility", "dla:newton-iterations=1", "chaplygin-sleigh"),
      "reversibility cannot be observed here: steps whose iterations end early depend on where these begin, not on "
      "the state alone; drop newton-tolerance and newton-iterations");
  EXPECT_EQ(
      message("midpoint-energy", "reference", "rolling-disk"),
      "midpoint-energy cannot be observed here: reference is not a one-step method: it has no equations of its own");
  EXPECT_EQ(message("reversability", "dla", "rolling-disk"),
            "there is no observer 'reversability'; did you mean 'reversibility'?");
}

// Evensberget's question (chapter 4): why are Hd and HdS unstable on the sleigh? The tangent map of a step has an
// eigenvalue near −1, that of the alternating multiplier. It is −1 / (the contraction of the turning rate): a sleigh
// with forward speed u loses its turning rate like exp(−κ u t), κ = m a / (I + m a²), and what the physical direction
// loses, the alternating one gains.
TEST(Instability, alternating_multipliers_grow_as_turning_decays) {
  const Problem sleigh = problem_of("chaplygin-sleigh", 0.12);
  const auto radius = observed("spectral-radius", "gni:midpoint", sleigh, 240);
  const auto stepper = make_stepper("gni:midpoint", sleigh);
  for (const int step : {100, 150, 200, 240}) {
    const auto here = make_stepper("gni:midpoint", sleigh);
    take(*here, step - 1);
    const auto& [q, v, when] = here->node();
    const double speed = v[0] * std::cos(q[2]) + v[1] * std::sin(q[2]);  // along the blade
    EXPECT_NEAR(radius[static_cast<std::size_t>(step)][0], std::exp(0.5 * 0.12 * speed), 2e-3) << "step " << step;
  }
}

TEST(Instability, grows_as_the_eigenvalues_say) {
  // From the consistent start the alternating part of ℓ is seen from t = 26 on: ℓ_{k+1} − 2ℓ_k + ℓ_{k−1} removes what
  // is smooth. Its logarithm grows by log |eigenvalue| each step.
  const Problem sleigh = problem_of("chaplygin-sleigh", 0.12);
  const auto radius = observed("spectral-radius", "gni:midpoint", sleigh, 240);
  const auto stepper = make_stepper("gni:midpoint", sleigh);
  std::vector<double> multiplier{stepper->state()[6]};
  for (int k = 1; k <= 241; ++k) {
    take(*stepper, 1);
    multiplier.push_back(stepper->state()[6]);
  }
  const auto alternating = [&](std::size_t k) {
    return 0.25 * std::abs(multiplier[k + 1] - 2 * multiplier[k] + multiplier[k - 1]);
  };
  double predicted = 0.0;
  for (std::size_t k = 221; k <= 240; ++k) predicted += std::log(radius[k][0]);
  const double measured = std::log(alternating(240) / alternating(220));
  EXPECT_NEAR(measured / 20, predicted / 20, 1e-3);
  EXPECT_NEAR(measured / 20, 0.1537, 5e-5);  // the figures of docs/methods.md
  EXPECT_NEAR(predicted / 20, 0.1543, 5e-5);
}

TEST(Instability, makes_the_thesis_jump_between_16_and_20) {
  // Figure 3.15: the sleigh turns round. Its speed down the incline, −y', stops growing after t = 15 and is reversed
  // before t = 20; with the consistent start nothing happens until T = 30.
  const Problem sleigh = problem_of("chaplygin-sleigh", 0.12);
  const auto thesis = make_stepper("hd:start=thesis", sleigh);
  take(*thesis, 125);
  EXPECT_LT(thesis->node().v[1], -1.1);
  take(*thesis, 41);
  EXPECT_GT(thesis->node().v[1], 1.0);
  const auto consistent = make_stepper("hd", sleigh);
  take(*consistent, 250);
  EXPECT_LT(test::distance(consistent->node().q, ReferenceFlow(sleigh).at(30.0).q), 4e-3);
  take(*consistent, 60);  // t = 37.2: it has happened here too
  EXPECT_GT(consistent->node().v[1], 1.0);
}

}  // namespace observe_test
}  // namespace rattleback
