// Projection onto the energy (project=energy): what it enforces, what it leaves alone, what it destroys. Orders and
// structure are those of the conformance suite.

#include "rattleback/flow/run.hpp"
#include "rattleback/observe/observers.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace energy_projection_test {

using test::distance;
using test::problem_of;
using test::take;

RunResult ran(const std::string& method, const Problem& problem, std::int64_t steps) {
  const auto stepper = make_stepper(method, problem);
  RunOptions options;
  options.steps = steps;
  return run(*stepper, problem, options);
}

const char* const families[] = {"dla:project=energy", "dla:trapezoidal:project=energy", "gni:project=energy",
                                "rk4:project=energy", "rk4-index0:project=energy"};

TEST(EnergyProjection, keeps_the_energy_to_rounding) {
  for (const char* model : {"quadratic-particle", "chaplygin-sleigh", "mclachlan-perlmutter", "rolling-disk"}) {
    for (const char* method : families) {
      const RunResult result = ran(method, problem_of(model, 0.02), 500);
      ASSERT_EQ(result.outcome, RunOutcome::finished) << method << " " << model << result.failure;
      EXPECT_LT(result.statistics.max_energy_error(), 1e-14) << method << " " << model;
    }
  }
  const std::string plain[] = {"dla", "dla:trapezoidal", "gni"};
  for (const std::string& method : plain) {
    EXPECT_GT(ran(method, problem_of("quadratic-particle", 0.02), 500).statistics.max_energy_error(), 1e-6) << method;
  }
}

TEST(EnergyProjection, leaves_discrete_constraints_and_positions_of_the_step_alone) {
  const Problem problem = problem_of("quadratic-particle", 0.2);
  const RunResult result = ran("dla:project=energy", problem, 1000);
  EXPECT_LT(result.statistics.constraint.value, 1e-13);
  const auto projected = make_stepper("dla:project=energy", problem);
  const auto plain = make_stepper("dla", problem);
  take(*projected, 1);
  take(*plain, 1);
  EXPECT_LT(distance(projected->node().q, plain->node().q), 1e-15);
  // v is scaled, all entries alike.
  const double scale = projected->node().v[1] / plain->node().v[1];
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(projected->node().v[i], scale * plain->node().v[i], 1e-15);
}

TEST(EnergyProjection, moves_as_in_an_independent_program) {
  // q and v of the particle after 100 steps of 0.2, from a program that has the equations by hand and scales v by
  // sqrt((1.5 - x^2 - y^2)/(v^2/2)).
  struct Case {
    const char* method;
    std::vector<double> q;
    std::vector<double> v;
  };
  const Problem problem = problem_of("quadratic-particle", 0.2);
  for (const Case& c : {Case{"dla:project=energy",
                             {0.969660968293, 0.142810042319, -1.527699330653},
                             {-0.356069041141, -0.974348442972, -0.050850234834}},
                        Case{"rk4:project=energy",
                             {0.93585955369, -0.006718095264, -1.13260397152},
                             {-0.49797220364, -1.000126936541, 0.003649812502}}}) {
    const auto stepper = make_stepper(c.method, problem);
    take(*stepper, 100);
    EXPECT_LT(distance(stepper->node().q, c.q), 1e-11) << c.method;
    EXPECT_LT(distance(stepper->node().v, c.v), 1e-11) << c.method;
  }
}

TEST(EnergyProjection, follows_the_energy_of_terms_that_are_linear_in_velocities) {
  // A charge in a magnetic field, L = v²/2 + B(x) y' − x²/2: p is not L_vv v, and v is scaled all the same.
  const auto [x, y] = coordinates("x", "y");
  const System system({x, y}, 0.5 * (sq(dot(x)) + sq(dot(y))) + (x + 0.3 * pow(x, 3)) * dot(y) - 0.5 * sq(x));
  const Problem problem{system, {}, {{0.5, 0}, {0.3, 1}}, 0.1};
  for (const char* method : {"del:project=energy", "dla:project=energy", "gni:project=energy", "rk4:project=energy"}) {
    const RunResult result = ran(method, problem, 300);
    ASSERT_EQ(result.outcome, RunOutcome::finished) << method << result.failure;
    EXPECT_LT(result.statistics.max_energy_error(), 1e-14) << method;
  }
}

TEST(EnergyProjection, ends_where_the_potential_alone_exceeds_the_energy) {
  // An oscillator turns back where its velocity is zero: sooner or later a step ends beyond that place.
  const auto [x] = coordinates("x");
  const System system({x}, 0.5 * sq(dot(x)) - 0.25 * pow(x, 4));
  const RunResult result = ran("del:trapezoidal:project=energy", {system, {}, {{1}, {0}}, 0.1}, 2000);
  EXPECT_EQ(result.outcome, RunOutcome::failed);
  EXPECT_NE(result.failure.find("the energy of the start"), std::string::npos) << result.failure;
}

TEST(EnergyProjection, goes_on_from_a_saved_state) {
  const Problem problem = problem_of("quadratic-particle", 0.2);
  const auto whole = make_stepper("dla:project=energy", problem);
  const auto half = make_stepper("dla:project=energy", problem);
  take(*whole, 80);
  take(*half, 40);
  const auto rest = make_stepper("dla:project=energy", problem);
  rest->restore(half->save());
  take(*rest, 40);
  EXPECT_EQ(whole->node().q, rest->node().q);
  EXPECT_EQ(whole->node().v, rest->node().v);
}

TEST(EnergyProjection, is_refused_where_there_is_nothing_to_keep) {
  EXPECT_THROW(make_method("dla:project=energy", load_model("ball-on-turntable").system), MethodError);
  const Expression x = Expression::symbol("x");
  SystemDefinition damped;
  damped.coordinates = {x};
  damped.lagrangian = 0.5 * (sq(dot(x)) - sq(x));
  damped.applied_forces = {-0.2 * dot(x)};
  EXPECT_THROW(make_method("del:project=energy", System(damped)), MethodError);
  const Problem gyroscopic = problem_of("veselova-nd");
  EXPECT_NO_THROW(make_method("del:project=energy", gyroscopic));
}

}  // namespace energy_projection_test
}  // namespace rattleback
