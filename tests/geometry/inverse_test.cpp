// The inverse problem: the class of Mestdag, Bloch & Fernandez, their free Lagrangians and the Helmholtz conditions,
// against numbers of an independent program in 50 digits (inverse_numbers.py) and against the equations of motion.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "geometry/helmholtz_tower.hpp"
#include "geometry/literals.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/geometry/inverse_problem.hpp"
#include "rattleback/model/model.hpp"
#include "tests/places.hpp"

namespace rattleback::test {
namespace inverse_test {

using Values = std::unordered_map<Expression, double>;

struct Example {
  System system;
  State near;
};

Example model(const std::string& name, const ParameterValues& parameters = {}) {
  const Model m = load_model(name, parameters);
  return {m.system, *m.initial};
}

/// A system by its texts, looked at near a state.
Example written(const std::vector<std::string>& names, const std::string& lagrangian,
                const std::vector<std::string>& constraints, State near, const std::vector<std::string>& forces = {}) {
  SystemDefinition definition;
  for (const std::string& name : names) definition.coordinates.push_back(Expression::symbol(name));
  definition.lagrangian = parse(lagrangian);
  for (const std::string& c : constraints) definition.constraints.push_back(parse(c));
  for (const std::string& f : forces) definition.applied_forces.push_back(parse(f));
  return {System(std::move(definition)), std::move(near)};
}

Example particle(const std::string& potential) {
  return written({"x", "y", "z"}, "0.5*(x'^2 + y'^2 + z'^2) - (" + potential + ")", {"z' + x*y'"},
                 {{0.3, 0.2, 0}, {1, 1, -0.3}});
}

Example example(const std::string& name) {
  if (name == "particle") return model("free-particle-x");
  if (name == "knife edge") return model("knife-edge");
  if (name == "disk") return model("rolling-disk");
  if (name == "particle y^2/2") return particle("y^2/2");
  if (name == "particle sin y") return particle("sin(y)");
  if (name == "mobile robot") return model("mobile-robot");
  return written({"x", "y", "phi"}, "0.5*(x'^2 + y'^2 + phi'^2) + x/10", {"x'*sin(phi) - y'*cos(phi)"},
                 {{0, 0, 0.4}, {1, 0.4, 1}});
}

SteeredSystem steered(const Example& e) {
  const SteeredSearch search = find_steered(e.system, e.system.parameter_values(), e.near);
  EXPECT_TRUE(search.found) << search.reason;
  return *search.found;
}

HelmholtzReport helmholtz(const Example& e, const SecondOrderSystem& equations) {
  return examine_helmholtz(equations, e.system.parameter_values(), e.near);
}

HelmholtzReport helmholtz(const Example& e, Associated which) {
  return helmholtz(e, associated_system(e.system, steered(e), which));
}

/// Random states, with the parameters.
class States {
 public:
  explicit States(const System& system) : system_(system) {}
  Values next() {
    std::uniform_real_distribution<double> number(0.2, 1.4);
    Values at;
    for (const Expression& x : joined({system_.coordinates(), system_.velocities()})) at[x] = number(generator_);
    for (std::size_t i = 0; i < system_.parameters().size(); ++i)
      at[system_.parameters()[i]] = system_.parameter_values()[i];
    return at;
  }

