// The catalogue, analysed once each: the verdicts, multipliers and densities of the literature, and that every
// rendering of the answer says the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "rattleback/answer/analyse.hpp"
#include "rattleback/answer/models.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "refusal.hpp"
#include "tests/analysed_document.hpp"
#include "tests/places.hpp"

namespace rattleback::answer {
namespace analysed_catalogue_test {

using nlohmann::json;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

enum class Expected { hamiltonizable, measure_only, no_measure, not_chaplygin, depends_on_time, rotation };

const std::map<std::string, Expected> literature{
    {"free-particle", Expected::hamiltonizable},
    {"free-particle-x", Expected::hamiltonizable},
    {"harmonic-particle", Expected::hamiltonizable},
    {"harmonic-particle-x", Expected::hamiltonizable},
    {"quadratic-particle", Expected::hamiltonizable},
    {"quadratic-particle-x", Expected::hamiltonizable},
    {"sinusoidal-particle", Expected::hamiltonizable},
    {"knife-edge", Expected::hamiltonizable},
    {"knife-edge-incline", Expected::hamiltonizable},
    {"rolling-disk", Expected::hamiltonizable},
    {"mobile-robot", Expected::hamiltonizable},
    {"veselova", Expected::hamiltonizable},
    {"veselova-4d", Expected::hamiltonizable},
    {"rubber-routh-sphere", Expected::hamiltonizable},
    {"veselova-nd", Expected::hamiltonizable},
    {"rubber-spheroid", Expected::hamiltonizable},
    {"rubber-body-on-sphere", Expected::hamiltonizable},
    {"two-wheeled-carriage", Expected::hamiltonizable},
    {"chaplygin-sleigh", Expected::no_measure},
    {"chaplygin-sleigh-horizontal", Expected::no_measure},
    {"generic-connection", Expected::no_measure},
    {"chaplygin-ball", Expected::measure_only},
    {"contact-particle", Expected::measure_only},
    {"snakeboard", Expected::measure_only},
    {"mclachlan-perlmutter", Expected::not_chaplygin},
    {"cart-pendulum", Expected::not_chaplygin},
    {"ball-on-turntable", Expected::not_chaplygin},
    {"conformal-particle", Expected::hamiltonizable},
    {"rattleback", Expected::rotation},
    {"bicycle", Expected::rotation},
    {"coin", Expected::rotation},
    {"skateboard", Expected::rotation},
    {"euler-disk", Expected::rotation},
    {"chaplygin-ball-so3", Expected::rotation},
    {"chaplygin-top", Expected::rotation},
    {"routh-sphere", Expected::rotation},
    {"tippe-top", Expected::rotation},
    {"rigid-body", Expected::rotation},
    {"heavy-top", Expected::rotation},
    {"kovalevskaya-top", Expected::rotation},
    {"satellite-rotor", Expected::rotation},
    {"suslov", Expected::rotation},
    {"veselova-so3", Expected::rotation},
    {"rubber-ball", Expected::rotation},
    {"rubber-ellipsoid", Expected::rotation},
    {"rubber-ball-on-sphere", Expected::rotation},
    {"ball-in-rotating-bowl", Expected::rotation},
    {"rubber-routh-sphere-nd", Expected::hamiltonizable},
    {"ball-over-sphere-4d", Expected::measure_only},
    {"forced-pendulum", Expected::depends_on_time},
    {"rotor-sleigh", Expected::depends_on_time},
    {"differential-drive", Expected::not_chaplygin},
    {"car", Expected::depends_on_time},
    {"tractor-trailers", Expected::not_chaplygin},
    {"driven-snakeboard", Expected::depends_on_time},
    {"roller-racer", Expected::depends_on_time},
    {"twistcar", Expected::not_chaplygin},
    {"ball-on-rocking-table", Expected::not_chaplygin},
    {"bouncing-ball", Expected::hamiltonizable},
    {"hopping-knife-edge", Expected::measure_only},
};

/// Of bodies: whether an invariant measure is known (Chaplygin 1903, Veselov & Veselova 1986, Ehlers et al. 2005; the
/// sources of the coin, of Routh's sphere and of the rubber ball on a sphere) or known not to exist (Kozlov 1988; the
/// bicycle, whose benchmark has eigenvalues about the upright motion that do not add up to 0).
const std::map<std::string, bool> measures_on_groups{{"chaplygin-ball-so3", true},
                                                     {"veselova-so3", true},
                                                     {"rubber-ball", true},
                                                     {"rubber-ball-on-sphere", true},
                                                     {"coin", true},
                                                     {"routh-sphere", true},
                                                     {"suslov", false},
                                                     {"bicycle", false}};

using Point = std::map<std::string, double>;

double square(double x) { return x * x; }

/// Multipliers, and densities where there is no multiplier, up to constant factors.
const std::map<std::string, std::function<double(const Point&)>> formulas{
    {"free-particle", [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(p.at("y"))); }},
    {"harmonic-particle-x", [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(p.at("x"))); }},
    {"sinusoidal-particle", [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(std::sin(p.at("x")))); }},
    {"knife-edge", [](const Point& p) { return std::cos(p.at("phi")); }},
    {"knife-edge-incline", [](const Point& p) { return std::cos(p.at("phi")); }},
    {"rolling-disk", [](const Point&) { return 1.0; }},
    {"mobile-robot", [](const Point&) { return 1.0; }},
    {"veselova",
     [](const Point& p) {
       const double s = std::sin(p.at("theta"));
       return 1.0 / std::sqrt(p.at("I2") * p.at("I3") * square(s * std::sin(p.at("phi"))) +
                              p.at("I1") * p.at("I3") * square(s * std::cos(p.at("phi"))) +
                              p.at("I1") * p.at("I2") * square(std::cos(p.at("theta"))));
     }},
    {"rubber-routh-sphere",
     [](const Point& p) {
       const double c = std::cos(p.at("theta"));
       return 1.0 / std::sqrt(p.at("I1") * c * c + p.at("I3") * (1.0 - c * c) +
                              p.at("m") * square(p.at("R") + p.at("l") * c));
     }},
    {"rubber-body-on-sphere",
     [](const Point& p) {
       const double c = std::cos(p.at("theta"));
       return std::pow(p.at("I1") * c * c + p.at("I3") * (1.0 - c * c) + p.at("m") * square(p.at("b") + p.at("l") * c),
                       0.5 * (p.at("b") / p.at("a") - 1.0));
     }},
    {"chaplygin-ball",
     [](const Point& p) {
       const double s = std::sin(p.at("theta"));
       const double d = p.at("m") * square(p.at("R"));
       return 1.0 / std::sqrt(1.0 - d * (square(s * std::sin(p.at("phi"))) / (p.at("I1") + d) +
                                         square(s * std::cos(p.at("phi"))) / (p.at("I2") + d) +
                                         square(std::cos(p.at("theta"))) / (p.at("I3") + d)));
     }},
    {"contact-particle", [](const Point& p) { return 1.0 / std::sqrt(1.0 + square(p.at("y1")) + square(p.at("y2"))); }},
};

