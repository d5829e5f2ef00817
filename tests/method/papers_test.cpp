// The discrete methods against numbers from outside: end states computed by a program that shares no code with this
// one, and the numbers of the papers.

#include <fstream>
#include <nlohmann/json.hpp>

#include "rattleback/expr/graph.hpp"
#include "rattleback/method/composition.hpp"
#include "rattleback/method/reference.hpp"
#include "tests/places.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace papers_test {

using test::distance;
using test::problem_of;
using test::take;

nlohmann::json discrete_states() {
  std::ifstream file(test::source_file("tests/method/discrete_states.json"));
  return nlohmann::json::parse(file);
}

class DiscreteStates : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Model, DiscreteStates,
                         testing::Values("quadratic-particle", "chaplygin-sleigh", "mclachlan-perlmutter",
                                         "rolling-disk", "mobile-robot", "snakeboard", "cart-pendulum",
                                         "ball-on-turntable"),
                         [](const auto& p) {
                           std::string name = p.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(DiscreteStates, are_those_of_arithmetic_with_thirty_digits) {
  // tests/method/discrete_states.py: systems and methods written down again.
  const auto all = discrete_states().at(GetParam());
  ASSERT_GE(all.size(), 6U);
  for (const auto& [method, expected] : all.items()) {
    const Problem problem = problem_of(GetParam(), expected["step"]);
    const auto stepper = make_stepper(method, problem);
    take(*stepper, expected["steps"]);
    EXPECT_LT(distance(stepper->node().q, expected["q"].get<std::vector<double>>()), 2e-13) << method;
    EXPECT_LT(distance(stepper->node().v, expected["v"].get<std::vector<double>>()), 2e-12) << method;
    const auto lambda = expected["lambda"].get<std::vector<double>>();
    if (method.starts_with("dla")) {
      EXPECT_LT(distance(stepper->interval()->multipliers, lambda), 2e-12) << method;
    } else {  // the state keeps ℓ = −2λ/h
      const auto kept = stepper->state().last(lambda.size());
      for (std::size_t k = 0; k < lambda.size(); ++k)
        EXPECT_NEAR(-0.5 * problem.step * kept[k], lambda[k], 2e-12) << method;
    }
  }
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

/// Of the energy at midpoints.
Range midpoint_energies(const std::string& method, const Problem& problem, int steps) {
  const auto stepper = make_stepper(method, problem);
  Range range;
  for (int k = 0; k < steps; ++k) {
    take(*stepper, 1);
    range.low = std::min(range.low, stepper->interval()->energy);
    range.high = std::max(range.high, stepper->interval()->energy);
  }
  return range;
}

TEST(Papers, energy_at_midpoints_stays_in_its_interval) {
  // Evensberget, sections 3.1 and 3.2: Ld and LdS start with q₁ from an accurate solution.
  struct Case {
    const char* method;
    Problem problem;
    int steps;
    Range expected;
  };
  const std::vector<Case> cases{
      {"ld:start=reference", problem_of("quadratic-particle", 0.2), 1250, {1.47723, 1.48223}},
      {"lds:start=reference", problem_of("quadratic-particle", 0.2), 1250, {1.47053, 1.50224}},
      {"dla:midpoint", problem_of("quadratic-particle", 0.2), 1250, {1.470393, 1.475330}},
      {"dla:trapezoidal", problem_of("quadratic-particle", 0.2), 1250, {1.483281, 1.515306}},
      {"ld:start=reference", test::twelve_oscillators(0.25), 400, {9.21607, 9.44792}},
      {"lds:start=reference", test::twelve_oscillators(0.25), 400, {9.11752, 9.42938}},
      {"dla:midpoint", test::twelve_oscillators(0.25), 400, {9.129247, 9.342161}},
      {"dla:trapezoidal", test::twelve_oscillators(0.25), 400, {9.362146, 9.595041}}};
  for (const Case& c : cases) {
    const Range found = midpoint_energies(c.method, c.problem, c.steps);
    EXPECT_NEAR(found.low, c.expected.low, 5.1e-6) << c.method;
    EXPECT_NEAR(found.high, c.expected.high, 5.1e-6) << c.method;
  }
}

TEST(Papers, rolling_disk_spirals_unless_the_rule_is_symmetric) {
  // Mestdag, Bloch & Fernandez, section III: θ₁ and φ₁ exact, x₁ and y₁ from the discrete constraint; energy of the
  // last interval, v = (q₆₀₀ − q₅₉₉)/h.
  struct Case {
    double alpha;
    double radius;
    double energy;
  };
  for (const auto& [alpha, radius, energy] : {Case{0.0, 1.13075, 0.30756}, Case{1.0 / 3.0, 1.66578, 0.56893},
                                              Case{0.5, 2.00018, 0.78125}, Case{1.0, 3.37851, 2.06699}}) {
    Problem problem = problem_of("rolling-disk", 0.1);
    const double heading = 0.3 + alpha * 0.1 * 0.5;
    const std::vector<double>& q = problem.start.q;
    problem.second_position = {q[0] + 0.1 * std::cos(heading), q[1] + 0.1 * std::sin(heading), 0.1, 0.35};
    const auto stepper = make_one_step(dla(problem.system, rattleback::alpha(alpha)), problem);
    take(*stepper, 600);
    EXPECT_NEAR(std::hypot(stepper->node().q[0], stepper->node().q[1]), radius, 5.1e-6) << "alpha = " << alpha;
    EXPECT_NEAR(stepper->interval()->energy, energy, 5.1e-6) << "alpha = " << alpha;
  }
}

double error_at(const std::string& method, const Problem& problem, int steps) {
  const auto stepper = make_stepper(method, problem);
  take(*stepper, steps);
  return distance(stepper->node().q, ReferenceFlow(problem).at(steps * problem.step).q);
}

TEST(Papers, wrong_first_multiplier_alternates_on_five_oscillators) {
  // Hd and HdS with h = 0.1 to t = 20, and a quarter of the largest second difference of the energy, by an independent
  // program. Later the motion is chaotic, and digits are lost.
  struct Case {
    const char* method;
    std::vector<double> q;
    double alternation;
  };
  const Problem problem = problem_of("mclachlan-perlmutter", 0.1);
  for (const Case& c : {Case{"gni:start=thesis",
                             {1.276119801452, 0.361527020289, -0.884755519784, 0.394554695569, -0.265725364205},
                             0.01056586947},
                        Case{"gni:trapezoidal:start=thesis",
                             {1.261512201599, 0.324321015958, -0.922240549187, 0.439691524782, -0.221898826916},
                             0.01053533405}}) {
    const auto stepper = make_stepper(c.method, problem);
    std::unordered_map<Expression, double> at;
    std::vector<double> energy;
    for (int k = 0; k <= 200; ++k) {
      if (k > 0) take(*stepper, 1);
      for (std::size_t i = 0; i < c.q.size(); ++i) {
        at[problem.system.coordinates()[i]] = stepper->node().q[i];
        at[problem.system.velocities()[i]] = stepper->node().v[i];
      }
      energy.push_back(evaluate(problem.system.energy(), at));
    }
    double alternation = 0.0;
    for (std::size_t k = 1; k + 1 < energy.size(); ++k) {
      alternation = std::max(alternation, std::abs(energy[k + 1] - 2.0 * energy[k] + energy[k - 1]) / 4.0);
    }
    EXPECT_LT(distance(stepper->node().q, c.q), 1e-9) << c.method;
    EXPECT_NEAR(alternation, c.alternation, 1e-10) << c.method;
  }
}

TEST(Papers, first_multiplier_decides_about_the_sleigh) {
  // Errors at the last nodes before t = 10, 20, 30: a wrong first multiplier grows.
  const Problem sleigh = problem_of("chaplygin-sleigh", 0.12);
  struct Case {
    const char* method;
    double error[3];
  };
  for (const Case& c :
       {Case{"gni:start=thesis", {4.589e-3, 7.212, 35.75}}, Case{"gni:start=zero", {1.929e-3, 4.779, 34.80}},
        Case{"gni", {1.906e-4, 2.781e-4, 3.702e-3}}, Case{"gni:trapezoidal", {1.228e-4, 3.617e-4, 5.673e-3}}}) {
    const int steps[] = {83, 166, 250};
    for (int k = 0; k < 3; ++k) {
      const double last_digit =
          c.error[k] >= 0.1 && c.error[k] < 1.0 ? 1e-3 : std::pow(10.0, std::floor(std::log10(c.error[k])) - 2);
      EXPECT_NEAR(error_at(c.method, sleigh, steps[k]), c.error[k], last_digit) << c.method << ", step " << steps[k];
    }
  }
  // λ₀ = 1/20 taken literally is not the impulse of a step: its error stays where that of another sign vanishes.
  Problem finer = sleigh;
  finer.step = 0.0075;
  EXPECT_GT(error_at("gni:start=literal", finer, 640), 0.5 * error_at("gni:start=literal", sleigh, 40));
  EXPECT_LT(error_at("gni:start=thesis", finer, 640), 0.02 * error_at("gni:start=thesis", sleigh, 40));
  // Where it leads to at t = 4.8, by an independent program.
  for (const auto& [problem, steps, there] :
       {std::tuple(sleigh, 40, std::vector{1.167787916569, -0.06778202351, -0.557532893068}),
        std::tuple(finer, 640, std::vector{1.170302803094, -0.069581239802, -0.55651086338})}) {
    const auto stepper = make_stepper("gni:start=literal", problem);
    take(*stepper, steps);
    EXPECT_LT(distance(stepper->node().q, there), 1e-10);
  }
  EXPECT_NEAR(error_at("ld:start=reference", sleigh, 250), 1.0442e-3, 5e-8);
  EXPECT_NEAR(error_at("ld", sleigh, 250), 1.0462e-3, 5e-8);
}

/// What is left of the discrete constraint if Newton's method ends where all residuals are below 1e-12, as in
/// Evensberget's thesis: large where the motion turns, at rounding where it has settled. The numbers were computed by
/// an independent program in Python, which iterates from the same extrapolation.
TEST(Papers, a_tolerance_leaves_constraint_errors_where_the_motion_changes) {
  const Problem sleigh = problem_of("chaplygin-sleigh", 0.12);
  const auto stepper = make_stepper("ld:start=reference:newton-tolerance=1e-12", sleigh);
  take(*stepper, 1);
  const auto largest = [&](int steps) {
    double found = 0.0;
    for (int k = 0; k < steps; ++k) {
      take(*stepper, 1);
      found = std::max(found, std::abs(stepper->interval()->constraints[0]));
    }
    return found;
  };
  EXPECT_NEAR(largest(49), 3.6e-12, 0.05e-12);  // to t = 6
  EXPECT_NEAR(largest(50), 5.8e-12, 0.05e-12);  // to t = 12
  EXPECT_NEAR(largest(50), 6.8e-13, 0.05e-13);  // to t = 18
  largest(50);
  EXPECT_LT(largest(50), 5e-15);
}

TEST(Papers, node_energy_of_compositions) {
  // The quadratic particle over T = 2000, largest error of the node energy.
  struct Case {
    const char* method;
    double step;
    double error;
    double last_digit;
  };
  for (const auto& [method, step, error, last_digit] :
       {Case{"dla:midpoint", 0.1, 1.66e-3, 1e-5}, Case{"dla:midpoint:order=4", 0.4, 5.9e-4, 1e-5},
        Case{"dla:midpoint:order=6", 0.2, 2.35e-7, 1e-9}, Case{"dla:midpoint:order=8", 0.2, 1.3e-9, 1e-10}}) {
    const Problem problem = problem_of("quadratic-particle", step);
    const auto stepper = make_stepper(method, problem);
    double largest = 0.0;
    for (double t = 0.5 * step; t < 2000.0; t += step) {
      take(*stepper, 1);
      const auto& [q, v, when] = stepper->node();
      const double energy = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + q[0] * q[0] + q[1] * q[1];
      largest = std::max(largest, std::abs(energy - 1.5));
    }
    EXPECT_NEAR(largest, error, 0.51 * last_digit) << method;
  }
}

TEST(LongRuns, energy_and_constraint_do_not_drift) {
  // The quadratic particle, h = 0.2, T = 10⁶: five million steps.
  const Problem problem = problem_of("quadratic-particle", 0.2);
  const auto stepper = make_stepper("dla:midpoint", problem);
  constexpr int blocks = 500;
  constexpr int steps_of_block = 10000;
  std::vector<double> means;
  double slip = 0.0;
  double largest = 0.0;
  for (int b = 0; b < blocks; ++b) {
    double total = 0.0;
    for (int k = 0; k < steps_of_block; ++k) {
      ASSERT_TRUE(stepper->advance()) << stepper->failure();
      const auto& [q, v, when] = stepper->node();
      const double error = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + q[0] * q[0] + q[1] * q[1] - 1.5;
      total += error;
      largest = std::max(largest, std::abs(error));
      slip = std::max(slip, std::abs(stepper->interval()->constraints[0]));
    }
    means.push_back(total / steps_of_block);
  }
  EXPECT_LT(slip, 1e-13);
  EXPECT_LT(largest, 7e-3);
  // The slope of the block means against the block number, and its standard error.
  double mean = 0.0;
  for (const double m : means) mean += m / blocks;
  double sxx = 0.0;
  double sxy = 0.0;
  const double middle = 0.5 * (blocks - 1);
  for (int b = 0; b < blocks; ++b) {
    sxx += (b - middle) * (b - middle);
    sxy += (b - middle) * (means[static_cast<std::size_t>(b)] - mean);
  }
  const double slope = sxy / sxx;
  double rest = 0.0;
  for (int b = 0; b < blocks; ++b) {
    const double r = means[static_cast<std::size_t>(b)] - mean - slope * (b - middle);
    rest += r * r;
  }
  const double standard_error = std::sqrt(rest / (blocks - 2) / sxx);
  EXPECT_LT(std::abs(slope), 3.0 * standard_error);
  EXPECT_LT(std::abs(slope) * blocks, 1e-6);

  const auto runge_kutta = make_stepper("rk4", problem);
  take(*runge_kutta, 500000);  // a tenth of the time: nearly all energy is lost
  const auto& [q, v, when] = runge_kutta->node();
  EXPECT_LT(0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + q[0] * q[0] + q[1] * q[1], 0.3);
}

}  // namespace papers_test
}  // namespace rattleback