 private:
  const System& system_;
  std::mt19937_64 generator_{7};
};

// ---------------------------------------------------------------------------------------------- independent numbers

const nlohmann::json& numbers() {
  static const nlohmann::json all = [] {
    std::ifstream file(test::source_file("tests/geometry/inverse_numbers.json"));
    return nlohmann::json::parse(file);
  }();
  return all;
}

double number(const nlohmann::json& text) { return evaluate(parse(text.get<std::string>()), {}); }

class InverseNumbers : public testing::TestWithParam<std::string> {
 protected:
  const nlohmann::json& expected() const { return numbers().at("systems").at(GetParam()); }
  Example found() const { return example(GetParam().substr(0, GetParam().rfind(" ("))); }
  Associated which() const { return GetParam().ends_with("(4)") ? Associated::by_base : Associated::by_each; }
};

TEST_P(InverseNumbers, are_those_of_fifty_digits) {
  const Example e = found();
  const SecondOrderSystem equations = associated_system(e.system, steered(e), which());
  Values at;
  for (std::size_t i = 0; i < e.system.parameters().size(); ++i)
    at[e.system.parameters()[i]] = e.system.parameter_values()[i];
  std::vector<std::size_t> place;  // of their coordinates among ours
  const std::size_t n = equations.dimension();
  for (std::size_t k = 0; k < n; ++k) {
    const Expression x = Expression::symbol(expected().at("coordinates")[k].get<std::string>());
    place.push_back(
        static_cast<std::size_t>(std::ranges::find(equations.coordinates, x) - equations.coordinates.begin()));
    ASSERT_LT(place.back(), n) << x.name();
    at[x] = number(expected().at("q")[k]);
    at[dot(x)] = number(expected().at("v")[k]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NEAR(evaluate(equations.accelerations[place[k]], at), number(expected().at("f")[k]), 1e-13);
  }
  HelmholtzTower tower(equations);
  for (const char* tensor : {"Phi", "nabla Phi"}) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double entry = number(expected().at(tensor)[i][j]);
        EXPECT_NEAR(evaluate(tower.tensor()[place[i] * n + place[j]], at), entry, 1e-12 * (1.0 + std::abs(entry)))
            << tensor << i << j;
      }
    }
    tower.differentiate();
  }
}

TEST_P(InverseNumbers, leave_as_many_multipliers) {
  const HelmholtzReport report = helmholtz(found(), which());
  ASSERT_TRUE(report.decided) << report.reason;
  EXPECT_TRUE(report.exhausted);
  const auto& spaces = expected().at("spaces");
  const char* const names[] = {"Phi+R", "nabla+R", "nabla2+R", "nabla3+R"};
  ASSERT_LE(report.dimensions.size(), 4U);
  for (std::size_t k = 0; k < report.dimensions.size(); ++k) {
    EXPECT_EQ(report.dimensions[k], spaces.at(names[k]).at("dimension").get<std::size_t>()) << names[k];
  }
  EXPECT_EQ(report.dimension, spaces.at("nabla3+R").at("dimension").get<std::size_t>());
  EXPECT_EQ(!report.regular, spaces.at("nabla3+R").at("singular").get<bool>());
  EXPECT_EQ(report.idle.size(), spaces.at("nabla3+R").at("null").size());
  EXPECT_GT(report.smallest_counted, 1e-8);
  EXPECT_LT(report.largest_dropped, 1e-17);
}

