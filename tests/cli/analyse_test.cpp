// `rattleback analyse`: the verdicts of the literature on the catalogue, and what they rest on.

#include <cmath>
#include <functional>
#include <numbers>

#include "analysed.hpp"

namespace {

using namespace rattleback::test;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

enum class Verdict { hamiltonizable, measure_only, no_measure, not_chaplygin, depends_on_time };

const std::map<std::string, Verdict> literature{
    {"free-particle", Verdict::hamiltonizable},
    {"free-particle-x", Verdict::hamiltonizable},
    {"harmonic-particle", Verdict::hamiltonizable},
    {"harmonic-particle-x", Verdict::hamiltonizable},
    {"quadratic-particle", Verdict::hamiltonizable},
    {"quadratic-particle-x", Verdict::hamiltonizable},
    {"sinusoidal-particle", Verdict::hamiltonizable},
    {"knife-edge", Verdict::hamiltonizable},
    {"knife-edge-incline", Verdict::hamiltonizable},
    {"rolling-disk", Verdict::hamiltonizable},
    {"mobile-robot", Verdict::hamiltonizable},
    {"veselova", Verdict::hamiltonizable},
    {"veselova-4d", Verdict::hamiltonizable},
    {"rubber-routh-sphere", Verdict::hamiltonizable},
    {"veselova-nd", Verdict::hamiltonizable},
    {"rubber-spheroid", Verdict::hamiltonizable},
    {"rubber-body-on-sphere", Verdict::hamiltonizable},
    {"two-wheeled-carriage", Verdict::hamiltonizable},
    {"chaplygin-sleigh", Verdict::no_measure},
    {"chaplygin-sleigh-horizontal", Verdict::no_measure},
    {"generic-connection", Verdict::no_measure},
    {"chaplygin-ball", Verdict::measure_only},
    {"contact-particle", Verdict::measure_only},
    {"snakeboard", Verdict::measure_only},
    {"mclachlan-perlmutter", Verdict::not_chaplygin},
    {"cart-pendulum", Verdict::not_chaplygin},
    {"ball-on-turntable", Verdict::not_chaplygin},
    {"conformal-particle", Verdict::hamiltonizable},
    {"rattleback", Verdict::no_measure},
    {"rubber-routh-sphere-nd", Verdict::hamiltonizable},
    {"ball-over-sphere-4d", Verdict::measure_only},
    {"forced-pendulum", Verdict::depends_on_time},
    {"rotor-sleigh", Verdict::depends_on_time},
    {"differential-drive", Verdict::not_chaplygin},
    {"ball-on-rocking-table", Verdict::not_chaplygin},
};

class AnalysedCatalogue : public testing::TestWithParam<std::pair<const std::string, Verdict>> {};

TEST(Analyse, there_is_a_verdict_for_every_model_of_the_catalogue) {
  const Desk desk;
  const json models = json::parse(desk("models --json").out);
  EXPECT_EQ(models.size(), literature.size());
  for (const json& entry : models) {
    EXPECT_TRUE(literature.contains(entry.at("name"))) << entry.at("name") << ": add its verdict to this test";
  }
}

TEST_P(AnalysedCatalogue, has_the_verdict_of_the_literature) {
  const auto& [model, verdict] = GetParam();
  const Desk desk;
  const json d = desk.document("analyse " + model);
  EXPECT_EQ(d.at("model"), model);
  expect_consistent(d);
  ASSERT_EQ(d.at("chaplygin").is_null(), verdict == Verdict::not_chaplygin);
  if (verdict == Verdict::not_chaplygin) return;
  ASSERT_EQ(d.contains("not_examined"), verdict == Verdict::depends_on_time);
  if (verdict == Verdict::depends_on_time) return;
  EXPECT_EQ(d.at("measure").at("exists"), verdict != Verdict::no_measure);
  EXPECT_EQ(d.at("hamiltonizable").at("holds"), verdict == Verdict::hamiltonizable);
  if (verdict == Verdict::no_measure) {
    EXPECT_GT(d.at("measure").at("closed").at("residual"), 1e-3);
  }
  if (verdict == Verdict::measure_only) {
    EXPECT_TRUE(d.at("measure").at("density").at("closed_form"));
    EXPECT_GT(d.at("hamiltonizable").at("phi_simple").at("residual"), 1e-3);
  }
  if (verdict != Verdict::hamiltonizable) return;
  const json& multiplier = d.at("hamiltonizable").at("multiplier");
  EXPECT_TRUE(multiplier.at("closed_form"));
  EXPECT_TRUE(multiplier.at("for_all_parameters"));
  EXPECT_EQ(multiplier.at("periods").empty(), model != "two-wheeled-carriage");
}

TEST_P(AnalysedCatalogue, is_written_as_text_and_latex_and_not_at_all) {
  const auto& [model, verdict] = GetParam();
  const Desk desk;
  const Answer latex = desk("analyse " + model + " --latex");
  if (verdict == Verdict::not_chaplygin) {
    EXPECT_EQ(latex.status, answer_is_no);
    EXPECT_EQ(latex.out, "");
    expect_parts(latex.err, {"rattleback: ", "there is no Chaplygin structure to write down: "});
  } else {
    EXPECT_EQ(latex.status, 0) << latex.err;
    EXPECT_TRUE(latex.out.starts_with("% "));
    EXPECT_TRUE(latex.out.ends_with("\\end{align*}\n"));
    EXPECT_EQ(occurrences(latex.out, "\\begin{align*}"), 1U);
    EXPECT_EQ(occurrences(latex.out, "{"), occurrences(latex.out, "}"));
    EXPECT_EQ(occurrences(latex.out, "\\left("), occurrences(latex.out, "\\right)"));
    EXPECT_EQ(occurrences(latex.out, "  N &= "), verdict == Verdict::hamiltonizable ? 1U : 0U);
    EXPECT_EQ(occurrences(latex.out, "  \\mu &= "),
              verdict == Verdict::hamiltonizable || verdict == Verdict::measure_only ? 1U : 0U);
    EXPECT_FALSE(contains(latex.out, "nan"));
  }
  if (model == "veselova-4d") return;  // its determinants take their time
  const Answer text = desk("analyse " + model);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.err, "");
  expect_parts(text.out, {"(" + model + ")\n", "\nConstraints\n", "\nSymmetry\n", "\nChaplygin structure\n"});
  EXPECT_FALSE(contains(text.out, " nan"));
  if (verdict != Verdict::not_chaplygin) {
    const std::string yes = model == "two-wheeled-carriage" ? "  locally" : "  yes";
    EXPECT_TRUE(
        contains(text.out, verdict == Verdict::hamiltonizable    ? yes + ": the gyroscopic force is phi-simple, resid"
                           : verdict == Verdict::measure_only    ? "  no: the gyroscopic force is not phi-simple, re"
                           : verdict == Verdict::depends_on_time ? "  not examined: the system depends on time"
                                                                 : ": dTheta is not 0, residual "));
  }
  const Answer quiet = desk("analyse " + model + " --quiet");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

INSTANTIATE_TEST_SUITE_P(Analyse, AnalysedCatalogue, testing::ValuesIn(literature.begin(), literature.end()),
                         [](const testing::TestParamInfo<std::pair<const std::string, Verdict>>& parameter) {
                           std::string name = parameter.param.first;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

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

double square(double x) { return x * x; }

TEST(Analyse, finds_the_multipliers_and_densities_of_the_literature) {
  const Desk desk;
  struct Known {
    std::string model;
    std::string which;  ///< of the document
    std::function<double(const Point&)> function;
  };
  const std::vector<Known> all{
      {"free-particle", "multiplier", [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(p.at("y"))); }},
      {"harmonic-particle-x", "multiplier", [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(p.at("x"))); }},
      {"sinusoidal-particle", "multiplier",
       [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(std::sin(p.at("x")))); }},
      {"knife-edge", "multiplier", [](const Point& p) { return std::cos(p.at("phi")); }},
      {"knife-edge-incline", "multiplier", [](const Point& p) { return std::cos(p.at("phi")); }},
      {"rolling-disk", "multiplier", [](const Point&) { return 1.0; }},
      {"mobile-robot", "multiplier", [](const Point&) { return 1.0; }},
      {"veselova", "multiplier",
       [](const Point& p) {
         const double s = std::sin(p.at("theta"));
         return 1.0 / std::sqrt(p.at("I2") * p.at("I3") * square(s * std::sin(p.at("phi"))) +
                                p.at("I1") * p.at("I3") * square(s * std::cos(p.at("phi"))) +
                                p.at("I1") * p.at("I2") * square(std::cos(p.at("theta"))));
       }},
      {"rubber-routh-sphere", "multiplier",
       [](const Point& p) {
         const double c = std::cos(p.at("theta"));
         return 1.0 / std::sqrt(p.at("I1") * c * c + p.at("I3") * (1.0 - c * c) +
                                p.at("m") * square(p.at("R") + p.at("l") * c));
       }},
      {"rubber-body-on-sphere", "multiplier",
       [](const Point& p) {
         const double c = std::cos(p.at("theta"));
         return std::pow(
             p.at("I1") * c * c + p.at("I3") * (1.0 - c * c) + p.at("m") * square(p.at("b") + p.at("l") * c),
             0.5 * (p.at("b") / p.at("a") - 1.0));
       }},
      {"chaplygin-ball", "density",
       [](const Point& p) {
         const double s = std::sin(p.at("theta"));
         const double d = p.at("m") * square(p.at("R"));
         return 1.0 / std::sqrt(1.0 - d * (square(s * std::sin(p.at("phi"))) / (p.at("I1") + d) +
                                           square(s * std::cos(p.at("phi"))) / (p.at("I2") + d) +
                                           square(std::cos(p.at("theta"))) / (p.at("I3") + d)));
       }},
      {"contact-particle", "density",
       [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(p.at("y1")) + square(p.at("y2"))); }},
  };
  for (const Known& known : all) {
    SCOPED_TRACE(known.model);
    const json d = desk.document("analyse " + known.model);
    const json& potential =
        known.which == "density" ? d.at("measure").at("density") : d.at("hamiltonizable").at("multiplier");
    ASSERT_TRUE(potential.contains("expression"));
    double ratio = 0.0;
    for (const double shift : {0.3, 0.8, 1.4}) {
      Point p;
      double value = shift;
      for (const json& r : d.at("chaplygin").at("shape")) p[r] = value += 0.13;
      for (const char* name : {"m", "R", "l", "a", "b", "I1", "I2", "I3", "J"}) {
        p.emplace(name, 0.7 + 0.3 * static_cast<double>(p.size()));  // the same at all points
      }
      const double found = desk.value(potential.at("expression"), p) / known.function(p);
      EXPECT_TRUE(std::isfinite(found));
      EXPECT_NE(found, 0.0);
      if (ratio == 0.0) ratio = found;
      EXPECT_NEAR(found / ratio, 1.0, 1e-12) << "a constant factor does not matter";
    }
  }
}

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

}  // namespace
