// The reduced discrete Lagrange–d'Alembert equations of Cortés & Martínez, (32): L_d*, F⁻ and F⁺ against formulas that
// were derived by hand, and what theorems 5.5 and 5.6 say of them.

#include <gtest/gtest.h>

#include <cmath>

#include "promises.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/space_motions.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/discrete_reduction.hpp"
#include "rattleback/model/model.hpp"
#include "tests/bodies.hpp"
#include "tests/places.hpp"

namespace rattleback {
namespace discrete_reduction_test {

using test::distance;
using test::largest_observed;
using test::problem_of;
using test::take;

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

// Motions of space: the equations on Q/G, in which the group element does not occur.

/// Nodes of a trajectory and the momenta of its state.
struct Path {
  std::vector<State> nodes;
  std::vector<std::vector<double>> momenta;
};

Path path_of(const std::string& method, const Problem& problem, int steps) {
  const auto stepper = make_stepper(method, problem);
  Path path;
  for (int k = 0; k <= steps; ++k) {
    path.nodes.push_back(stepper->node());
    const auto state = stepper->state();
    const std::size_t first = problem.system.coordinates().size();
    path.momenta.emplace_back(state.begin() + static_cast<std::ptrdiff_t>(first),
                              state.begin() + static_cast<std::ptrdiff_t>(first + problem.system.dimension()));
    if (k < steps) take(*stepper, 1);
  }
  return path;
}

const std::vector<std::pair<std::string, std::string>>& bodies() {
  static const std::vector<std::pair<std::string, std::string>> all{
      {"suslov", test::suslov()},     {"ball", test::ball()},           {"rubber ball", test::ball(true)},
      {"veselova", test::veselova()}, {"heavy top", test::heavy_top()}, {"two bodies", test::two_bodies()},
      {"stone", test::stone()}};
  return all;
}

TEST(OnQuotient, positions_and_velocities_are_those_of_dla) {
  for (const auto& [name, text] : bodies()) {
    const Problem problem = test::problem_of_text(text);
    for (const std::string options : {"", ":trapezoidal", ":alpha=0.3:constraints=midpoint", ":order=4"}) {
      const Path full = path_of("dla" + options, problem, 60);
      const Path reduced = path_of("rdla" + options, problem, 60);
      for (std::size_t k = 0; k < full.nodes.size(); ++k) {
        ASSERT_LT(distance(full.nodes[k].q, reduced.nodes[k].q), 1e-11) << name << options << " at step " << k;
        ASSERT_LT(distance(full.nodes[k].v, reduced.nodes[k].v), 1e-11) << name << options << " at step " << k;
      }
    }
  }
}

/// The coordinates that the equations of a step of rdla contain, by name.
std::vector<std::string> seen_by_step(const std::string& text) {
  const Problem problem = test::problem_of_text(text);
  const Method method = make_method("rdla", problem);
  std::vector<std::string> names;
  for (const Expression& s : free_symbols(method.step.residuals)) {
    if (std::ranges::find(problem.system.coordinates(), s) != problem.system.coordinates().end())
      names.push_back(s.name());
  }
  std::ranges::sort(names);
  return names;
}

TEST(OnQuotient, the_equations_contain_the_point_of_the_quotient_alone) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(seen_by_step(test::suslov()), Names{});
  EXPECT_EQ(seen_by_step(test::heavy_top()), (Names{"R[3,1]", "R[3,2]", "R[3,3]"}));
  EXPECT_EQ(seen_by_step(test::ball()), (Names{"R[3,1]", "R[3,2]", "R[3,3]"}));
  EXPECT_EQ(seen_by_step(test::stone()), (Names{"R[3,1]", "R[3,2]", "R[3,3]"}));
}

/// The same start after a motion g of space: turned by an angle about an axis, x and y moved.
Problem moved_start(Problem problem, const std::array<double, 3>& turn) {
  const Space space = problem.system.space();
  const Quaternion g = quaternion_of_axis_angle(turn);
  const RotationMatrix m = matrix_of(g);
  const auto at_space = [&](std::span<double> c) {
    const std::vector<double> old(c.begin(), c.end());
    for (std::size_t i = 0; i < c.size(); ++i) {
      c[i] = 0.0;
      for (std::size_t j = 0; j < c.size(); ++j) c[i] += m[3 * i + j] * old[j];
    }
  };
  const std::size_t of_point = space.numbers % 3 == 0 ? 3 : 2;
  for (std::size_t i = 0; i + of_point <= space.numbers; i += of_point) {
    at_space(std::span(problem.start.q).subspan(i, of_point));
    at_space(std::span(problem.start.v).subspan(i, of_point));
    problem.start.q[i] += 0.7;
  }
  for (std::size_t k = 0; k < space.rotations; ++k) {
    const auto r = std::span(problem.start.q).subspan(space.position_of(k), Rotation::positions);
    std::ranges::copy(matrix_of(product(g, quaternion_of(r))), r.begin());
  }
  return problem;
}

TEST(OnQuotient, starts_that_a_motion_of_space_relates_stay_related) {
  for (const auto& [name, text] : bodies()) {
    const Problem problem = test::problem_of_text(text);
    const bool everywhere = name == "suslov" || name == "two bodies";
    const std::array<double, 3> turn = everywhere ? std::array{0.4, -1.1, 0.9} : std::array{0.0, 0.0, 2.1};
    const Problem moved = moved_start(problem, turn);
    for (const std::string method : {"rdla", "dla"}) {
      const Path one = path_of(method, problem, 60);
      const Path other = path_of(method, moved, 60);
      Problem there = problem;
      for (std::size_t k = 0; k < one.nodes.size(); ++k) {
        there.start = one.nodes[k];
        const State expected = moved_start(there, turn).start;
        ASSERT_LT(distance(expected.q, other.nodes[k].q), 1e-12) << name << " under " << method << " at " << k;
        ASSERT_LT(distance(expected.v, other.nodes[k].v), 1e-12) << name << " under " << method << " at " << k;
        if (method == "rdla") {
          ASSERT_LT(distance(one.momenta[k], other.momenta[k]), 1e-12) << name << " at " << k;
        }
      }
    }
  }
}

// The Suslov problem by hand, in ζ = (ζ₁, ζ₂, 0): the first two components of the momentum at the left end of a step,
// [(1 − |ζ|²) + 2ζ̂ + 2ζζᵀ] w with w = 4Iζ/h, are those at the right end of the step before, with −2ζ̂.
TEST(OnQuotient, suslov_is_the_map_that_one_derives_by_hand) {
  const Problem problem = test::problem_of_text(test::suslov());
  const double inertia[3][3] = {{1, 0, 0.2}, {0, 2, -0.3}, {0.2, -0.3, 1.5}};
  const double step = problem.step;
  const auto momentum = [&](std::array<double, 2> zeta, double side) {
    const std::array<double, 3> z{zeta[0], zeta[1], 0.0};
    std::array<double, 3> w{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) w[i] += 4 * inertia[i][j] * z[j] / step;
    }
    const double square = z[0] * z[0] + z[1] * z[1];
    const double along = z[0] * w[0] + z[1] * w[1];
    const std::array<double, 3> turned{z[1] * w[2], -z[0] * w[2], z[0] * w[1] - z[1] * w[0]};
    return std::array<double, 2>{(1 - square) * w[0] + 2 * side * turned[0] + 2 * along * z[0],
                                 (1 - square) * w[1] + 2 * side * turned[1] + 2 * along * z[1]};
  };
  const auto solve = [&](std::array<double, 2> target, std::array<double, 2> zeta) {
    for (int k = 0; k < 30; ++k) {  // Newton with differences, whose errors the iteration removes
      const auto f = momentum(zeta, 1.0);
      constexpr double by = 1e-6;
      const auto fx = momentum({zeta[0] + by, zeta[1]}, 1.0);
      const auto fy = momentum({zeta[0], zeta[1] + by}, 1.0);
      const double a = (fx[0] - f[0]) / by, b = (fy[0] - f[0]) / by, c = (fx[1] - f[1]) / by, d = (fy[1] - f[1]) / by;
      const double r = target[0] - f[0], s = target[1] - f[1];
      zeta = {zeta[0] + (d * r - b * s) / (a * d - b * c), zeta[1] + (a * s - c * r) / (a * d - b * c)};
    }
    return zeta;
  };
  // p₀ = I Ω₀ with Ω₀ = (0.7, −0.4, 0)
  std::array<double, 2> zeta = solve({0.7, -0.8}, {0.7 * step / 4, -0.4 * step / 4});
  Quaternion attitude = quaternion_of(std::span(problem.start.q).first(9));
  const Path path = path_of("rdla", problem, 60);
  for (std::size_t k = 1; k < path.nodes.size(); ++k) {
    const double length = std::sqrt(1 + zeta[0] * zeta[0] + zeta[1] * zeta[1]);
    const Quaternion half{1 / length, zeta[0] / length, zeta[1] / length, 0.0};
    attitude = product(product(attitude, half), half);
    const RotationMatrix expected = matrix_of(attitude);
    ASSERT_LT(distance(expected, path.nodes[k].q), 1e-12) << k;
    const auto right = momentum(zeta, -1.0);
    EXPECT_NEAR(path.momenta[k][0], right[0], 1e-12);
    EXPECT_NEAR(path.momenta[k][1], right[1], 1e-12);
    zeta = solve(right, zeta);
  }
}

