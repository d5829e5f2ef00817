// The run loop: what is recorded, how a run ends, and that interrupting it changes nothing.

#include "rattleback/flow/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/expr/parse.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace run_test {

System quadratic_particle() {
  const auto [x, y, z] = coordinates("x", "y", "z");
  return {{x, y, z}, 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z))) - (sq(x) + sq(y)), {dot(z) - y * dot(x)}};
}

/// Falls into the centre within finite time.
System falling() {
  const Expression x = Expression::symbol("x");
  return {{x}, 0.5 * sq(dot(x)) + 1.0 / sq(x)};
}

/// Reaches infinity within finite time.
System escaping() {
  const Expression x = Expression::symbol("x");
  return {{x}, 0.5 * sq(dot(x)) + pow(x, 4)};
}

Problem problem_of(const System& system, State start, double step) {
  return {system, system.parameter_values(), std::move(start), step};
}

Problem particle_problem() { return problem_of(quadratic_particle(), {{1, 0, 0}, {0, 1, 0}}, 0.2); }

/// Remembers what it is told.
struct Memory final : Recorder {
  std::vector<std::int64_t> steps;
  std::vector<std::vector<double>> rows;
  std::vector<Checkpoint> checkpoints;
  std::atomic<bool>* stop = nullptr;
  std::int64_t stop_at = -1;

  void record(const Sample& s) override {
    steps.push_back(s.step);
    std::vector<double> row{s.time, s.energy};
    for (const auto part : {s.q, s.v, s.p, s.multipliers, s.constraint, s.conserved})
      row.insert(row.end(), part.begin(), part.end());
    rows.push_back(row);
    if (s.step == stop_at) *stop = true;
  }
  void checkpoint(const Checkpoint& c) override { checkpoints.push_back(c); }
};