std::vector<std::string> names_of_systems() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : numbers().at("systems").items()) names.push_back(name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& which) {
  std::string name = which.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(MestdagBlochFernandez, InverseNumbers, testing::ValuesIn(names_of_systems()), test_name);

// ------------------------------------------------------------------------------------------- the paper's propositions

const std::vector<std::string> classical{"particle", "knife edge", "disk"};

TEST(Proposition1, system_4_of_the_classical_examples_has_no_regular_lagrangian) {
  for (const std::string& name : classical) {
    const HelmholtzReport report = helmholtz(example(name), Associated::by_base);
    EXPECT_TRUE(report.excludes_lagrangian()) << name;
    EXPECT_LE(report.regularity, 1e-18) << name;
  }
}

TEST(Proposition3, a_potential_leaves_no_regular_lagrangian) {
  for (const char* name : {"knife edge incline", "particle y^2/2", "particle sin y"}) {
    EXPECT_TRUE(helmholtz(example(name), Associated::by_each).excludes_lagrangian()) << name;
  }
}

// With two constraints the paper leaves the question open.
TEST(Proposition3, also_holds_for_the_mobile_robot) {
  const HelmholtzReport report = helmholtz(example("mobile robot"), Associated::by_each);
  EXPECT_TRUE(report.excludes_lagrangian());
  EXPECT_EQ(report.idle, (std::vector<std::string>{"x", "y"}));
}

struct FreeCase {
  std::string name;
  Example example;
  FreeForm form;
};

void PrintTo(const FreeCase& c, std::ostream* out) { *out << c.name; }

std::vector<FreeCase> free_cases() {
  std::vector<std::pair<std::string, Example>> examples;
  for (const char* name : {"free-particle", "free-particle-x", "sinusoidal-particle", "knife-edge", "rolling-disk"}) {
    examples.emplace_back(name, model(name));
  }
  examples.emplace_back("carriage", model("two-wheeled-carriage", {{"l", 0.0}}));
  examples.emplace_back("heavy_disk", model("rolling-disk", {{"M", 3.0}, {"R", 0.7}}));
  const State at{{0.3, 0.2, 0.1}, {1, 1, -0.3}};
  const auto three = [&](const char* name, const std::string& more, const char* constraint) {
    const std::string lagrangian = "0.5*(x'^2 + 3*y'^2 + 0.7*z'^2)" + more;
    examples.emplace_back(name, written({"x", "y", "z"}, lagrangian, {constraint}, at));
  };
  three("coupled", " + 0.4*y'*z'", "z' + sin(x)*y'");
  three("gauge", " + 2*y' + x*y' + y*x'", "z' + x*y'");
  three("factor", "", "cos(x)*(z' + x*y')");
  three("factor_of_others", "", "(1 + y^2)*(z' + x*y')");
  examples.emplace_back("still", written({"x", "y", "z", "w"}, "0.5*(x'^2 + y'^2 + z'^2 + w'^2)", {"z' + x*y'", "w'"},
                                         {{0.3, 0.2, 0.1, 0}, {1, 1, -0.3, 0}}));
  std::vector<FreeCase> cases;
  for (const auto& [name, e] : examples) {
    cases.push_back({name, e, FreeForm::both_scaled});
    if (steered(e).density_is_constant) cases.push_back({name, e, FreeForm::constant_density});
  }
  return cases;
}

/// The constants must not matter: different ones for every coordinate.
System with_constants(const FreeLagrangian& free, const System& system) {
  SystemDefinition definition;
  definition.coordinates = system.coordinates();
  definition.lagrangian = free.system.lagrangian();
  definition.parameters = free.system.parameter_list();
  double value = 0.7;
  for (std::size_t i = system.parameters().size(); i < definition.parameters.size(); ++i) {
    definition.parameters[i].value = value;
    value *= -1.3;
  }
  return System(std::move(definition));
}

class FreeLagrangians : public testing::TestWithParam<FreeCase> {
 protected:
  Example e_ = GetParam().example;
  SteeredSystem s_ = steered(e_);
  FreeLagrangian free_ = free_lagrangian(e_.system, s_, GetParam().form);
  System lagrangian_ = with_constants(free_, e_.system);

  Values with_momenta(Values at) const {
    for (std::size_t i = 0; i < free_.momenta.size(); ++i)
      at[free_.momenta[i]] = evaluate(lagrangian_.momenta()[i], at);
    return at;
  }
};

TEST_P(FreeLagrangians, have_the_equations_of_the_associated_system) {
  SecondOrderSystem equations = associated_system(e_.system, s_, Associated::by_each);
  equations.parameters = lagrangian_.parameters();
  const Certificate same =
      compare_equations(lagrangian_.lagrangian(), equations, lagrangian_.parameter_values(), e_.near);
  EXPECT_TRUE(same.holds);
  EXPECT_LE(same.residual, 1e-12);
  EXPECT_EQ(same.points, 20);
  // And other equations are told apart.
  SecondOrderSystem other = associated_system(e_.system, s_, Associated::by_base);
  other.parameters = lagrangian_.parameters();
  EXPECT_GT(compare_equations(lagrangian_.lagrangian(), other, lagrangian_.parameter_values(), e_.near).residual, 1e-3);
}

TEST_P(FreeLagrangians, have_the_hamiltonians_of_proposition_2) {
  States states(lagrangian_);
  for (int k = 0; k < 20; ++k) {
    const Values at = with_momenta(states.next());
    const double energy = evaluate(lagrangian_.energy(), at);
    EXPECT_NEAR(evaluate(free_.hamiltonian, at), energy, 1e-12 * (1.0 + std::abs(energy)));
    // ∂H/∂p = v
    const auto rates = gradient(free_.hamiltonian, free_.momenta);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double v = at.at(lagrangian_.velocities()[i]);
      EXPECT_NEAR(evaluate(rates[i], at), v, 1e-10 * (1.0 + std::abs(v)));
    }
  }
}

