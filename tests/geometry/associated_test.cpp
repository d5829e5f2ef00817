// Associated second-order systems and the search among them, and systems of the class of Mestdag, Bloch & Fernandez
// with several directions.

#include "rattleback/geometry/associated.hpp"

#include <gtest/gtest.h>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/geometry/inverse_problem.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::test {
namespace associated_test {

struct Given {
  System system;
  State near;
};

Given of_catalogue(const std::string& name) {
  const Model m = load_model(name);
  return {m.system, *m.initial};
}

Given of_text(const std::string& text) {
  const Model m = read_model(text, "m.toml");
  return {m.system, *m.initial};
}

/// Two blades with one heading.
const std::string two_blades =
    "coordinates = ['x1', 'y1', 'x2', 'y2', 'phi']\n"
    "lagrangian = \"0.5*m*(x1'^2 + y1'^2) + (x2'^2 + y2'^2) + 0.25*phi'^2\"\n[parameters]\nm = 0.7\n"
    "[initial]\nq = [0, 0, 1, 2, 0.4]\nv = ['cos(0.4)', 'sin(0.4)', '2*cos(0.4)', '2*sin(0.4)', 1.5]\n";

std::string blades(const std::string& constraints) {
  return two_blades.substr(0, two_blades.find("[parameters]")) + "constraints = [" + constraints + "]\n" +
         two_blades.substr(two_blades.find("[parameters]"));
}

AssociatedSearch search(const Given& g, std::size_t most = usual_associated_systems) {
  return search_associated(g.system, g.system.parameter_values(), g.near, most);
}

/// Motions of the constrained system are motions of each system of the family: the accelerations agree on the
/// constraints, here with those that the equations of motion give by a formula of the model alone.
TEST(Associated, systems_have_the_accelerations_of_the_constrained_motion) {
  const Given g = of_catalogue("free-particle-x");  // ż = −x ẏ: ÿ = −x ẋẏ/(1 + x²), z̈ = −ẋẏ/(1 + x²)
  const AssociatedForms forms = associated_forms(g.system, g.system.parameter_values(), g.near);
  ASSERT_EQ(forms.reason, "");
  ASSERT_EQ(forms.systems(), 4U);
  const double x = 0.3;
  const double xv = 1.1;
  const double yv = -0.7;
  const std::unordered_map<Expression, double> at{{parse("x"), x},   {parse("y"), 0.1}, {parse("z"), 0.2},
                                                  {parse("x'"), xv}, {parse("y'"), yv}, {parse("z'"), -x * yv}};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto a = forms.accelerations(k);
    EXPECT_NEAR(evaluate(a[0], at), 0.0, 1e-15);
    EXPECT_NEAR(evaluate(a[1], at), -x * xv * yv / (1 + x * x), 1e-14);
    EXPECT_NEAR(evaluate(a[2], at), -xv * yv / (1 + x * x), 1e-14);
  }
}

// Of the particle's four systems two are variational: (5), and the one in which y and z exchange their velocities. Its
// Lagrangian, found by hand, has no pole where x = 0: G with G' = B G, ẍ = ẋ B ẋ, is a reflection of the plane (y, z).
TEST(Associated, search_finds_a_second_lagrangian_of_the_particle) {
  const Given g = of_catalogue("free-particle-x");
  const AssociatedSearch found = search(g);
  EXPECT_TRUE(found.is_complete());
  EXPECT_EQ(found.systems, 4U);
  EXPECT_EQ(found.excluded, 2U);
  ASSERT_EQ(found.open.size(), 2U);
  const auto known = [](const AssociatedSearch::Open& o) { return o.lagrangian.has_value(); };
  EXPECT_EQ(std::ranges::count_if(found.open, known), 1);
  const auto other = std::ranges::find_if_not(found.open, known);
  const Expression lagrangian = parse("0.5*x'^2 + 0.5*(y'^2 - z'^2 - 2*x*y'*z')/(x'*sqrt(1 + x^2))");
  EXPECT_TRUE(compare_equations(lagrangian, other->equations, g.system.parameter_values(), g.near).holds)
      << to_text(other->equations.accelerations[1]) << ", " << to_text(other->equations.accelerations[2]);
  EXPECT_TRUE(examine_lagrangian(g.system, lagrangian, g.system.parameter_values(), g.near).is_free_lagrangian());
}

