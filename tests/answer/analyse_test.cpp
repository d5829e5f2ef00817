// What systems are, asked without a command line. The verdicts are those of the literature.

#include "rattleback/answer/analyse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "rattleback/answer/free_lagrangians.hpp"
#include "rattleback/expr/graph.hpp"
#include "refusal.hpp"

namespace rattleback::answer {
namespace analyse_test {

using nlohmann::json;
using test::expect_refused;

double at_y(const Expression& e, double y) {
  return evaluate(e, {{Expression::symbol("x"), 0.3}, {Expression::symbol("y"), y}});
}

std::set<std::string> keys(const json& document) {
  std::set<std::string> names;
  for (const auto& [name, value] : document.items()) names.insert(name);
  return names;
}

TEST(AnalyseAnswer, the_particle_has_the_multiplier_of_the_papers) {
  const AnalyseAnswer a = analyse({.model = "quadratic-particle"});
  EXPECT_EQ(a.measure, Verdict::yes);
  EXPECT_EQ(a.hamiltonizable, Verdict::yes);
  EXPECT_FALSE(a.measure_by_translations);
  ASSERT_TRUE(a.hamiltonized);
  EXPECT_TRUE(a.multiplier_periods.empty());
  EXPECT_TRUE(a.solvable_at_start);
  EXPECT_FALSE(complaint(a));
  // N = 1/sqrt(1 + y²), up to a constant factor
  const Expression n = a.analysis.gyroscopic->multiplier->exponential;
  for (const double y : {-1.5, 0.4, 2.0}) EXPECT_NEAR(at_y(n, y) / at_y(n, 0.0), 1.0 / std::sqrt(1.0 + y * y), 1e-14);

  const json d = json::parse(to_json(a));
  EXPECT_EQ(keys(d), (std::set<std::string>{"model", "symmetry", "chaplygin", "constraints", "measure",
                                            "hamiltonizable", "inverse_problem"}));
  EXPECT_EQ(d.at("chaplygin").at("fibre"), json{"z"});
  EXPECT_NE(to_text(a).find("\nHamiltonization by a multiplier, dtau = N dt\n  yes: "), std::string::npos);
  EXPECT_NE(to_latex(a).find("\n  N &= "), std::string::npos);
}

TEST(AnalyseAnswer, verdicts_differ) {
  const AnalyseAnswer sleigh = analyse({.model = "chaplygin-sleigh"});
  EXPECT_EQ(sleigh.measure, Verdict::no);
  EXPECT_EQ(sleigh.hamiltonizable, Verdict::no);
  const AnalyseAnswer contact = analyse({.model = "contact-particle"});
  EXPECT_EQ(contact.measure, Verdict::yes);
  EXPECT_EQ(contact.hamiltonizable, Verdict::no);
  const AnalyseAnswer carriage = analyse({.model = "two-wheeled-carriage"});
  EXPECT_EQ(carriage.measure, Verdict::locally);
  EXPECT_EQ(carriage.hamiltonizable, Verdict::locally);
  EXPECT_FALSE(carriage.multiplier_periods.empty());
}

TEST(AnalyseAnswer, parameters_decide) {
  // Without its offset the sleigh is a knife edge.
  EXPECT_EQ(analyse({.model = "chaplygin-sleigh", .parameters = {{"a", 0.0}}}).hamiltonizable, Verdict::yes);
}

TEST(AnalyseAnswer, without_chaplygin_structure_there_are_reasons) {
  const AnalyseAnswer a = analyse({.model = "cart-pendulum"});
  EXPECT_FALSE(a.analysis.search.found);
  EXPECT_FALSE(a.analysis.search.reasons.empty());
  EXPECT_EQ(a.measure, Verdict::unknown);
  EXPECT_EQ(a.hamiltonizable, Verdict::unknown);
  EXPECT_TRUE(json::parse(to_json(a)).at("chaplygin").is_null());
  expect_refused(Error::Kind::answer_is_no, "there is no Chaplygin structure to write down", [&] { to_latex(a); });
}

TEST(AnalyseAnswer, a_given_lagrangian_is_checked) {
  const std::string right = "0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x'))";  // Mestdag, Bloch & Fernandez
  const AnalyseAnswer a = analyse({.model = "free-particle-x", .lagrangian = right});
  ASSERT_TRUE(a.given);
  EXPECT_TRUE(a.given->report.is_free_lagrangian());
  EXPECT_FALSE(a.given->equations.empty());
  EXPECT_FALSE(complaint(a));
  EXPECT_TRUE(json::parse(to_json(a)).at("given_lagrangian").at("is_free_lagrangian"));

  const AnalyseAnswer b = analyse({.model = "free-particle-x", .lagrangian = "0.5*(x'^2 + y'^2 + z'^2)"});
  EXPECT_FALSE(b.given->report.motion.holds);
  ASSERT_TRUE(complaint(b));
  EXPECT_EQ(complaint(b)->kind(), Error::Kind::answer_is_no);
  EXPECT_NE(to_text(b).find("the system does not move by its Euler-Lagrange equations"), std::string::npos);
}

TEST(AnalyseAnswer, wrong_requests_are_refused) {
  expect_refused(Error::Kind::request, "`lagrangian`:1:5: unknown name 'w'",
                 [] { analyse({.model = "free-particle-x", .lagrangian = "0.5*w'^2"}); });
  expect_refused(Error::Kind::request, "there is no model 'no-such-model'",
                 [] { analyse({.model = "no-such-model"}); });
  const std::string symmetric =
      "coordinates = ['x', 'y']\nlagrangian = \"0.5*(x'^2 + y'^2) - x\"\n[symmetry.generators]\nshift = {x = \"1\"}\n";
  expect_refused(Error::Kind::request, "shift", [&] { analyse({.model = ModelSource::text(symmetric)}); });
}

TEST(FreeLagrangians, are_known_for_some_systems) {
  const FreeLagrangiansAnswer disk = free_lagrangians({.model = "rolling-disk"});
  EXPECT_EQ(disk.list.size(), 2U);  // N is constant
  EXPECT_FALSE(complaint(disk));
  EXPECT_EQ(keys(json::parse(to_json(disk))), (std::set<std::string>{"name", "class", "free_lagrangians"}));
  const FreeLagrangiansAnswer particle = free_lagrangians({.model = "quadratic-particle-x"});
  EXPECT_TRUE(particle.list.empty());
  ASSERT_TRUE(complaint(particle));
  EXPECT_EQ(complaint(particle)->kind(), Error::Kind::answer_is_no);
  EXPECT_NE(to_text(particle).find("it has a potential"), std::string::npos);
}

TEST(AnalyseAnswer, searches_among_associated_systems_and_says_what_was_tried) {
  const AnalyseAnswer robot = analyse({.model = "mobile-robot", .associated = 100});
  ASSERT_TRUE(robot.associated);
  EXPECT_TRUE(robot.associated->is_complete());
  EXPECT_EQ(robot.associated->forms, (std::vector<std::size_t>{3, 3, 1, 1}));
  ASSERT_TRUE(complaint(robot));
  EXPECT_STREQ(complaint(robot)->what(),
               "no associated system with a regular Lagrangian was found: 9 of 9 are excluded by the Helmholtz "
               "conditions");
  const AnalyseAnswer disk = analyse({.model = "rolling-disk", .associated = 8});
  EXPECT_FALSE(complaint(disk));
  EXPECT_EQ(result_of(*disk.associated), "4 of 9 are excluded by the Helmholtz conditions, 1 not tried");
  const json document = json::parse(to_json(disk)).at("associated_search");
  EXPECT_EQ(keys(document), (std::set<std::string>{"forms", "systems", "tried", "excluded", "undecided", "open"}));
  EXPECT_EQ(document.at("systems"), 9);
  EXPECT_EQ(document.at("open").size(), 4U);
  EXPECT_EQ(document.at("open").at(0).at("free_lagrangian"), 6);
  EXPECT_TRUE(document.at("open").at(1).at("free_lagrangian").is_null());
  EXPECT_NE(to_text(disk).find("it is that of the free Lagrangian (6)"), std::string::npos);
  EXPECT_FALSE(analyse({.model = "rolling-disk"}).associated);
  const AnalyseAnswer cart = analyse({.model = "cart-pendulum", .associated = 1});
  EXPECT_EQ(json::parse(to_json(cart)).at("associated_search").at("reason"), "there are holonomic constraints");
  EXPECT_THROW(analyse({.model = "rolling-disk", .associated = 0}), RequestError);
}

}  // namespace analyse_test
}  // namespace rattleback::answer