TEST_P(FreeLagrangians, have_constraints_that_are_images_of_the_constraints) {
  States states(lagrangian_);
  for (int k = 0; k < 20; ++k) {
    Values at = states.next();
    double size = 1e-3;
    if (GetParam().name.starts_with("still")) at[dot(Expression::symbol("w"))] = 0.7;
    const Values anywhere = with_momenta(at);
    for (const Expression& c : free_.constraints) size = std::max(size, std::abs(evaluate(c, anywhere)));
    EXPECT_GT(size, 1e-2);  // they say something
    const double steering = at.at(e_.system.velocities()[s_.steering]);
    for (std::size_t i = 0; i < s_.moved.size(); ++i) {
      at[e_.system.velocities()[s_.moved[i]]] =
          evaluate(s_.shear[i], at) * steering + 0.8 * evaluate(s_.direction[i], at);
    }
    for (const Expression& c : e_.system.constraints()) EXPECT_NEAR(evaluate(c, at), 0.0, 1e-14);
    EXPECT_NEAR(evaluate(s_.speeds(e_.system)[0], at), 0.8, 1e-14);
    const Values on_constraint = with_momenta(at);
    for (const Expression& c : free_.constraints) EXPECT_NEAR(evaluate(c, on_constraint), 0.0, 1e-12 * size);
  }
}

TEST_P(FreeLagrangians, describe_the_motion_and_are_regular) {
  SystemDefinition definition;
  definition.coordinates = e_.system.coordinates();
  definition.lagrangian = e_.system.lagrangian();
  definition.constraints = e_.system.constraints();
  definition.parameters = lagrangian_.parameter_list();
  const System system(std::move(definition));
  const LagrangianReport report =
      examine_lagrangian(system, lagrangian_.lagrangian(), lagrangian_.parameter_values(), e_.near);
  EXPECT_TRUE(report.is_free_lagrangian());
  EXPECT_TRUE(report.zeros.empty());
  // Singular where ṙ₁ = 0 and where a direction vanishes.
  std::vector<std::string> poles;
  for (const Expression& p : report.poles) poles.push_back(to_text(p));
  EXPECT_TRUE(std::ranges::count(poles, e_.system.velocities()[s_.steering].name()) == 1);
  EXPECT_GE(poles.size(), 2U);
}

TEST_P(FreeLagrangians, leave_multipliers_of_their_equations) {
  const System lifted = with_literals_as_parameters(lagrangian_);
  const HelmholtzReport report = examine_helmholtz(second_order(lifted), lifted.parameter_values(), e_.near);
  EXPECT_TRUE(report.decided && report.regular) << report.reason;
  EXPECT_GE(report.dimension, e_.system.dimension());
}

std::string case_name(const testing::TestParamInfo<FreeCase>& which) {
  std::string name = which.param.name + (which.param.form == FreeForm::both_scaled ? "_6" : "_7");
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FreeLagrangians, testing::ValuesIn(free_cases()), case_name);

