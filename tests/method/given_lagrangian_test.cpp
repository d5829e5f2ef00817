// dla for a given discrete Lagrangian and given discrete constraints: Theorem 4.3 and Remark 3.3 of Cortés & Martínez
// on configuration spaces that are not linear. On Q ⊂ V they are taken from V × V,
//
//     L_d(q₀, q₁) = 𝓛_d(j(q₀), j(q₁)),   ω_d likewise,
//
// and the integrator on Q is then that on V with the holonomic constraints of Q, multipliers included. Made in a chart
// by a rule they are others.

#include "rattleback/expr/graph.hpp"
#include "rattleback/model/model.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace given_lagrangian_test {

using test::distance;
using test::take;
using Vector = std::vector<Expression>;

/// A system in a chart of Q, the same in the space around it, and the embedding.
struct Embedded {
  Problem chart;
  Problem space;
  Vector map;  ///< j, in the coordinates of the chart

  Vector pulled_back(const Vector& functions) const {
    const Vector& q = chart.system.coordinates();
    const Vector right = moved(chart.system);
    Substitution to_right;
    for (std::size_t i = 0; i < q.size(); ++i) to_right.emplace(q[i], right[i]);
    const Vector ends = substitute(map, to_right);
    const Vector increments = increment_symbols(space.system);
    Substitution on_q;
    for (std::size_t i = 0; i < map.size(); ++i) {
      on_q.emplace(space.system.coordinates()[i], map[i]);
      on_q.emplace(increments[i], ends[i] - map[i]);
    }
    return substitute(functions, on_q);
  }
  Expression discrete_lagrangian(const Rule& rule) const {
    return pulled_back({rattleback::discrete_lagrangian(space.system, rule)})[0];
  }
  std::vector<double> in_space(const std::vector<double>& q) const {
    std::unordered_map<Expression, double> here;
    for (std::size_t i = 0; i < q.size(); ++i) here[chart.system.coordinates()[i]] = q[i];
    std::vector<double> point;
    for (const Expression& coordinate : map) point.push_back(evaluate(coordinate, here));
    return point;
  }
};

Problem problem(const std::string& text) { return test::problem_of(read_model(text, "test.toml"), 0.1); }

Embedded circle() {
  const Problem chart = problem(R"toml(
coordinates = ["a", "y", "z"]
lagrangian = "0.5*(a'^2 + y'^2 + z'^2) - cos(a) - 0.5*y^2"
constraints = ["z' - y*a'"]
[initial]
q = [1, 0.5, 0]
v = [1, 0.3, 0.5])toml");
  const Problem space = problem(R"toml(
coordinates = ["c", "s", "u", "w"]
lagrangian = "0.5*(c'^2 + s'^2 + u'^2 + w'^2) - c - 0.5*u^2"
constraints = ["w' - u*(c*s' - s*c')"]
holonomic = ["0.5*(c^2 + s^2 - 1)"]
[initial]
q = ["cos(1)", "sin(1)", 0.5, 0]
v = ["-sin(1)", "cos(1)", 0.3, 0.5])toml");
  const Vector& q = chart.system.coordinates();
  return {chart, space, {cos(q[0]), sin(q[0]), q[1], q[2]}};
}

Embedded sphere() {
  const Problem chart = problem(R"toml(
coordinates = ["t", "p", "z"]
lagrangian = "0.5*(t'^2 + sin(t)^2*p'^2 + z'^2) - cos(t)"
constraints = ["z' - cos(t)*sin(t)^2*p'"]
[initial]
q = [1, 0.2, 0]
v = [0.4, 1.5, "1.5*cos(1)*sin(1)^2"])toml");
  const Problem space = problem(R"toml(
coordinates = ["a", "b", "c", "w"]
lagrangian = "0.5*(a'^2 + b'^2 + c'^2 + w'^2) - c"
constraints = ["w' - c*(a*b' - b*a')"]
holonomic = ["0.5*(a^2 + b^2 + c^2 - 1)"]
[initial]
q = ["sin(1)*cos(0.2)", "sin(1)*sin(0.2)", "cos(1)", 0]
v = ["0.4*cos(1)*cos(0.2) - 1.5*sin(1)*sin(0.2)", "0.4*cos(1)*sin(0.2) + 1.5*sin(1)*cos(0.2)", "-0.4*sin(1)", "1.5*cos(1)*sin(1)^2"])toml");
  const Vector& q = chart.system.coordinates();
  return {chart, space, {sin(q[0]) * cos(q[1]), sin(q[0]) * sin(q[1]), cos(q[0]), q[2]}};
}

