// `rattleback analyse`: what it prints, what decides, and what it refuses. Verdicts on the catalogue are those of
// tests/answer/analysed_catalogue_test.cpp.

#include <cmath>
#include <numbers>

#include "analysed.hpp"

namespace analyse_test {

using namespace rattleback::test;

TEST(Analyse, without_a_chaplygin_structure_there_is_no_latex) {
  const Desk desk;
  const Answer latex = desk("analyse cart-pendulum --latex");
  EXPECT_EQ(latex.status, answer_is_no);
  EXPECT_EQ(latex.out, "");
  expect_parts(latex.err, {"rattleback: ", "there is no Chaplygin structure to write down: "});
}

TEST(Analyse, quiet_says_nothing) {
  const Answer quiet = Desk()("analyse mobile-robot --quiet");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST(Analyse, says_why_there_is_no_chaplygin_structure) {
  const Desk desk;
  for (const auto& [model, reason] :
       {std::pair{"mclachlan-perlmutter", "no symmetry is known: every coordinate occurs in the Lagrangian or"},
        std::pair{"cart-pendulum", "there are holonomic constraints: use coordinates in which they hold"},
        std::pair{"ball-on-turntable", "the constraints are affine: a Chaplygin system has linear ones"}}) {
    EXPECT_TRUE(contains(desk.document(std::string("analyse ") + model).at("reasons").at(0), reason));
    EXPECT_TRUE(contains(desk(std::string("analyse ") + model).out, reason));
    EXPECT_TRUE(contains(desk(std::string("analyse ") + model + " --latex").err, reason));
  }
}

using Point = std::map<std::string, double>;

TEST(Analyse, the_multiplier_of_the_carriage_is_not_single_valued) {
  const Desk desk;
  const json d = desk.document("analyse two-wheeled-carriage");
  const json& n = d.at("hamiltonizable").at("multiplier");
  const std::string expression = n.at("expression");
  EXPECT_TRUE(expression.starts_with("exp(")) << expression;
  Point p;
  const json parameters = desk.document("show two-wheeled-carriage").at("parameters");
  for (const auto& [name, value] : parameters.items()) p[name] = value;
  p["psi1"] = 0.4;
  p["psi2"] = 0.9;
  const double here = desk.value(expression, p);
  ASSERT_EQ(n.at("periods").size(), 2U);
  for (const char* wheel : {"psi1", "psi2"}) {
    Point turned = p;
    turned[wheel] += 2.0 * std::numbers::pi;
    EXPECT_NEAR(desk.value(expression, turned) / here, n.at("periods").at(wheel), 1e-10);
    EXPECT_TRUE(
        contains(desk("analyse two-wheeled-carriage").out,
                 std::string("local, not single-valued: after a turn of ") + wheel + " it is 1.92418 times as large"));
  }
  EXPECT_TRUE(desk.document("analyse two-wheeled-carriage --set l=0")
                  .at("hamiltonizable")
                  .at("multiplier")
                  .at("periods")
                  .empty());
}

TEST(Analyse, reduces_the_discrete_equations_under_a_rule) {
  // ż = y ẋ, midpoint: Δz = y_m Δx, F⁻ = F⁺ = (h/2) (−y_m x' y', y_m x'²), by hand
  const Desk desk;
  const json d = desk.document("analyse quadratic-particle --rule midpoint").at("discrete_reduction");
  EXPECT_EQ(d.at("rule"), "midpoint");
  EXPECT_TRUE(d.at("closed_form"));
  const std::map<std::string, double> at{{"x", 0.3}, {"y", -0.7}, {"dx", 0.11}, {"dy", -0.05}, {"h", 0.2}};
  const auto value = [&](std::string text) {
    for (const char* q : {"x", "y"}) {
      const std::string symbol = std::string("Δ(") + q + ")";
      for (std::size_t k = text.find(symbol); k != std::string::npos; k = text.find(symbol))
        text.replace(k, symbol.size(), std::string("d") + q);
    }
    return desk.value(text, at);
  };
  const double x = 0.3 + 0.055;
  const double y = -0.7 - 0.025;
  EXPECT_NEAR(value(d.at("fibre_increments").at(0)), y * 0.11, 1e-15);
  EXPECT_NEAR(value(d.at("lagrangian")), (0.11 * 0.11 * (1 + y * y) + 0.05 * 0.05) / 0.4 - 0.2 * (x * x + y * y),
              1e-14);
  for (const char* force : {"force_minus", "force_plus"}) {
    EXPECT_NEAR(value(d.at(force).at(0)), 0.5 * y * 0.11 * 0.05 / 0.2, 1e-15);
    EXPECT_NEAR(value(d.at(force).at(1)), 0.5 * y * 0.11 * 0.11 / 0.2, 1e-15);
  }
  EXPECT_FALSE(
      desk.document("analyse two-wheeled-carriage --rule alpha=0.3").at("discrete_reduction").at("closed_form"));
  EXPECT_TRUE(contains(desk("analyse two-wheeled-carriage --rule sym=0.2").out, "--observe reduced-forces"));
  EXPECT_TRUE(contains(desk("analyse quadratic-particle --rule midpoint --latex").out, "F^-_{x} &="));
}

TEST(Analyse, depends_on_the_parameters) {
  const Desk desk;
  EXPECT_TRUE(desk.document("analyse chaplygin-sleigh-horizontal --set a=0").at("hamiltonizable").at("holds"));
  const json symmetric = desk.document("analyse veselova --set I1=1 --set I2=1 --set I3=1");
  EXPECT_EQ(symmetric.at("hamiltonizable").at("multiplier").at("expression"), "1");
  // Where nothing can move the frame the measure stays, and the ball is a free body.
  EXPECT_TRUE(desk.document("analyse chaplygin-ball --set m=0").at("hamiltonizable").at("holds"));
  for (const char* zero : {"snakeboard --set m=0", "snakeboard --set l=0", "rubber-routh-sphere --set l=0",
                           "rubber-body-on-sphere --set b=0"}) {
    const json d = desk.document(std::string("analyse ") + zero);
    expect_consistent(d);
    EXPECT_TRUE(d.at("hamiltonizable").at("holds")) << zero;
  }
  const Answer infinite = desk("analyse rubber-body-on-sphere --set a=0");
  EXPECT_EQ(infinite.status, wrong_request);
  expect_parts(infinite.err, {"rubber-body-on-sphere.toml:", "-inf", "must be a finite number"});
}

TEST(Analyse, requests_that_are_wrong_say_what_is_possible) {
  const Desk desk;
  for (const auto& [arguments, part] :
       {std::pair{"analyse", "rattleback models"}, std::pair{"analyse nothing", "no model 'nothing'"},
        std::pair{"analyse knife-edge --latex --json", "give one"},
        std::pair{"analyse knife-edge --q0 1,2,3", "'analyse' has no option '--q0'"},
        std::pair{"analyse knife-edge --rule simpson", "--rule must be midpoint, trapezoidal, alpha=0.5 or sym=0"},
        std::pair{"analyse knife-edge --rule alpha=2", "alpha must be a number between 0 and 1, found '2'"},
        std::pair{"analyse mclachlan-perlmutter --rule midpoint", "--rule is for Chaplygin systems, and this is none"},
        std::pair{"analyse knife-edge --associated 0", "--associated must be a positive number of systems, found 0"},
        std::pair{"analyse knife-edge --associated many", "unknown name 'many'; it must be a number"},
        std::pair{"analyse knife-edge --jsn", "did you mean '--json'?"},
        std::pair{"analyse knife-edge --set z=1", "has no parameter 'z'; it has m, J"},
        std::pair{"analyze knife-edge", "did you mean 'analyse'?"}}) {
    const Answer a = desk(arguments);
    EXPECT_EQ(a.status, wrong_request) << arguments;
    EXPECT_EQ(a.out, "") << arguments;
    EXPECT_TRUE(contains(a.err, part)) << arguments;
  }
}

// For other values of a there is no multiplier at all.
TEST(Analyse, a_multiplier_for_some_parameters_is_not_one_for_all) {
  const Desk desk;
  const json d = desk.document("analyse chaplygin-sleigh-horizontal --set a=0");
  EXPECT_FALSE(d.at("hamiltonizable").at("multiplier").at("for_all_parameters"));
  EXPECT_TRUE(
      contains(desk("analyse chaplygin-sleigh-horizontal --set a=0").out, "for these values of the parameters"));
}

TEST(Analyse, a_force_of_round_off_does_no_work) {
  const Desk desk;
  for (const char* model :
       {"rubber-body-on-sphere --set a=1 --set b=1", "veselova-4d --set a1=1 --set a2=1 --set a3=1 --set a4=1"}) {
    const json d = desk.document(std::string("analyse ") + model);
    ASSERT_TRUE(d.contains("hamiltonizable")) << d.value("not_examined", "");
    EXPECT_EQ(d.at("hamiltonizable").at("multiplier").at("expression"), "1");
  }
}

}  // namespace analyse_test