TEST(Associated, systems_with_a_potential_are_all_excluded) {
  for (const char* name : {"knife-edge-incline", "mobile-robot"}) {
    const AssociatedSearch found = search(of_catalogue(name));
    EXPECT_TRUE(found.is_complete()) << name;
    EXPECT_EQ(found.excluded, found.systems) << name;
    EXPECT_EQ(found.systems, std::string(name) == "mobile-robot" ? 9U : 4U);
  }
}

TEST(Associated, searches_end_where_they_are_told_to_and_say_so) {
  const AssociatedSearch found = search(of_catalogue("mobile-robot"), 2);
  EXPECT_EQ(found.tried, 2U);
  EXPECT_EQ(found.systems, 9U);
  EXPECT_FALSE(found.is_complete());
  EXPECT_EQ(search(of_catalogue("cart-pendulum")).reason, "there are holonomic constraints");
}

TEST(SeveralDirections, are_found_however_the_constraints_are_combined) {
  for (const char* constraints : {"\"x1'*sin(phi) - y1'*cos(phi)\", \"x2'*sin(phi) - y2'*cos(phi)\"",
                                  "\"(x1' + x2')*sin(phi) - (y1' + y2')*cos(phi)\", "
                                  "\"(x1' - 3*x2')*sin(phi) - (y1' - 3*y2')*cos(phi)\""}) {
    const Given g = of_text(blades(constraints));
    const SteeredSearch found = find_steered(g.system, g.system.parameter_values(), g.near);
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_EQ(found.found->directions(), 2U);
    EXPECT_FALSE(found.found->density_is_constant);
    for (const FreeForm form : {FreeForm::both_scaled}) {
      const FreeLagrangian free = free_lagrangian(g.system, *found.found, form);
      EXPECT_EQ(free.constraints.size(), 2U);
      const InverseProblem problem = examine_inverse_problem(g.system, nullptr, g.system.parameter_values(), g.near);
      ASSERT_EQ(problem.free.size(), 1U);
      EXPECT_TRUE(problem.free[0].holds());
      EXPECT_LE(problem.free[0].motion.residual, 1e-11);
    }
  }
}

// A coordinate on which nothing depends moves in a direction of its own.
TEST(SeveralDirections, may_belong_to_one_coordinate) {
  const Given g = of_text(
      "coordinates = ['x', 'y', 'z', 'w']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2 + 3*w'^2)\"\n"
      "constraints = [\"z' + x*y'\"]\n[initial]\nq = [0.3, 0, 0, 0]\nv = [1, 1, -0.3, 0.5]\n");
  const InverseProblem problem = examine_inverse_problem(g.system, nullptr, g.system.parameter_values(), g.near);
  ASSERT_TRUE(problem.steered.found) << problem.steered.reason;
  EXPECT_EQ(problem.steered.found->directions(), 2U);
  ASSERT_EQ(problem.free.size(), 1U);
  EXPECT_TRUE(problem.free[0].holds());
}

TEST(SeveralDirections, that_share_a_coordinate_or_inertia_are_refused) {
  const auto reason = [](const std::string& lagrangian, const std::string& constraints) {
    const Given g =
        of_text("coordinates = ['x', 'y', 'z', 'w', 'u']\nlagrangian = \"" + lagrangian + "\"\nconstraints = [" +
                constraints + "]\n[initial]\nq = [0.3, 0, 0, 0, 0]\nv = [1, 0, 0, 0, 0]\n");
    return find_steered(g.system, g.system.parameter_values(), g.near).reason;
  };
  const std::string plain = "0.5*(x'^2 + y'^2 + z'^2 + w'^2 + u'^2)";
  EXPECT_EQ(reason(plain, "\"z' + x*y' + sin(x)*w'\", \"u' - x*w'\""),
            "y, z, w, u move in 2 directions that share coordinates, besides x");
  EXPECT_EQ(reason(plain + " + 0.3*y'*w'", "\"z' + x*y'\", \"u' - x*w'\""),
            "the mass matrix couples directions that turn with x");
}

}  // namespace associated_test
}  // namespace rattleback::test
