// Theorem 4.2 of García-Naranjo & Vermeeren, the sign of the modified factor, and momenta on the shape space.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/method/trajectory.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"

namespace rattleback {
namespace modified_flow_test {

using test::problem_of;
using test::take;

/// The harmonic particle at (x, y, p_x, p_y) = (0.7, −0.6, 0.8, 1.1).
Problem somewhere(double h) {
  Problem problem = problem_of("harmonic-particle", h);
  const double s = std::sqrt(1.36);
  problem.start = {{0.7, -0.6, 0.0}, {0.8 / s, 1.1 * s, -0.6 * 0.8 / s}};
  return problem;
}

double one_step(const std::string& observer_name, const std::string& method, const Problem& problem) {
  const auto observer = make_observer(observer_name, method, problem);
  const auto stepper = make_stepper(method, problem);
  double value = 0.0;
  observer->observe(*stepper, {&value, 1});
  EXPECT_TRUE(std::isnan(value));
  take(*stepper, 1);
  observer->observe(*stepper, {&value, 1});
  return value;
}

// Numbers of a program of its own in 40 digits: K₂ and 𝓔₂ of M as the paper prints them, K₁ = (α − ½) K_p·K_q, the step
// by mpmath's findroot, the flow by its odefun.
TEST(ModifiedFlow, is_that_of_an_independent_program) {
  EXPECT_NEAR(one_step("modified-flow", "conformal:M:ell=0", somewhere(0.1)), 2.7747306765e-4, 1e-13);
  EXPECT_NEAR(one_step("modified-flow", "conformal:M:ell=2", somewhere(0.1)), 1.73204168684e-6, 1e-14);
  EXPECT_NEAR(one_step("modified-flow", "conformal:M:ell=2", somewhere(0.05)), 5.37405363325e-8, 1e-14);
  EXPECT_NEAR(one_step("modified-flow", "conformal:alpha=0.3:ell=1", somewhere(0.1)), 4.53282260923e-4, 1e-13);
  EXPECT_NEAR(one_step("modified-flow:ell=0", "conformal:alpha=0.3:ell=0", somewhere(0.05)), 1.18245148855e-3, 1e-13);
}

TEST(ModifiedFlow, has_the_exponents_of_the_theorem) {
  const auto exponent = [](const std::string& method, double h) {
    return std::log2(one_step("modified-flow", method, somewhere(h)) /
                     one_step("modified-flow", method, somewhere(h / 2)));
  };
  for (const int ell : {0, 1, 2, 3}) {
    EXPECT_NEAR(exponent("conformal:alpha=0.3:ell=" + std::to_string(ell), 0.05), ell + 2, 0.15) << ell;
  }
  for (const int ell : {0, 2}) {  // only even powers of h occur
    EXPECT_NEAR(exponent("conformal:TT:ell=" + std::to_string(ell), 0.025), ell + 3, 0.15) << ell;
  }
}

// Where formulas are too large, orbits tell the same.
TEST(ModifiedEquation, is_the_same_with_and_without_formulas) {
  const Problem problem = somewhere(0.1);
  for (const char* method : {"conformal:TT:ell=2", "conformal:alpha=0.3:ell=2"}) {
    const DerivedMethod derived(method, problem);
    const auto stepper = make_stepper(derived, problem);
    ModifiedHamiltonian from_orbits(*derived.map, problem);
    ModifiedHamiltonian from_formulas(*derived.map, problem);
    ASSERT_TRUE(from_formulas.use_formulas(2, true));
    const auto& v = problem.start.v;
    const std::vector<double> a = from_orbits.modified_equation(stepper->state(), v, 0.1, 2);
    const std::vector<double> b = from_formulas.modified_equation(stepper->state(), v, 0.1, 2);
    ASSERT_EQ(a.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << method << " " << i;
  }
}

// N₂ of TT at y = 0 is −p_y²/12 in the paper's appendix: with p_y = 4 and h = 1 the factor is 1 − 16/12.
TEST(ModifiedFactor, has_the_sign_of_the_factor_or_the_method_does_not_start) {
  Problem problem = problem_of("harmonic-particle", 1.0);
  problem.start = {{0, 0, 0}, {0.5, 4, 0}};
  for (const char* method : {"conformal:TT:ell=2", "conformal:TT:ell=2:every-step"}) {
    try {
      make_stepper(method, problem);
      FAIL() << method;
    } catch (const MethodError& error) {
      EXPECT_NE(std::string(error.what()).find("the modified factor up to h^2 is -0.333 here, and N is 1"),
                std::string::npos)
          << error.what();
    }
  }
  problem.step = 0.5;
  EXPECT_NO_THROW(make_stepper("conformal:TT:ell=2", problem));
}

// The derivative of the action with respect to E is that of L_d: the mean of N_mod over a step is N under the rule, at
// the midpoint for M, and has its sign. The mean from the factors at eight nodes, by the integral of their polynomial;
// what is left out is of the order of h⁸. N itself has another mean.
TEST(ModifiedFactor, has_the_mean_of_the_factor_in_every_step) {
  const Problem problem = somewhere(0.04);
  const auto stepper = make_stepper("conformal:M", problem);
  const auto observer = make_observer("modified-energy", "conformal:M", problem);
  std::vector<double> y;
  std::vector<double> modified;
  for (int k = 0; k < 8; ++k) {
    if (k > 0) take(*stepper, 1);
    double values[2];
    observer->observe(*stepper, values);
    y.push_back(stepper->node().q[1]);
    modified.push_back(values[1]);
  }
  const auto factor = [](double at) { return 1.0 / std::sqrt(1.0 + at * at); };
  const auto mean = [](const std::vector<double>& f) {  // between the fourth and the fifth
    const double weights[] = {-191.0, 1879.0, -9531.0, 68323.0};
    double sum = 0.0;
    for (std::size_t k = 0; k < 4; ++k) sum += weights[k] * (f[k] + f[7 - k]);
    return sum / 120960.0;
  };
  std::vector<double> plain;
  for (const double at : y) plain.push_back(factor(at));
  const double middle = factor(0.5 * (y[3] + y[4]));
  EXPECT_NEAR(mean(modified), middle, 1e-8);
  EXPECT_GT(std::abs(mean(plain) - middle), 1e-6);
}

// Noether's theorem: N and H of the free particle do not depend on x, so P_x = N ∂l/∂ẋ is preserved; the potential
// changes it. The translation of z moves nothing on the shape space.
TEST(Momentum, on_the_shape_space_is_preserved_by_conformal_methods) {
  const auto particle = [](const std::string& potential) {
    return problem_of(
        read_model("coordinates = ['x', 'y', 'z']\nlagrangian = \"0.5*(x'^2 + y'^2 + z'^2) - " + potential +
                       "\"\nconstraints = [\"z' - y*x'\"]\n[initial]\nq = [0, 0.4, 0]\nv = [1, 1, 0.4]\n"
                       "[symmetry.generators]\nslide = {x = '1'}\nlift = {z = '1'}\n",
                   "particle.toml"),
        0.25);
  };
  const double momentum = std::sqrt(1.16);
  const Problem problem = particle("0.5*y^2");
  for (const char* method : {"conformal:M", "conformal:TT:every-step", "pthdel", "hdel"}) {
    const auto observer = make_observer("momentum", method, problem);
    ASSERT_EQ(observer->quantity().labels, std::vector<std::string>{"momentum of slide"}) << method;
    const auto stepper = make_stepper(method, problem);
    for (int k = 0; k < 20; ++k) {
      double value = 0.0;
      observer->observe(*stepper, {&value, 1});
      EXPECT_NEAR(value, momentum, 1e-13) << method;
      take(*stepper, 1);
    }
  }
  try {
    make_observer("momentum", "conformal", problem_of("free-particle", 0.1));
    FAIL();
  } catch (const MethodError& error) {
    EXPECT_NE(std::string(error.what()).find("the declared symmetries move no coordinate"), std::string::npos);
  }
}

}  // namespace modified_flow_test
}  // namespace rattleback
