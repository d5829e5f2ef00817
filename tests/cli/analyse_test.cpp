// `rattleback analyse`: the verdicts of the literature on the catalogue, what they rest on, declared symmetries that
// are none, and systems outside the theory.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <ostream>
#include <vector>

#include "command.hpp"

namespace {

using namespace rattleback::test;
using nlohmann::json;

/// A folder with models in which the command runs.
class Desk : public Workplace {
 public:
  /// An expression as the program itself evaluates it.
  double value(const std::string& expression, const std::map<std::string, double>& symbols) const {
    std::string text = "coordinates = ['q_0']\nlagrangian = \"q_0'^2\"\n[parameters]\n";
    for (const auto& [name, number] : symbols) text += name + " = " + json(number).dump() + "\n";
    add("value", text + "answer = \"" + expression + "\"\n");
    return document("show value.toml").at("parameters").at("answer");
  }
};

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_TRUE(contains(message, part));
}

// ---------------------------------------------------------------------------------------------------------------------
// The numbers that a document claims

/// "holds" has small residuals; otherwise there is a point at which they are large.
void expect_certificate(const json& c, std::size_t entries) {
  SCOPED_TRACE(c.dump());
  EXPECT_GT(c.at("points"), 0);
  EXPECT_GT(c.at("tolerance"), 0.0);
  EXPECT_LE(c.at("tolerance"), 1e-6);
  const bool holds = c.at("holds");
  EXPECT_EQ(holds, c.at("residual").get<double>() <= c.at("tolerance").get<double>());
  EXPECT_EQ(c.contains("counterexample"), !holds);
  EXPECT_EQ(c.at(holds ? "worst" : "counterexample").size(), entries);
}

void expect_potential(const json& p) {
  SCOPED_TRACE(p.dump());
  EXPECT_EQ(p.contains("expression"), p.at("closed_form").get<bool>());
  EXPECT_EQ(p.at("single_valued"), p.at("periods").empty());
  EXPECT_LT(p.at("residual"), 1e-9);
}

void expect_chaplygin(const json& c) {
  const std::size_t k = c.at("fibre").size();
  const std::size_t m = c.at("shape").size();
  for (const json& s : c.at("shape")) {
    EXPECT_EQ(std::count(c.at("fibre").begin(), c.at("fibre").end(), s), 0) << s;
  }
  const json& group = c.at("group");
  ASSERT_EQ(group.at("generators").size(), k);
  for (const json& g : group.at("generators")) EXPECT_EQ(g.at("generator").size(), k + m);
  const json& constants = group.at("structure_constants");
  ASSERT_EQ(constants.size(), k * k * k);
  bool vanish = true;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      for (std::size_t i = 0; i < k; ++i) {
        const double x = constants.at((a * k + b) * k + i);
        EXPECT_EQ(x, -constants.at((b * k + a) * k + i).get<double>());
        vanish = vanish && x == 0.0;
      }
    }
  }
  EXPECT_EQ(group.at("abelian"), vanish);
  ASSERT_EQ(c.at("connection").size(), k);
  for (const json& row : c.at("connection")) EXPECT_EQ(row.size(), m);
  EXPECT_TRUE(c.at("force").empty() || c.at("force").size() == m);
  ASSERT_TRUE(c.at("reduction_defect").is_number());
  EXPECT_LT(c.at("reduction_defect"), 1e-9);
}

