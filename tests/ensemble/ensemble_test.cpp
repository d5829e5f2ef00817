#include "rattleback/ensemble/ensemble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <numbers>

#include "rattleback/ensemble/ensemble_file.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/method/whole_step.hpp"
#include "rattleback/model/model.hpp"
#include "tests/case_name.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback {
namespace ensemble_test {

Ensemble ensemble_of(const Model& model, const std::string& method, double step, std::int64_t steps) {
  Ensemble e{model.system, {method}, *model.initial, step};
  e.steps = steps;
  return e;
}

/// Particles from a box, on the constraint.
Ensemble particles(const std::string& method, std::int64_t count) {
  Ensemble e = ensemble_of(load_model("quadratic-particle"), method, 0.1, 200);
  e.axes = {uniform_axis({"x", "y"}, {-1, -1}, {1, 1}, count, {3, 0})};
  e.formulas = {{"z'", parse("y*x'")}};
  return e;
}

void append(std::vector<double>& numbers, const NodeRow& row) {
  numbers.push_back(row.time);
  for (const auto* list : {&row.q, &row.v, &row.p}) numbers.insert(numbers.end(), list->begin(), list->end());
  numbers.push_back(row.energy);
}

/// Everything of a result, to compare it bit by bit.
std::vector<std::uint64_t> bits(const MemberResult& r) {
  std::vector<double> numbers = r.varied;
  numbers.push_back(static_cast<double>(r.steps));
  append(numbers, r.last);
  for (const NodeRow& row : r.nodes) append(numbers, row);
  for (const Extremes& x : r.statistics) numbers.insert(numbers.end(), {x.least, x.largest, x.mean});
  for (const auto& section : r.crossings) {
    numbers.push_back(static_cast<double>(section.size()));
    for (const Crossing& c : section) append(numbers, c.node);
  }
  std::vector<std::uint64_t> all;
  for (const double x : numbers) all.push_back(std::bit_cast<std::uint64_t>(x));
  for (const char c : r.failure) all.push_back(static_cast<unsigned char>(c));
  return all;
}

void expect_same_for_all_lanes_and_threads(const Ensemble& e) {
  EnsembleOptions options;
  options.lanes = 1;
  options.threads = 1;
  const auto expected = run_in_memory(e, options);
  for (const int lanes : {1, 4, 8, 16}) {
    for (const int threads : {1, 2}) {
      options.lanes = lanes;
      options.threads = threads;
      const auto found = run_in_memory(e, options);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_EQ(bits(found[k]), bits(expected[k]))
            << "member " << k << ", " << lanes << " lanes, " << threads << " threads";
      }
    }
  }
}

TEST(Members, are_all_combinations_the_last_axis_fastest) {
  Ensemble e = ensemble_of(load_model("quadratic-particle"), "dla:midpoint", 0.1, 10);
  e.methods = {"dla:midpoint", "rk4"};
  e.axes = {list_axis({"x"}, {{1}, {2}, {3}}), list_axis({"y", "step"}, {{5, 0.1}, {6, 0.2}})};
  e.steps.reset();
  e.time = 1.0;
  const Members members(e);
  EXPECT_EQ(members.count(), 12);
  EXPECT_EQ(members.total_steps(), 6 * 10 + 6 * 5);
  EXPECT_EQ(members.varied(), (std::vector<std::string>{"x", "y", "step"}));
  EXPECT_EQ(members.at(0).varied, (std::vector<double>{1, 5, 0.1}));
  EXPECT_EQ(members.at(1).varied, (std::vector<double>{1, 6, 0.2}));
  EXPECT_EQ(members.at(2).varied, (std::vector<double>{2, 5, 0.1}));
  EXPECT_EQ(members.at(1).steps, 5);
  EXPECT_EQ(members.at(5).method, 0U);
  EXPECT_EQ(members.at(6).method, 1U);
  EXPECT_EQ(members.at(7).start.q[1], 6.0);
}

/// Balls from different heights on a moving table; some are stopped.
Ensemble balls(const std::string& method, std::int64_t count) {
  Model model = load_model("bouncing-ball");
  std::vector<Event> events = model.system.events();
  events.push_back({"high", parse("z - 1.5"), Event::Direction::rising, Event::Action::stop});
  model.system = model.system.with_events(std::move(events));
  Ensemble e = ensemble_of(model, method, 0.02, 100);
  e.axes = {line_axis({"z", "e"}, {0.5, 0.8}, {2.0, 1.1}, count)};
  e.times = {0.5, 1.1, 1.9};
  e.statistics = {{"z", parse("z")}};
  e.sections = {{"top", parse("z'"), Section::Direction::down}};
  return e;
}