// ------------------------------------------------------------------------------------------------------- recognition

std::vector<std::string> moved_names(const Example& e) {
  const SteeredSystem s = steered(e);
  std::vector<std::string> names{e.system.coordinates()[s.steering].name()};
  for (const std::size_t i : s.moved) names.push_back(e.system.coordinates()[i].name());
  return names;
}

TEST(Steered, systems_are_recognised_under_other_names_orders_and_units) {
  EXPECT_EQ(moved_names(model("rolling-disk")), (std::vector<std::string>{"phi", "theta", "x", "y"}));
  EXPECT_EQ(moved_names(model("knife-edge")), (std::vector<std::string>{"phi", "x", "y"}));
  EXPECT_EQ(moved_names(model("free-particle-x")), (std::vector<std::string>{"x", "y", "z"}));
  // The particle with c = 2 z, a = −3 y, b = x/5, and its constraint multiplied by 4.
  const Example scaled =
      written({"c", "a", "b"}, "0.125*c'^2 + a'^2/18 + 12.5*b'^2", {"2*c' - 20/3*b*a'"}, {{0, 0, 0.1}, {0, -1, 0.2}});
  EXPECT_EQ(moved_names(scaled), (std::vector<std::string>{"b", "a", "c"}));
  const SteeredSystem s = steered(scaled);
  EXPECT_FALSE(s.density_is_constant);
  ASSERT_EQ(s.moved.size(), 2U);
  EXPECT_NEAR(evaluate(s.slope(1), {{Expression::symbol("b"), 0.3}}), -1.0, 1e-14);
  EXPECT_TRUE(helmholtz(scaled, Associated::by_base).excludes_lagrangian());
  EXPECT_TRUE(helmholtz(scaled, Associated::by_each).regular);
}

TEST(Steered, systems_have_a_constant_density_where_one_coordinate_keeps_its_speed) {
  EXPECT_TRUE(steered(model("rolling-disk")).density_is_constant);
  EXPECT_TRUE(steered(model("two-wheeled-carriage", {{"l", 0.0}})).density_is_constant);
  EXPECT_FALSE(steered(model("free-particle")).density_is_constant);
}

// The inertia of a carriage's wheels counts for its turning: 0.5 I₁ θ'² has J + 2 Iw c²/R².
TEST(Steered, carriages_carry_their_wheels_along) {
  const Example e = model("two-wheeled-carriage", {{"l", 0.0}, {"J", 1.5}, {"Iw", 0.2}, {"c", 0.4}, {"R", 0.3}});
  const SteeredSystem s = steered(e);
  Values at;
  for (std::size_t i = 0; i < e.system.parameters().size(); ++i)
    at[e.system.parameters()[i]] = e.system.parameter_values()[i];
  EXPECT_NEAR(evaluate(s.inertia, at), 1.5 + 2 * 0.2 * 0.16 / 0.09, 1e-14);
  EXPECT_EQ(to_text(s.shear[0]), "c/R");
}

// Whether X depends on r₁ is a question of how far r₁ may be, not of units.
TEST(Steered, directions_that_change_slowly_are_not_constant) {
  const Example e = written({"x", "y", "z"}, "0.5*(x'^2+y'^2+z'^2)", {"z' + sin(1e-12*x)*y'"},
                            {{1e12, 0, 0}, {1e12, 1, -0.8414709848078965}});
  EXPECT_FALSE(steered(e).density_is_constant);
}

