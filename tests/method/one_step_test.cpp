// Methods under circumstances: rules, starts, Lagrangians that are not quadratic, solutions that are hard to find.

#include <numbers>

#include "rattleback/flow/convergence.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/composition.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/observe/observers.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace one_step_test {

using test::distance;
using test::problem_of;
using test::take;

template <class F>
std::string message_of(F&& action) {
  try {
    action();
  } catch (const MethodError& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(Rules, know_their_symmetry_and_order) {
  for (int k = 0; k <= 100; ++k) {
    EXPECT_TRUE(sym(k / 100.0).is_symmetric()) << k;
    EXPECT_EQ(sym(k / 100.0).order(), 2);
    EXPECT_EQ(alpha(k / 100.0).is_symmetric(), k == 50);
    EXPECT_EQ(alpha(k / 100.0).order(), k == 50 ? 2 : 1);
  }
  EXPECT_FALSE((Rule{{{1.0 / 3, 0}, {1.0 / 3, 0}, {1.0 / 3, 1}}}).is_symmetric());
  EXPECT_TRUE((Rule{{{0.25, 0}, {0.25, 0}, {0.5, 1}}}).is_symmetric());
  const Rule radau{{{0.25, 0.0}, {0.75, 2.0 / 3.0}}};
  EXPECT_FALSE(radau.is_symmetric());
  EXPECT_EQ(radau.order(), 2);
  EXPECT_EQ(message_of([] { (Rule{{{0.5, 0.5}}}).order(); }), "the weights of a rule must add up to 1, found 0.5");
}

TEST(Rules, of_order_two_give_methods_of_order_two) {
  const Rule radau{{{0.25, 0.0}, {0.75, 2.0 / 3.0}}};
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const Problem problem = problem_of("quadratic-particle", k == 0 ? 0.02 : 0.01);
    const auto stepper = make_one_step(dla(problem.system, radau), problem);
    take(*stepper, k == 0 ? 100 : 200);
    error[k] = distance(stepper->node().q, ReferenceFlow(problem).at(2.0).q);
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.05);
}

TEST(Compositions, are_refused_where_they_do_not_raise_the_order) {
  const System system = load_model("quadratic-particle").system;
  EXPECT_EQ(message_of([&] { composed(gni(system, midpoint()), 6); }),
            "compositions raise the order of this method to 4, not further");
  EXPECT_EQ(message_of([&] { composed(dla(system, alpha(0.3)), 4); }),
            "only a symmetric method of order 2 can be composed to a higher order");
}

TEST(Compositions, have_coefficients_that_add_up_to_one) {
  for (const auto& [order, stages] : {std::pair{4, 5}, {6, 9}, {6, 13}, {8, 17}, {8, 21}, {10, 35}}) {
    const std::vector<double> gamma = composition_coefficients(order, stages);
    ASSERT_EQ(gamma.size(), static_cast<std::size_t>(stages));
    double sum = 0.0;
    double cubes = 0.0;
    for (std::size_t i = 0; i < gamma.size(); ++i) {
      EXPECT_EQ(gamma[i], gamma[gamma.size() - 1 - i]);
      sum += gamma[i];
      cubes += std::pow(gamma[i], 3);
    }
    EXPECT_NEAR(sum, 1.0, 1e-15);
    EXPECT_NEAR(cubes, 0.0, 1e-15);  // the first order condition
  }
}

TEST(Gni, needs_inertia_in_every_coordinate) {
  const auto [x, y, s] = coordinates("x", "y", "s");
  const System massless({x, y, s}, 0.5 * (sq(dot(x)) + sq(dot(y)) - sq(x) - sq(y)) - 0.2 * sin(s),
                        {dot(s) - y * dot(x)});
  // And a mass matrix of rank 2 that does not look like it.
  const System hidden({x, y, s}, 0.5 * (sq(dot(x) + cos(y) * dot(s)) + sq(dot(y))) - sq(x), {dot(s) - y * dot(x)});
  for (const System& system : {massless, hidden}) {
    const Problem problem{system, {}, {{1, 0.5, 0}, {1, 0, 0.5}}, 0.1};
    for (const char* name : {"gni", "rk4-index0"}) {
      EXPECT_NE(message_of([&] { make_stepper(name, problem); }).find("needs inertia in every direction"),
                std::string::npos);
    }
    const auto stepper = make_stepper("dla", problem);
    take(*stepper, 10);
  }
}

TEST(Nodes, have_the_velocity_that_continues_the_motion) {
  // p = v³ − v has three solutions.
  const Expression x = Expression::symbol("x");
  const System quartic({x}, 0.25 * pow(dot(x), 4) - 0.5 * sq(dot(x)) - 0.0005 * sq(x));
  const Problem problem{quartic, {}, {{0.0}, {1.1}}, 0.05};
  for (const char* name : {"dla", "del", "gni", "dla:order=4"}) {
    const auto stepper = make_stepper(name, problem);
    EXPECT_NEAR(stepper->node().v[0], 1.1, 1e-14) << name;
    take(*stepper, 100);
    EXPECT_NEAR(stepper->node().v[0], ReferenceFlow(problem).at(5.0).v[0], 1e-5) << name;
  }
}

TEST(Nodes, of_lagrangians_that_are_not_defined_at_rest) {
  // Mestdag, Bloch & Fernandez (6), with I₁ = I₂ = C = 1, A = r.
  const auto [r, s] = coordinates("r", "s");
  const System free_lagrangian({r, s}, 0.5 * sq(dot(r)) + 0.5 * sqrt(1 + sq(r)) * sq(dot(s)) / dot(r));
  const Problem problem{free_lagrangian, {}, {{0.1, 0.0}, {1.0, 0.5}}, 0.02};
  const auto stepper = make_stepper("del", problem);
  take(*stepper, 100);
  EXPECT_LT(distance(stepper->node().q, ReferenceFlow(problem).at(2.0).q), 1e-4);
}

TEST(Steps, find_their_solution_where_extrapolation_leaves_the_domain) {
  // A relativistic oscillator: |v| < 1, and the velocity jumps from nearly 1 to nearly −1 within a few steps.
  const Expression x = Expression::symbol("x");
  const System relativistic({x}, -sqrt(1 - sq(dot(x))) - 0.5 * sq(x));
  for (const char* name : {"dla", "del", "gni"}) {
    const Problem problem{relativistic, {}, {{5.0}, {0.0}}, 0.5};
    const auto stepper = make_stepper(name, problem);
    double largest = 0.0;
    for (int k = 0; k < 400; ++k) {
      ASSERT_TRUE(stepper->advance()) << name << ", step " << k << ": " << stepper->failure();
      largest = std::max(largest, std::abs(stepper->node().q[0]));
    }
    EXPECT_LT(largest, 6.0);
  }
}

TEST(Steps, do_not_take_a_solution_that_does_not_continue_the_motion) {
  // Explodes in finite time. The cubic equation of a step always has a real solution, far away.
  const Expression x = Expression::symbol("x");
  const System explosive({x}, 0.5 * sq(dot(x)) + 0.25 * pow(x, 4));
  for (const char* name : {"del", "dla:order=4", "gni"}) {
    const auto stepper = make_stepper(name, {explosive, {}, {{1.0}, {0.0}}, 0.1});
    int steps = 0;
    double last = 1.0;
    while (steps < 100 && stepper->advance()) {
      ++steps;
      EXPECT_GT(stepper->node().q[0], last) << name << ", step " << steps;
      last = stepper->node().q[0];
    }
    EXPECT_LT(steps, 40) << name;
    EXPECT_FALSE(stepper->failure().empty());
  }
}

TEST(Starts, from_two_positions_are_repeated_by_restore) {
  const Problem problem = problem_of("quadratic-particle", 0.2);
  const auto stepper = make_stepper("dla:start=reference", problem);
  const std::vector<double> start = stepper->save();
  take(*stepper, 5);
  const std::vector<double> q = stepper->node().q;
  stepper->restore(start);
  EXPECT_EQ(stepper->interval(), nullptr);
  take(*stepper, 5);
  EXPECT_EQ(stepper->node().q, q);
  // So that convergence is measured from this start.
  const State end = ReferenceFlow(problem).at(2.0);
  const auto from_momentum = measure_convergence("dla", problem, 2.0, {20, 40, 80}, end);
  const auto from_positions = measure_convergence("dla:start=reference", problem, 2.0, {20, 40, 80}, end);
  EXPECT_GT(std::abs(from_momentum.points[0].error - from_positions.points[0].error), 1e-5);
}

TEST(Starts, from_two_positions_are_checked) {
  Problem problem = problem_of("cart-pendulum", 0.01);
  problem.second_position = std::vector<double>{1.0};
  EXPECT_EQ(message_of([&] { make_stepper("dla", problem); }), "the second position has 1 entries, expected 6");
  problem.second_position = {0, 0, 0, 0, 0.5, -1};
  EXPECT_NE(message_of([&] { make_stepper("dla", problem); }).find("violates holonomic constraint 1"),
            std::string::npos);
  EXPECT_EQ(message_of([&] { make_stepper("reference", problem); }), "reference cannot start from two positions");
  EXPECT_EQ(message_of([&] { make_stepper("dla:start=reference", problem); }),
            "a second position (`q1`) and start=reference are two starts: give one");
}

/// Without velocity constraints HdS is RATTLE, written down here for a plane pendulum, L = ½(x'² + z'²) − z, |q| = 1:
/// half a kick with a multiplier that puts the new position onto the circle, a drift, half a kick with one for the
/// velocity.
TEST(Holonomic, constraints_enter_gni_as_in_rattle) {
  const Expression x = Expression::symbol("x");
  const Expression z = Expression::symbol("z");
  SystemDefinition d;
  d.coordinates = {x, z};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(z))) - z;
  d.holonomic = {sq(x) + sq(z) - 1.0};
  const double h = 0.05;
  const Problem problem{System(d), {}, {{0.6, -0.8}, {0.4, 0.3}}, h};
  const auto stepper = make_stepper("gni:trapezoidal", problem);
  double q[2] = {0.6, -0.8};
  double v[2] = {0.4, 0.3};
  for (int k = 0; k < 200; ++k) {
    // |a − μ q|² = 1 with a = q + h v − (h²/2) ∇V, the root near 0
    const double a[2] = {q[0] + h * v[0], q[1] + h * v[1] - 0.5 * h * h};
    const double b = a[0] * q[0] + a[1] * q[1];
    const double c = a[0] * a[0] + a[1] * a[1] - 1.0;
    const double mu = c / (b + std::sqrt(b * b - c));
    const double next[2] = {a[0] - mu * q[0], a[1] - mu * q[1]};
    v[0] = (next[0] - q[0]) / h;
    v[1] = (next[1] - q[1]) / h - 0.5 * h;
    const double normal = v[0] * next[0] + v[1] * next[1];
    for (int i = 0; i < 2; ++i) q[i] = next[i], v[i] -= normal * next[i];
    take(*stepper, 1);
    ASSERT_NEAR(stepper->node().q[0], q[0], 1e-11) << k;
    ASSERT_NEAR(stepper->node().q[1], q[1], 1e-11);
    ASSERT_NEAR(stepper->node().v[0], v[0], 1e-11);
    ASSERT_NEAR(stepper->node().v[1], v[1], 1e-11);
    ASSERT_NEAR(std::hypot(stepper->node().q[0], stepper->node().q[1]), 1.0, 1e-14);
  }
}

