// The reduced discrete Lagrange–d'Alembert equations of Cortés & Martínez, (32): L_d*, F⁻ and F⁺ against formulas that
// were derived by hand, and what theorems 5.5 and 5.6 say of them.

#include <gtest/gtest.h>

#include <cmath>

#include "promises.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/discrete_reduction.hpp"
#include "rattleback/model/model.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace discrete_reduction_test {

using test::largest_observed;
using test::problem_of;

constexpr double h = 0.2;

/// The values of L_d*, F⁻, F⁺ at q₀, Δr, by the implicit map.
std::vector<double> numbers(const DiscreteReduction& reduction, const Problem& problem, const std::vector<double>& dr) {
  CompiledMap map(reduction.map, problem);
  map.set(Slot::increments, dr);
  EXPECT_TRUE(map.run()) << map.failure();
  const auto values = map(Slot::others);
  return {values.begin(), values.end()};
}

/// The same by the formulas.
std::vector<double> by_formulas(const DiscreteReduction& reduction, const Problem& problem,
                                const std::vector<double>& dr) {
  std::unordered_map<Expression, double> here{{step_symbol(), problem.step}};
  for (std::size_t i = 0; i < problem.start.q.size(); ++i) here[problem.system.coordinates()[i]] = problem.start.q[i];
  for (std::size_t i = 0; i < dr.size(); ++i) here[reduction.shape_increments[i]] = dr[i];
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    here[problem.system.parameters()[i]] = problem.parameters[i];
  const DiscreteReduction::Formulas& f = reduction.formulas.value();
  std::vector<double> values{evaluate(f.lagrangian, here)};
  for (const auto* forces : {&f.minus, &f.plus}) {
    for (const Expression& force : *forces) values.push_back(evaluate(force, here));
  }
  return values;
}

DiscreteReduction reduced(const Problem& problem, const Rule& rule) {
  return reduce_discretely(problem.system, Geometry(problem).chaplygin("a test"), rule);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-13) << i;
}

TEST(DiscreteReduction, of_the_particle) {
  // Δz = y_m Δx, L_d* = (Δx² + Δy² + y_m² Δx²)/2h − h (x_m² + y_m²), F⁻ = F⁺ = (h/2) (−y_m x' y', y_m x'²)
  Problem problem = problem_of("quadratic-particle", h);
  problem.start.q = {0.3, -0.7, 5.0};
  const double dx = 0.11;
  const double dy = -0.05;
  const double x = 0.3 + dx / 2;
  const double y = -0.7 + dy / 2;
  const double force_x = -0.5 * y * dx * dy / h;
  const double force_y = 0.5 * y * dx * dx / h;
  const std::vector<double> expected{(dx * dx + dy * dy + y * y * dx * dx) / (2 * h) - h * (x * x + y * y), force_x,
                                     force_y, force_x, force_y};
  const DiscreteReduction reduction = reduced(problem, midpoint());
  expect_near(numbers(reduction, problem, {dx, dy}), expected);
  expect_near(by_formulas(reduction, problem, {dx, dy}), expected);
}

TEST(DiscreteReduction, of_the_robot) {
  // x and y follow ψ by Δψ (cos θ_m, sin θ_m): F⁻_ψ = (Δψ/h) (cos(Δθ/2) − 1) = −F⁺_ψ, F_θ = 0
  Problem problem = problem_of("mobile-robot", h);
  problem.start.q = {1.0, 2.0, 0.4, -0.9};
  const double dtheta = 0.3;
  const double dpsi = 0.2;
  const double force = dpsi / h * (std::cos(dtheta / 2) - 1);
  const double action = (dtheta * dtheta + 4 * dpsi * dpsi) / (2 * h) - h * 10 * std::sin(-0.9 + dpsi / 2);
  const DiscreteReduction reduction = reduced(problem, midpoint());
  expect_near(numbers(reduction, problem, {dtheta, dpsi}), {action, 0, force, 0, -force});
  expect_near(by_formulas(reduction, problem, {dtheta, dpsi}), {action, 0, force, 0, -force});
}