TEST(Steered, others_are_refused_with_the_reason) {
  const auto reason = [](const Example& e) {
    return find_steered(e.system, e.system.parameter_values(), e.near).reason;
  };
  EXPECT_NE(reason(model("snakeboard")).find("several coordinates"), std::string::npos);
  EXPECT_NE(reason(model("two-wheeled-carriage")).find("mass matrix is not constant: M[x,theta]"), std::string::npos);
  EXPECT_NE(reason(model("cart-pendulum")).find("holonomic constraints"), std::string::npos);
  EXPECT_NE(reason(written({"x"}, "0.5*x'^2", {}, {{0}, {1}})).find("no velocity constraints"), std::string::npos);
  EXPECT_NE(reason(model("knife-edge", {{"m", 0.0}})).find("no inertia"), std::string::npos);
  EXPECT_NE(reason(model("knife-edge", {{"J", 0.0}})).find("no inertia"), std::string::npos);
  EXPECT_NE(reason(model("ball-on-turntable")).find("affine"), std::string::npos);
  const State near{{0.1, 0.2, 0.3}, {1, 1, 0}};
  EXPECT_NE(reason(written({"x", "y", "z"}, "0.5*(x'^2+y'^2+z'^2)", {"z' - 2*y'"}, near)).find("no coordinate"),
            std::string::npos);
  EXPECT_NE(reason(written({"x", "y", "z"}, "0.5*(x'^2+y'^2+z'^2)", {"z' - x*z*y'"}, near)).find("several coordinates"),
            std::string::npos);
  EXPECT_NE(reason(written({"x", "y", "z"}, "0.5*(x'^2+y'^2+z'^2)", {"z' - x*x'"}, near)).find("uniformly"),
            std::string::npos);
}

// ----------------------------------------------------------------------------------------------- the conditions alone

// Only their own Hessians are multipliers of generic Lagrangians; with a wrong sign in ∇Φ nothing would remain.
TEST(Helmholtz, conditions_leave_the_hessian_of_a_generic_lagrangian) {
  const Example e = written({"a", "b", "c"},
                            "0.5*(2 + sin(b))*a'^2 + 0.5*exp(c)*b'^2 + (3 + cos(a))*c'^2 + a'*b'*c + 0.3*a'*c'*b"
                            "+ 0.1*a'^4 + a*b'*sin(c) - a*b*c - b^4",
                            {}, {{0.4, 0.3, 0.2}, {0.5, -0.4, 0.3}});
  const HelmholtzReport report = helmholtz(e, second_order(e.system));
  EXPECT_TRUE(report.decided) << report.reason;
  EXPECT_EQ(report.dimension, 1U);
  EXPECT_TRUE(report.regular);
  EXPECT_TRUE(report.exhausted);
}

// J. Douglas, Trans. AMS 50 (1941): no multiplier at all.
TEST(Helmholtz, conditions_exclude_an_example_of_douglas) {
  const Example e = written({"x", "y"}, "0.5*(x'^2 + y'^2)", {}, {{0.4, 0.3}, {0.5, -0.4}}, {"x^2 + y^2", "x"});
  const HelmholtzReport report = helmholtz(e, second_order(e.system));
  EXPECT_TRUE(report.excludes_lagrangian());
  EXPECT_EQ(report.dimension, 0U);
}

// Equations that do not know of each other each have their multiplier; a single one always has.
TEST(Helmholtz, conditions_leave_much_to_separate_equations) {
  const Example e = written({"x", "y"}, "0.5*(x'^2 + y'^2)", {}, {{0.4, 0.3}, {0.5, -0.4}}, {"-0.3*x' - x", "-2*y"});
  const HelmholtzReport report = helmholtz(e, second_order(e.system));
  EXPECT_TRUE(report.decided && report.regular);
  EXPECT_EQ(report.dimension, 2U);
  const Example one = written({"x"}, "0.5*x'^2", {}, {{0.4}, {0.5}}, {"-x'^3 - sin(x)"});
  const HelmholtzReport always = helmholtz(one, second_order(one.system));
  EXPECT_TRUE(always.decided && always.regular);
  EXPECT_EQ(always.dimension, 1U);
}

