// Backward error analysis and measures, asked without a command line.

#include "rattleback/answer/modified.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "rattleback/answer/measure.hpp"
#include "rattleback/expr/graph.hpp"
#include "refusal.hpp"
#include "tests/temporary_folder.hpp"

namespace rattleback::answer {
namespace modified_test {

using nlohmann::json;
using test::expect_refused;

const ModelSource oscillator = ModelSource::text(
    "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[initial]\nq = [0.6]\nv = [0.8]\n[run]\nstep = 0.5\n");

ModifiedRequest of_oscillator() { return {.problem = {.model = oscillator}, .method = "del:midpoint"}; }

// The midpoint rule turns (x, p) by 2 atan(h/2) in each step, so that K = H 2 atan(h/2)/h.
TEST(ModifiedAnswer, of_an_oscillator_is_known) {
  ModifiedRequest request = of_oscillator();
  const double ratio = 2.0 * std::atan(0.25) / 0.5;
  const ModifiedAnswer a = modified(request);
  ASSERT_TRUE(a.numbers);
  EXPECT_EQ(a.numbers->names, (std::vector<std::string>{"x", "p_x"}));
  EXPECT_FALSE(a.numbers->energy);
  EXPECT_NEAR(a.numbers->orbit.hamiltonian.value, 0.5 * ratio, 1e-12);
  request.at = {{1.5}, {-2.0}};
  request.order = 2;
  const ModifiedAnswer b = modified(request);
  EXPECT_EQ(b.numbers->point, (std::vector<double>{1.5, -2.0}));
  EXPECT_NEAR(b.numbers->orbit.hamiltonian.value, 3.125 * ratio, 1e-11);
  // atan(z)/z = 1 − z²/3 + …
  ASSERT_EQ(b.numbers->series.size(), 2U);
  EXPECT_EQ(b.numbers->series[1].ell, 2);
  EXPECT_NEAR(b.numbers->series[1].values.hamiltonian.value, 3.125 * (1.0 - 0.25 * 0.25 / 3.0), 1e-12);
  EXPECT_EQ(json::parse(to_json(b)).at("orbit").at("points"), b.numbers->points);
}

TEST(ModifiedAnswer, has_formulas_if_they_are_wanted) {
  ModifiedRequest request = of_oscillator();
  request.formulas = ModifiedRequest::Formulas::only;
  const ModifiedAnswer a = modified(request);
  EXPECT_FALSE(a.numbers);
  ASSERT_TRUE(a.formulas);
  EXPECT_NE(to_latex(a).find("K_{2} &= "), std::string::npos);
  EXPECT_NE(to_text(a).find("\n  K_4 = "), std::string::npos);
}

// K = c H with c = 2 atan(h/2)/h = 1 − h²/12 + h⁴/80 − …: L = v²/(2c) − c x²/2, x' = c p, p' = −c x.
TEST(ModifiedAnswer, has_the_modified_lagrangian_and_equation_of_an_oscillator) {
  ModifiedRequest request = of_oscillator();
  request.formulas = ModifiedRequest::Formulas::only;
  request.equation = true;
  const ModifiedAnswer a = modified(request);
  ASSERT_TRUE(a.equation);
  const Expression x = a.formulas->coordinates[0];
  const Expression p = a.formulas->momenta[0];
  const Expression v = a.equation->velocities[0];
  const auto value = [&](const Expression& f) { return evaluate(f, {{x, 0.6}, {v, 0.8}, {p, -0.7}}); };
  const double c[] = {1.0, 0.0, -1.0 / 12, 0.0, 1.0 / 80};
  const double inverse[] = {1.0, 0.0, 1.0 / 12, 0.0, 1.0 / 144 - 1.0 / 80};
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(value(a.equation->lagrangian.at(j)), 0.32 * inverse[j] - 0.18 * c[j], 1e-15) << j;
    EXPECT_NEAR(value(a.equation->position_rates.at(j).at(0)), -0.7 * c[j], 1e-15) << j;
    EXPECT_NEAR(value(a.equation->momentum_rates.at(j).at(0)), -0.6 * c[j], 1e-15) << j;
  }
  EXPECT_NE(to_text(a).find("\n  L_2 = "), std::string::npos) << to_text(a);
  EXPECT_NE(to_text(a).find("\n  x'_2 = "), std::string::npos);
  EXPECT_NE(to_latex(a).find("\\dot{"), std::string::npos);
  EXPECT_EQ(json::parse(to_json(a)).at("formulas").at("equation").at("p_x'").size(), 5U);
}

TEST(ModifiedAnswer, wrong_requests_are_refused) {
  const auto refused = [](const std::string& words, const ModifiedRequest& request) {
    expect_refused(Error::Kind::request, words, [&] { modified(request); });
  };
  ModifiedRequest order = of_oscillator();
  order.order = 13;
  refused("`order` must be between 0 and 12, found 13", order);
  ModifiedRequest at = of_oscillator();
  at.at = {{1.0, 2.0}, {1.0}};
  refused("`at` must be positions and momenta, 1 and 1 numbers for x; found 2 and 1", at);
  ModifiedRequest energy = of_oscillator();
  energy.energy = 1.0;
  refused("`energy` is for altered Lagrangians", energy);
  ModifiedRequest equation = of_oscillator();
  equation.equation = true;
  refused("`equation` is for formulas: give `formulas`", equation);
  ModifiedRequest numbers = of_oscillator();
  numbers.numbers = true;
  refused("`numbers` is for formulas: give `formulas`", numbers);
  refused("a discrete Lagrangian alone", {.problem = {.model = "free-particle"}, .method = "dla"});
}

MeasureRequest of_particle() {
  MeasureRequest request{.problem = {.model = "harmonic-particle", .step = 0.25, .steps = 8}};
  request.problem.q0 = {0, 0, 0};
  request.problem.v0 = {1, 1, 0};
  return request;
}

// (r, p) have four dimensions. Higher truncations of the modified measure are preserved better (García-Naranjo &
// Vermeeren).
TEST(MeasureAnswer, along_a_trajectory) {
  MeasureRequest request = of_particle();
  request.methods = {"conformal:M", "dla"};
  request.ells = {2, 4};
  const MeasureAnswer a = measure(request);
  ASSERT_EQ(a.tables.size(), 2U);
  ASSERT_EQ(a.tables[0].columns.size(), 3U);
  EXPECT_EQ(a.tables[1].columns.size(), 1U);  // dla has no modified measures
  EXPECT_EQ(a.tables[0].columns[1].volume,
            (MeasuredVolume{MeasuredVolume::Of::local, MeasuredVolume::In::modified_measure, 2}));
  EXPECT_EQ(a.tables[0].time.size(), 9U);
  EXPECT_LT(a.tables[0].columns[2].largest.value, a.tables[0].columns[0].largest.value);
  EXPECT_FALSE(complaint(a));
  EXPECT_TRUE(to_csv(a).starts_with("method,time,local mu,local mu_2,local mu_4\nconformal:M,0,"));
  EXPECT_TRUE(json::parse(to_json(a)).at("methods")[1].at("columns").contains("local mu"));
}

TEST(MeasureAnswer, of_a_cloud_is_kept_and_written) {
  const test::TemporaryFolder folder;
  MeasureRequest request = of_particle();
  request.methods = {"reference"};
  request.problem.steps = 2;
  request.cloud = {.shape = {.count = 20}, .keep_points = true};
  request.output = folder / "a.csv";
  const MeasureAnswer a = measure(request);
  EXPECT_EQ(a.coordinates, (std::vector<std::string>{"x", "y", "p_x", "p_y"}));
  ASSERT_EQ(a.tables.at(0).points.size(), 3U);
  EXPECT_EQ(a.tables[0].points[2].size(), 20U);
  EXPECT_EQ(test::content(folder / "a.csv"), to_csv(a));
  EXPECT_NE(to_text(a).find("\nWritten to "), std::string::npos);
}

TEST(MeasureAnswer, wrong_requests_are_refused) {
  const auto refused = [](const std::string& words, const MeasureRequest& request,
                          Error::Kind kind = Error::Kind::request) {
    expect_refused(kind, words, [&] { measure(request); });
  };
  MeasureRequest few = of_particle();
  few.cloud = {.shape = {.count = 3}};
  refused("`cloud` must be 600-cell, a file ending with .csv, or a number of points between 6 and 1000000; found 3",
          few);
  MeasureRequest alone = of_particle();
  alone.points = "points.csv";
  refused("`points` are those of a cloud: give `cloud`", alone);
  MeasureRequest ending = of_particle();
  ending.output = "a.h5";
  refused("`output` 'a.h5' must end with .csv", ending);
  MeasureRequest nowhere = of_particle();
  nowhere.output = "nowhere/a.csv";
  refused("the folder nowhere does not exist", nowhere, Error::Kind::system);
  MeasureRequest none = of_particle();
  none.methods.clear();
  refused("`methods` needs at least one method", none);
  refused("no invariant measure", {.problem = {.model = "chaplygin-sleigh"}, .methods = {"dla"}});
}

}  // namespace modified_test
}  // namespace rattleback::answer
