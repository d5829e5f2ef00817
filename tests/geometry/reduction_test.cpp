// Chaplygin reduction against the full equations: numbers of an independent program in 160 digits
// (reduction_states.py), and all Chaplygin systems of the catalogue at random states.

#include <fstream>
#include <nlohmann/json.hpp>

#include "found.hpp"
#include "rattleback/expr/parse.hpp"
#include "tests/bodies.hpp"
#include "tests/places.hpp"

namespace rattleback::test {
namespace reduction_test {

nlohmann::json states() {
  std::ifstream file(test::source_file("tests/geometry/reduction_states.json"));
  return nlohmann::json::parse(file).at("systems");
}

std::vector<std::string> names_of(const System& system, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t i : which) names.push_back(system.coordinates()[i].name());
  return names;
}

/// Relative to the numbers it is compared with.
void expect_near(double found, double expected, double scale, const std::string& what) {
  EXPECT_NEAR(found, expected, 1e-11 * std::max(1.0, scale)) << what;
}

class ReductionStates : public testing::TestWithParam<std::string> {};

TEST_P(ReductionStates, are_those_of_the_full_equations) {
  nlohmann::json entry;
  for (const auto& s : states()) {
    if (s.at("name") == GetParam()) entry = s;
  }
  std::map<std::string, double> parameters;
  for (const auto& [name, text] : entry.at("parameters").items())
    parameters[name] = evaluate(parse(text.get<std::string>()), {});
  const Found f(GetParam(), parameters);
  ASSERT_TRUE(f.analysis.search.found);
  const ChaplyginSystem& c = f.chaplygin();
  ASSERT_EQ(names_of(f.system, c.fibre), entry.at("fibre").get<std::vector<std::string>>());
  ASSERT_EQ(names_of(f.system, c.shape), entry.at("base").get<std::vector<std::string>>());
  EXPECT_LT(f.analysis.reduction_defect, 1e-10);
  EXPECT_EQ(f.gyroscopic().closed.holds, entry.at("theta_closed").get<bool>());
  EXPECT_EQ(f.gyroscopic().simple.holds, entry.at("phi_simple_form").get<bool>());
  EXPECT_EQ(f.gyroscopic().is_hamiltonizable(), entry.at("hamiltonizable").get<bool>());
  for (const auto& point : entry.at("points")) {
    const auto r = point.at("r").get<std::vector<double>>();
    const auto r_dot = point.at("r_dot").get<std::vector<double>>();
    const Values small = values(f.reduced(), r, r_dot);
    const Values full =
        values(f.system, point.at("q").get<std::vector<double>>(), point.at("v").get<std::vector<double>>());
    expect_near(evaluate(f.reduced().lagrangian(), small), point.at("reduced_lagrangian"), 1.0, "l");
    const auto s_dot = c.fibre_velocities(f.system);
    for (std::size_t a = 0; a < s_dot.size(); ++a)
      expect_near(evaluate(s_dot[a], full), point.at("s_dot")[a], 1.0, "fibre velocity");
    double size = 0.0;
    for (const auto& x : point.at("force")) size = std::max(size, std::abs(x.get<double>()));
    for (const auto& x : point.at("theta")) size = std::max(size, std::abs(x.get<double>()));
    for (std::size_t i = 0; i < r.size(); ++i) {
      const auto& forces = f.reduced().applied_forces();
      expect_near(forces.empty() ? 0.0 : evaluate(forces[i], small), point.at("force")[i], size, "force");
      expect_near(evaluate(f.gyroscopic().one_form[i], small), point.at("theta")[i], size, "theta");
    }
  }
}

std::vector<std::string> names_of_states() {
  std::vector<std::string> names;
  for (const auto& s : states()) names.push_back(s.at("name"));
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, ReductionStates, testing::ValuesIn(names_of_states()), test_name);

TEST(Reduction, of_every_chaplygin_system_of_the_catalogue_reproduces_the_full_equations) {
  int found = 0;
  int non_abelian = 0;
  for (const std::string& name : catalogue()) {
    if (!load_model(name).system.rotations().empty()) continue;
    const Found f(name);
    if (!f.analysis.search.found) continue;
    ++found;
    non_abelian += f.chaplygin().group.is_abelian() ? 0 : 1;
    EXPECT_LT(f.analysis.reduction_defect, 1e-10) << name;
    const bool is_driven = f.system.depends_on_time();
    EXPECT_TRUE(is_driven || f.reduced().applied_forces().empty() || f.gyroscopic().gyroscopic.holds) << name;
  }
  EXPECT_GE(found, 20);
  EXPECT_GE(non_abelian, 3);
}

TEST(Reduction, a_wrong_force_would_be_noticed) {
  const Found f("free-particle");
  ChaplyginSystem wrong = f.chaplygin();
  SystemDefinition definition;
  definition.coordinates = f.reduced().coordinates();
  definition.lagrangian = f.reduced().lagrangian();
  wrong.reduced = System(definition);
  EXPECT_GT(reduction_defect(f.system, wrong, {}, f.near), 1e-3);
}

TEST(Reduction, knows_the_structure_constants_of_the_rotations) {
  const Found f("rubber-body-on-sphere");
  const SymmetryGroup& g = f.chaplygin().group;
  ASSERT_EQ(g.dimension(), 3u);
  // Generators of left rotations close with the opposite sign: [X, Y] = −Z.
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t c = 0; c < 3; ++c) {
        const int i = static_cast<int>(a);
        const int j = static_cast<int>(b);
        const int k = static_cast<int>(c);
        const int levi_civita = (i - j) * (j - k) * (k - i) / 2;
        EXPECT_DOUBLE_EQ(g.structure_constants[(a * 3 + b) * 3 + c], -levi_civita);
      }
    }
  }
}