// Systems that have a Lagrangian, with numbers whose products cancel: a residue of rounding must not count.
TEST(Helmholtz, conditions_are_not_made_of_rounding) {
  const Example lorentz =
      written({"x", "y", "z"}, "0.5*(0.7*x'^2 + 1.1*y'^2 + 1.3*z'^2)", {}, {{0.3, 0.3, 0}, {0.1, 0.1, 0}},
              {"0.3*y' - 0.2*z'", "0.1*z' - 0.3*x'", "0.2*x' - 0.1*y'"});
  const Example damped = written({"x", "y"}, "0.5*(x'^2+y'^2) - 0.65*x^2 + 0.7*x*y - 0.45*y^2", {},
                                 {{0.3, 0.3}, {0.1, 0.1}}, {"-0.13*x' + 0.07*y'", "0.07*x' - 0.09*y'"});
  for (const Example& e : {lorentz, damped}) {
    const InverseProblem problem = examine_inverse_problem(e.system, nullptr, e.system.parameter_values(), e.near);
    ASSERT_EQ(problem.systems.size(), 1U);
    EXPECT_FALSE(problem.systems[0].report.excludes_lagrangian());
    EXPECT_TRUE(problem.systems[0].report.regular);
  }
  for (const char* field : {"1e3", "3e6", "1e9"}) {
    const std::string b = field;
    const Example strong = written({"x", "y"}, "0.5*(1.1*x'^2 + 0.6*y'^2) - 0.45*x^2 - 0.04*x*y + 0.15*y^2", {},
                                   {{0.3, 0.3}, {0.2, 0.2}}, {b + "*y'", "-" + b + "*x'"});
    const InverseProblem problem =
        examine_inverse_problem(strong.system, nullptr, strong.system.parameter_values(), strong.near);
    EXPECT_FALSE(problem.systems[0].report.excludes_lagrangian()) << field;
  }
}

TEST(Helmholtz, conditions_of_large_systems_are_not_written_down) {
  SystemDefinition definition;
  for (int i = 0; i < 11; ++i) {
    definition.coordinates.push_back(Expression::symbol("x" + std::to_string(i)));
    const Expression& x = definition.coordinates.back();
    definition.lagrangian += 0.5 * sq(dot(x));
    definition.applied_forces.push_back(-x * dot(x));
  }
  const System system(std::move(definition));
  const HelmholtzReport report =
      examine_helmholtz(second_order(system), {}, {std::vector<double>(11, 0.1), std::vector<double>(11, 0.2)});
  EXPECT_FALSE(report.decided);
  EXPECT_NE(report.reason.find("11 equations are too many"), std::string::npos);
}

// L = ½ x'² + ½ m y'² − sin(x + 2y) − x² y, as forces.
TEST(Helmholtz, conditions_leave_lagrangians_in_any_units) {
  for (const char* mass : {"1e-18", "1e-15", "1e-9", "1", "1e9", "1e15"}) {
    const std::string m = mass;
    const Example e = written({"x", "y"}, "0.5*(x'^2 + y'^2)", {}, {{0.3, 0.3}, {0.2, 0.2}},
                              {"-2*x*y - cos(x + 2*y)", "(-x^2 - 2*cos(x + 2*y))/" + m});
    const HelmholtzReport report = helmholtz(e, second_order(e.system));
    EXPECT_FALSE(report.excludes_lagrangian()) << mass;
    EXPECT_EQ(report.dimension, 1U) << mass;
  }
}

TEST(Helmholtz, verdicts_do_not_depend_on_units) {
  for (const double unit : {1e-4, 1.0, 1e4}) {
    const std::string u = number_text(unit);
    // x = u X: ẍ = −ẋẏ becomes Ẍ = −Ẋẏ, and the coupling 0.1 x of y becomes 0.1 u X.
    const Example e = written({"X", "y"}, "0.5*(X'^2 + y'^2)", {}, {{0.4 / unit, 0.3}, {0.5 / unit, -0.4}},
                              {"-X'*y' + y^2/" + u, "0.1*" + u + "*X"});
    EXPECT_TRUE(helmholtz(e, second_order(e.system)).excludes_lagrangian()) << unit;
  }
}