TEST(Ensemble, with_events_has_the_same_bits_for_all_lanes_and_threads) {
  for (const char* method : {"dla", "gni:order=4", "rk4"}) expect_same_for_all_lanes_and_threads(balls(method, 19));
}

TEST(Ensemble, with_events_has_the_impacts_of_single_runs) {
  // dla and the reference are exact for a fall: their impacts are the same. The reference runs one at a time.
  const auto in_lanes = run_in_memory(balls("dla", 7));
  const auto one_by_one = run_in_memory(balls("reference", 7));
  std::size_t impacts = 0, stopped = 0;
  for (std::size_t k = 0; k < in_lanes.size(); ++k) {
    EXPECT_EQ(in_lanes[k].failure, "") << in_lanes[k].failure;
    EXPECT_EQ(in_lanes[k].steps, one_by_one[k].steps);
    EXPECT_NEAR(in_lanes[k].last.time, one_by_one[k].last.time, 1e-12);
    EXPECT_NEAR(in_lanes[k].last.q[0], one_by_one[k].last.q[0], 1e-11);
    for (std::size_t c = 0; c < 3; ++c) {  // tops, bounces, those that are high
      ASSERT_EQ(in_lanes[k].crossings[c].size(), one_by_one[k].crossings[c].size()) << k << ' ' << c;
      for (std::size_t i = 0; i < in_lanes[k].crossings[c].size(); ++i) {
        const double t = one_by_one[k].crossings[c][i].node.time;
        EXPECT_NEAR(in_lanes[k].crossings[c][i].node.time, t, 1e-12 * t);  // impacts enlarge errors
      }
    }
    impacts += in_lanes[k].crossings[1].size();
    stopped += in_lanes[k].crossings[2].size();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(std::isnan(in_lanes[k].nodes[i].time), std::isnan(one_by_one[k].nodes[i].time));
    }
  }
  EXPECT_GT(impacts, 10U);
  EXPECT_GT(stopped, 0U);
  EXPECT_LT(stopped, 7U);
}

TEST(Members, start_from_formulas_that_use_each_other) {
  Ensemble e = ensemble_of(load_model("quadratic-particle"), "dla:midpoint", 0.1, 10);
  e.axes = {list_axis({"E", "y"}, {{3.0, 2.0}})};
  e.formulas = {{"z'", parse("y*x'")}, {"x'", parse("sqrt(speed)")}, {"speed", parse("2*(E - x)")}, {"x", parse("1")}};
  const Member member = Members(e).at(0);
  EXPECT_EQ(member.start.q, (std::vector<double>{1, 2, 0}));
  EXPECT_EQ(member.start.v, (std::vector<double>{2, 1, 4}));
}

TEST(Members, that_cannot_be_are_refused) {
  const auto refused = [](auto&& change) {
    Ensemble e = particles("dla:midpoint", 3);
    change(e);
    try {
      const Members members(e);
    } catch (const EnsembleError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto mentions = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(refused([](Ensemble&) {}), "");
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.axes.push_back(list_axis({"x"}, {{1}})); }), "'x' is varied twice"));
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.axes.push_back(list_axis({"vx"}, {{1}})); }), "'vx'"));
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.formulas.push_back({"q", parse("x")}); }), "'q'"));
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.formulas.push_back({"y'", parse("zz")}); }), "'zz'"));
  EXPECT_EQ(refused([](Ensemble& e) { e.formulas.push_back({"y'", parse("2*z'")}); }), "");
  EXPECT_TRUE(mentions(refused([](Ensemble& e) {
                         e.formulas.push_back({"x'", parse("y'")});
                         e.formulas.push_back({"y'", parse("z'")});
                       }),
                       "leads back to itself"));
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.formulas.push_back({"w", parse("x")}); }), "'w'"));
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.time = 1.0; }), "one of both"));
  EXPECT_TRUE(mentions(refused([](Ensemble& e) { e.step = -1.0; }), "positive"));
  EXPECT_TRUE(mentions(
      refused([](Ensemble& e) { e.axes = {uniform_axis({"x"}, {0}, {1}, std::int64_t{1} << 60, {})}; }), "too many"));
}

/// All that can be kept at once.
Ensemble rich(Ensemble e) {
  e.times = {0.0, 3.14, 10.0};
  e.statistics = {{"energy", parse("energy")}, {"p", parse("p_" + e.system.coordinates()[0].name())}};
  e.sections = {{"first", parse(e.system.coordinates()[0].name())},
                {"second", parse(e.system.coordinates()[1].name()), Section::Direction::up, 2}};
  return e;
}