TEST(Reduction, prefers_the_fibre_for_which_the_constraints_can_be_solved_at_the_start) {
  Model m = load_model("knife-edge");
  m.initial->q[2] = 1.5;
  const Found f(m.system, *m.initial);
  EXPECT_EQ(names_of(f.system, f.chaplygin().fibre), std::vector<std::string>{"x"});
}

TEST(Reduction, prefers_a_fibre_for_which_they_can_be_solved_everywhere) {
  // At y = −5 the constraint z' = y x' is better solved for x', but not at y = 0.
  const auto [x, y, z] = coordinates("x", "y", "z");
  const System particle({x, y, z}, 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z))), {dot(z) - y * dot(x)});
  const Found f(particle, {{0.0, -5.0, 0.0}, {1.0, 1.0, -5.0}});
  EXPECT_EQ(names_of(particle, f.chaplygin().fibre), std::vector<std::string>{"z"});
}

TEST(Reduction, is_evaluated_where_the_group_acts_freely) {
  // s ↦ tan(c + atan(s)): not a translation, and L is undefined at s = 0.
  const auto [x, y, s] = coordinates("x", "y", "s");
  SystemDefinition d;
  d.coordinates = {x, y, s};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(s) / s));
  d.constraints = {dot(s) / s - y * dot(x)};
  d.symmetries = {{"stretching", {Expression(0.0), Expression(0.0), s}}};
  const Found f(System(d), {{0.1, 0.2, 1.5}, {0.0, 0.0, 0.0}});
  ASSERT_TRUE(f.analysis.search.found);
  EXPECT_LT(f.analysis.reduction_defect, 1e-13);
  EXPECT_TRUE(f.gyroscopic().is_hamiltonizable());
}

TEST(Reduction, of_applied_forces_is_that_of_the_full_equations) {
  const auto [x, y, z] = coordinates("x", "y", "z");
  SystemDefinition d;
  d.coordinates = {x, y, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z)));
  d.constraints = {dot(z) - y * dot(x)};
  d.applied_forces = {-0.3 * dot(x), Expression(0.0), 0.2 - 0.1 * dot(z)};
  const Found f(System(d), {{0.3, 0.4, 0.0}, {0, 0, 0}});
  ASSERT_TRUE(f.analysis.search.found);
  EXPECT_LT(f.analysis.reduction_defect, 1e-14);
  EXPECT_FALSE(f.gyroscopic().applies);
}

TEST(Reduction, says_why_there_is_none) {
  EXPECT_EQ(Found("mclachlan-perlmutter").analysis.search.reasons.at(0),
            "no symmetry is known: every coordinate occurs in the Lagrangian or in the constraints, and [symmetry] "
            "declares none");
  EXPECT_NE(Found("cart-pendulum").analysis.search.reasons.at(0).find("holonomic"), std::string::npos);
  EXPECT_NE(Found("ball-on-turntable").analysis.search.reasons.at(0).find("affine"), std::string::npos);
}