// ------------------------------------------------------------------------------------------------ given Lagrangians

TEST(GivenLagrangian, is_checked) {
  const Example e = model("free-particle-x");
  const auto check = [&](const std::string& text) {
    return examine_lagrangian(e.system, parse(text), e.system.parameter_values(), e.near);
  };
  const LagrangianReport paper = check("0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x'))");
  EXPECT_TRUE(paper.is_free_lagrangian());
  EXPECT_EQ(paper.motion.points, 20);
  const LagrangianReport own = check("0.5*(x'^2 + y'^2 + z'^2)");
  EXPECT_FALSE(own.motion.holds);
  EXPECT_TRUE(own.regular);
  EXPECT_EQ(own.motion.worst.size(), 6U);
  const LagrangianReport nearly = check("0.5*x'^2 + 0.5*sqrt(1.0001 + x^2)*(y'^2/x' + z'^2/(x*x'))");
  EXPECT_FALSE(nearly.motion.holds);
  const LagrangianReport idle = check("0.5*x'^2 + 0.5*sqrt(1 + x^2)*y'^2/x'");
  EXPECT_TRUE(idle.motion.holds);
  EXPECT_FALSE(idle.regular);
  EXPECT_FALSE(idle.is_free_lagrangian());
  // det = 1 − y² changes its sign.
  const LagrangianReport folded = check("0.5*x'^2 + 0.5*z'^2 + y*x'*z' + 0.5*y'^2");
  ASSERT_EQ(folded.zeros.size(), 1U);
  EXPECT_EQ(to_text(folded.zeros[0]), "-y^2 + 1");
  EXPECT_THROW(check("0.5*x'^2 + w*y'^2"), ExpressionError);
  // A total derivative changes nothing, and hides nothing.
  EXPECT_FALSE(check("0.5*(x'^2 + y'^2 + z'^2) + 1e12*(x*y' + y*x' + x*z' + z*x')").motion.holds);
  EXPECT_TRUE(check("0.5*x'^2 + 0.5*sqrt(1 + x^2)*(y'^2/x' + z'^2/(x*x')) + 1e9*(x*y' + y*x' + sin(z)*z')")
                  .is_free_lagrangian());
  EXPECT_EQ(check("log(-1 - x^2)*x'").motion.points, 0);
}

// A line that is tangent to the planes of z' = y x' − x y' somewhere is tangent to them everywhere: the constraint
// needs no force, whatever the masses. In a field, or in a metric whose geodesics are not lines, it does.
TEST(OwnLagrangian, is_free_where_the_constraints_exert_no_force) {
  const auto own = [](const std::string& lagrangian, const std::string& constraint) {
    const Example e = written({"x", "y", "z"}, lagrangian, {constraint}, {{0.3, -0.4, 0.2}, {1, 0.5, -0.55}}, {});
    const InverseProblem problem = examine_inverse_problem(e.system, nullptr, e.system.parameter_values(), e.near);
    return problem.own && problem.own->is_free_lagrangian();
  };
  EXPECT_TRUE(own("0.5*(x'^2 + y'^2 + z'^2)", "z' - y*x' + x*y'"));
  EXPECT_TRUE(own("0.5*(2*x'^2 + 3*y'^2 + 0.7*z'^2)", "z' - y*x' + x*y'"));
  EXPECT_FALSE(own("0.5*(x'^2 + y'^2 + z'^2) - 0.1*z", "z' - y*x' + x*y'"));
  EXPECT_FALSE(own("0.5*(x'^2 + y'^2 + z'^2)", "z' - y*x'"));
  EXPECT_FALSE(own("0.5*(1 + 0.01*x^2)*(x'^2 + y'^2 + z'^2)", "z' - y*x' + x*y'"));
}

}  // namespace inverse_test
}  // namespace rattleback::test