/// What any document of any system must satisfy.
void expect_consistent(const json& d) {
  SCOPED_TRACE(d.at("model").get<std::string>());
  EXPECT_LE(d.at("symmetry").at("dimension"), d.at("symmetry").at("known").size());
  EXPECT_LE(d.at("symmetry").at("inside_constraints"), d.at("symmetry").at("dimension"));
  const bool found = !d.at("chaplygin").is_null();
  EXPECT_NE(found, d.contains("reasons"));
  if (!found) {
    EXPECT_FALSE(d.at("reasons").empty());
    EXPECT_FALSE(d.contains("measure") || d.contains("hamiltonizable") || d.contains("not_examined"));
    return;
  }
  expect_chaplygin(d.at("chaplygin"));
  EXPECT_NE(d.contains("measure"), d.contains("not_examined"));
  EXPECT_EQ(d.contains("measure"), d.contains("hamiltonizable"));
  if (!d.contains("measure")) return;
  const std::size_t m = d.at("chaplygin").at("shape").size();
  const json& measure = d.at("measure");
  const json& hamiltonizable = d.at("hamiltonizable");
  EXPECT_EQ(d.at("chaplygin").at("tensor").size(), m * m * (m - 1) / 2);
  EXPECT_EQ(measure.at("one_form").size(), m);
  expect_certificate(measure.at("closed"), m);
  expect_certificate(hamiltonizable.at("phi_simple"), 2 * m);
  EXPECT_EQ(measure.at("exists"), measure.at("closed").at("holds"));
  EXPECT_EQ(measure.at("exists"), measure.contains("density"));
  EXPECT_EQ(hamiltonizable.at("holds"),
            measure.at("exists").get<bool>() && hamiltonizable.at("phi_simple").at("holds").get<bool>());
  EXPECT_EQ(hamiltonizable.at("holds"), hamiltonizable.contains("multiplier"));
  if (measure.contains("density")) expect_potential(measure.at("density"));
  if (hamiltonizable.contains("multiplier")) {
    expect_potential(hamiltonizable.at("multiplier"));
    for (const char* form : {"lagrangian", "hamiltonian", "poincare_lagrangian", "poincare_hamiltonian", "energy"}) {
      EXPECT_EQ(hamiltonizable.contains(form), hamiltonizable.at("multiplier").at("closed_form").get<bool>()) << form;
    }
  }
  if (d.contains("measure_by_translations")) {
    const json& by = d.at("measure_by_translations");
    const std::size_t n = m + d.at("chaplygin").at("fibre").size();
    expect_certificate(by.at("vertical"), n - by.at("translations").size());
    EXPECT_EQ(by.at("exists"), by.at("vertical").at("holds").get<bool>() && by.at("closed").at("holds").get<bool>());
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The catalogue

enum class Verdict { hamiltonizable, measure_only, no_measure, not_chaplygin };

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
    EXPECT_EQ(occurrences(latex.out, "  \\mu &= "), verdict == Verdict::no_measure ? 0U : 1U);
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
        contains(text.out, verdict == Verdict::hamiltonizable ? yes + ": the gyroscopic force is phi-simple, resid"
                           : verdict == Verdict::measure_only ? "  no: the gyroscopic force is not phi-simple, re"
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
        std::pair{"analyse knife-edge --jsn", "did you mean '--json'?"},
        std::pair{"analyse knife-edge --set z=1", "has no parameter 'z'; it has m, J"},
        std::pair{"analyze knife-edge", "did you mean 'analyse'?"}}) {
    const Answer a = desk(arguments);
    EXPECT_EQ(a.status, wrong_request) << arguments;
    EXPECT_EQ(a.out, "") << arguments;
    EXPECT_TRUE(contains(a.err, part)) << arguments;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Declared symmetries that are none

struct WrongDeclaration {
  std::string label;
  std::string model;
  std::vector<std::string> says;  ///< what was declared, and the term that breaks it
};

void PrintTo(const WrongDeclaration& wrong, std::ostream* out) { *out << wrong.label; }

/// x in the potential, y in the constraint, z nowhere; [symmetry] begins in line 9.
std::string particle(const std::string& declaration) {
  return "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*m*(x'^2 + y'^2 + z'^2) - x^2\"\n"
         "constraints = [\"z' - y*x'\"]\n[parameters]\nm = 1\n[initial]\nq = [0, 1, 0]\nv = [1, 1, 1]\n" +
         declaration;
}

std::string free_particle(const std::string& declaration) {
  return "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n"
         "[initial]\nq = [1, 0.3, 0.2]\nv = [1, 1, 1]\n" +
         declaration;
}

std::string three_angles(const std::string& lagrangian, const std::string& q) {
  return "coordinates = ['a', 'b', 'c']\nangles = ['a', 'b', 'c']\nlagrangian = \"" + lagrangian +
         "\"\n[symmetry]\ngroup = 'SO(3)'\nacts_on = ['a', 'b', 'c']\n[initial]\nq = " + q + "\nv = [1, 1, 1]\n";
}

const std::string symmetric_top =
    "0.5*((a'*sin(b)*sin(c) + b'*cos(c))^2 + (a'*sin(b)*cos(c) - b'*sin(c))^2 + 2*(c' + a'*cos(b))^2)";

class WrongDeclarations : public testing::TestWithParam<WrongDeclaration> {};

TEST_P(WrongDeclarations, get_status_2_and_the_reason) {
  const WrongDeclaration& wrong = GetParam();
  const Desk desk;
  desk.add("m", wrong.model);
  for (const char* form : {"", " --json", " --latex", " --quiet"}) {
    const Answer a = desk(std::string("analyse m.toml") + form);
    SCOPED_TRACE(form + a.err);
    EXPECT_EQ(a.status, wrong_request);
    EXPECT_EQ(a.out, "");
    EXPECT_TRUE(a.err.starts_with("rattleback: m.toml:"));
    expect_parts(a.err, wrong.says);
  }
}

const std::vector<WrongDeclaration> symmetries_that_are_none{
    {"fibre_in_lagrangian",
     particle("[symmetry]\nfibre = ['x']\n"),
     {"the Lagrangian is not invariant under translation of x", "its rate of change -2*x"}},
    {"fibre_in_constraint",
     particle("[symmetry]\nfibre = ['y']\n"),
     {"constraint 1 is not invariant under translation of y", "its rate of change -x'"}},
    {"right_and_wrong_together",
     particle("[symmetry]\nfibre = ['z', 'x']\n"),
     {"the Lagrangian is not invariant under translation of x", "-2*x"}},
    {"generator",
     particle("[symmetry.generators]\nturn = {x = \"-y\", y = \"x\"}\n"),
     {"the Lagrangian is not invariant under turn", "its rate of change 2*x*y"}},
    {"plane_that_is_not_homogeneous",
     particle("[symmetry]\ngroup = 'SE(2)'\nacts_on = ['x', 'y', 'z']\n"),
     {"the Lagrangian is not invariant under translation of x", "-2*x"}},
    {"SO3_on_three_numbers",
     three_angles("0.5*(a'^2 + b'^2 + c'^2)", "[1, 0.3, 0.2]"),
     {"the Lagrangian is not invariant under rotation about x", "its rate of change "}},
    {"SO3_and_gravity", three_angles(symmetric_top + " - cos(b)", "[1, 0.3, 0.2]"), {"rotation about x", "is not"}},
};

const std::vector<WrongDeclaration> no_groups{
    {"bracket_of_rotations",
     free_particle("[symmetry.generators]\nrx = {y = \"-z\", z = \"y\"}\nry = {x = \"z\", z = \"-x\"}\n"),
     {"the generators form no group", "the bracket of rx and ry is not a combination"}},
    {"bracket_with_a_translation",
     free_particle("[symmetry.generators]\nt = {x = \"1\"}\nrz = {x = \"-y\", y = \"x\"}\n"),
     {"the generators form no group", "the bracket of t and rz"}},
    {"proportional_generators",
     particle("[symmetry.generators]\none = {z = \"m\"}\ntwo = {z = \"2*m\"}\n"),
     {"does not act freely", "(one)", "(two)"}},
    {"fibre_and_the_same_generator",
     particle("[symmetry]\nfibre = ['z']\n[symmetry.generators]\nagain = {z = \"2\"}\n"),
     {"does not act freely", "(translation of z)", "(again)"}},
    {"fibre_twice", particle("[symmetry]\nfibre = ['z', 'z']\n"), {"(translation of z)"}},
    {"rotation_twice",
     free_particle("[symmetry.generators]\nr1 = {x = \"-y\", y = \"x\"}\nr2 = {x = \"y\", y = \"-x\"}\n"),
     {"does not act freely", "(r1)", "(r2)"}},
    {"rotations_of_points",  // their orbits are spheres
     free_particle("[symmetry.generators]\nrx = {y = \"-z\", z = \"y\"}\nry = {x = \"z\", z = \"-x\"}\n"
                   "rz = {x = \"-y\", y = \"x\"}\n"),
     {"does not act freely", "(rx)", "(ry)", "(rz)"}},
};

const std::vector<WrongDeclaration> misread{
    {"velocity_in_a_generator",
     particle("[symmetry.generators]\nturn = {z = \"x'\"}\n"),
     {"m.toml:10:8: ", "the symmetry turn contains x', a velocity", "only coordinates and parameters"}},
    {"time_in_a_generator",
     particle("[symmetry.generators]\nboost = {z = \"t\"}\n"),
     {"m.toml:10:15: ", "unknown name 't'"}},
    {"zero_generator", particle("[symmetry.generators]\nrest = {z = \"0\"}\n"), {"m.toml:10:8: ", "rest is zero"}},
    {"empty_generator", particle("[symmetry.generators]\nrest = {}\n"), {"m.toml:10:8: ", "rest is zero", "remove it"}},
    {"number_in_a_generator",
     particle("[symmetry.generators]\nup = {z = 1}\n"),
     {"m.toml:10:11: ", "must be a text in quotes, found a number"}},
    {"generator_of_no_coordinate",
     particle("[symmetry.generators]\nup = {w = \"1\"}\n"),
     {"m.toml:10:7: ", "unknown key 'w'", "the keys are x, y, z"}},
    {"fibre_of_no_coordinate",
     particle("[symmetry]\nfibre = ['w']\n"),
     {"m.toml:10:10: ", "'w' in fibre is not a coordinate; the coordinates are x, y, z"}},
    {"fibre_as_text", particle("[symmetry]\nfibre = 'z'\n"), {"m.toml:10:9: ", "fibre must be a list in brackets"}},
    {"unknown_group",
     particle("[symmetry]\ngroup = 'SE(3)'\nacts_on = ['x', 'y', 'z']\n"),
     {"m.toml:10:9: ", "'SE(3)' is not known; there are SE(2) and SO(3)"}},
    {"group_on_nothing", particle("[symmetry]\ngroup = 'SE(2)'\n"), {"m.toml:10:9: ", "SE(2) needs acts_on = [x, y"}},
    {"group_on_two",
     particle("[symmetry]\ngroup = 'SE(2)'\nacts_on = ['x', 'y']\n"),
     {"m.toml:11:11: ", "three coordinates", "found 2"}},
    {"group_on_one_twice",
     particle("[symmetry]\ngroup = 'SO(3)'\nacts_on = ['x', 'x', 'z']\n"),
     {"m.toml:11:11: ", "three different coordinates"}},
    {"nothing_acts", particle("[symmetry]\nacts_on = ['x', 'y', 'z']\n"), {"m.toml:10:11: ", "acts_on needs a group"}},
};

std::string label_of(const testing::TestParamInfo<WrongDeclaration>& parameter) { return parameter.param.label; }
INSTANTIATE_TEST_SUITE_P(NoSymmetry, WrongDeclarations, testing::ValuesIn(symmetries_that_are_none), label_of);
INSTANTIATE_TEST_SUITE_P(NoGroup, WrongDeclarations, testing::ValuesIn(no_groups), label_of);
INSTANTIATE_TEST_SUITE_P(Misread, WrongDeclarations, testing::ValuesIn(misread), label_of);

TEST(Declarations, that_are_right_are_used) {
  const Desk desk;
  desk.add("plane",
           "coordinates = ['x', 'y', 'a', 'b']\nlagrangian = \"0.5*(x'^2 + y'^2 + a'^2 + b'^2) - b^2\"\n"
           "constraints = [\"x'*sin(a) - y'*cos(a)\", \"x'*cos(a) + y'*sin(a) - b'\", \"a' - b*b'\"]\n"
           "[symmetry]\ngroup = 'SE(2)'\nacts_on = ['x', 'y', 'a']\n[initial]\nq = [0, 0, 0.3, 1]\n");
  const json plane = desk.document("analyse plane.toml");
  expect_consistent(plane);
  EXPECT_EQ(plane.at("chaplygin").at("shape"), json({"b"}));
  EXPECT_FALSE(plane.at("chaplygin").at("group").at("abelian"));
  EXPECT_EQ(plane.at("hamiltonizable").at("multiplier").at("expression"), "1") << "one degree of freedom";

  desk.add("top", three_angles(symmetric_top, "[1, 0.3, 0.2]"));
  EXPECT_EQ(desk.document("analyse top.toml").at("symmetry").at("dimension"), 3);
  // Either of two cyclic coordinates may be the fibre; the model decides.
  for (const char* fibre : {"x", "z"}) {
    desk.add("m",
             "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\nconstraints = [\"z' - y*x'\"]\n"
             "[symmetry]\nfibre = ['" +
                 std::string(fibre) + "']\n[initial]\nq = [0, 1, 0]\nv = [1, 1, 1]\n");
    const json d = desk.document("analyse m.toml");
    expect_consistent(d);
    EXPECT_EQ(d.at("chaplygin").at("fibre"), json({fibre}));
  }
}

TEST(Declarations, broken_by_an_applied_force_are_refused) {
  const Desk desk;
  desk.add("m", particle("[forces]\nx = \"-z\"\n[symmetry]\nfibre = ['z']\n"));
  const Answer a = desk("analyse m.toml");
  EXPECT_EQ(a.status, wrong_request);
  expect_parts(a.err, {"m.toml", "force on x is not invariant under translation of z"});
}

TEST(Declarations, that_are_wrong_are_only_mentioned_where_they_do_not_matter) {
  const Desk desk;
  desk.add("m", particle("[symmetry]\nfibre = ['x']\n"));
  const Answer a = desk("run m.toml -m dla --step 0.1 --steps 3");
  EXPECT_EQ(a.status, 0);
  EXPECT_TRUE(
      contains(a.err, "note: a declared symmetry is not one: the Lagrangian is not invariant under translation of x"));
}

// ---------------------------------------------------------------------------------------------------------------------
// Systems outside the theory

struct Other {
  std::string label;
  std::string lagrangian;
  std::string rest;          ///< of the model, after the Lagrangian of x, y, z and the constraint z' = y x'
  std::string not_examined;  ///< why, or nothing
};

TEST(OtherSystems, without_a_measure_to_examine_say_why) {
  const Desk desk;
  const std::string start = "[initial]\nq = [0, 1, 0]\nv = [0.1, 0.1, 0.1]\n";
  const std::vector<Other> all{
      {"friction", "0.5*(x'^2 + y'^2 + z'^2)", "[forces]\nx = \"-x'\"\n", "forces are not quadratic in the velocities"},
      {"drive", "0.5*(x'^2 + y'^2 + z'^2)", "[forces]\nx = \"x'^2\"\n", "the applied forces do work"},
      {"relativistic", "-sqrt(1 - x'^2 - y'^2 - z'^2)", "", "the Lagrangian is not quadratic in the velocity"},
      {"magnetic", "0.5*(x'^2 + y'^2 + z'^2) + x*y' - y*x'", "", "terms that are linear in the velocities"},
      {"no_magnetic_field", "0.5*(x'^2 + y'^2 + z'^2) + 0*(x*y' - y*x')", "", ""},
  };
  for (const Other& other : all) {
    SCOPED_TRACE(other.label);
    desk.add("m", "coordinates = ['x', 'y', 'z']\nlagrangian = \"" + other.lagrangian +
                      "\"\nconstraints = [\"z' - y*x'\"]\n" + other.rest + start);
    const json d = desk.document("analyse m.toml");
    expect_consistent(d);
    EXPECT_EQ(d.contains("not_examined"), !other.not_examined.empty());
    if (other.not_examined.empty()) continue;
    EXPECT_TRUE(contains(d.at("not_examined"), other.not_examined));
    EXPECT_TRUE(contains(desk("analyse m.toml").out, "  not examined: "));
    EXPECT_EQ(desk("analyse m.toml --latex").status, 0) << "the reduced system can be written down";
  }
}

TEST(OtherSystems, without_constraints_are_reduced_already) {
  const Desk desk;
  desk.add("pendulum", "coordinates = ['a']\nangles = ['a']\nlagrangian = \"0.5*a'^2 + cos(a)\"\n[initial]\nq = [1]\n");
  desk.add("damped", "coordinates = ['x']\nlagrangian = \"0.5*x'^2 - 0.5*x^2\"\n[forces]\nx = \"-x'\"\n");
  const json d = desk.document("analyse pendulum.toml");
  expect_consistent(d);
  EXPECT_FALSE(d.contains("constraints"));
  EXPECT_TRUE(d.at("chaplygin").at("fibre").empty());
  EXPECT_EQ(d.at("hamiltonizable").at("multiplier").at("expression"), "1");
  expect_parts(desk("analyse pendulum.toml").out, {"Constraints\n  none", "no constraints", "  F = 0\n", "  N = 1\n"});
  EXPECT_TRUE(contains(desk.document("analyse damped.toml").at("not_examined"), "not quadratic"));
}

TEST(OtherSystems, need_no_initial_state_and_may_have_one_where_the_rank_drops) {
  const Desk desk;
  const std::string coordinates = "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n";
  desk.add("no_initial", coordinates + "constraints = [\"z' - y*x'\"]\n");
  desk.add("undefined_at_0", coordinates + "constraints = [\"z' - x'/y\"]\n");
  desk.add("vanishing", coordinates + "constraints = [\"x*z' - x*y*x'\"]\n[initial]\nq = [0, 1, 0]\nv = [1, 1, 1]\n");
  desk.add("dependent",
           "coordinates = ['x', 'y', 'z', 'w']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2 + w'^2)\"\n"
           "constraints = [\"z' - y*x'\", \"w'*sin(y) - z' + y*x'\"]\n[initial]\nq = [0, 0, 0, 0]\n");
  for (const char* model : {"no_initial", "undefined_at_0", "vanishing", "dependent"}) {
    SCOPED_TRACE(model);
    const json d = desk.document(std::string("analyse ") + model + ".toml");
    expect_consistent(d);
    EXPECT_TRUE(d.at("hamiltonizable").at("holds"));
    EXPECT_TRUE(d.at("hamiltonizable").at("multiplier").at("closed_form"));
  }
  EXPECT_TRUE(contains(desk("analyse dependent.toml").out, "solvable where sin(y) is not 0"));
}

const std::string chain =
    "coordinates = ['z', '[i = 1..n] x[i]', '[i = 1..n] y[i]']\n"
    "lagrangian = \"0.5*z'^2 + 0.5*sum(i = 1..n, x[i]'^2 + y[i]'^2) - 0.5*sum(i = 1..n - 1, (x[i+1] - x[i])^2)\"\n"
    "constraints = [\"[i = 1..n] y[i]' - x[i]*z'\"]\n[parameters]\nn = 8\n"
    "[initial]\nq = [0, '[i = 1..n] i', '[i = 1..n] 0']\nv = [1, '[i = 1..n] (-1)^i', '[i = 1..n] i']\n";

TEST(OtherSystems, may_be_large) {
  const Desk desk;
  desk.add("chain", chain);
  const json one = desk.document("analyse chain.toml --set n=1");
  expect_consistent(one);
  EXPECT_TRUE(one.at("hamiltonizable").at("holds")) << "a nonholonomic particle";
  for (const char* n : {"2", "8"}) {
    const json d = desk.document(std::string("analyse chain.toml --set n=") + n);
    expect_consistent(d);
    EXPECT_TRUE(d.at("measure").at("exists")) << n;
    EXPECT_TRUE(d.at("measure").at("density").at("closed_form")) << n;
    EXPECT_FALSE(d.at("hamiltonizable").at("holds")) << n;
  }
  const json particles = desk.document("analyse mclachlan-perlmutter --set n=6");
  expect_consistent(particles);
  EXPECT_EQ(particles.at("constraints").at("rank"), 1);
  EXPECT_EQ(desk("analyse chain.toml --quiet").status, 0);
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

TEST(OtherSystems, without_inertia_get_no_verdict) {
  const Desk desk;
  desk.add("m", "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + z'^2)\"\nconstraints = [\"z' - y*x'\"]\n");
  for (const char* model :
       {"knife-edge --set m=0", "knife-edge --set J=0", "rolling-disk --set R=0", "snakeboard --set Jr=0", "m.toml"}) {
    const Answer a = desk(std::string("analyse ") + model);
    EXPECT_FALSE(contains(a.out, "residual 0 at")) << model;
    EXPECT_TRUE(contains(a.out + a.err, "not regular")) << model;
  }
}

// 16 is enough for a determinant of 1e-13 between rows of length 1.
TEST(OtherSystems, may_be_larger) {
  const Desk desk;
  desk.add("chain", chain);
  expect_consistent(desk.document("analyse chain.toml --set n=16"));
  EXPECT_FALSE(desk.document("analyse chain.toml --set n=16").at("chaplygin").is_null());
}

// The only group that fits is the last of 10626.
TEST(OtherSystems, may_have_many_symmetries) {
  const Desk desk;
  desk.add("m",
           "coordinates = ['[i = 1..20] w[i]', 'x', 'z', '[i = 1..4] y[i]']\n"
           "lagrangian = \"0.5*(z'^2 + x'^2) - z^2 - x^2 + 0.5*sum(i = 1..20, w[i]'^2) + 0.5*sum(i = 1..4, y[i]'^2)\"\n"
           "constraints = [\"[i = 1..4] y[i]' - z^i*x'\"]\n");
  const json d = desk.document("analyse m.toml");
  EXPECT_EQ(d.at("chaplygin").value("fibre", json()), json({"y1", "y2", "y3", "y4"}));
  EXPECT_LT(desk("analyse m.toml").out.size(), 20000U);
}

TEST(OtherSystems, that_cannot_move_or_repeat_a_constraint_are_recognized) {
  const Desk desk;
  desk.add("one", "coordinates = ['x']\nlagrangian = \"0.5*x'^2\"\nconstraints = [\"x'\"]\n[initial]\nq = [1]\n");
  desk.add("twice",
           "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\n"
           "constraints = [\"z' - y*x'\", \"2*z' - 2*y*x'\"]\n");
  EXPECT_FALSE(desk.document("analyse one.toml").at("reasons").empty());
  EXPECT_TRUE(contains(desk.document("analyse twice.toml").at("reasons").at(0), "follows from those before it"));
}

}  // namespace
