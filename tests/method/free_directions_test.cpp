// `free` and `free-modified` with several directions: two blades with one heading, whose paths are circles of different
// radii, and a bead that nothing ties to anything.

#include <gtest/gtest.h>

#include <cmath>

#include "rattleback/flow/convergence.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/observe/observers.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace free_directions_test {

using test::take;

const std::string one_by_one = "\"x1'*sin(phi) - y1'*cos(phi)\", \"x2'*sin(phi) - y2'*cos(phi)\"";
const std::string combined =
    "\"(x1' + x2')*sin(phi) - (y1' + y2')*cos(phi)\", \"(x1' - 3*x2')*sin(phi) - (y1' - 3*y2')*cos(phi)\"";

Problem blades(double h, const std::string& constraints = one_by_one) {
  const Model model = read_model(
      "coordinates = ['x1', 'y1', 'x2', 'y2', 'phi', 'w']\n"
      "lagrangian = \"0.35*(x1'^2 + y1'^2) + x2'^2 + y2'^2 + 0.25*phi'^2 + 0.5*w'^2\"\n"
      "constraints = [" +
          constraints +
          "]\n"
          "[initial]\nq = [0, 0, 1, 2, 0.4, 0]\n"
          "v = ['cos(0.4)', 'sin(0.4)', '2*cos(0.4)', '2*sin(0.4)', 1.5, -0.3]\n",
      "blades.toml");
  return {model.system, model.system.parameter_values(), *model.initial, h};
}

/// φ = 0.4 + 1.5 t, and each blade goes along its heading with a constant speed.
std::vector<double> exact(double t) {
  const double phi = 0.4 + 1.5 * t;
  const double s = (std::sin(phi) - std::sin(0.4)) / 1.5;
  const double c = (std::cos(0.4) - std::cos(phi)) / 1.5;
  return {s, c, 1 + 2 * s, 2 + 2 * c, phi, -0.3 * t};
}

double error(const std::string& method, double h, double time) {
  const auto stepper = make_stepper(method, blades(h));
  take(*stepper, std::lround(time / h));
  double largest = 0.0;
  for (std::size_t i = 0; i < 6; ++i) largest = std::max(largest, std::abs(stepper->node().q[i] - exact(time)[i]));
  return largest;
}

TEST(FreeDirections, follow_the_motion_with_the_order_of_the_rule) {
  for (const auto& [method, order] : {std::pair{"free", 2.0},
                                      {"free-modified", 2.0},
                                      {"free:trapezoidal", 2.0},
                                      {"free:alpha=0.2", 1.0},
                                      {"free:order=4", 4.0}}) {
    const double coarse = error(method, 0.1, 4.0);
    const double fine = error(method, 0.05, 4.0);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.15) << method << ": " << coarse << ", " << fine;
  }
}

// How the constraints are written does not matter, also beyond sin φ = 0.
TEST(FreeDirections, are_the_same_for_combined_constraints) {
  for (const char* method : {"free", "free-modified", "free:trapezoidal"}) {
    const auto one = make_stepper(method, blades(0.1));
    const auto other = make_stepper(method, blades(0.1, combined));
    for (int k = 0; k < 50; ++k) {
      take(*one, 1);
      take(*other, 1);
    }
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(one->node().q[i], other->node().q[i], 1e-12) << method;
  }
}

TEST(FreeDirections, keep_the_discrete_constraints_and_a_symplectic_form) {
  for (const char* method : {"free", "free-modified", "free:sym=0.25", "free:C=0.02"}) {
    const Problem problem = blades(0.1);
    const auto stepper = make_stepper(method, problem);
    const auto constraint = make_observer("discrete-constraint", method, problem);
    std::vector<double> values(2);
    for (int k = 0; k < 100; ++k) {
      take(*stepper, 1);
      constraint->observe(*stepper, values);
      for (const double c : values) EXPECT_NEAR(c, 0.0, 1e-13) << method;
    }
  }
  const Problem problem = blades(0.1);
  const auto stepper = make_stepper("free", problem);
  for (const char* name : {"symplectic", "reversibility"}) {
    const auto observer = make_observer(name, "free", problem);
    std::vector<double> value(1);
    observer->observe(*stepper, value);
    for (int k = 0; k < 20; ++k) {
      take(*stepper, 1);
      observer->observe(*stepper, value);
      EXPECT_LT(std::abs(value[0]), 1e-10) << name;
    }
  }
}

// The discrete Euler–Lagrange equations of L_d = h L̃(q₀ + Δ/2, Δ/h) with L̃ of the paper's form (6), one bracket for
// each direction, solved by another program (Newton's method in all positions, 40 digits): positions after 10 steps.
TEST(FreeDirections, satisfy_the_discrete_euler_lagrange_equations) {
  const auto stepper = make_stepper("free:form=6:C=0.05:start=constraint", blades(0.1));
  take(*stepper, 10);
  const double expected[] = {0.37165470047703518, 0.83019281197677216, 1.7433094009540704,
                             3.6603856239535443,  1.8997590171501245,  -0.29995180343002491};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(stepper->node().q[i], expected[i], 1e-12) << i;
}

}  // namespace free_directions_test
}  // namespace rattleback