void expect_proportional(const Expression& found, const std::function<double(const Point&)>& formula,
                         const System& reduced) {
  double ratio = 0.0;
  for (const double shift : {0.3, 0.8, 1.4}) {
    Point p;
    double value = shift;
    for (const Expression& r : reduced.coordinates()) p[rattleback::to_text(r)] = value += 0.13;
    for (const char* name : {"m", "R", "l", "a", "b", "I1", "I2", "I3", "J"}) {
      p.emplace(name, 0.7 + 0.3 * static_cast<double>(p.size()));  // the same at all points
    }
    std::unordered_map<Expression, double> values;
    for (const auto& [name, number] : p) values.emplace(Expression::symbol(name), number);
    const double quotient = evaluate(found, values) / formula(p);
    EXPECT_TRUE(std::isfinite(quotient));
    EXPECT_NE(quotient, 0.0);
    if (ratio == 0.0) ratio = quotient;
    EXPECT_NEAR(quotient / ratio, 1.0, 1e-12) << "a constant factor does not matter";
  }
}

class AnalysedCatalogue : public testing::TestWithParam<std::pair<const std::string, Expected>> {};

TEST(AnalyseAnswer, there_is_a_verdict_for_every_model_of_the_catalogue) {
  const ModelsAnswer catalogue = models();
  EXPECT_EQ(catalogue.models.size(), literature.size());
  for (const ModelSummary& entry : catalogue.models) {
    EXPECT_TRUE(literature.contains(entry.name)) << entry.name << ": add its verdict to this test";
  }
}