/// A particle with z' = y x' and generators of our own.
System particle_with(std::vector<Symmetry> symmetries) {
  const auto [x, y, z] = coordinates("x", "y", "z");
  SystemDefinition d;
  d.coordinates = {x, y, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z)));
  d.constraints = {dot(z) - y * dot(x)};
  d.symmetries = std::move(symmetries);
  return System(d);
}

std::string refusal(const System& system) {
  try {
    find_chaplygin(system, {}, {{0.1, 0.2, 0.3}, {0.0, 0.0, 0.0}});
  } catch (const GeometryError& error) {
    return error.what();
  }
  return "";
}

TEST(Declarations, that_are_wrong_are_refused_with_what_breaks_them) {
  const auto [x, y, z] = coordinates("x", "y", "z");
  const Expression zero(0.0);
  const Expression one(1.0);
  EXPECT_EQ(refusal(particle_with({{"shift of z", {zero, zero, one}}})), "");
  const std::string broken = refusal(particle_with({{"shift of y", {zero, one, zero}}}));
  EXPECT_NE(broken.find("constraint 1 is not invariant under shift of y: its rate of change -x'"), std::string::npos)
      << broken;
  const std::string not_free = refusal(particle_with({{"a", {zero, zero, one}}, {"b", {zero, zero, Expression(2.0)}}}));
  EXPECT_NE(not_free.find("does not act freely"), std::string::npos) << not_free;
  const std::string turning = refusal(particle_with({{"turn", {zero, zero, z}}}));
  EXPECT_NE(turning.find("the Lagrangian is not invariant under turn: its rate of change z'^2"), std::string::npos)
      << turning;
}

TEST(Sleigh, is_no_chaplygin_system_for_its_translations_and_has_no_invariant_measure) {
  const Found f("chaplygin-sleigh-horizontal");
  EXPECT_EQ(f.analysis.symmetry.known.size(), 3u);
  EXPECT_EQ(f.analysis.symmetry.inside_constraints, 2u);
  ASSERT_TRUE(f.analysis.reduced_measure);
  const ReducedMeasure& m = *f.analysis.reduced_measure;
  EXPECT_TRUE(m.decided);
  EXPECT_EQ(m.translations, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(m.vertical.holds);
  EXPECT_FALSE(m.exists());
  // As a system with the fibre y alone it is one, away from cos(theta) = 0, and again has none.
  ASSERT_TRUE(f.analysis.search.found);
  EXPECT_FALSE(f.gyroscopic().closed.holds);
  EXPECT_EQ(f.gyroscopic().closed.worst.size(), 2u);
  // Without the offset it is the knife edge.
  const Found balanced("chaplygin-sleigh-horizontal", {{"a", 0.0}});
  EXPECT_TRUE(balanced.gyroscopic().is_hamiltonizable());
  EXPECT_TRUE(balanced.analysis.reduced_measure->exists());
}

/// Constraints of different sizes that leave nothing to move, and that depend on each other.
TEST(Analysis, of_systems_that_cannot_move_says_so) {
  const auto [x, y, z] = coordinates("x", "y", "z");
  const Expression lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z)));
  const State start{{0, 0, 1.2}, {0, 0, 0}};
  const System still({x, y, z}, lagrangian, {dot(z), dot(z) + 1e12 * dot(y), 1e12 * dot(x)});
  const Analysis analysis = analyse(still, {}, start);
  EXPECT_FALSE(analysis.search.found);
  EXPECT_EQ(analysis.symmetry.inside_constraints, 0U);
  EXPECT_EQ(examine_reduced_measure(still, {}, start).reason, "the constraints leave no motion");
  const System redundant({x, y, z}, lagrangian, {dot(z), dot(y), dot(y) + dot(z), dot(x), dot(x) - dot(y)});
  EXPECT_EQ(examine_reduced_measure(redundant, {}, start).reason,
            "the constraints are not independent near the initial position");
}