class EachMethod : public testing::TestWithParam<const char*> {};
TEST_P(EachMethod, has_the_same_bits_for_any_lanes_and_threads) {
  expect_same_for_all_lanes_and_threads(rich(particles(GetParam(), 21)));
  expect_same_for_all_lanes_and_threads(particles(GetParam(), 21));
}
INSTANTIATE_TEST_SUITE_P(Ensembles, EachMethod,
                         testing::Values("dla:midpoint", "dla:order=4", "gni:midpoint", "rk4", "dla:alpha=0.3", "rdla"),
                         [](const auto& p) { return test::case_name(p.param); });

TEST(Lanes, of_different_lengths_parameters_and_steps_have_the_same_bits) {
  Ensemble e = ensemble_of(load_model("chaplygin-sleigh"), "dla:midpoint", 0.1, 1);
  e.methods = {"dla:midpoint", "dla:order=4", "dla:newton-tolerance=1e-5", "dla:newton-iterations=1"};
  e.steps.reset();
  e.time = 10.5;
  e.axes = {list_axis({"step"}, {{0.05}, {0.1}, {0.35}}), line_axis({"a"}, {0.1}, {1.0}, 5),
            uniform_axis({"theta"}, {-3}, {3}, 3, {1, 2})};
  expect_same_for_all_lanes_and_threads(rich(e));
  expect_same_for_all_lanes_and_threads(e);
}

// The lanes start a little apart from `run` (their compiled start rounds differently), and their pivots are chosen
// elsewhere; the motion is the same.
TEST(Lanes, do_what_a_single_run_does) {
  for (const char* method : {"dla:midpoint", "dla:order=6", "gni:midpoint", "rk4"}) {
    const Ensemble e = rich(particles(method, 5));
    const auto results = run_in_memory(e);
    const Members members(e);
    for (std::int64_t k = 0; k < 5; ++k) {
      const MemberResult& r = results[static_cast<std::size_t>(k)];
      const Member member = members.at(k);
      const Trajectory alone = integrate(e.system, method, {member.start.q, member.start.v, member.step, r.steps, 1});
      double least = 1e300;
      double largest = -1e300;
      for (const double energy : alone.energy) least = std::min(least, energy), largest = std::max(largest, energy);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(r.last.q[i], alone.nodes.back().q[i], 1e-11) << method;
        EXPECT_NEAR(r.last.v[i], alone.nodes.back().v[i], 1e-11) << method;
        if (r.steps >= 31) {
          EXPECT_NEAR(r.nodes[1].q[i], alone.nodes[31].q[i], 1e-11) << method;
        }
      }
      EXPECT_NEAR(r.statistics[0].least, least, 1e-12);
      EXPECT_NEAR(r.statistics[0].largest, largest, 1e-12);
    }
  }
}

/// Particles on a constraint that moves, from different places at different times.
Ensemble driven_particles(const std::string& method) {
  const Model model = read_model(R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "0.5*(x'^2 + y'^2 + z'^2) - 0.5*(1 + 0.5*cos(3*t))*(x^2 + y^2)"
constraints = ["z' - (1 + 0.3*sin(t))*y*x' - 0.2*cos(2*t)"]
[initial]
q = [1, 0.5, 0]
v = [0.3, 1, 0.35]
)toml",
                                 "driven");
  Ensemble e = ensemble_of(model, method, 0.1, 120);
  e.axes = {uniform_axis({"x", "y"}, {-1, -1}, {1, 1}, 7, {3, 0}), list_axis({"t"}, {{0.0}, {0.3}, {-2.5}})};
  e.formulas = {{"z'", parse("(1 + 0.3*sin(t))*y*x' + 0.2*cos(2*t)")}};
  return e;
}