/// L_d* of Veselova's problem under the midpoint rule, by hand: the second orientation is turned about the vertical
/// until D_d holds, γ_m·Δ = 0.
double reduced_lagrangian_of_veselova(std::vector<double> first, const std::vector<double>& second, double step) {
  const Space space{0, 1};
  const auto between = [&](double angle, std::array<double, 3>& gamma) {
    std::vector<double> turned(9);
    const Quaternion g = quaternion_of_axis_angle({0.0, 0.0, angle});
    std::ranges::copy(matrix_of(product(g, quaternion_of(second))), turned.begin());
    const std::vector<double> by = space.increments(first, turned);
    const double z[] = {by[0] / 4, by[1] / 4, by[2] / 4};
    const double length = std::sqrt(1 + z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    const RotationMatrix middle =
        matrix_of(product(quaternion_of(first), {1 / length, z[0] / length, z[1] / length, z[2] / length}));
    gamma = {middle[6], middle[7], middle[8]};
    return by;
  };
  std::array<double, 3> gamma{};
  const auto slip = [&](double angle) {
    const auto by = between(angle, gamma);
    return gamma[0] * by[0] + gamma[1] * by[1] + gamma[2] * by[2];
  };
  double angle = 0.0;
  for (int k = 0; k < 8; ++k) angle -= slip(angle) * 1e-3 / (slip(angle + 1e-3) - slip(angle));
  const auto by = between(angle, gamma);
  return (0.5 * (by[0] * by[0] + 1.4 * by[1] * by[1] + 2 * by[2] * by[2]) / step) - step * 0.3 * gamma[0] * gamma[0];
}

// Cortés & Martínez (32) on the sphere: D₁L_d* and D₂L_d* by differences, the forces as they are observed.
TEST(OnQuotient, veselovas_problem_is_that_of_its_reduced_lagrangian_and_forces) {
  const Problem problem = test::problem_of_text(test::veselova());
  const Space space = problem.system.space();
  const auto forces = make_observer("reduced-forces", "dla", problem);
  const auto stepper = make_stepper("dla", problem);
  std::vector<std::vector<double>> q;
  std::vector<std::vector<double>> values;
  std::vector<double> momentum;  // in space, at the second node
  for (int k = 0; k < 3; ++k) {
    if (k > 0) take(*stepper, 1);
    q.push_back(stepper->node().q);
    values.emplace_back(7);
    forces->observe(*stepper, values.back());
    if (k == 1) momentum.assign(stepper->state().begin() + 9, stepper->state().begin() + 12);
  }
  const auto slope = [&](std::size_t from, std::size_t i, bool left) {
    const auto at = [&](double by) {
      std::vector<double> ends[] = {q[from], q[from + 1]};
      std::vector<double> turn(3, 0.0);
      turn[i] = by;
      space.move(ends[left ? 0 : 1], turn);
      return reduced_lagrangian_of_veselova(ends[0], ends[1], problem.step);
    };
    return (at(1e-4) - at(-1e-4)) / 2e-4;
  };
  EXPECT_NEAR(values[2][0], reduced_lagrangian_of_veselova(q[1], q[2], problem.step), 1e-12) << "L_d*";
  const std::vector<double>& r = q[1];
  const double along = momentum[2];  // the momentum along the vertical γ
  for (std::size_t i = 0; i < 3; ++i) {
    const double minus = values[2][1 + i];
    const double plus = values[1][4 + i];
    EXPECT_NEAR(slope(1, i, true) + slope(0, i, false), minus + plus, 1e-8) << i;
    const double body = r[i] * momentum[0] + r[3 + i] * momentum[1] + r[6 + i] * momentum[2];
    EXPECT_NEAR(slope(1, i, true) - minus, -(body - along * r[6 + i]), 1e-7) << i;
    EXPECT_GT(std::abs(minus), 1e-6) << "a force there is";
  }
}

// Theorem 5.5 for groups that act on rotations.
TEST(ReducedEquation, holds_on_rotations) {
  for (const std::string& text : {test::ball(true), test::veselova()}) {
    for (const char* method : {"dla:midpoint", "dla:trapezoidal", "dla:alpha=0.3:constraints=midpoint"})
      EXPECT_LT(largest_observed("reduced-equation", method, test::problem_of_text(text)), 1e-12) << method << text;
  }
  EXPECT_THROW(make_observer("reduced-equation", "dla", test::problem_of_text(test::ball())), MethodError);
}

// A D_d that is made by another rule than L_d costs no order as long as both are symmetric. For Suslov's problem all
// rules make one D_d, and so for Veselova's: Δ is the axis of the turn between the nodes, which changes neither Δ₃ nor
// γ·Δ. For a stone, whose point of contact moves, they differ.
TEST(Consistency, of_constraints_and_lagrangian_is_not_needed_for_the_order) {
  const std::string other = "dla:constraints=trapezoidal";
  for (const std::string& text : {test::suslov(), test::veselova()}) {
    const Problem problem = test::problem_of_text(text);
    EXPECT_LT(distance(path_of("dla", problem, 40).nodes.back().q, path_of(other, problem, 40).nodes.back().q), 1e-13);
  }
  const Problem stone = test::problem_of_text(test::stone());
  EXPECT_GT(distance(path_of("dla", stone, 20).nodes.back().q, path_of(other, stone, 20).nodes.back().q), 1e-6);
  const State reference = ReferenceFlow(stone).at(1.0);
  for (const std::string& method : {std::string("dla"), other}) {
    const Convergence c = measure_convergence(method, stone, 1.0, {20, 40, 80}, reference, nullptr, {});
    ASSERT_TRUE(c.measured_order);
    EXPECT_NEAR(*c.measured_order, 2.0, 0.1) << method;
  }
}

TEST(OnQuotient, what_cannot_be_divided_out_is_refused) {
  const auto message = [](const std::string& method, const std::string& text) {
    try {
      make_method(method, test::problem_of_text(text));
    } catch (const MethodError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(message("rdla:forces=averaged", test::suslov()).find("drop forces=averaged"), std::string::npos);
  EXPECT_NE(message("hdel", test::ball(true)).find("R is a rotation"), std::string::npos);
  const std::string fixed =
      "rotations = ['R']\nlagrangian = \"R.omega[1]^2 + 2*R.omega[2]^2 + 3*R.omega[3]^2 - R[1,1]*R[2,2] - "
      "R[3,1]^3 - R[2,3]^2\"\n[initial]\nq = {}\nv = { R = [1, 0, 0] }\n";
  EXPECT_NE(message("rdla", fixed).find("no symmetry is known that is one"), std::string::npos);
  // 1 + x does not change from orbit to orbit alone: under a rule with two nodes it is another D_d at each x.
  const std::string weighted = [] {
    const std::string row = "x' - a*w[2]";
    std::string ball = test::ball();
    return ball.replace(ball.find(row), row.size(), "(3 + x)*(x' - a*w[2]) + (y' + a*w[1])");
  }();
  EXPECT_EQ(message("rdla", weighted), "no error");
  EXPECT_NE(message("rdla:trapezoidal", weighted).find("give a rule with one node"), std::string::npos);
}

// Cortés & Martínez (24), for symmetries that multiply rotations from the left and from the right.
TEST(MomentumEquation, holds_for_rotations) {
  for (const auto& text : {test::suslov(), test::ball(), test::heavy_top(), test::two_bodies(), test::stone()}) {
    for (const char* method : {"dla", "dla:trapezoidal", "dla:order=4"})
      EXPECT_LT(largest_observed("momentum-equation", method, test::problem_of_text(text)), 1e-13) << method << text;
  }
}

}  // namespace discrete_reduction_test
}  // namespace rattleback
