// The exact discrete Lagrangian: its value is the action of the motion, and its integrator has no error.

#include "rattleback/expr/graph.hpp"
#include "rattleback/flow/convergence.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace exact_lagrangian_test {

using test::distance;
using test::take;

/// L = ½ m v² − ½ k q² − f q + a v + c for one coordinate, with parameters.
struct Spring {
  double m, k, f, a, c;

  System system() const {
    SystemDefinition d;
    const Expression x = Expression::symbol("x");
    d.coordinates = {x};
    d.parameters = {{"m", m}, {"f", f}, {"a", a}, {"c", c}};
    const auto p = [](const char* name) { return Expression::symbol(name); };
    d.lagrangian = 0.5 * p("m") * sq(dot(x)) - p("f") * x + p("a") * dot(x) + p("c");
    if (k != 0.0) {
      d.parameters.push_back({"k", k});
      d.lagrangian = d.lagrangian - 0.5 * p("k") * sq(x);
    }
    return System(d);
  }

  /// The motion from q₀ to q₁ in time h: the rest position and a combination of two solutions.
  State between(double q0, double q1, double h, double t) const {
    if (k == 0.0) {
      const double v0 = (q1 - q0) / h + 0.5 * f / m * h;
      return {{q0 + v0 * t - 0.5 * f / m * t * t}, {v0 - f / m * t}};
    }
    const double rest = -f / k;
    const double w = std::sqrt(std::abs(k / m));
    const bool turns = k / m > 0.0;
    const auto s = [&](double u) { return turns ? std::sin(w * u) : std::sinh(w * u); };
    const auto s_prime = [&](double u) { return w * (turns ? std::cos(w * u) : std::cosh(w * u)); };
    return {{rest + ((q0 - rest) * s(h - t) + (q1 - rest) * s(t)) / s(h)},
            {((q1 - rest) * s_prime(t) - (q0 - rest) * s_prime(h - t)) / s(h)}};
  }

  /// ∫ L dt along it, by Simpson's rule.
  double action(double q0, double q1, double h) const {
    constexpr int parts = 2000;
    double sum = 0.0;
    for (int i = 0; i <= parts; ++i) {
      const State s = between(q0, q1, h, h * i / parts);
      const double q = s.q[0];
      const double v = s.v[0];
      const double value = 0.5 * m * v * v - 0.5 * k * q * q - f * q + a * v + c;
      sum += value * (i == 0 || i == parts ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
    }
    return sum * h / (3.0 * parts);
  }
};

const Spring springs[] = {{2, 3, 0.4, 0.7, 0.2}, {1, -0.5, 0.3, 0, 0}, {1.5, 0, 0.8, -0.4, 0.1}, {-1, -2, 0.1, 0, 0}};

TEST(ExactLagrangian, is_the_action_of_the_motion) {
  for (const Spring& spring : springs) {
    const System system = spring.system();
    const Expression action = exact_discrete_lagrangian(system, system.parameter_values());
    for (const double h : {0.1, 0.7, 3.0}) {  // 3 is beyond half a period of the first
      std::unordered_map<Expression, double> at{
          {system.coordinates()[0], 0.6}, {increment_symbols(system)[0], -0.9}, {step_symbol(), h}};
      for (const Parameter& p : system.parameter_list()) at[Expression::symbol(p.name)] = p.value;
      EXPECT_NEAR(evaluate(action, at), spring.action(0.6, -0.3, h), 1e-9) << spring.k << " " << h;
    }
  }
}

TEST(ExactLagrangian, gives_points_on_the_motion_whatever_the_step) {
  for (const Spring& spring : springs) {
    const System system = spring.system();
    for (const char* method : {"del:exact", "dla:exact", "del:exact:order=4"}) {
      for (const double h : {0.05, 0.7, 3.0}) {
        const Problem problem{system, system.parameter_values(), {{0.6}, {-0.2}}, h};
        const auto stepper = make_stepper(method, problem);
        take(*stepper, 3);
        // One interval of three steps, whose left end has the momentum of the start.
        const double t = 3.0 * h;
        const double q = stepper->node().q[0];
        EXPECT_NEAR(spring.between(0.6, q, t, 0.0).v[0], -0.2, 1e-11) << method << " " << spring.k << " " << h;
        EXPECT_NEAR(spring.between(0.6, q, t, t).v[0], stepper->node().v[0], 1e-9) << method;
      }
    }
  }
}

TEST(ExactLagrangian, promises_no_order_without_constraints_and_two_with_them) {
  const System spring = springs[0].system();
  EXPECT_TRUE(make_method("del:exact", spring).structure.exact);
  const Problem free{spring, spring.parameter_values(), {{0.6}, {-0.2}}, 0.1};
  EXPECT_FALSE(measure_convergence("del:exact", free, 1.0, {10, 20}, {{0.0}, {0.0}}).expected_order);
  const Method particle = make_method("dla:exact", load_model("quadratic-particle").system);
  EXPECT_FALSE(particle.structure.exact);
  EXPECT_EQ(particle.structure.order, 2);
  EXPECT_TRUE(particle.structure.symmetric);
}

TEST(ExactLagrangian, is_refused_where_it_is_not_known) {
  const auto [x, y] = coordinates("x", "y");
  const auto why = [&](const Expression& lagrangian) -> std::string {
    try {
      make_method("del:exact", System({x, y}, lagrangian));
    } catch (const MethodError& error) {
      return error.what();
    }
    return "";
  };
  const Expression kinetic = 0.5 * (sq(dot(x)) + sq(dot(y)));
  EXPECT_EQ(why(kinetic - sq(x)), "");
  EXPECT_EQ(why(kinetic - sq(x) + sq(y)), "");
  for (const auto& [lagrangian, part] :
       {std::pair(kinetic - x * y, "the force on x depends on y"),
        std::pair(kinetic - pow(x, 4), "the spring constant of x depends on x"),
        std::pair(kinetic + x * dot(y), "depends on"),
        std::pair((1 + sq(x)) * sq(dot(x)) + sq(dot(y)), "the momentum of x depends on x"),
        std::pair(sq(dot(x)) - sq(y), "y has no mass")}) {
    EXPECT_NE(why(lagrangian).find(part), std::string::npos) << why(lagrangian);
  }
}

}  // namespace exact_lagrangian_test
}  // namespace rattleback