TEST(Run, records_the_start_and_every_kth_step) {
  const Problem problem = particle_problem();
  Memory memory;
  RunOptions options;
  options.steps = 25;
  options.every = 10;
  options.recorder = &memory;
  const auto stepper = make_stepper("rk4", problem);
  const RunResult result = run(*stepper, problem, options);
  EXPECT_EQ(memory.steps, (std::vector<std::int64_t>{0, 10, 20}));
  EXPECT_EQ(result.steps, 25);
  EXPECT_DOUBLE_EQ(result.time, 5.0);
  EXPECT_EQ(result.outcome, RunOutcome::finished);
  // t, E, q, v, p, λ, constraint at the start; λ = 0 there by hand: A a + dA/dt v = 0 with v = (0,1,0) and x'' = −2.
  const std::vector<double> start{0, 1.5, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
  ASSERT_EQ(memory.rows[0].size(), start.size());
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(memory.rows[0][i], start[i], 1e-15) << i;
}

/// Watches nothing; with an observer steps are taken one by one.
struct Idle final : Observer {
  Idle() : Observer({"idle", {}}) {}
  void observe(const Stepper&, std::span<double>) override {}
};

/// Many steps in one call of compiled code against one by one: the same rows, statistics and counts, to the bit.
TEST(Run, in_leaps_is_the_run_step_by_step) {
  int leaps = 0;
  for (const char* name : {"quadratic-particle", "chaplygin-sleigh", "chaplygin-sleigh-horizontal", "snakeboard",
                           "rolling-disk", "cart-pendulum", "ball-on-turntable", "mclachlan-perlmutter", "veselova"}) {
    const Model model = load_model(name);
    for (const char* method :
         {"dla", "dla:trapezoidal", "dla:order=4", "dla:order=8", "gni", "gni:order=4", "rk4", "rk4-index0", "del",
          "rdla", "pthdel", "dla:newton-tolerance=1e-6", "dla:order=4:newton-iterations=1"}) {
      const Problem problem = problem_of(model.system, *model.initial, model.step.value_or(0.05));
      std::unique_ptr<Stepper> stepper;
      try {
        stepper = make_stepper(method, problem);
      } catch (const MethodError&) {
        continue;  // not for this system
      }
      Idle idle;
      Memory rows[2];
      RunResult results[2];
      for (const bool one_by_one : {false, true}) {
        stepper = make_stepper(method, problem);
        RunOptions options;
        options.steps = 345;
        options.every = 100;
        options.recorder = &rows[one_by_one];
        if (one_by_one) options.observers = {&idle};
        results[one_by_one] = run(*stepper, problem, options);
      }
      const std::string what = fmt::format("{} {}", name, method);
      const auto& [leaping, stepping] = results;
      EXPECT_EQ(leaping.outcome, stepping.outcome) << what << leaping.failure << stepping.failure;
      EXPECT_EQ(leaping.steps, stepping.steps) << what;
      EXPECT_EQ(rows[0].steps, rows[1].steps) << what;
      EXPECT_EQ(rows[0].rows, rows[1].rows) << what;
      EXPECT_EQ(leaping.node.q, stepping.node.q) << what;
      EXPECT_EQ(leaping.node.v, stepping.node.v) << what;
      EXPECT_EQ(leaping.newton.iterations, stepping.newton.iterations) << what;
      EXPECT_EQ(leaping.newton.max, stepping.newton.max) << what;
      EXPECT_EQ(leaping.newton.solutions, stepping.newton.solutions) << what;
      const RunStatistics& a = leaping.statistics;
      const RunStatistics& b = stepping.statistics;
      EXPECT_EQ(a.final_energy, b.final_energy) << what;
      EXPECT_EQ(a.energy_error.value, b.energy_error.value) << what;
      EXPECT_EQ(a.constraint.value, b.constraint.value) << what;
      for (std::size_t k = 0; k < a.conserved_error.size(); ++k) {
        EXPECT_EQ(a.conserved_error[k].value, b.conserved_error[k].value) << what;
      }
      EXPECT_EQ(a.midpoint_energy, b.midpoint_energy) << what;
      if (leaping.outcome == RunOutcome::finished) {
        EXPECT_EQ(rows[0].checkpoints.back().stepper, rows[1].checkpoints.back().stepper) << what;
      }
      stepper = make_stepper(method, problem);
      if (stepper->watch(make_program(state_and_parameters(model.system), observables(model.system).outputs))) ++leaps;
    }
  }
  EXPECT_GE(leaps, 30);
}

/// What decays for ever becomes smaller than all normal numbers. That is no failure.
TEST(Run, goes_on_where_velocities_underflow) {
  const auto [x, y] = coordinates("x", "y");
  SystemDefinition damped;
  damped.coordinates = {x, y};
  damped.lagrangian = 0.5 * (sq(dot(x)) + 2.0 * sq(dot(y))) + 0.1 * dot(x) * dot(y) * sin(x);
  damped.applied_forces = {-dot(x) - 0.3 * dot(y), -2.0 * dot(y)};
  const Model sleigh = load_model("chaplygin-sleigh-horizontal");
  const Problem damping = problem_of(System(std::move(damped)), {{0.3, 0.2}, {1.0, -0.5}}, 0.5);
  const auto decays = [](const Problem& problem, const char* method, std::int64_t steps) {
    const auto stepper = make_stepper(method, problem);
    RunOptions options;
    options.steps = steps;
    const RunResult result = run(*stepper, problem, options);
    EXPECT_EQ(result.outcome, RunOutcome::finished) << method << ": " << result.failure;
    EXPECT_LT(std::abs(result.node.v.back()), 1e-306) << method;
  };
  for (const char* method : {"rk4", "rk4-index0", "dla", "dla:trapezoidal", "dla:order=4", "gni", "gni:order=4"}) {
    decays(damping, method, 4000);
  }
  decays(problem_of(sleigh.system, *sleigh.initial, 0.01), "rk4", 300000);
}

TEST(Run, statistics_are_those_of_all_nodes) {
  const Problem problem = particle_problem();
  RunOptions options;
  options.steps = 100;
  const auto stepper = make_stepper("rk4", problem);
  const RunResult sparse = run(*stepper, problem, options);
  // By hand from every node.
  const Trajectory all = integrate(problem.system, "rk4", {{1, 0, 0}, {0, 1, 0}, 0.2, 100, 1});
  double energy_error = 0.0;
  double constraint = 0.0;
  for (std::size_t k = 0; k < all.nodes.size(); ++k) {
    const State& s = all.nodes[k];
    const double e = 0.5 * (s.v[0] * s.v[0] + s.v[1] * s.v[1] + s.v[2] * s.v[2]) + s.q[0] * s.q[0] + s.q[1] * s.q[1];
    energy_error = std::max(energy_error, std::abs(e - 1.5) / 1.5);
    constraint = std::max(constraint, std::abs(s.v[2] - s.q[1] * s.v[0]));
  }
  EXPECT_NEAR(sparse.statistics.max_energy_error(), energy_error, 1e-15);
  EXPECT_NEAR(sparse.statistics.constraint.value, constraint, 1e-15);
  EXPECT_GT(constraint, 1e-6) << "the test sees something";
  EXPECT_EQ(all.nodes.size(), 101U);
  EXPECT_EQ(all.result.node.q, all.nodes.back().q);
}

/// A particle that passes x = 0, beyond which a quantity of the model is not defined. The maximum ends there, whether
/// the run leaps, steps, or is resumed.
TEST(Run, says_where_a_conserved_quantity_ceases_to_exist) {
  const Expression x = Expression::symbol("x");
  SystemDefinition definition;
  definition.coordinates = {x};
  definition.lagrangian = 0.5 * sq(dot(x));
  definition.conserved = {{"w", dot(x) * exp(log(x)) / x}, {"v", dot(x)}};
  const Problem problem = problem_of(System(std::move(definition)), {{1.0}, {-1.0}}, 0.03);
  RunOptions options;
  options.steps = 3000;
  Memory memory;
  Idle idle;
  options.recorder = &memory;
  options.checkpoint_interval = 0.0;
  options.every = 1000;
  const auto expect_end = [&](const RunStatistics& s) {
    ASSERT_TRUE(s.conserved_error[0].end);
    EXPECT_EQ(s.conserved_error[0].end->at.step, 34);
    EXPECT_DOUBLE_EQ(s.conserved_error[0].end->at.time, 34 * 0.03);
    EXPECT_LT(s.conserved_error[0].value, 1e-15) << "before";
    EXPECT_TRUE(std::isnan(s.relative_conserved_error(0).everywhere()));
    EXPECT_FALSE(s.conserved_error[1].end);
    EXPECT_EQ(s.relative_conserved_error(1).everywhere(), 0.0);
  };
  for (const char* method : {"dla", "rk4", "reference"}) {
    for (const bool one_by_one : {false, true}) {
      options.observers.clear();
      if (one_by_one) options.observers = {&idle};
      expect_end(run(*make_stepper(method, problem), problem, options).statistics);
    }
    memory.checkpoints.clear();
    run(*make_stepper(method, problem), problem, options);
    for (const std::size_t k : {std::size_t{0}, memory.checkpoints.size() / 2}) {
      const Checkpoint from = memory.checkpoints[k];
      expect_end(run(*make_stepper(method, problem), problem, options, &from).statistics);
    }
  }
}

/// An observer that begins late and ends early.
struct Fleeting final : Observer {
  Fleeting() : Observer({"fleeting", {"fleeting"}}) {}
  void observe(const Stepper&, std::span<double> values) override {
    values[0] = node == 0 || node > 3 ? std::nan("") : static_cast<double>(node);
    ++node;
  }
  std::int64_t first_node() const override { return 1; }
  std::string why_undefined() const override { return "it flew"; }
  std::int64_t node = 0;
};

TEST(Run, knows_what_cannot_be_said_yet_from_what_does_not_exist) {
  const Problem problem = particle_problem();
  for (const auto& [steps, largest] : {std::pair{0, std::nan("")}, {2, 2.0}, {9, 3.0}}) {
    Fleeting fleeting;
    RunOptions options;
    options.steps = steps;
    options.observers = {&fleeting};
    const Largest seen = run(*make_stepper("dla", problem), problem, options).statistics.observed.at(0);
    EXPECT_TRUE(seen.value == largest || std::isnan(largest)) << seen.value;
    ASSERT_EQ(seen.end.has_value(), steps == 9);
    if (!seen.end) continue;
    EXPECT_EQ(seen.end->at.step, 4);
    EXPECT_EQ(seen.end->why, "it flew");
  }
}

/// Energies of 1e-20 and conserved quantities of 1e+15 have the errors of those that are about 1.
TEST(Run, errors_do_not_depend_on_units) {
  const auto [x, y, z] = coordinates("x", "y", "z");
  std::vector<double> errors[2];
  for (const double unit : {1e-20, 1e15}) {
    SystemDefinition definition;
    definition.coordinates = {x, y, z};
    definition.lagrangian = unit * (0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z))) - (sq(x) + sq(y)));
    definition.constraints = {dot(z) - y * dot(x)};
    definition.conserved = {{"oscillation", unit * (0.5 * sq(dot(y)) + sq(y))}};
    const Problem problem = problem_of(System(std::move(definition)), {{1, 0, 0}, {0, 1, 0}}, 0.2);
    RunOptions options;
    options.steps = 50;
    const RunStatistics s = run(*make_stepper("rk4", problem), problem, options).statistics;
    errors[unit > 1.0] = {s.max_energy_error(), s.relative_conserved_error(0).everywhere()};
    EXPECT_NEAR(s.energy_scale, 1.5 * unit, 1e-3 * unit) << "kinetic and potential energy";
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(errors[0][i], 1e-6);
    EXPECT_NEAR(errors[0][i], errors[1][i], 1e-9 * errors[1][i]);
  }
}