TEST(Lanes, of_driven_systems_have_times_of_their_own) {
  for (const char* method : {"dla:midpoint", "dla:order=4", "gni:midpoint", "rk4"}) {
    expect_same_for_all_lanes_and_threads(rich(driven_particles(method)));
    expect_same_for_all_lanes_and_threads(driven_particles(method));
    Ensemble e = driven_particles(method);
    e.sections = {{"y", parse("y"), Section::Direction::both}, {"late", parse("t - 3"), Section::Direction::both}};
    const Members members(e);
    for (const MemberResult& r : run_in_memory(e)) {
      ASSERT_EQ(r.failure, "");
      const Member member = members.at(r.member);
      IntegrateOptions options{member.start.q, member.start.v, member.step, r.steps, 1};
      options.t = member.start.t;
      const Trajectory alone = integrate(e.system, method, options);
      EXPECT_NEAR(r.last.time, member.start.t + 12.0, 1e-13);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(r.last.q[i], alone.nodes.back().q[i], 1e-11) << method;
      EXPECT_NEAR(r.last.energy, alone.energy.back(), 1e-11) << method;
      for (const Crossing& c : r.crossings[0]) EXPECT_LT(std::abs(c.node.q[1]), 1e-14) << method;
      ASSERT_EQ(r.crossings[1].size(), 1U);
      EXPECT_NEAR(r.crossings[1][0].node.time, 3.0, 1e-14);
    }
  }
}

/// Beads on a wire with friction by the force of the wire: fast ones, and slow ones, which the wire holds from the
/// other side near the top.
TEST(Lanes, of_forces_with_multipliers_have_the_same_bits) {
  const Model model = read_model(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - y"
holonomic = [{ wire = "x^2 + y^2 - 1" }]
[parameters]
mu = 0.2
[forces]
x = "-2*mu*abs(wire)*x'/sqrt(x'^2 + y'^2)"
y = "-2*mu*abs(wire)*y'/sqrt(x'^2 + y'^2)"
[initial]
q = [0, -1]
v = [3, 0]
)toml",
                                 "bead");
  for (const char* method : {"dla", "gni:order=4", "rk4"}) {
    Ensemble e = ensemble_of(model, method, 0.02, 80);
    e.axes = {line_axis({"x'", "mu"}, {2.5, 0.05}, {4.0, 0.3}, 19)};
    expect_same_for_all_lanes_and_threads(e);
  }
}

TEST(Lanes, tell_which_trajectories_cannot_start_and_run_the_others) {
  Ensemble e = ensemble_of(load_model("quadratic-particle"), "dla:midpoint", 0.1, 50);
  e.axes = {line_axis({"y"}, {0.0}, {2.0}, 9), list_axis({"s"}, {{1.0}, {-1.0}})};
  e.formulas = {{"x'", parse("1")}, {"z'", parse("y*sqrt(s)*1")}};
  for (const char* method : {"dla:midpoint", "reference"}) {
    e.methods = {method};
    const auto results = run_in_memory(e);
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (k % 2 == 0) {
        EXPECT_EQ(results[k].failure, "");
        EXPECT_EQ(results[k].steps, 50);
      } else {
        EXPECT_NE(results[k].failure.find("z' is"), std::string::npos) << results[k].failure;
        EXPECT_TRUE(std::isnan(results[k].last.q[0]));
      }
    }
  }
  e.formulas = {{"x'", parse("1")}, {"z'", parse("y*s")}};  // against the constraint where s = -1 and y is not 0
  const auto results = run_in_memory(e);
  EXPECT_EQ(results[0].failure, "");
  EXPECT_EQ(results[1].failure, "");
  EXPECT_NE(results[3].failure.find("constraint 1"), std::string::npos) << results[3].failure;
  e.project = true;
  for (const MemberResult& r : run_in_memory(e)) EXPECT_EQ(r.failure, "");
}

// A hill that ends at x = 1, where fast particles arrive.
TEST(Lanes, end_where_the_motion_leaves_the_domain) {
  const auto [x, y] = coordinates("x", "y");
  const System system({x, y}, 0.5 * (sq(dot(x)) + sq(dot(y))) + 2 * sqrt(1 - x), {});
  Ensemble e{system, {"del:midpoint"}, {{0.0, 0.0}, {0.0, 1.0}}, 0.1};
  e.steps = 100;
  e.axes = {line_axis({"x'"}, {-1.0}, {3.0}, 13)};
  e.statistics = {{"x", x}};
  const auto results = run_in_memory(e);
  EXPECT_EQ(results.front().failure, "");
  EXPECT_NE(results.back().failure, "");
  EXPECT_LT(results.back().steps, 100);
  EXPECT_GT(results.back().steps, 0);
  EXPECT_EQ(results.back().last.q[0], results.back().statistics[0].largest);
  expect_same_for_all_lanes_and_threads(e);
}

// The midpoint rule meets the singularity at x = 1 nowhere and arrives where the energy has a logarithm of a negative
// number.
TEST(Lanes, do_not_hide_an_energy_that_is_not_defined) {
  const auto [x, y] = coordinates("x", "y");
  const System system({x, y}, 0.5 * (sq(dot(x)) + sq(dot(y))) - log(1 - x), {});
  for (const char* method : {"del:midpoint", "rk4"}) {
    Ensemble e{system, {method}, {{0.0, 0.0}, {3.0, 1.0}}, 0.1};
    e.steps = 100;
    const auto results = run_in_memory(e);
    EXPECT_NE(results[0].failure, "") << method;
  }
}