TEST(GivenDiscreteLagrangian, on_circle_and_sphere_is_that_of_the_space_around) {
  for (const Embedded& e : {circle(), sphere()}) {
    for (const auto& [rule, name] : {std::pair(midpoint(), "dla:midpoint"), std::pair(trapezoidal(), "dla:trapezoidal"),
                                     std::pair(alpha(0.3), "dla:alpha=0.3")}) {
      const Vector rows = e.pulled_back(discretise(e.space.system.constraints(), e.space.system, rule));
      const auto on_q = make_one_step(dla(e.chart.system, e.discrete_lagrangian(rule), rows), e.chart);
      const auto in_space = make_stepper(name, e.space);
      const auto by_rule = make_stepper(name, e.chart);
      for (int k = 0; k < 100; ++k) {
        take(*on_q, 1);
        take(*in_space, 1);
        take(*by_rule, 1);
        ASSERT_LT(distance(e.in_space(on_q->node().q), in_space->node().q), 1e-10) << name << " " << k;
        // μ̄ = μ
        ASSERT_NEAR(on_q->interval()->multipliers[0], in_space->interval()->multipliers[0], 1e-10) << name << " " << k;
      }
      EXPECT_GT(distance(e.in_space(by_rule->node().q), in_space->node().q), 1e-4) << name;
    }
  }
}

// Remark 3.3: with D_d = ∪ N × N the integrator is that of the discrete Lagrangian on N, without any constraint.
TEST(GivenDiscreteLagrangian, of_a_surface_is_that_of_holonomic_constraints) {
  const Problem chart = problem(R"toml(
coordinates = ["x", "y"]
lagrangian = "z1 = (x + x*y^2)*x' - (y - x^2*y)*y'; 0.5*(x'^2 + y'^2 + z1^2) - x^2 - y^2 - 0.5*(x^2 - y^2) - 0.5*x^2*y^2"
[initial]
q = [1, 0.5]
v = [0.2, 1])toml");
  const Problem space = problem(R"toml(
coordinates = ["a", "b", "c"]
lagrangian = "0.5*(a'^2 + b'^2 + c'^2) - a^2 - b^2 - c"
holonomic = ["c - 0.5*(a^2 - b^2) - 0.5*a^2*b^2"]
[initial]
q = [1, 0.5, 0.5]
v = [0.2, 1, 0.25])toml");
  const Vector& q = chart.system.coordinates();
  const Embedded e{chart, space, {q[0], q[1], 0.5 * (sq(q[0]) - sq(q[1])) + 0.5 * sq(q[0]) * sq(q[1])}};
  const auto variational = make_one_step(del(chart.system, e.discrete_lagrangian(midpoint())), chart);
  const auto constrained = make_stepper("dla:midpoint", space);
  take(*variational, 100);
  take(*constrained, 100);
  EXPECT_LT(distance(e.in_space(variational->node().q), constrained->node().q), 1e-10);
}

TEST(GivenDiscreteLagrangian, needs_a_function_for_each_constraint) {
  const Embedded e = circle();
  EXPECT_THROW(dla(e.chart.system, e.discrete_lagrangian(midpoint()), Vector{}), MethodError);
}

}  // namespace given_lagrangian_test
}  // namespace rattleback