TEST(Largest, where_all_terms_vanish_is_all_error_or_none) {
  EXPECT_EQ((Largest{0.0, {}}.relative_to(0.0).value), 0.0);
  EXPECT_EQ((Largest{1e-30, {}}.relative_to(0.0).value), 1.0);
  EXPECT_DOUBLE_EQ((Largest{1e-30, {}}.relative_to(1e-20).value), 1e-10);
}

/// For methods that need a free Lagrangian.
Problem knife_edge_problem() {
  const auto [x, y, phi] = coordinates("x", "y", "phi");
  const System knife_edge{
      {x, y, phi}, 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(phi))), {dot(x) * sin(phi) - dot(y) * cos(phi)}};
  return problem_of(knife_edge, {{0, 0, 0}, {1, 0, 0.7}}, 0.2);
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, resumed_at_any_checkpoint_ends_with_the_same_bits) {
  const Problem problem = GetParam().starts_with("free") ? knife_edge_problem() : particle_problem();
  RunOptions options;
  options.steps = 3000;
  options.every = 7;
  Memory whole;
  whole.steps.reserve(500);
  options.recorder = &whole;
  options.checkpoint_interval = 0.0;  // at every look at the clock
  const auto stepper = make_stepper(GetParam(), problem);
  const RunResult expected = run(*stepper, problem, options);
  ASSERT_GE(whole.checkpoints.size(), 3U);
  for (const std::size_t k : {std::size_t{1}, whole.checkpoints.size() / 2, whole.checkpoints.size() * 3 / 4}) {
    Memory rest;
    options.recorder = &rest;
    const auto again = make_stepper(GetParam(), problem);
    const RunResult result = run(*again, problem, options, &whole.checkpoints[k]);
    EXPECT_EQ(result.node.q, expected.node.q) << "from step " << whole.checkpoints[k].step;
    EXPECT_EQ(result.node.v, expected.node.v);
    EXPECT_EQ(result.statistics.max_energy_error(), expected.statistics.max_energy_error());
    EXPECT_EQ(result.statistics.constraint.value, expected.statistics.constraint.value);
    EXPECT_EQ(result.newton.iterations, expected.newton.iterations);
    // The recorded rows continue where the others stopped.
    ASSERT_LE(rest.rows.size(), whole.rows.size());
    EXPECT_TRUE(std::equal(rest.rows.rbegin(), rest.rows.rend(), whole.rows.rbegin()));
  }
}