TEST(DiscreteReduction, formulas_and_numbers_agree) {
  for (const char* model : {"sinusoidal-particle", "generic-connection", "contact-particle", "rolling-disk"}) {
    const Problem problem = problem_of(model, h);
    for (const Rule& rule : {trapezoidal(), alpha(0.3), sym(0.2)}) {
      const DiscreteReduction reduction = reduced(problem, rule);
      std::vector<double> dr;
      for (std::size_t i = 0; i < reduction.shape_increments.size(); ++i) dr.push_back(0.1 - 0.03 * double(i));
      expect_near(numbers(reduction, problem, dr), by_formulas(reduction, problem, dr));
    }
  }
}

TEST(DiscreteReduction, has_no_formulas_where_the_heading_is_in_the_fibre) {
  const Problem problem = problem_of("two-wheeled-carriage", h);
  EXPECT_FALSE(reduced(problem, midpoint()).formulas);
  EXPECT_EQ(numbers(reduced(problem, midpoint()), problem, {-0.2, -0.3}).size(), 5U);
}

TEST(DiscreteReduction, needs_a_constraint_for_each_coordinate_of_the_fibre) {
  const Problem problem = problem_of("mobile-robot", h);
  const auto rows = problem.system.constraints();
  EXPECT_THROW(reduce_discretely(problem.system, Geometry(problem).chaplygin("a test"), Expression(0.0),
                                 std::span(rows).first(1)),
               MethodError);
}

// Theorem 5.5. SE(2) acts on (x, y, θ) by affine maps, and L_d is invariant; SO(3) does not on Euler angles.
TEST(ReducedEquation, holds_where_the_group_leaves_the_discrete_lagrangian_invariant) {
  for (const char* model : {"quadratic-particle", "mobile-robot", "two-wheeled-carriage", "rolling-disk"}) {
    for (const char* method : {"dla:midpoint", "dla:trapezoidal", "dla:alpha=0.3:constraints=midpoint"})
      EXPECT_LT(largest_observed("reduced-equation", method, problem_of(model, 0.1)), 1e-12) << model << " " << method;
  }
  EXPECT_GT(largest_observed("reduced-equation", "dla:midpoint", problem_of("rubber-body-on-sphere", 0.05)), 1e-7);
}

/// A Chaplygin system with F = 0, constraints linear in the base point, that is not integrable.
Problem two_fibres() {
  const Model model = load_model(test::source_file("experiments/cm/models/two-fibres.toml"));
  return {model.system, model.system.parameter_values(), *model.initial, 0.1};
}

// Theorem 5.6, and what its hypotheses are needed for.
TEST(ReducedIntegrator, is_variational_where_the_discrete_forces_vanish) {
  EXPECT_LT(largest_observed("symplectic", "rdla:forces=general", two_fibres()), 1e-12);
  EXPECT_GT(largest_observed("symplectic", "rdla:forces=general", problem_of("quadratic-particle", 0.1)), 1e-4);
  EXPECT_GT(largest_observed("symplectic", "rdla:forces=general", problem_of("mobile-robot", 0.1)), 1e-6);
}

TEST(SymplecticForm, of_a_shape_space_is_kept_by_hamiltonized_methods) {
  const Problem particle = problem_of("quadratic-particle", 0.1);
  for (const char* method : {"hdel", "pthdel:trapezoidal", "conformal:ell=2", "pthdel:order=4"})
    EXPECT_LT(largest_observed("symplectic", method, particle), 1e-12) << method;
  EXPECT_GT(largest_observed("symplectic", "rdla", particle), 1e-4);
  EXPECT_LT(largest_observed("symplectic", "free", problem_of("free-particle-x", 0.1)), 1e-12);
}

}  // namespace discrete_reduction_test
}  // namespace rattleback
