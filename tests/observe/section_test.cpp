// Momenta along sections of symmetries (Cortés & Martínez, section 5.2): their values on a motion that is known, the
// discrete momentum equation (24), and sections that are none.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/method/trajectory.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace section_test {

using test::take;

/// ż = y ẋ with a potential of y: ∂_x + y ∂_z is admissible everywhere, with J = p_x + y p_z = (1 + y²) ẋ.
Problem particle(double h, const std::string& sections = "along = {along_x = '1', along_z = 'y'}") {
  const Model model = read_model(
      "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2) - cos(y)\"\n"
      "constraints = [\"z' - y*x'\"]\n[initial]\nq = [0, 0.4, 0]\nv = [1, 1.2, 0.4]\n"
      "[symmetry.generators]\nalong_x = {x = '1'}\nalong_z = {z = '1'}\n[symmetry.sections]\n" +
          sections + "\n",
      "particle.toml");
  return {model.system, model.system.parameter_values(), *model.initial, h};
}

/// ż = −x ẏ without a potential, of the class of free Lagrangians: the section along the motion, of length 1.
Problem free_particle(double h) {
  const Model model = read_model(
      "coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2)\"\nconstraints = [\"z' + x*y'\"]\n"
      "[initial]\nq = [0.15, 0, 0]\nv = [1, 1, -0.15]\n[symmetry]\nfibre = ['y', 'z']\n[symmetry.sections]\n"
      "along = {'translation of y' = '1/sqrt(1 + x^2)', 'translation of z' = '-x/sqrt(1 + x^2)'}\n",
      "particle.toml");
  return {model.system, model.system.parameter_values(), *model.initial, h};
}

std::size_t at(const Observer& observer, const std::string& label) {
  const auto& labels = observer.quantity().labels;
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

/// The largest residual of (24) in 40 steps of h = 0.05, or in the same time.
double residual(const std::string& method, const Problem& problem) {
  const double h = problem.step;
  const auto observer = make_observer("momentum-equation", method, problem);
  const std::size_t column = at(*observer, "momentum_equation_of_along");
  if (column == observer->quantity().labels.size()) return std::nan("");
  const auto stepper = make_stepper(method, problem);
  std::vector<double> values(observer->quantity().labels.size());
  double largest = 0.0;
  for (int k = 0; k <= std::lround(2.0 / h); ++k) {
    observer->observe(*stepper, values);
    if (k >= observer->first_node()) largest = std::max(largest, values[column]);
    take(*stepper, 1);
  }
  return largest;
}

double residual(const std::string& method, double h) { return residual(method, particle(h)); }

TEST(Section, has_the_momentum_of_the_motion) {
  // √(1 + y²) ẋ is constant along the true motion, so that J = √1.16 √(1 + y²).
  const Problem problem = particle(0.01);
  for (const auto& [method, tolerance] : {std::pair{"reference", 1e-11},
                                          {"rk4", 1e-7},
                                          {"dla", 1e-4},
                                          {"rdla", 1e-4},
                                          {"pthdel", 1e-4},
                                          {"hdel", 1e-4},
                                          {"conformal", 1e-4}}) {
    SCOPED_TRACE(method);
    const auto observer = make_observer("momentum", method, problem);
    const std::size_t column = at(*observer, "momentum of along");
    ASSERT_LT(column, observer->quantity().labels.size());
    const auto stepper = make_stepper(method, problem);
    std::vector<double> values(observer->quantity().labels.size());
    for (int k = 0; k < 100; ++k) {
      observer->observe(*stepper, values);
      const double y = stepper->node().q[1];
      EXPECT_NEAR(values[column], std::sqrt(1.16 * (1.0 + y * y)), tolerance) << k;
      take(*stepper, 1);
    }
  }
}

TEST(Section, satisfies_the_discrete_momentum_equation_under_dla) {
  for (const char* method : {"dla", "dla:trapezoidal", "dla:alpha=0.25", "dla:order=4",
                             "dla:alpha=0.25:constraints=trapezoidal", "rdla:forces=general"}) {
    EXPECT_LT(residual(method, 0.05), 1e-13) << method;
  }
}

// gni's momenta are those of nodes, not D₂L_d: the right-hand side is a rule of first order.
TEST(Section, satisfies_it_up_to_a_power_of_the_step_under_other_methods) {
  for (const auto& [method, power] : {std::pair{"pthdel", 3.0},
                                      {"conformal:ell=2", 3.0},
                                      {"hdel:nodes=t", 3.0},
                                      {"pthdel:sym=0.25", 3.0},
                                      {"gni", 2.0}}) {
    const double coarse = residual(method, 0.05);
    const double fine = residual(method, 0.025);
    EXPECT_GT(coarse, 1e-7) << method;
    EXPECT_NEAR(std::log2(coarse / fine), power, 0.25) << method;
  }
}

TEST(Section, satisfies_it_up_to_the_third_power_under_free_methods_and_averaged_forces) {
  for (const char* method : {"free", "free:trapezoidal", "free:C=0.1", "free-modified", "rdla:trapezoidal"}) {
    const double coarse = residual(method, free_particle(0.1));
    EXPECT_GT(coarse, 1e-6) << method;
    EXPECT_NEAR(std::log2(coarse / residual(method, free_particle(0.05))), 3.0, 0.15) << method;
  }
  for (const char* method : {"dla:trapezoidal", "rdla:trapezoidal:forces=general", "rdla"})
    EXPECT_LT(residual(method, free_particle(0.1)), 1e-13) << method;
}

// P_x = ½ (√(1 + y₀²) + √(1 + y₁²)) Δx/h is conserved, and J = P_x √(1 + y²) changes by ½ (y₁² − y₀²) Δx/h, which is
// p_z Δy: on this system the trapezoidal rule has both.
TEST(Section, satisfies_it_by_chance_where_the_other_momentum_implies_it) {
  EXPECT_LT(residual("pthdel:trapezoidal", 0.05), 1e-13);
}

TEST(Section, has_no_equation_in_steps_of_another_time_or_in_several_stages) {
  for (const char* method : {"hdel", "pthdel:order=4"}) EXPECT_TRUE(std::isnan(residual(method, 0.05))) << method;
  EXPECT_FALSE(std::isnan(residual("dla:order=4", 0.05)));
}

TEST(Section, outside_the_constraints_has_no_momentum) {
  const Problem problem = particle(0.1, "across = {along_x = '1', along_z = '2*y'}");
  for (const char* observer : {"momentum", "momentum-equation"}) {
    for (const char* method : {"dla", "rdla", "reference"}) {
      if (std::string(observer) == "momentum-equation" && std::string(method) == "reference") continue;
      try {
        make_observer(observer, method, problem);
        ADD_FAILURE() << observer << " of " << method;
      } catch (const MethodError& error) {
        EXPECT_NE(std::string(error.what()).find("the section across does not move along constraint 1 (0 = z' - x'*y)"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

}  // namespace section_test
}  // namespace rattleback