INSTANTIATE_TEST_SUITE_P(Run, EveryMethod, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const MethodInfo& m : methods()) {
                             if (m.name != "del") names.push_back(m.name);  // for systems without constraints
                           }
                           names.insert(names.end(),
                                        {"dla:order=6", "dla:start=reference", "gni:newton-tolerance=1e-6"});
                           return names;
                         }()),
                         [](const auto& test_info) {
                           std::string name = test_info.param;
                           for (char& c : name) c = c == '-' || c == ':' || c == '=' ? '_' : c;
                           return name;
                         });

TEST(Run, an_interrupt_finishes_the_step_and_leaves_a_checkpoint) {
  const Problem problem = particle_problem();
  std::atomic<bool> stop = false;
  Memory memory;
  memory.stop = &stop;
  memory.stop_at = 40;
  RunOptions options;
  options.steps = 1000;
  options.recorder = &memory;
  options.interrupt = &stop;
  const auto stepper = make_stepper("rk4", problem);
  const RunResult result = run(*stepper, problem, options);
  EXPECT_EQ(result.outcome, RunOutcome::interrupted);
  EXPECT_EQ(result.steps, 40);
  EXPECT_EQ(memory.checkpoints.back().step, 40);
}

TEST(Run, a_failure_keeps_everything_before_it_and_says_when_and_why) {
  for (const char* method : {"rk4", "reference"}) {
    const Problem problem = problem_of(escaping(), {{1}, {0}}, 0.01);
    Memory memory;
    RunOptions options;
    options.steps = 100000;
    options.recorder = &memory;
    const auto stepper = make_stepper(method, problem);
    const RunResult result = run(*stepper, problem, options);
    EXPECT_EQ(result.outcome, RunOutcome::failed) << method;
    EXPECT_EQ(memory.steps.back(), result.steps);
    EXPECT_NE(result.failure.find("step " + std::to_string(result.steps + 1) + " of 100000, from t = "),
              std::string::npos)
        << result.failure;
    EXPECT_TRUE(std::isfinite(result.node.q[0]));
    for (const auto& row : memory.rows) {
      for (const double x : row) ASSERT_TRUE(std::isfinite(x));
    }
  }
}

