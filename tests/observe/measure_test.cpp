// Invariant measures along trajectories and of clouds, against an independent program in 50 digits
// (tests/method/modified_numbers.py), and with the exponents of García-Naranjo & Vermeeren, Corollary 4.3.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/method/trajectory.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/cloud.hpp"
#include "rattleback/observe/observers.hpp"
#include "tests/case_name.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace measure_test {

using test::problem_of;
using test::take;

const nlohmann::json& numbers() {
  static const nlohmann::json all = [] {
    std::ifstream file(test::source_file("tests/method/modified_numbers.json"));
    return nlohmann::json::parse(file);
  }();
  return all;
}

double number(const nlohmann::json& text) { return std::stod(text.get<std::string>()); }

Problem harmonic() {
  Problem problem = problem_of("harmonic-particle", 0.25);
  problem.start = {{0, 0, 0}, {1, 1, 0}};
  return problem;
}

/// The change of a measure at every node of a run.
std::vector<double> measure(const std::string& observer_name, const std::string& method, const Problem& problem,
                            int steps) {
  const auto observer = make_observer(observer_name, method, problem);
  const auto stepper = make_stepper(method, problem);
  std::vector<double> all(static_cast<std::size_t>(steps) + 1);
  for (int k = 0; k <= steps; ++k) {
    observer->observe(*stepper, {&all[static_cast<std::size_t>(k)], 1});
    if (k < steps) take(*stepper, 1);
  }
  return all;
}

/// The energy of a conformal method does not depend on the fibre, in whose directions its step need not be solvable.
TEST(Measure, exists_where_the_fibre_is_a_plane_with_rotations) {
  const Problem problem = problem_of("two-wheeled-carriage", 0.1);
  const std::vector<double> changes = measure("measure:ell=2", "conformal", problem, 10);
  for (const double change : changes) EXPECT_LT(std::abs(change), 1e-7);
  EXPECT_GT(std::abs(changes.back()), 0.0);
}

/// The snakeboard that goes straight: its steering determines nothing.
TEST(Measure, is_refused_where_the_start_has_none) {
  const Problem straight = problem_of("snakeboard", 0.05);
  try {
    make_observer("measure", "dla", straight);
    FAIL();
  } catch (const MethodError& error) {
    EXPECT_STREQ(error.what(),
                 "measure cannot be observed here: there is no invariant measure at the start: the constraints do not "
                 "determine (x', y') by the other velocities there; begin elsewhere (`q0`)");
  }
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double x : values) {
    if (!(std::abs(x) <= most)) most = std::abs(x);
  }
  return most;
}

std::string observer_for(int m) { return m == 0 ? "measure" : "measure:ell=" + std::to_string(m); }

TEST(Measure, of_the_particle_is_that_of_an_independent_program_long) {
  for (const auto& record : numbers().at("measure")) {
    const std::string rule = record.at("rule");
    const int ell = record.at("ell");
    SCOPED_TRACE(rule + " ell = " + std::to_string(ell));
    const std::string method = "conformal:" + rule + ":ell=" + std::to_string(ell);
    for (const int m : {0, 2, 4}) {
      const auto values = measure(observer_for(m), method, harmonic(), 79);
      EXPECT_EQ(values[0], 0.0);
      // Tangent maps are products of 79 matrices: some hundred units of rounding.
      EXPECT_NEAR(largest(values), number(record.at("max |J-1|, m=" + std::to_string(m))), 1e-11);
      for (const auto& [step, ratio] : record.at("J, m=" + std::to_string(m)).items()) {
        EXPECT_NEAR(values.at(std::stoul(step)), number(ratio) - 1.0, 1e-11) << "m = " << m << " step " << step;
      }
    }
  }
}

// The modified measure is preserved to O(h^{ℓ+2}) over a fixed time for symmetric rules, whose odd powers vanish, if
// the energy is the modified one; the measure of the system itself only to O(h²), whatever the energy.
struct Case {
  const char* model;
  const char* rule;
  int ell;
};

class Corollary : public testing::TestWithParam<Case> {};

double exponent(const Case& c, const std::string& observer, const std::string& method, double h, int steps) {
  double defects[2];
  for (const int i : {0, 1}) {
    const int refinement = i == 0 ? 1 : 2;
    const Problem problem = problem_of(c.model, h / refinement);
    defects[i] = largest(measure(observer, method, problem, refinement * steps));
  }
  return std::log2(defects[0] / defects[1]);
}