TEST_P(AnalysedCatalogue, has_the_verdict_of_the_literature_in_every_rendering) {
  const auto& [model, expected] = GetParam();
  if (expected == Expected::rotation) {
    const AnalyseAnswer a = analyse({.model = model});
    EXPECT_FALSE(complaint(a));
    const std::string text = to_text(a);
    EXPECT_TRUE(contains(text, "\nReduction by motions of space\n")) << text;
    EXPECT_FALSE(contains(text, " nan"));
    EXPECT_TRUE(a.analysis.group);
    EXPECT_FALSE(a.analysis.search.found);
    EXPECT_TRUE(contains(to_json(a), "\"group_reduction\""));
    EXPECT_EQ(json::parse(to_json(a)).at("model"), model);
    const auto measure = measures_on_groups.find(model);
    if (measure == measures_on_groups.end()) return;
    EXPECT_TRUE(contains(text, measure->second ? "equations on D/G\n  yes" : "equations on D/G\n  none")) << text;
    return;
  }
  const AnalyseAnswer a = analyse({.model = model});
  EXPECT_FALSE(complaint(a));
  const bool hamiltonizable = expected == Expected::hamiltonizable;
  const bool local = model == "two-wheeled-carriage";

  const std::string text = to_text(a);
  for (const char* part : {"\nConstraints\n", "\nSymmetry\n", "\nChaplygin structure\n"}) {
    EXPECT_TRUE(contains(text, part)) << part;
  }
  EXPECT_TRUE(contains(text, "(" + model + ")\n"));
  EXPECT_FALSE(contains(text, " nan"));
  const json d = json::parse(to_json(a));
  EXPECT_EQ(d.at("model"), model);
  test::expect_consistent(d);
  ASSERT_EQ(d.at("chaplygin").is_null(), expected == Expected::not_chaplygin);
  if (expected == Expected::not_chaplygin) {
    test::expect_refused(Error::Kind::answer_is_no,
                         "there is no Chaplygin structure to write down: ", [&] { to_latex(a); });
    return;
  }

  const std::string latex = to_latex(a);
  EXPECT_TRUE(latex.starts_with("% "));
  EXPECT_TRUE(latex.ends_with("\\end{align*}\n"));
  EXPECT_EQ(occurrences(latex, "\\begin{align*}"), 1U);
  EXPECT_EQ(occurrences(latex, "{"), occurrences(latex, "}"));
  EXPECT_EQ(occurrences(latex, "\\left("), occurrences(latex, "\\right)"));
  EXPECT_EQ(occurrences(latex, "  N &= "), hamiltonizable ? 1U : 0U);
  EXPECT_EQ(occurrences(latex, "  \\mu &= "), hamiltonizable || expected == Expected::measure_only ? 1U : 0U);
  EXPECT_FALSE(contains(latex, "nan"));

  const std::string yes = local ? "  locally" : "  yes";
  EXPECT_TRUE(contains(text, hamiltonizable                       ? yes + ": the gyroscopic force is phi-simple, resid"
                             : expected == Expected::measure_only ? "  no: the gyroscopic force is not phi-simple, re"
                             : expected == Expected::depends_on_time ? "  not examined: the system depends on time"
                                                                     : ": dTheta is not 0, residual "));
  ASSERT_EQ(d.contains("not_examined"), expected == Expected::depends_on_time);
  if (expected == Expected::depends_on_time) return;

  EXPECT_EQ(d.at("measure").at("exists"), expected != Expected::no_measure);
  EXPECT_EQ(d.at("hamiltonizable").at("holds"), hamiltonizable);
  const GyroscopicStructure& g = *a.analysis.gyroscopic;
  if (expected == Expected::no_measure) {
    EXPECT_GT(g.closed.residual, 1e-3);
    return;
  }
  const Potential& potential = hamiltonizable ? *g.multiplier : *g.measure;
  EXPECT_TRUE(potential.closed_form);
  if (const auto formula = formulas.find(model); formula != formulas.end()) {
    expect_proportional(potential.exponential, formula->second, a.reduced());
  }
  if (!hamiltonizable) {
    EXPECT_GT(g.simple.residual, 1e-3);
    return;
  }
  EXPECT_TRUE(potential.for_all_parameters);
  EXPECT_EQ(a.multiplier_periods.empty(), !local);
}

TEST(AnalyseAnswer, a_rattleback_in_angles_has_no_measure) {
  const AnalyseAnswer a = analyse({.model = test::source_file("tests/model/written_out/rattleback.toml")});
  ASSERT_TRUE(a.analysis.gyroscopic);
  EXPECT_GT(a.analysis.gyroscopic->closed.residual, 1e-3);
}

// Friction acts along both translations of the plane, and the constraint along neither.
TEST(AnalyseAnswer, says_whether_forces_change_momenta_in_text_and_document) {
  const AnalyseAnswer top = analyse({.model = "tippe-top"});
  const json group = json::parse(to_json(top)).at("group_reduction");
  EXPECT_EQ(group.at("horizontal").size(), 2U);
  EXPECT_EQ(group.at("forced"), (json{true, true}));
  EXPECT_TRUE(contains(to_text(top), "its momentum changes by the applied forces alone: translation of x"));
  const AnalyseAnswer ball = analyse({.model = "rubber-ball-on-sphere"});
  EXPECT_EQ(json::parse(to_json(ball)).at("group_reduction").at("measure").at("kept"), 1);
  EXPECT_TRUE(contains(to_text(ball), "constraints and group keep a function of the position"));
}

INSTANTIATE_TEST_SUITE_P(Analyse, AnalysedCatalogue, testing::ValuesIn(literature.begin(), literature.end()),
                         [](const testing::TestParamInfo<std::pair<const std::string, Expected>>& parameter) {
                           std::string name = parameter.param.first;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace analysed_catalogue_test
}  // namespace rattleback::answer