TEST(Run, the_reference_ends_where_the_motion_ends) {
  // ½x'² − 1/x² = −1 from rest at x = 1: by hand x² = 1 − 2t², so the motion ends at t = 1/√2.
  const Problem problem = problem_of(falling(), {{1}, {0}}, 0.001);
  RunOptions options;
  options.steps = 100000;
  const auto stepper = make_stepper("reference", problem);
  const RunResult result = run(*stepper, problem, options);
  EXPECT_EQ(result.outcome, RunOutcome::failed);
  EXPECT_NEAR(result.time, std::sqrt(0.5), 2e-3);
  EXPECT_NE(result.failure.find("singularity"), std::string::npos) << result.failure;
}

TEST(Run, progress_is_reported_and_ends_with_the_last_step) {
  const Problem problem = particle_problem();
  std::vector<Progress> seen;
  RunOptions options;
  options.steps = 2000;
  options.progress_interval = 0.0;
  options.progress = [&](const Progress& p) { seen.push_back(p); };
  const auto stepper = make_stepper("rk4", problem);
  run(*stepper, problem, options);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().step, 2000);
  EXPECT_EQ(seen.back().steps, 2000);
}

TEST(Run, impossible_requests_throw) {
  const Problem problem = particle_problem();
  EXPECT_THROW(integrate(problem.system, "rk4", {{1, 0, 0}, {0, 1, 0}, 0.0, 10, 1}), RequestError);
  EXPECT_THROW(integrate(problem.system, "rk4", {{1, 0, 0}, {0, 1, 0}, 0.1, 10, 0}), RequestError);
  EXPECT_THROW(integrate(problem.system, "no-such-method", {{1, 0, 0}, {0, 1, 0}, 0.1, 10, 1}), MethodError);
  const auto stepper = make_stepper("rk4", problem);
  Checkpoint foreign{3, {1.0, 2.0}, {}};
  RunOptions options;
  options.steps = 5;
  EXPECT_THROW(run(*stepper, problem, options, &foreign), std::invalid_argument);
}

TEST(Methods, wrong_names_and_options_are_explained) {
  const auto message = [](const char* name) {
    try {
      MethodSpec{name};
    } catch (const MethodError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("rk5"), "there is no method 'rk5'; did you mean 'rk4'?");
  EXPECT_EQ(message("rk4:order=2"), "the method rk4 has no option 'order'; there is project");
  EXPECT_EQ(message("reference:tolerence=1"),
            "the method reference has no option 'tolerence'; did you mean 'tolerance'?");
  EXPECT_EQ(message("DLA"), "there is no method 'DLA'; did you mean 'dla'?");
  EXPECT_EQ(message("reference:tolerance"), "the option tolerance needs a value: tolerance=...");
  EXPECT_EQ(message("reference:tolerance=2"), "tolerance must be a number between 1e-16 and 0.01, found '2'");
  EXPECT_EQ(message("reference:tolerance=1e-9"), "no error");
  EXPECT_EQ(message("dla:newton-tolerance=-1"), "newton-tolerance must be a number between 0 and 1000000, found '-1'");
  EXPECT_EQ(message("dla:newton-iterations=0"), "newton-iterations must be a positive integer, found '0'");
  EXPECT_EQ(message("dla:newton-iterations=101"), "newton-iterations must be at most 100, found 101");
  EXPECT_EQ(message("ld:newton-iterations=1:newton-tolerance=1e-3"),
            "newton-tolerance and newton-iterations are two ends of an iteration: give one");
  EXPECT_EQ(message("rk4:newton-iterations=1"), "the method rk4 has no option 'newton-iterations'; there is project");
  EXPECT_EQ(message("reference:newton-tolerance=1"),
            "the method reference has no option 'newton-tolerance'; there is tolerance");
}

}  // namespace run_test
}  // namespace rattleback