// Each of them ends before its first step.
TEST(Lanes, survive_any_number_of_starts_without_an_energy) {
  const auto [x, y] = coordinates("x", "y");
  const System system({x, y}, 0.5 * (sq(dot(x)) + sq(dot(y))) - log(x), {});
  Ensemble e{system, {"rk4"}, {{1.0, 0.0}, {0.0, 1.0}}, 0.01};
  e.steps = 3;
  e.times = {0.0, 0.01};
  e.axes = {line_axis({"x"}, {-2.0}, {0.5}, 50001)};
  const auto results = run_in_memory(e);
  EXPECT_NE(results[40000].failure, "");
  EXPECT_EQ(results[40000].steps, 0);
  EXPECT_EQ(results.back().failure, "");
}

TEST(Lanes, run_though_the_first_members_cannot_start) {
  const auto [x, y] = coordinates("x", "y");
  const System system({x, y}, 0.5 * (sq(dot(x)) / x + sq(dot(y))) - x, {});
  Ensemble e{system, {"dla:midpoint"}, {{1.0, 0.0}, {0.0, 1.0}}, 0.01};
  e.steps = 10;
  e.axes = {list_axis({"x"}, {{0.0}, {0.5}, {1.0}})};
  const auto results = run_in_memory(e);
  EXPECT_NE(results[0].failure, "");
  EXPECT_EQ(results[1].failure, "");
  EXPECT_EQ(results[2].steps, 10);
}

TEST(Sections, of_functions_that_are_not_defined_everywhere_harm_nobody) {
  for (const char* method : {"rk4", "dla:midpoint", "rdla"}) {
    Ensemble e = particles(method, 12);
    e.sections = {{"pole", parse("x/sqrt(x^2 - 0.01)")}, {"x", parse("x")}};
    const auto results = run_in_memory(e);
    std::size_t crossings = 0;
    for (const MemberResult& r : results) {
      EXPECT_EQ(r.failure, "") << method;
      crossings += r.crossings[1].size();
    }
    EXPECT_GT(crossings, 10U);
  }
}

TEST(Sections, are_crossed_where_the_function_vanishes) {
  for (const char* method : {"dla:midpoint", "dla:order=4", "rk4", "rdla", "reference"}) {
    Ensemble e = particles(method, 8);
    e.sections = {{"s", parse("x - 0.2*y - 0.01"), Section::Direction::both}};
    for (const MemberResult& r : run_in_memory(e)) {
      double last = -1.0;
      for (const Crossing& c : r.crossings[0]) {
        EXPECT_LT(std::abs(c.node.q[0] - 0.2 * c.node.q[1] - 0.01), 2e-15) << method;
        EXPECT_GT(c.node.time, last);
        last = c.node.time;
      }
      EXPECT_GT(r.crossings[0].size(), 3U);
      for (std::size_t k = 1; k < r.crossings[0].size(); ++k) EXPECT_NE(r.crossings[0][k].up, r.crossings[0][k - 1].up);
    }
  }
}

// Under the midpoint rule y is a rotation by φ = 2 atan(ω h/2) in each step, ω² = 2: also in a step of θh, so that the
// interpolant leaves the circle of the continuous motion with the frequency 2 atan(ω θ h/2)/(θ h).
TEST(Sections, of_the_midpoint_rule_are_where_its_own_step_says) {
  Ensemble e = ensemble_of(load_model("quadratic-particle"), "dla:midpoint", 0.3, 40);
  e.start = {{0.4, 0.7, 0.0}, {0.2, -0.3, -0.21 * 0.0 + 0.7 * 0.2}};
  e.sections = {{"y", parse("y")}};
  const auto results = run_in_memory(e);
  const long double omega = std::sqrt(2.0L);
  const long double h = 0.3L;
  // (ω y, y') turns by −φ; y vanishes when the angle of (y', ω y) has fallen to a multiple of π.
  const long double angle = std::atan2(omega * 0.7L, -0.3L);
  const long double phi = 2 * std::atan(omega * h / 2);
  std::size_t found = 0;
  for (int k = 0; found < results[0].crossings[0].size(); ++k) {
    // Angles grow: the motion is y ~ sin(angle + ω t).
    const long double before = angle + k * phi;
    const long double next = std::ceil(before / std::numbers::pi_v<long double>) * std::numbers::pi_v<long double>;
    if (next >= before + phi) continue;
    const long double theta = 2 * std::tan((next - before) / 2) / (omega * h);
    const long double expected = (static_cast<long double>(k) + theta) * h;
    EXPECT_NEAR(results[0].crossings[0][found].node.time, static_cast<double>(expected), 4e-15 * 12) << found;
    ++found;
  }
  EXPECT_GE(found, 5U);
}