TEST(Holonomic, constraints_beside_others_leave_gni_symmetric) {
  const Problem problem = problem_of("cart-pendulum", 0.05);
  for (const char* method : {"gni:midpoint", "gni:trapezoidal"}) {
    const auto observer = make_observer("reversibility", method, problem);
    const auto stepper = make_stepper(method, problem);
    double defect = 0.0;
    observer->observe(*stepper, {&defect, 1});
    for (int k = 0; k < 50; ++k) {
      take(*stepper, 1);
      observer->observe(*stepper, {&defect, 1});
      ASSERT_LT(defect, 1e-12) << method << ", step " << k;
    }
  }
}

TEST(Constraints, between_nodes_are_judged_without_cancellation) {
  Problem problem = problem_of("rolling-disk", 1e-4);
  problem.start.q[0] += 1e6;
  const auto stepper = make_stepper("dla", problem);
  take(*stepper, 100);
  for (const double slip : stepper->interval()->constraints) EXPECT_LT(std::abs(slip), 1e-13);
}

TEST(Forces, do_their_work_in_every_method) {
  // A damped oscillator, x'' = −x − 0.2 x', in closed form.
  const Expression x = Expression::symbol("x");
  SystemDefinition d;
  d.coordinates = {x};
  d.lagrangian = 0.5 * (sq(dot(x)) - sq(x));
  d.applied_forces = {-0.2 * dot(x)};
  const System damped(d);
  EXPECT_FALSE(conserves_energy(damped, {}, {{1}, {0}}));
  const double w = std::sqrt(1 - 0.01);
  const auto exact = [&](double t) { return std::exp(-0.1 * t) * (std::cos(w * t) + 0.1 / w * std::sin(w * t)); };
  for (const auto& [name, order] : {std::pair{"del", 2},
                                    {"dla:trapezoidal", 2},
                                    {"gni", 2},
                                    {"del:alpha=0.3", 1},
                                    {"dla:order=4", 4},
                                    {"dla:order=6", 6},
                                    {"rk4", 4},
                                    {"rk4-index0", 4}}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const Problem problem{damped, {}, {{1.0}, {0.0}}, k == 0 ? 0.1 : 0.05};
      const auto stepper = make_stepper(name, problem);
      take(*stepper, k == 0 ? 50 : 100);
      error[k] = std::abs(stepper->node().q[0] - exact(5.0));
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.25) << name;
  }
  ReferenceFlow flow({damped, {}, {{1.0}, {0.0}}, 0.1});
  EXPECT_NEAR(flow.at(5.0).q[0], exact(5.0), 1e-12);
}

}  // namespace one_step_test
}  // namespace rattleback