TEST(ReducedMeasure, agrees_with_the_one_form_where_both_apply) {
  for (const char* name : {"free-particle", "knife-edge-incline", "generic-connection", "contact-particle",
                           "chaplygin-ball", "chaplygin-sleigh", "sinusoidal-particle", "veselova"}) {
    const Found f(name);
    const ReducedMeasure m = examine_reduced_measure(f.system, f.system.parameter_values(), f.near);
    ASSERT_TRUE(m.decided) << name << ": " << m.reason;
    EXPECT_EQ(m.exists(), f.gyroscopic().has_measure()) << name;
  }
}

/// What is found of a body in space.
GroupReduction group_of(const std::string& text) {
  const Model m = read_model(text, "body.toml");
  return *Found(m.system, *m.initial).analysis.group;
}

std::vector<std::string> names_of_group(const GroupReduction& g) {
  std::vector<std::string> names;
  for (const Symmetry& s : g.motions.group.generators) names.push_back(s.name);
  return names;
}

TEST(MotionsOfSpace, are_divided_out) {
  using Names = std::vector<std::string>;
  const GroupReduction s = group_of(suslov());
  EXPECT_EQ(names_of_group(s), (Names{"rotation about x", "rotation about y", "rotation about z"}));
  EXPECT_EQ(s.reduced_dimension(), 0U);
  EXPECT_EQ(s.inside_constraints, 2U);
  EXPECT_TRUE(s.spans);
  EXPECT_FALSE(s.is_kinematic());
  // The generators of a left action are right-invariant fields, whose brackets have the opposite sign.
  EXPECT_EQ(s.motions.group.structure_constants[2 + 3 * 1], -1.0) << "[x, y] = -z";
  EXPECT_TRUE(s.horizontal.empty());

  const GroupReduction b = group_of(ball());
  EXPECT_EQ(b.motions.group.dimension(), 3U);
  EXPECT_EQ(b.motions.reduced_positions(read_model(ball(), "b").system), (Names{"transpose(R)*[0, 0, 1]"}));
  EXPECT_EQ(b.inside_constraints, 1U);
  for (const std::string& text : {ball(true), veselova()}) EXPECT_TRUE(group_of(text).is_kinematic()) << text;

  const GroupReduction top = group_of(heavy_top());
  EXPECT_EQ(top.reduced_dimension(), 2U);
  ASSERT_EQ(top.motions.left_out.size(), 1U);
  EXPECT_EQ(top.motions.left_out[0], "spin: it turns the body R, not space");
  EXPECT_FALSE(top.measure) << "Liouville's is there without constraints";

  const GroupReduction two = group_of(two_bodies());
  EXPECT_EQ(two.motions.group.dimension(), 6U);
  EXPECT_EQ(two.motions.points.size(), 2U);
  EXPECT_EQ(two.motions.reduced_positions(read_model(two_bodies(), "t").system),
            (Names{"u", "v", "w", "transpose(R)*S"}));
}

/// A model without what it says about symmetry.
std::string undeclared(std::string text) {
  const std::size_t first = text.find("[symmetry]");
  return text.erase(first, text.find("[initial]") - first);
}

TEST(MotionsOfSpace, are_found_without_being_declared) {
  for (const std::string& text : {suslov(), ball(), ball(true), veselova(), heavy_top(), stone()}) {
    const GroupReduction declared = group_of(text);
    const GroupReduction found = group_of(undeclared(text));
    EXPECT_EQ(found.motions.group.dimension(), declared.motions.group.dimension()) << text;
    EXPECT_EQ(found.motions.turns, declared.motions.turns) << text;
  }
}

TEST(MotionsOfSpace, that_move_along_the_constraints_are_horizontal) {
  const GroupReduction g = group_of(R"toml(coordinates = ["x", "y", "z"]
rotations = ["R"]
lagrangian = "x'^2 + y'^2 + z'^2 + dot(R.omega, diag(1, 2, 3)*R.omega)"
constraints = ["z' - y*x'"]
[symmetry]
group = "SO(3)"
acts_on = ["R"]
[initial]
q = { y = 1 }
v = { R = [1, 0.2, 0] }
)toml");
  EXPECT_EQ(g.motions.group.dimension(), 5U) << "with translations of x and z";
  ASSERT_EQ(g.horizontal.size(), 3U);
  for (const auto& c : g.horizontal) {
    for (std::size_t a = 0; a < 2; ++a) EXPECT_NEAR(c[a], 0.0, 1e-12) << "translations are not";
  }
}