TEST(Sections, end_a_trajectory_that_has_enough_of_them) {
  Ensemble e = particles("dla:midpoint", 30);
  e.sections = {{"up", parse("y"), Section::Direction::up, 3}};
  for (const MemberResult& r : run_in_memory(e)) {
    EXPECT_LE(r.crossings[0].size(), 3U);
    EXPECT_TRUE(r.crossings[0].size() == 3U || r.steps == 200);
    for (const Crossing& c : r.crossings[0]) EXPECT_TRUE(c.up);
    if (r.crossings[0].size() == 3U) {
      EXPECT_LE(r.last.time - r.crossings[0].back().node.time, 0.1 + 1e-12);
    }
  }
}

TEST(Observers, run_one_trajectory_at_a_time) {
  Ensemble e = particles("dla:midpoint", 4);
  e.observers = {"midpoint-energy"};
  e.statistics = {{"energy", parse("energy")}};
  const auto results = run_in_memory(e);
  for (const MemberResult& r : results) {
    ASSERT_EQ(r.statistics.size(), 2U);
    EXPECT_GT(r.statistics[1].largest, 0.0);
    EXPECT_LE(r.statistics[1].least, r.statistics[1].mean);
    EXPECT_LT(r.statistics[0].largest - r.statistics[0].least, 0.1);
  }
  EXPECT_EQ(observed_labels(e, Members(e)), (std::vector<std::string>{"midpoint_energy"}));
}

TEST(Ensembles, stop_when_they_are_told) {
  Ensemble e = particles("dla:midpoint", 100);
  e.steps = 1000000000;
  std::atomic<bool> stop = false;
  EnsembleOptions options;
  options.threads = 2;
  options.interrupt = &stop;
  options.progress = [&](const EnsembleProgress& p) { stop = stop || p.taken > 0.0; };
  struct Nobody : EnsembleSink {
    void record(const MemberResult&) override { ++count; }
    int count = 0;
  } sink;
  const EnsembleSummary summary = run(e, options, sink);
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(sink.count, 0);
}

// A result must not wait in memory for the next one, which may come hours later.
TEST(Ensembles, flush_results_while_others_run) {
  Ensemble e = particles("dla:midpoint", 1);
  e.steps.reset();
  e.time = 1e9;
  e.axes.push_back(list_axis({"step"}, {{1e8}, {1e-3}}));
  struct Sink : EnsembleSink {
    void record(const MemberResult&) override { ++recorded; }
    void flush() override {
      flushed = recorded;
      stop = stop || flushed > 0;
    }
    int recorded = 0;
    int flushed = 0;
    std::atomic<bool> stop = false;
  } sink;
  EnsembleOptions options;
  options.threads = 1;
  options.interrupt = &sink.stop;
  EXPECT_TRUE(run(e, options, sink).interrupted);
  EXPECT_EQ(sink.flushed, 1);
}

/// Throws in one of its functions, after the first call.
class Broken : public EnsembleSink {
 public:
  explicit Broken(bool in_record) : in_record_(in_record) {}
  void record(const MemberResult&) override {
    if (in_record_) throw FileError("no space for records");
  }
  void flush() override {
    if (!in_record_) throw FileError("no space at all");
  }

 private:
  bool in_record_;
};

// Whoever fails, nobody waits for ever: not the threads for members, nor the one that hands them out for the threads.
TEST(Ensembles, end_when_a_thread_fails) {
  Ensemble e = particles("dla:midpoint", 2000);
  e.steps = 2000;
  for (const int threads : {1, 2, 3}) {
    EnsembleOptions options;
    options.threads = threads;
    for (const bool in_record : {true, false}) {
      Broken sink(in_record);
      EXPECT_THROW(run(e, options, sink), FileError) << threads << " threads";
    }
    options.progress = [](const EnsembleProgress&) { throw RequestError("nobody wants to know"); };
    Broken sink(false);
    EXPECT_THROW(run(e, options, sink), Error) << threads << " threads";
  }
}