TEST_P(Corollary, holds) {
  const Case& c = GetParam();
  const std::string ell = std::to_string(c.ell);
  const std::string method = std::string("conformal:") + c.rule + ":ell=" + ell;
  constexpr double h = 0.1;
  constexpr int steps = 6;
  EXPECT_NEAR(exponent(c, observer_for(c.ell), method, h, steps), c.ell + 2, 0.25);
  // On the knife edge phi' is constant, and N_2, a multiple of phi'^2 cos(phi), one of N.
  if (std::string(c.model) != "knife-edge-incline") {
    EXPECT_NEAR(exponent(c, "measure", method, h, steps), 2.0, 0.2);
  }
  // With the energy of pthdel the modified measure is as bad as the other one.
  if (c.ell == 4) {
    EXPECT_NEAR(exponent(c, "measure:ell=4", std::string("conformal:") + c.rule + ":ell=0", h, steps), 2.0, 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(GarciaNaranjoVermeeren, Corollary,
                         testing::Values(Case{"harmonic-particle", "M", 2}, Case{"harmonic-particle", "TT", 4},
                                         Case{"harmonic-particle", "T", 4}, Case{"knife-edge-incline", "MT", 2},
                                         Case{"knife-edge-incline", "TT", 4}, Case{"veselova", "M", 2},
                                         Case{"veselova", "TM", 4}),
                         [](const testing::TestParamInfo<Case>& p) {
                           const Case& c = p.param;
                           return test::long_case_if(c.ell == 4,
                                                     test::case_name(fmt::format("{}_{}_{}", c.model, c.rule, c.ell)));
                         });

TEST(Measure, is_observed_for_every_kind_of_method_long) {
  const Problem problem = problem_of("free-particle-x", 0.05);
  // In steps of τ the form dr∧dP is preserved, to rounding.
  EXPECT_LE(largest(measure("measure", "hdel", problem, 40)), 1e-12);
  for (const char* method : {"dla", "gni", "rdla", "free", "pthdel:order=4", "conformal:every-step"}) {
    Problem half = problem;
    half.step = 0.025;
    const double coarse = largest(measure("measure", method, problem, 20));
    const double fine = largest(measure("measure", method, half, 40));
    EXPECT_GT(coarse, 1e-13) << method;
    EXPECT_NEAR(std::log2(coarse / fine), std::string(method).ends_with("order=4") ? 4.0 : 2.0, 0.3) << method;
  }
  EXPECT_LE(largest(measure("measure", "rk4", problem, 20)), 1e-6);
}

// Without a modified energy every step would change the measure anew.
TEST(Measure, is_preserved_with_the_energy_computed_in_every_step_long) {
  const double once = largest(measure("measure:ell=4", "conformal:M:ell=4", harmonic(), 79));
  const double always = largest(measure("measure:ell=4", "conformal:M:ell=4:every-step", harmonic(), 79));
  EXPECT_LE(once, 1e-5);
  EXPECT_LE(always, 1e-4);
  EXPECT_NE(once, always);
}

TEST(Measure, is_refused_where_there_is_none) {
  const auto message = [](const char* observer, const char* method, const Problem& problem) -> std::string {
    try {
      make_observer(observer, method, problem);
    } catch (const MethodError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("measure", "dla", problem_of("chaplygin-sleigh")).find("measure cannot be observed here"),
            std::string::npos);
  EXPECT_NE(message("measure:ell=2", "dla", harmonic()).find("needs a step that comes from a discrete Lagrangian"),
            std::string::npos);
  EXPECT_NE(message("measure:ell=x", "pthdel", harmonic()).find("ell=0 to ell=12"), std::string::npos);
  EXPECT_NE(message("momentum:ell=2", "pthdel", harmonic()).find("has no option 'ell=2'"), std::string::npos);
  EXPECT_NE(message("modified", "dla", harmonic()).find("or of del for systems without rotations and applied forces"),
            std::string::npos);
  EXPECT_NE(message("modified-energy", "hdel", harmonic()).find("needs an altered Lagrangian"), std::string::npos);
}

// ------------------------------------------------------------------------------------------------------------- clouds

TEST(Hull, of_known_bodies_has_their_volume) {
  Points cube;
  for (unsigned bits = 0; bits < 8; ++bits) {
    cube.push_back({bits & 1U ? 1.0 : -1.0, bits & 2U ? 2.0 : -2.0, bits & 4U ? 0.5 : -0.5});
  }
  cube.push_back({0.1, 0.2, 0.1});  // inside
  EXPECT_NEAR(ConvexHull(cube).volume(), 8.0, 1e-13);
  EXPECT_NEAR(ConvexHull(cube).mass(std::vector<double>(9, 3.0), 3.0), 24.0, 1e-12);
  // 600-cell: 25/4 (2 + √5) a⁴ with the edge a = 1/φ for radius 1 (Coxeter, Regular Polytopes, table I)
  const Points cell = six_hundred_cell();
  EXPECT_EQ(cell.size(), 120U);
  EXPECT_NEAR(ConvexHull(cell).volume(), 6.25 * (2.0 + std::sqrt(5.0)) / std::pow(std::numbers::phi, 4), 1e-12);
  // A density that is linear is integrated exactly.
  Points triangle{{0, 0}, {1, 0}, {0, 1}};
  EXPECT_NEAR(ConvexHull(triangle).mass({1.0, 3.0, 4.0}, 8.0 / 3.0), 0.5 * 8.0 / 3.0, 1e-14);
  EXPECT_THROW(ConvexHull({{0, 0}, {1, 1}, {2, 2}, {3, 3}}).volume(), NumericalError);
  const Points sphere = points_on_sphere(5000, 3);
  EXPECT_NEAR(ConvexHull(sphere).volume(), 4.0 / 3.0 * std::numbers::pi, 0.01);
  EXPECT_EQ(sphere, points_on_sphere(5000, 3));
}

TEST(Cloud, of_the_particle_is_that_of_an_independent_program_long) {
  for (const auto& record : numbers().at("cloud")) {
    const std::string rule = record.at("rule");
    const int ell = record.at("ell");
    SCOPED_TRACE(rule + " ell = " + std::to_string(ell));
    CloudOptions options;
    options.directions = six_hundred_cell();
    options.radius = 0.01;
    options.steps = 79;
    options.ells = {2, 4};
    const CloudResult cloud = follow_cloud("conformal:" + rule + ":ell=" + std::to_string(ell), harmonic(), options);
    ASSERT_EQ(cloud.failure, "");
    ASSERT_EQ(cloud.samples.size(), 80U);
    for (const auto& sample : record.at("volumes")) {
      const CloudSample& ours = cloud.samples.at(sample.at("step").get<std::size_t>());
      EXPECT_NEAR(ours.volume / number(sample.at("hull")), 1.0, 1e-9);
      EXPECT_NEAR(ours.mass / number(sample.at("weighted, m=0")), 1.0, 1e-9);
      EXPECT_NEAR(ours.modified[0] / number(sample.at("weighted, m=2")), 1.0, 1e-9);
      EXPECT_NEAR(ours.modified[1] / number(sample.at("weighted, m=4")), 1.0, 1e-9);
    }
  }
}

// García-Naranjo & Vermeeren, Figures 5.2 and 5.4: with ℓ = 4 the fluctuation falls from measure to measure, with ℓ = 0
// it does not.
TEST(Cloud, shows_what_figures_5_2_and_5_4_show_long) {
  for (const char* rule : {"M", "MT", "TM", "TT", "T"}) {
    SCOPED_TRACE(rule);
    const auto fluctuations = [&](int ell) {
      CloudOptions options;
      options.directions = six_hundred_cell();
      options.steps = 79;
      options.ells = {2, 4};
      const CloudResult cloud =
          follow_cloud(std::string("conformal:") + rule + ":ell=" + std::to_string(ell), harmonic(), options);
      std::vector<double> most(3);
      const CloudSample& first = cloud.samples.at(0);
      for (const CloudSample& s : cloud.samples) {
        most[0] = std::max(most[0], std::abs(s.mass / first.mass - 1.0));
        most[1] = std::max(most[1], std::abs(s.modified[0] / first.modified[0] - 1.0));
        most[2] = std::max(most[2], std::abs(s.modified[1] / first.modified[1] - 1.0));
      }
      return most;
    };
    const auto modified = fluctuations(4);
    EXPECT_LT(modified[1], 0.1 * modified[0]);
    EXPECT_LT(modified[2], modified[1]);
    EXPECT_LT(modified[2], 2.2e-4);  // "about 2·10⁻⁴"
    const auto plain = fluctuations(0);
    EXPECT_GT(plain[2], 0.3 * plain[0]);
    EXPECT_GT(plain[2], 20 * modified[2]);
  }
}

TEST(Cloud, keeps_what_was_computed_before_an_interruption) {
  std::atomic<bool> interrupt = false;
  CloudOptions options;
  options.directions = points_on_sphere(20, 4);
  options.steps = 100;
  options.keep_points = true;
  options.interrupt = &interrupt;
  options.progress = [&](const Progress& p) { interrupt = p.step == 3; };
  const CloudResult cloud = follow_cloud("dla", harmonic(), options);
  EXPECT_TRUE(cloud.interrupted);
  EXPECT_EQ(cloud.failure, "");
  ASSERT_EQ(cloud.samples.size(), 4U);
  EXPECT_EQ(cloud.samples[3].points.size(), 20U);
}

TEST(Cloud, keeps_what_was_computed_before_a_failure) {
  Problem problem = problem_of("knife-edge-incline", 0.05);  // N = cos(phi) vanishes at t = pi/2
  CloudOptions options;
  options.directions = six_hundred_cell();
  options.steps = 100;
  const CloudResult cloud = follow_cloud("pthdel", problem, options);
  EXPECT_NE(cloud.failure.find("of the cloud"), std::string::npos) << cloud.failure;
  EXPECT_GT(cloud.samples.size(), 10U);
  EXPECT_THROW(follow_cloud("hdel", problem, options), MethodError);
  options.ells = {2};
  EXPECT_THROW(follow_cloud("dla", problem, options), MethodError);
  EXPECT_THROW(follow_cloud("reference", problem, options), MethodError);
}

}  // namespace measure_test
}  // namespace rattleback
