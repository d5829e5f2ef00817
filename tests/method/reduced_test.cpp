// Methods on the shape space of Chaplygin systems: the numbers of Fernandez, Bloch & Olver against an independent
// program (tests/geometry/fe_numbers.py), orders, structure, the time of hdel, and zeros of the multiplier.

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "mech/decompositions.hpp"
#include "promises.hpp"
#include "rattleback/flow/convergence.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/method/time_map.hpp"
#include "rattleback/observe/observers.hpp"
#include "tests/geometry/simple_by_construction.hpp"
#include "tests/places.hpp"

namespace rattleback::test {
namespace reduced_test {

const nlohmann::json& fe_numbers() {
  static const nlohmann::json numbers = [] {
    std::ifstream file(test::source_file("tests/geometry/fe_numbers.json"));
    return nlohmann::json::parse(file);
  }();
  return numbers;
}

/// One of the examples of Fernandez, Bloch & Olver, section 5.
struct Example {
  std::string key;
  std::string model;
  std::vector<std::size_t> shape;
  std::size_t fibre;
  double (*slope)(double, double);  ///< ds/dr of the fibre at the midpoint: (shape 1, shape 2)
  std::size_t drives;               ///< which of the shape's increments it belongs to
};

const std::vector<Example> examples{
    {"particle", "free-particle-x", {0, 1}, 2, [](double x, double) { return -x; }, 1},
    {"sinusoidal h=0.05", "sinusoidal-particle", {0, 1}, 2, [](double x, double) { return -std::sin(x); }, 1},
    {"sinusoidal h=0.5", "sinusoidal-particle", {0, 1}, 2, [](double x, double) { return -std::sin(x); }, 1},
    {"knife-edge", "knife-edge-incline", {0, 2}, 1, [](double, double phi) { return std::tan(phi); }, 0},
};

/// The example with a second position, if its start needs one.
Problem problem_for(const Example& e, const nlohmann::json& numbers, const std::string& start) {
  Problem p = problem_of(e.model, fe_numbers().at("examples").at(e.key).at("h").get<double>());
  p.start = {{0, 0, 0}, {1, 0, 1}};
  if (e.key != "knife-edge") p.start.v = {1, 1, 0};
  if (start == "p0") return p;
  const auto r = numbers.at("first_points")[0].get<std::vector<double>>();
  std::vector<double> q(3, 0.0);
  q[e.shape[0]] = r[0], q[e.shape[1]] = r[1];
  q[e.fibre] = e.slope(0.5 * r[0], 0.5 * r[1]) * r[e.drives];  // the discrete constraint
  p.second_position = q;
  return p;
}

class FernandezBlochOlver : public testing::TestWithParam<std::tuple<std::size_t, const char*, const char*>> {};

TEST_P(FernandezBlochOlver, is_reproduced) {
  const auto& [index, method, start] = GetParam();
  const Example& e = examples[index];
  std::string name = method;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto& numbers = fe_numbers().at("examples").at(e.key).at("methods").at(method).at(start);
  // Beyond a zero of the multiplier nothing is meant by the numbers.
  const bool cut = numbers.contains("meaningful") && name != "rdla";
  const auto& expected = cut ? numbers.at("meaningful") : numbers;
  const auto steps = expected.at("steps").get<int>();
  const auto final = expected.at(cut ? "r" : "final").get<std::vector<double>>();
  const auto stepper = make_stepper(name, problem_for(e, numbers, start));
  double midpoint = 0.0;
  const Problem problem = problem_for(e, numbers, start);
  const RunResult result = run(*stepper, problem, [&] {
    RunOptions options;
    options.steps = steps + (cut ? 1 : 0);
    return options;
  }());
  ASSERT_EQ(result.steps, steps) << result.failure;
  if (cut) {
    EXPECT_EQ(result.outcome, RunOutcome::failed);
    EXPECT_NE(result.failure.find("the multiplier N = cos(phi) vanishes within this step"), std::string::npos)
        << result.failure;
  }
  const std::vector<double> r{result.node.q[e.shape[0]], result.node.q[e.shape[1]]};
  EXPECT_LT(distance(r, final), 2e-9 * std::max(1.0, std::abs(final[0])));
  for (const double energy : result.statistics.midpoint_energy) midpoint = std::max(midpoint, std::abs(energy - 1.0));
  const double expected_midpoint = cut ? expected.at("energy_midpoint_max").get<double>()
                                       : expected.at("energy_midpoint").at("max_error").get<double>();
  EXPECT_NEAR(midpoint, expected_midpoint, 1e-6 * expected_midpoint + 1e-11);
}

std::string name_of_case(const testing::TestParamInfo<FernandezBlochOlver::ParamType>& which) {
  const auto& [index, method, start] = which.param;
  return fmt::format("example_{}_{}_{}", index + 1, method, start);
}

/// HDEL has errors at equal τ: its nodes are compared above.
class AtEqualTimes : public FernandezBlochOlver {};

TEST_P(AtEqualTimes, has_the_same_errors) {
  const auto& [index, method, start] = GetParam();
  const Example& e = examples[index];
  const auto& numbers = fe_numbers().at("examples").at(e.key).at("methods").at(method).at(start);
  const bool cut = numbers.contains("meaningful") && std::string(method) != "RDLA";
  const auto& expected = cut ? numbers.at("meaningful") : numbers;
  const Problem problem = problem_for(e, numbers, start);
  ReferenceFlow exact(problem);
  const auto stepper = make_stepper(std::string(method) == "RDLA" ? "rdla" : "pthdel", problem);
  double largest = 0.0;
  for (int k = 1; k <= expected.at("steps").get<int>(); ++k) {
    ASSERT_TRUE(stepper->advance()) << stepper->failure();
    const State there = exact.at(k * problem.step);
    const auto& q = stepper->node().q;
    largest = std::max(largest, std::hypot(q[e.shape[0]] - there.q[e.shape[0]], q[e.shape[1]] - there.q[e.shape[1]]));
  }
  const double rmsd = expected.at("rmsd_max");
  EXPECT_NEAR(largest, rmsd, 1e-6 * rmsd + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Section5, FernandezBlochOlver,
                         testing::Combine(testing::Values(0, 1, 2, 3), testing::Values("RDLA", "HDEL", "PTHDEL"),
                                          testing::Values("q1", "euler", "p0")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Section5, AtEqualTimes,
                         testing::Combine(testing::Values(0, 1, 2, 3), testing::Values("RDLA", "PTHDEL"),
                                          testing::Values("q1", "euler", "p0")),
                         name_of_case);

/// hdel of the particle, h = 0.05, 60 steps: its time, and what it says about it.
struct TimedRun {
  double time = 0.0;
  std::vector<double> errors;  ///< at every node, as far as the method knows
};

TimedRun timed_run(const std::string& method, const std::string& start) {
  const auto& numbers = fe_numbers().at("examples").at("particle").at("methods").at("HDEL").at(start);
  const auto stepper = make_stepper(method, problem_for(examples[0], numbers, start));
  TimedRun result;
  for (int k = 0; k < 60; ++k) {
    EXPECT_TRUE(stepper->advance()) << stepper->failure();
    result.errors.push_back(stepper->remarks().at(1).value);
  }
  result.time = *stepper->time();
  return result;
}

TEST(TimeOfHdel, is_that_of_the_paper) {
  for (const char* start : {"q1", "euler", "p0"}) {
    const auto& expected = fe_numbers().at("examples").at("particle").at("time_map").at(start);
    const TimedRun trapezoidal = timed_run("hdel", start);
    EXPECT_NEAR(trapezoidal.time, expected.at("trapezoidal").at("t_60"), 1e-11);
    EXPECT_NEAR(timed_run("hdel:quadrature=simpson", start).time, expected.at("simpson").at("t_60"), 1e-11);
    EXPECT_NEAR(timed_run("hdel:quadrature=boole", start).time, expected.at("boole").at("t_60"), 1e-11);
    // Proposition 1 with the bounds (60)
    EXPECT_NEAR(trapezoidal.errors[0], expected.at("bound_1"), 1e-15);
    EXPECT_NEAR(trapezoidal.errors[1], expected.at("bound_2"), 1e-15);
    EXPECT_NEAR(trapezoidal.errors[59], expected.at("bound_60"), 1e-12);
  }
  // the digits in the paper, (61)
  const TimedRun q1 = timed_run("hdel", "q1");
  EXPECT_NEAR(q1.errors[0], 1.04e-5, 0.005e-5);
  EXPECT_NEAR(q1.errors[1], 2.09e-5, 0.005e-5);
  EXPECT_NEAR(q1.errors[59], 2.14e-3, 0.005e-3);
}

TEST(TimeOfHdel, error_is_split_between_quadrature_and_nodes) {
  const auto& expected = fe_numbers().at("examples").at("particle").at("time_map");
  for (const char* rule : {"trapezoidal", "simpson", "boole"}) {
    const std::string method = std::string("hdel:quadrature=") + rule;
    const Problem problem =
        problem_for(examples[0], fe_numbers().at("examples").at("particle").at("methods").at("HDEL").at("p0"), "p0");
    const auto stepper = make_stepper(method, problem);
    const auto observer = make_observer("time-error", method, problem);
    std::vector<double> errors(3);
    observer->observe(*stepper, errors);
    for (int k = 0; k < 60; ++k) {
      ASSERT_TRUE(stepper->advance());
      observer->observe(*stepper, errors);
      EXPECT_NEAR(errors[0], errors[1] + errors[2], 5e-6) << "the rule's error of the difference is a thousandth";
    }
    EXPECT_NEAR(errors[0], expected.at("p0").at(rule).at("error"), 1e-10);
    EXPECT_NEAR(errors[1], expected.at("exact_nodes").at(rule).at("error"), 1e-10);
    // The error of the nodes is the same under each rule: what a rule that is nearly exact makes of them.
    const double of_nodes = expected.at("p0").at("boole").at("error").get<double>() -
                            expected.at("exact_nodes").at("boole").at("error").get<double>();
    EXPECT_NEAR(errors[2], of_nodes, 1e-8) << rule;
    // In the middle of a run, as after a resumption, there is no start to follow a reference solution from.
    EXPECT_THROW(make_observer("time-error", method, problem)->observe(*stepper, errors), MethodError);
  }
}

TEST(TimeOfHdel, is_bounded_by_proposition_1_up_to_the_error_of_the_nodes) {
  const Problem problem = problem_of("veselova", 0.02);
  const auto stepper = make_stepper("hdel", problem);
  const auto observer = make_observer("time-error", "hdel", problem);
  std::vector<double> errors(3);
  observer->observe(*stepper, errors);
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(stepper->advance());
    observer->observe(*stepper, errors);
    EXPECT_LE(std::abs(errors[1]), 1.02 * stepper->remarks().at(1).value + 1e-12) << k;
  }
  EXPECT_GT(std::abs(errors[1]), 1e-8);
}

TEST(TimeOfHdel, is_judged_in_a_last_panel_that_is_not_complete) {
  // The knife edge ends at tau = 1, where dt/dtau is infinite. In the last panel of Boole's rule are two intervals if
  // the step is 0.07, one if it is 0.075, and three, of which the last is refused, if it is 0.09. Nearly all of the
  // error is made there.
  for (const double h : {0.07, 0.075, 0.09}) {
    const Problem problem = problem_of("knife-edge-incline", h);
    const auto stepper = make_stepper("hdel:quadrature=boole", problem);
    const auto observer = make_observer("time-error", "hdel:quadrature=boole", problem);
    std::vector<double> errors(3);
    std::vector<double> estimates;
    double quadrature = 0.0;
    observer->observe(*stepper, errors);
    while (stepper->advance()) {
      observer->observe(*stepper, errors);
      if (std::isfinite(errors[1])) quadrature = std::max(quadrature, std::abs(errors[1]));
      estimates.push_back(stepper->remarks().at(1).value);
    }
    const std::size_t complete = estimates.size() / 4 * 4;
    ASSERT_LT(complete, estimates.size());
    EXPECT_GT(estimates.back(), 2.0 * estimates[complete - 1]) << h;
    EXPECT_GT(estimates.back(), quadrature) << h;
  }
}

TEST(Quadrature, has_its_order_on_exact_nodes) {
  // ∫ cosh = sinh, at every node
  for (const auto& [rule, order] :
       {std::pair(Quadrature::trapezoidal, 2), std::pair(Quadrature::simpson, 4), std::pair(Quadrature::boole, 6)}) {
    EXPECT_EQ(quadrature_order(rule), order);
    std::vector<double> end_errors;
    for (const int steps : {24, 48, 96}) {
      const double h = 3.0 / steps;
      std::vector<double> f;
      for (int k = 0; k <= steps; ++k) f.push_back(std::cosh(k * h));
      const auto integral = cumulative_integral(f, h, rule);
      double largest = 0.0;
      for (int k = 0; k <= steps; ++k)
        largest = std::max(largest, std::abs(integral[static_cast<std::size_t>(k)] - std::sinh(k * h)));
      end_errors.push_back(std::abs(integral.back() - std::sinh(3.0)));
      EXPECT_LT(largest, 40.0 * end_errors.back()) << "between the ends of panels";
    }
    EXPECT_NEAR(std::log2(end_errors[0] / end_errors[1]), order, 0.1);
    EXPECT_NEAR(std::log2(end_errors[1] / end_errors[2]), order, 0.1);
  }
  EXPECT_EQ(cumulative_integral(std::vector<double>{1.0}, 0.1, Quadrature::boole), std::vector<double>{0.0});
  // a last panel that is not complete
  const auto cubic = cumulative_integral(std::vector<double>{0, 1, 8, 27}, 1.0, Quadrature::boole);
  EXPECT_NEAR(cubic[3], 81.0 / 4.0, 1e-13);
}

TEST(Rdla, with_general_forces_moves_as_dla) {
  for (const auto& [model, rule] : {std::pair("sinusoidal-particle", "trapezoidal"),
                                    {"sinusoidal-particle", "midpoint"},
                                    {"rolling-disk", "sym=0.25"},
                                    {"two-wheeled-carriage", "midpoint"},
                                    {"rubber-routh-sphere", "trapezoidal"},
                                    {"chaplygin-ball", "midpoint"}}) {
    const Problem problem = problem_of(model, 0.05);
    const auto reduced = make_stepper(std::string("rdla:forces=general:") + rule, problem);
    const auto full = make_stepper(std::string("dla:") + rule, problem);
    take(*reduced, 200);
    take(*full, 200);
    EXPECT_LT(distance(reduced->node().q, full->node().q), 1e-11) << model;
    EXPECT_LT(distance(reduced->node().v, full->node().v), 1e-11) << model;
  }
}

TEST(Rdla, with_averaged_forces_moves_as_dla_only_for_linear_connections) {
  const auto difference = [](const char* model) {
    const Problem problem = problem_of(model, 0.05);
    const auto reduced = make_stepper("rdla", problem);
    const auto full = make_stepper("dla", problem);
    take(*reduced, 200);
    take(*full, 200);
    return std::hypot(reduced->node().q[0] - full->node().q[0], reduced->node().q[1] - full->node().q[1]);
  };
  EXPECT_LT(difference("free-particle-x"), 6e-13);               // Cortés & Martínez, Theorem 5.6
  EXPECT_NEAR(difference("sinusoidal-particle"), 6.3e-4, 1e-4);  // of order h²
}

class ReducedOrder : public testing::TestWithParam<Promise> {};

TEST_P(ReducedOrder, is_the_promised_one) { expect_promised_order(GetParam(), 1.0); }

std::vector<Promise> promises() {
  std::vector<Promise> all;
  for (const char* model : {"harmonic-particle", "sinusoidal-particle", "veselova", "veselova-4d",
                            "rubber-routh-sphere", "rubber-body-on-sphere", "two-wheeled-carriage"}) {
    for (const char* method : {"rdla", "rdla:forces=general", "hdel:resample", "pthdel"})
      all.push_back({model, method, 2});
  }
  for (const char* model : {"harmonic-particle", "veselova"}) {
    for (const char* rule : {":trapezoidal", ":sym=0.25"}) {
      for (const char* method : {"rdla", "hdel:resample", "pthdel"})
        all.push_back({model, std::string(method) + rule, 2});
    }
    for (const char* method : {"rdla", "pthdel"}) {
      all.push_back({model, std::string(method) + ":alpha=0.3", 1});
      all.push_back({model, std::string(method) + ":order=4", 4});
    }
    all.push_back({model, "hdel:resample:quadrature=boole:order=4", 4});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Methods, ReducedOrder, testing::ValuesIn(promises()),
                         [](const auto& p) { return name_of_promise(p, {"4d", "sphere", "carriage", "general"}); });

TEST(Hamiltonized, methods_are_symplectic_in_their_own_momenta_and_rdla_is_not) {
  for (const char* model : {"quadratic-particle", "sinusoidal-particle", "veselova-4d"}) {
    const Problem problem = problem_of(model, 0.1);
    const std::size_t m = problem.system.dimension() - problem.system.constraints().size();
    for (const std::string rule : {"midpoint", "trapezoidal", "alpha=0.3"}) {
      if (m > 2 && rule != "midpoint") continue;  // large expressions: one rule is enough
      EXPECT_LT(symplectic_defect("hdel:" + rule, problem, m), 1e-12) << model;
      EXPECT_LT(symplectic_defect("pthdel:" + rule, problem, m), 1e-12) << model;
    }
    EXPECT_GT(symplectic_defect("rdla", problem, m), 1e-4) << model;
  }
}

TEST(ShapeSpace, methods_keep_constraints_and_are_reversible_under_symmetric_rules) {
  for (const char* model : {"quadratic-particle", "rolling-disk", "rubber-routh-sphere"}) {
    const Problem problem = problem_of(model, 0.05);
    for (const std::string method : {"rdla", "rdla:forces=general", "hdel", "pthdel"}) {
      for (const char* rule : {":midpoint", ":trapezoidal"}) {
        EXPECT_LT(largest_observed("node-constraint", method + rule, problem), 1e-13) << model << method << rule;
        EXPECT_LT(largest_observed("discrete-constraint", method + rule, problem), 1e-12) << model << method << rule;
        EXPECT_LT(largest_observed("reversibility", method + rule, problem), 1e-11) << model << method << rule;
      }
    }
  }
  for (const char* method : {"rdla:alpha=0.3", "hdel:alpha=0.3", "pthdel:alpha=0.3"}) {
    EXPECT_GT(largest_observed("reversibility", method, problem_of("quadratic-particle", 0.05)), 1e-7) << method;
  }
}

TEST(Pthdel, keeps_the_energy_of_its_own_lagrangian) {
  // Fernandez, Bloch & Olver (50): E − E₀ grows like 1/N, N (E − E₀) does not grow.
  const Problem problem = problem_of("free-particle-x", 0.05);
  const auto stepper = make_stepper("pthdel", problem);
  double early = 0.0;
  double largest = 0.0;
  double energy_error = 0.0;
  for (int k = 1; k <= 2000; ++k) {
    ASSERT_TRUE(stepper->advance());
    const auto& [q, v, when] = stepper->node();
    energy_error = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) - 1.0;
    largest = std::max(largest, std::abs(energy_error) / std::sqrt(1.0 + q[0] * q[0]));
    if (k == 200) early = largest;
  }
  EXPECT_EQ(largest, early);
  EXPECT_LT(largest, 1.3e-4);
  EXPECT_GT(std::abs(energy_error), 1e-2);
}

TEST(Multiplier, that_vanishes_at_the_start_is_refused) {
  Problem problem = problem_of("knife-edge-incline");
  problem.start = {{0.0, 0.0, std::acos(0.0)}, {0.0, 1.0, 1.0}};
  for (const char* method : {"hdel", "pthdel"}) {
    try {
      make_stepper(method, problem);
      FAIL() << method;
    } catch (const MethodError& error) {
      EXPECT_NE(std::string(error.what()).find("cannot start here"), std::string::npos) << error.what();
    }
  }
}

TEST(Multiplier, that_vanishes_without_changing_its_sign_ends_the_method) {
  // With the fibre z, N = y²/√(1 + y⁴), written 1/√(1/y⁴ + 1).
  const auto [x, y, z] = coordinates("x", "y", "z");
  SystemDefinition d;
  d.coordinates = {x, y, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z)));
  d.constraints = {sq(y) * dot(z) - dot(x)};
  d.symmetries = {{"translation of z", {Expression(0.0), Expression(0.0), Expression(1.0)}}};
  const System system(d);
  for (const char* method : {"hdel", "pthdel", "hdel:trapezoidal", "pthdel:trapezoidal"}) {
    for (const double h : {0.03, 0.05, 0.07, 0.13}) {
      const Problem problem{system, {}, {{0.0, -1.0, 0.0}, {1.0, 1.0, 1.0}}, h};
      const auto stepper = make_stepper(method, problem);
      int steps = 0;
      while (steps < 200 && stepper->advance()) {
        ++steps;
        EXPECT_LT(stepper->node().q[1], 0.0) << method << " " << h;
      }
      EXPECT_LT(steps, 200) << method << " " << h;
    }
  }
}

TEST(Rdla, tells_where_the_fibre_could_not_be_solved_for) {
  const Problem problem = problem_of("knife-edge-incline");
  const auto stepper = make_stepper("rdla", problem);
  take(*stepper, 20);
  EXPECT_TRUE(stepper->remarks().empty());
  take(*stepper, 80);
  ASSERT_EQ(stepper->remarks().size(), 2u);
  EXPECT_EQ(stepper->remarks()[0].value, 2.0);
  EXPECT_LT(stepper->remarks()[1].value, 5e-3) << "of the energy, at the nodes beside the zeros";
  const auto again = make_stepper("rdla", problem);
  again->restore(stepper->save());
  EXPECT_EQ(again->remarks().at(0).value, 2.0);
  EXPECT_EQ(again->remarks().at(1).value, stepper->remarks()[1].value);
}

TEST(Multiplier, may_be_negative_where_it_is_written_down) {
  // cos(phi) < 0 at the start: time must run forward all the same.
  Problem problem = problem_of("knife-edge-incline", 0.01);
  problem.start = {{0.0, 0.0, 2.5}, {std::cos(2.5), std::sin(2.5), 0.5}};
  const State exact = ReferenceFlow(problem).at(0.5);
  for (const char* method : {"pthdel", "hdel:resample"}) {
    const auto stepper = make_stepper(method, problem);
    take(*stepper, 50);
    EXPECT_LT(distance(stepper->node().q, exact.q), 1e-4) << method;
  }
}

TEST(Multiplier, by_line_integral_serves_the_methods) {
  const Problem problem{simple_by_construction(phi_without_closed_form()), {}, {{0.5, 0.2}, {0.3, 0.6}}, 0.05};
  const State reference = ReferenceFlow(problem).at(2.0);
  for (const char* method : {"pthdel", "hdel:resample"}) {
    const Convergence c = measure_convergence(method, problem, 2.0, {20, 40, 80, 160}, reference, nullptr, {});
    ASSERT_TRUE(c.measured_order) << method;
    EXPECT_NEAR(*c.measured_order, 2.0, 0.1) << method;
  }
}

TEST(TauStepper, continues_from_inside_a_panel_to_the_same_bits) {
  for (const char* method : {"hdel", "hdel:quadrature=boole", "hdel:quadrature=simpson:order=4", "hdel:resample"}) {
    const Problem problem = problem_of("veselova", 0.05);
    const auto whole = make_stepper(method, problem);
    take(*whole, 7);
    const std::vector<double> saved = whole->save();
    take(*whole, 13);
    const auto resumed = make_stepper(method, problem);
    resumed->restore(saved);
    take(*resumed, 13);
    EXPECT_EQ(resumed->node().q, whole->node().q) << method;
    EXPECT_EQ(resumed->node().v, whole->node().v) << method;
    EXPECT_EQ(resumed->time(), whole->time()) << method;
    EXPECT_EQ(resumed->newton().iterations, whole->newton().iterations) << method;
    EXPECT_THROW(resumed->restore(std::vector<double>(3)), std::invalid_argument);
  }
}

TEST(HighPowersOfCosines, do_not_end_the_iteration_too_early) {
  // The metric of the altered Lagrangian has terms of degree 8 in sines and cosines of angles near π/2: a floor for the
  // residual that multiplies the errors of factors accepts the guess.
  const Problem problem = problem_of("veselova-4d", 0.02);
  const auto stepper = make_stepper("pthdel", problem);
  take(*stepper, 50);
  EXPECT_GT(stepper->newton().mean(), 1.5);
  EXPECT_LT(distance(stepper->node().q, ReferenceFlow(problem).at(1.0).q), 1e-4);
}

TEST(IdleUnknowns, in_the_slopes_of_equations_do_no_harm) {
  // l_y + F_y contains x although it does not depend on it, and so does its derivative with respect to y.
  const auto stepper = make_stepper("rdla", problem_of("quadratic-particle", 0.1));
  take(*stepper, 10);
}

// The first increments are those of accelerations: nothing that was remembered tells how large they are.
TEST(ShapeSpace, methods_start_at_rest) {
  Problem problem = problem_of("quadratic-particle", 0.05);
  problem.start = {{1, 0.3, 0}, {0, 0, 0}};
  const State exact = ReferenceFlow(problem).at(2.0);
  for (const char* method : {"rdla", "pthdel", "conformal", "pthdel:order=4"}) {
    const auto stepper = make_stepper(method, problem);
    take(*stepper, 40);
    EXPECT_LT(distance(stepper->node().q, exact.q), 5e-3) << method;
  }
}

}  // namespace reduced_test
}  // namespace rattleback::test