/// An oscillator so fast that a step of the reference takes a minute.
TEST(Ensembles, stop_in_the_middle_of_a_step) {
  const Expression x = Expression::symbol("x");
  Ensemble e{System({x}, 0.5 * sq(dot(x)) - 0.5e16 * sq(x)), {"reference"}, {{1.0}, {0.0}}, 2.0};
  e.steps = 3;
  e.axes = {list_axis({"x"}, {{1.0}, {2.0}})};
  std::atomic<bool> stop = false;
  EnsembleOptions options;
  options.threads = 1;
  options.interrupt = &stop;
  options.progress = [&](const EnsembleProgress& p) { stop = stop || p.seconds > 0.5; };
  Broken sink(true);
  const EnsembleSummary summary = run(e, options, sink);
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.progress.members, 0);
  EXPECT_LT(summary.seconds, 10.0);
}

// The same by lanes and one at a time: -0.5 is reached after half a second.
TEST(Ensembles, tell_where_quantities_end_to_be_defined) {
  const Expression x = Expression::symbol("x");
  Ensemble e{System({x}, 0.5 * sq(dot(x))), {"dla"}, {{0.0}, {-1.0}}, 0.125};
  e.steps = 8;
  e.axes = {list_axis({"x"}, {{0.0}, {2.0}, {-0.75}})};
  e.statistics = {{"x", parse("x")}, {"root", parse("sqrt(x + 0.5)")}};
  e.sections = {{"s", parse("log(x + 0.5)")}};
  for (const bool one_at_a_time : {false, true}) {
    if (one_at_a_time) e.observers = {"midpoint-energy"};
    const std::size_t section = one_at_a_time ? 3 : 2;
    const auto results = run_in_memory(e);
    for (const MemberResult& r : results) {
      EXPECT_EQ(r.failure, "");
      EXPECT_EQ(r.undefined.size(), section + 1);
      EXPECT_TRUE(std::isnan(r.undefined[0]));
      EXPECT_EQ(r.statistics[0].least, r.varied[0] - 1.0);
      EXPECT_EQ(std::isnan(r.statistics[1].mean), !std::isnan(r.undefined[1]));
      EXPECT_EQ(std::isnan(r.statistics[1].least), std::isnan(r.statistics[1].mean));
      EXPECT_EQ(std::isnan(r.statistics[1].largest), std::isnan(r.statistics[1].mean));
    }
    EXPECT_EQ(results[0].undefined[1], 0.625);
    EXPECT_EQ(results[0].undefined[section], 0.5) << "the logarithm of 0 is not finite";
    EXPECT_TRUE(std::isnan(results[1].undefined[1]));
    EXPECT_EQ(results[1].statistics[1].largest, std::sqrt(2.5));
    EXPECT_EQ(results[1].crossings[0].size(), 0U);
    EXPECT_EQ(results[2].undefined[1], 0.0);
    EXPECT_EQ(results[2].undefined[section], 0.0);
  }
}

TEST(Ensembles, keep_no_times_after_their_end) {
  Ensemble e = particles("dla:midpoint", 2);
  e.times = {0.0, 20.04};  // the nearest node is the last one
  EXPECT_EQ(run_in_memory(e)[1].nodes[1].time, 20.0);
  e.times = {0.0, 20.06};
  EXPECT_THROW(run_in_memory(e), EnsembleError);
  e.methods = {"hdel"};  // has a time of its own, and its end is not known before
  EXPECT_EQ(run_in_memory(e).size(), 2U);
}

TEST(Ensembles, run_only_what_is_not_done) {
  Ensemble e = particles("dla:midpoint", 50);
  EnsembleOptions options;
  options.done.assign(50, true);
  for (const std::size_t k : {3U, 4U, 17U, 49U}) options.done[k] = false;
  struct Members : EnsembleSink {
    void record(const MemberResult& r) override { seen.push_back(r.member); }
    std::vector<std::int64_t> seen;
  } sink;
  const EnsembleSummary summary = run(e, options, sink);
  std::ranges::sort(sink.seen);
  EXPECT_EQ(sink.seen, (std::vector<std::int64_t>{3, 4, 17, 49}));
  EXPECT_EQ(summary.progress.members, 50);
}

