// Methods that pass zeros of the multiplier, against an independent program that finds all roots of the knife edge's
// step (tests/geometry/fe_numbers.py): nodes, what is said about the zeros, what is not passed, and steps of hdel that
// belong to equal times.

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "promises.hpp"
#include "rattleback/flow/run.hpp"
#include "tests/places.hpp"

namespace rattleback::test {
namespace through_test {

const nlohmann::json& continuation() {
  static const nlohmann::json numbers = [] {
    std::ifstream file(test::source_file("tests/geometry/fe_numbers.json"));
    return nlohmann::json::parse(file).at("knife_edge_continuation");
  }();
  return numbers;
}

/// The knife edge of Fernandez, Bloch & Olver, section 5.3, with the starts of the program.
Problem knife_edge(const std::string& start, double h = 0.07) {
  Problem problem = problem_of("knife-edge-incline", h);
  if (start == "p0") return problem;
  const double x =
      start == "euler" ? h : std::sin(h) + 0.5 * std::sin(std::acos(-1.0) / 36.0) * std::pow(std::sin(h), 2);
  problem.second_position = std::vector{x, x * std::tan(0.5 * h), h};
  return problem;
}

double value_of(const std::vector<Remark>& remarks, const std::string& name) {
  for (const Remark& remark : remarks) {
    if (remark.name == name) return remark.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

struct Passage {
  const char* method;
  const char* key;
  const char* start;
};

class ThroughZeros : public testing::TestWithParam<Passage> {};

TEST_P(ThroughZeros, has_the_nodes_of_the_program) {
  const auto& [method, key, start] = GetParam();
  const nlohmann::json& expected = continuation().at(key).at(start);
  const Problem problem = knife_edge(start);
  const auto stepper = make_stepper(method, problem);
  const auto steps = expected.at("steps").get<int>();
  double error = 0.0;
  double energy = 0.0;
  for (int k = 1; k <= steps; ++k) {
    ASSERT_TRUE(stepper->advance()) << k << ": " << stepper->failure();
    const std::vector<double> r{stepper->node().q[0], stepper->node().q[2]};
    const double t = 0.07 * k;
    const double x = std::sin(t) + 0.5 * std::sin(std::acos(-1.0) / 36.0) * std::pow(std::sin(t), 2);
    error = std::max(error, std::hypot(r[0] - x, r[1] - t));
    energy = std::max(energy, std::abs(stepper->interval()->energy - 1.0));
    const std::string node = std::to_string(k);
    if (!expected.at("points").contains(node)) continue;
    // Rounding errors grow where two solutions are near each other.
    EXPECT_LT(distance(r, expected.at("points").at(node).get<std::vector<double>>()), 1e-8) << k;
  }
  EXPECT_EQ(stepper->advance(), steps == 100) << stepper->failure();
  EXPECT_NEAR(error, expected.at("rmsd_max").get<double>(), 1e-8);
  EXPECT_NEAR(energy, expected.at("energy_midpoint").at("max_error").get<double>(), 1e-7);
  EXPECT_EQ(value_of(stepper->remarks(), "multiplier_crossings"), steps == 100 ? 2.0 : 1.0);
}

std::string name_of_passage(const testing::TestParamInfo<Passage>& which) {
  return fmt::format("{}_{}", which.param.key, which.param.start);
}

INSTANTIATE_TEST_SUITE_P(KnifeEdge, ThroughZeros,
                         testing::Values(Passage{"pthdel:through", "PTHDEL", "euler"},
                                         Passage{"pthdel:through", "PTHDEL", "q1"},
                                         Passage{"pthdel:through", "PTHDEL", "p0"},
                                         Passage{"hdel:nodes=reference:through", "HDEL_signed", "q1"},
                                         Passage{"hdel:nodes=reference:through", "HDEL_signed", "p0"}),
                         name_of_passage);

TEST(Through, tells_what_it_costs_and_resumes_to_the_same_bits) {
  for (const char* method : {"pthdel:through", "hdel:through", "hdel:nodes=reference:through"}) {
    const Problem problem = knife_edge("p0");
    const auto whole = make_stepper(method, problem);
    take(*whole, 20);
    EXPECT_TRUE(std::isnan(value_of(whole->remarks(), "multiplier_crossings"))) << method;
    take(*whole, 3);  // right behind the first zero
    const std::vector<double> saved = whole->save();
    take(*whole, 77);
    const auto resumed = make_stepper(method, problem);
    resumed->restore(saved);
    take(*resumed, 77);
    EXPECT_EQ(resumed->node().q, whole->node().q) << method;
    EXPECT_EQ(resumed->node().v, whole->node().v) << method;
    for (const char* remark : {"multiplier_crossings", "crossing_energy_change"}) {
      EXPECT_EQ(value_of(resumed->remarks(), remark), value_of(whole->remarks(), remark)) << method;
    }
    EXPECT_EQ(value_of(whole->remarks(), "multiplier_crossings"), 2.0) << method;
    EXPECT_GT(value_of(whole->remarks(), "crossing_energy_change"), 1e-4) << method;
    EXPECT_LT(value_of(whole->remarks(), "crossing_energy_change"), 0.1) << method;
    EXPECT_THROW(resumed->restore(std::vector<double>(3)), std::invalid_argument) << method;
  }
}

TEST(Through, does_not_reach_the_wrong_side_unnoticed) {
  // Whatever the step: the run follows the motion, or it ends because two solutions of the equations are too near each
  // other, or because there is none. It may lose much accuracy: with h = 0.0983 the 16th node of hdel is 0.001 from the
  // zero, and the rate is 7 % off from there on (the independent program has the same). One that turns back is 4 away.
  int finished = 0;
  int runs = 0;
  for (const char* method : {"pthdel:through", "hdel:through", "hdel:nodes=reference:through"}) {
    for (const char* start : {"p0", "q1", "euler"}) {
      for (int i = 0; i < 12; ++i) {
        const double h = 0.04 + 0.0053 * i;
        const auto stepper = make_stepper(method, knife_edge(start, h));
        int k = 0;
        while (k * h < 7.0 && stepper->advance()) ++k;
        if (std::string(method) != "hdel:nodes=reference:through") {
          ++runs;
          if (k * h >= 7.0) ++finished;
        }
        if (!stepper->failure().empty() && k * h < 7.0) continue;
        EXPECT_NEAR(stepper->node().q[2], k * h, 1.0) << method << " " << start << " " << h;
      }
    }
  }
  EXPECT_GT(finished, runs / 2);
  EXPECT_LT(finished, runs);
}

TEST(Through, refuses_zeros_that_are_not_simple) {
  // N = y²/√(1 + y⁴) touches zero.
  const auto [x, y, z] = coordinates("x", "y", "z");
  SystemDefinition d;
  d.coordinates = {x, y, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z)));
  d.constraints = {sq(y) * dot(z) - dot(x)};
  d.symmetries = {{"translation of z", {Expression(0.0), Expression(0.0), Expression(1.0)}}};
  const System system(d);
  for (const char* method : {"hdel:through", "pthdel:through"}) {
    for (const double h : {0.03, 0.05, 0.07, 0.13}) {
      const auto stepper = make_stepper(method, {system, {}, {{0.0, -1.0, 0.0}, {1.0, 1.0, 1.0}}, h});
      int steps = 0;
      while (steps < 200 && stepper->advance()) ++steps;
      EXPECT_LT(steps, 200) << method << " " << h;
      EXPECT_NE(stepper->failure().find("only simple zeros are passed"), std::string::npos)
          << method << " " << h << ": " << stepper->failure();
      EXPECT_LT(stepper->node().q[1], 0.0) << method << " " << h;
    }
  }
}

TEST(EqualTimes, of_hdel_are_pthdel_with_the_energy_of_the_step) {
  // With E the energy of the midpoint, the equations of pthdel hold between the nodes of hdel:nodes=t. For the particle
  // with N = (1 + x²)^(−1/2), written out: Λ = ½ N x'² + ½ y'²/N + N E.
  const Problem problem = problem_of("free-particle-x", 0.05);
  const auto stepper = make_stepper("hdel:nodes=t", problem);
  std::vector<std::vector<double>> r{{problem.start.q[0], problem.start.q[1]}};
  for (int k = 0; k < 40; ++k) {
    take(*stepper, 1);
    r.push_back({stepper->node().q[0], stepper->node().q[1]});
  }
  const double h = problem.step;
  struct Ends {
    double left[2];
    double right[2];
  };
  const auto momenta = [&](const std::vector<double>& a, const std::vector<double>& b) {
    const double m = 0.5 * (a[0] + b[0]);
    const double u = (b[0] - a[0]) / h;
    const double w = (b[1] - a[1]) / h;
    const double n = 1.0 / std::sqrt(1.0 + m * m);
    const double slope = -m * n * n * n;  // dN/dx
    const double energy = 0.5 * (u * u + w * w / (n * n));
    const double force = 0.5 * h * slope * (0.5 * u * u - 0.5 * w * w / (n * n) + energy);
    return Ends{{n * u - force, w / n}, {n * u + force, w / n}};
  };
  for (std::size_t k = 1; k + 1 < r.size(); ++k) {
    const Ends before = momenta(r[k - 1], r[k]);
    const Ends after = momenta(r[k], r[k + 1]);
    for (const int i : {0, 1}) EXPECT_NEAR(after.left[i], before.right[i], 1e-13) << k;
  }
}

TEST(EqualTimes, have_the_order_of_the_composition) {
  expect_promised_order({"sinusoidal-particle", "hdel:nodes=t", 2}, 5.0);
  expect_promised_order({"sinusoidal-particle", "hdel:nodes=t:order=4", 4}, 5.0);
  expect_promised_order({"sinusoidal-particle", "hdel:nodes=reference", 2}, 5.0);
}

}  // namespace through_test
}  // namespace rattleback::test