// Suslov: an invariant measure exists if and only if the constrained axis is a principal one (V. V. Kozlov, Mekhanika
// Tverdogo Tela 1988). Chaplygin's ball and Veselova's problem have one (Chaplygin 1903; Veselov & Veselova 1986), the
// rubber ball has (Ehlers, Koiller, Montgomery & Rios 2005), a stone whose axes of inertia and of curvature differ has
// none (Borisov & Mamaev 2003).
TEST(MotionsOfSpace, leave_a_measure_or_none) {
  EXPECT_FALSE(group_of(suslov()).measure->exists());
  EXPECT_TRUE(group_of(suslov("I13 = 0, I23 = 0")).measure->exists());
  for (const std::string& text : {ball(), ball(true), veselova()}) {
    const GroupMeasure m = *group_of(text).measure;
    EXPECT_TRUE(m.decided) << m.reason;
    EXPECT_TRUE(m.exists()) << text << m.vertical.residual << ", " << m.closed.residual;
  }
  const GroupMeasure m = *group_of(stone()).measure;
  EXPECT_TRUE(m.decided) << m.reason;
  EXPECT_FALSE(m.exists());
}

/// A ball on a sphere, about whose centre space is turned: its constraints keep the distance of the centres.
std::string on_sphere(const std::string& spin) {
  return R"toml(coordinates = ["x", "y", "z"]
rotations = ["R"]
lagrangian = "0.5*dot(c', c') + 0.5*dot(R.omega, diag(0.08, 0.1, 0.12)*R.omega)"
constraints = [{ slip = "c' - 0.5*cross(R*R.omega, c/2.5)" })toml" +
         spin + R"toml(]
definitions = { c = "[x, y, z]" }
[symmetry]
group = "SO(3)"
acts_on = ["x", "y", "z", "R"]
[initial]
q = { z = 2.5, R = { axis = [1, 2, 3], angle = 0.5 } }
v = [0, 0, 0, 0, 0, 0]
)toml";
}

// Ehlers & Koiller 2007, Borisov, Mamaev & Bizyaev 2013: the rubber ball on a sphere has an invariant measure, whatever
// its moments of inertia; so has the one that may spin, being Chaplygin's ball there (Borisov & Fedorov 1995).
TEST(MotionsOfSpace, leave_a_measure_where_constraints_keep_a_distance) {
  for (const char* spin : {", { spin = \"dot(R*R.omega, c)\" }", ""}) {
    const GroupMeasure m = *group_of(on_sphere(spin)).measure;
    EXPECT_TRUE(m.decided) << m.reason;
    EXPECT_EQ(m.kept, 1U);
    EXPECT_TRUE(m.exists()) << m.vertical.residual << ", " << m.closed.residual;
  }
  // Suslov's constraint has none there either, and is not integrable.
  EXPECT_FALSE(group_of(on_sphere(", { spin = \"R.omega[3] + 0.3*R.omega[1]\" }")).measure->exists());
}

TEST(MotionsOfSpace, has_momenta_that_forces_change_or_not) {
  const std::string body = R"toml(coordinates = ["x", "y"]
rotations = ["R"]
lagrangian = "x'^2 + y'^2 + dot(R.omega, diag(1, 2, 3)*R.omega)"
constraints = ["dot(R*R.omega, [0, 0, 1])"]
forces = { R = "-0.1*R.omega" }
[symmetry]
group = "SE(2)"
acts_on = ["x", "y", "R"]
[initial]
q = { y = 1 }
v = { x = 1, R = [1, 0.2, 0] }
)toml";
  const GroupReduction g = group_of(body);
  ASSERT_EQ(g.horizontal.size(), 2U) << "the translations";
  EXPECT_EQ(g.forced, (std::vector<bool>{false, false}));
  EXPECT_EQ(group_of(R"toml(coordinates = ["x"]
rotations = ["R"]
lagrangian = "x'^2 + dot(R.omega, diag(1, 2, 3)*R.omega) + x*x'"
forces = { R = "-0.1*R.omega" }
[symmetry]
group = "SO(3)"
acts_on = ["R"]
[initial]
q = { x = 1 }
v = [0.2, 1, 0, 0]
)toml")
                .forced,
            (std::vector<bool>{true, true, true}));
}

}  // namespace reduction_test
}  // namespace rattleback::test