/// A step with so many sines that it calls them, and a node with few, which computes them inline: they cannot be one
/// kernel, and trajectories run one at a time.
TEST(Ensembles, run_where_step_and_node_cannot_be_one) {
  const Expression x = Expression::symbol("x");
  Expression potential;
  for (int k = 1; k <= 70; ++k) potential += cos(k * x) / (k * k);
  const System system({x}, 0.5 * (2.0 + sin(x)) * sq(dot(x)) - potential);
  Ensemble e{system, {"dla"}, {{0.3}, {0.5}}, 0.01};
  e.steps = 50;
  e.axes = {uniform_axis({"x"}, {0.1}, {0.9}, 6, {3, 0})};
  e.statistics = {{"energy", parse("energy")}};
  const Problem problem{system, {}, e.start, e.step};
  const Method method = make_method("dla", problem);
  ASSERT_FALSE(ChainStep::make(WholeStep(method, maps_of(method, problem), {true, {}, 0}).chain));
  for (const MemberResult& r : run_in_memory(e)) {
    EXPECT_EQ(r.failure, "");
    EXPECT_EQ(r.steps, 50);
    const auto stepper = make_stepper("dla", {system, {}, {{r.varied[0]}, {0.5}}, e.step});
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(stepper->advance());
    EXPECT_NEAR(r.last.q[0], stepper->node().q[0], 1e-13);
  }
}

TEST(Ensembles, have_methods_that_suit_the_system) {
  Ensemble e = particles("rdla", 2);
  e.system = load_model("mclachlan-perlmutter").system;  // no Chaplygin system
  e.start = *load_model("mclachlan-perlmutter").initial;
  e.axes.clear();
  e.formulas.clear();
  EXPECT_THROW(run_in_memory(e), MethodError);
}

// A composition in one compiled function, against the stepper that goes from stage to stage.
TEST(EnsembleFiles, may_set_values_that_are_possible_only_together) {
  const test::TemporaryFolder folder;
  const std::string model = folder / "root.toml";
  std::ofstream(model) << "coordinates = [\"x\"]\nlagrangian = \"0.5*x'^2\"\n[parameters]\na = 1\nb = 0\n"
                          "[initial]\nq = [\"sqrt(a - b)\"]\n[run]\nstep = 0.1\ntime = 1\n";
  const std::string head = "model = \"root.toml\"\nmethod = \"rk4\"\n[set]\n";
  const EnsembleFile both = read_ensemble(head + "a = -1\nb = -2\n", folder / "s.toml");
  EXPECT_EQ(both.ensemble.start.q, (std::vector{1.0}));
  try {
    read_ensemble(head + "a = -1\nb = -0.5\n", folder / "s.toml");
    FAIL() << "the square root of -0.5";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string_view(error.what()).find("s.toml:4:5: "), std::string_view::npos) << error.what();
    EXPECT_NE(std::string_view(error.what()).find("finite"), std::string_view::npos) << error.what();
  }
}

TEST(WholeStep, does_what_the_stages_do_one_after_the_other) {
  int compared = 0;
  for (const char* name :
       {"quadratic-particle", "chaplygin-sleigh", "rolling-disk", "snakeboard", "mclachlan-perlmutter"}) {
    const Model model = load_model(name);
    for (const char* method :
         {"dla:midpoint", "dla:order=4", "dla:order=6", "gni:order=4", "rk4", "dla:order=4:trapezoidal"}) {
      const Problem problem{model.system, model.system.parameter_values(), *model.initial, 0.05};
      std::unique_ptr<Stepper> stepper;
      try {
        stepper = make_stepper(method, problem);
      } catch (const MethodError&) {
        continue;  // gni needs inertia in every direction
      }
      const Method m = make_method(method, problem);
      const MethodMaps maps = maps_of(m, problem);
      const WholeStep whole(m, maps, {true, {}, 0});
      std::vector<double> data = data_of(whole.layout, problem);
      std::ranges::copy(whole_start(m, maps, problem), data.begin());  // state and memories
      auto step = ChainStep::make(whole.chain);
      ASSERT_TRUE(step) << name << ' ' << method;
      std::vector<double> outputs(step->outputs_size());
      if (step->run(data, outputs, 20) < 20) continue;  // the stepper has more means
      ++compared;
      for (int k = 0; k < 20; ++k) ASSERT_TRUE(stepper->advance());
      for (std::size_t i = 0; i < m.state_size(); ++i) {
        EXPECT_EQ(data[i], stepper->state()[i]) << name << ' ' << method << ' ' << i;
      }
      if (!m.node) continue;
      for (std::size_t i = 0; i < model.system.dimension(); ++i) {
        EXPECT_EQ(whole.layout.of(data, Slot::velocity)[i], stepper->node().v[i]) << name << ' ' << method;
      }
    }
  }
  EXPECT_GE(compared, 20);
}

}  // namespace ensemble_test
}  // namespace rattleback
