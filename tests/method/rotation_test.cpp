// Motions of bodies whose orientations are coordinates, against Newton's and Euler's equations (rotating/states.py),
// closed forms, and models of the same body with other coordinates.

#include <numbers>

#include "promises.hpp"
#include "rotating_bodies.hpp"

namespace rattleback {
namespace rotation_test {

using test::distance;
using test::known_end;
using test::problem_of;
using test::rotating_body;
using test::take;

class RotatingBody : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Body, RotatingBody, testing::ValuesIn(test::rotating_bodies),
                         [](const auto& p) { return test::case_name(p.param); });

TEST_P(RotatingBody, moves_by_the_reference_as_newton_and_euler_say) {
  const auto& [time, end] = known_end(GetParam());
  EXPECT_LT(distance(ReferenceFlow(rotating_body(GetParam())).at(time), end), 1e-11);
}

TEST_P(RotatingBody, moves_with_the_order_of_the_method) {
  const auto& [time, end] = known_end(GetParam());
  struct Order {
    const char* method;
    int order;
    int steps;
  };
  std::vector<Order> orders{{"dla", 2, 160}, {"dla:order=4", 4, 80}, {"dla:order=6", 6, 40}, {"rk4", 4, 320}};
  if (GetParam() == "suslov" || GetParam() == "heavy-top") {
    for (const Order& more : {Order{"dla:trapezoidal", 2, 160}, Order{"dla:sym=0.25", 2, 160},
                              Order{"gni:order=4", 4, 80}, Order{"rk4-index0", 4, 320}})
      orders.push_back(more);
  }
  orders.push_back({GetParam() == "free-body" || GetParam() == "heavy-top" ? "del" : "gni", 2, 160});
  for (const auto& [method, order, steps] : orders) {
    double error[2];
    for (int k : {0, 1}) {
      const int count = (GetParam() == "rattleback" ? 5 : 1) * (steps << k);
      const auto stepper = make_stepper(method, rotating_body(GetParam(), time / count));
      take(*stepper, count);
      error[k] = distance(stepper->node(), end);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.05 * order) << method << " " << error[0] << " " << error[1];
    EXPECT_LT(error[1], 2e-2) << method;
  }
}

TEST(Rotations, of_a_steady_motion_turn_by_known_angles) {
  // About a principal axis the momentum (1 + ζ²) J 4ζ/h is JΩ, and c(ζ)² turns by 4 atan ζ.
  Problem problem = rotating_body("free-body", 0.3);
  problem.start = {problem.system.space().origin(), {0, 0, 1.3}};
  const auto expect_turned = [&](const State& node, double angle) {
    EXPECT_LT(distance(node.q, matrix_of(quaternion_of_axis_angle({0, 0, angle}))), 1e-12);
    EXPECT_LT(distance(node.v, problem.start.v), 1e-13);
  };
  double zeta = 0.0;
  for (int k = 0; k < 100; ++k) zeta = 0.3 * 1.3 / (4.0 * (1.0 + zeta * zeta));
  for (const char* method : {"dla", "del", "gni", "dla:trapezoidal", "dla:alpha=0.3"}) {
    const auto stepper = make_stepper(method, problem);
    take(*stepper, 100);
    expect_turned(stepper->node(), 100 * 4 * std::atan(zeta));
  }
  expect_turned(ReferenceFlow(problem).at(3.0), 3 * 1.3);
}

/// Three components and nine, as matrices: the notation of the formulas below.
Eigen::Vector3d vector_at(std::span<const double> numbers) { return {numbers[0], numbers[1], numbers[2]}; }
Eigen::Matrix3d matrix_at(std::span<const double> numbers) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers.data());
}
Eigen::Matrix3d hat_of(const Eigen::Vector3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}
/// c(ζ), by Cayley's formula
Eigen::Matrix3d cayley(const Eigen::Vector3d& zeta) {
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  return (one + hat_of(zeta)) * (one - hat_of(zeta)).inverse();
}

TEST(Rotations, are_stepped_by_the_equations_of_the_midpoint_rule) {
  // The heavy body with w = JΩ and the torque f = r × (−mg Rᵀe₃) of its weight, by hand: docs/methods.md.
  const double h = 0.2;
  const Problem problem = rotating_body("heavy-top", h);
  const Eigen::Vector3d r(0.1, -0.2, 0.6);
  const Eigen::Matrix3d inertia = Eigen::Vector3d(1.3, 1.1, 0.7).asDiagonal();
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  const auto stepper = make_stepper("dla", problem);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> before(stepper->state().begin(), stepper->state().end());
    take(*stepper, 1);
    const std::span<const double> after = stepper->state();
    const Eigen::Matrix3d r0 = matrix_at(before), r1 = matrix_at(after);
    const Eigen::AngleAxisd turn(r0.transpose() * r1);
    const Eigen::Vector3d zeta = std::tan(turn.angle() / 4) * turn.axis();
    const Eigen::Matrix3d middle = r0 * cayley(zeta);
    const Eigen::Vector3d w = inertia * (4 * zeta / h);
    const Eigen::Vector3d f = r.cross(-2.0 * middle.transpose().col(2));
    const Eigen::Matrix3d square = (1 - zeta.squaredNorm()) * one + 2 * zeta * zeta.transpose();
    const Eigen::Vector3d left = (square + 2 * hat_of(zeta)) * w - h / 2 * (one + hat_of(zeta)) * f;
    const Eigen::Vector3d right = (square - 2 * hat_of(zeta)) * w + h / 2 * (one - hat_of(zeta)) * f;
    const std::span<const double> momenta = std::span(before).subspan(9, 3);
    EXPECT_LT((r0 * left - vector_at(momenta)).norm(), 1e-13);
    EXPECT_LT((r1 * right - vector_at(after.subspan(9, 3))).norm(), 1e-13);
    EXPECT_LT((vector_at(after.subspan(9, 3)) - vector_at(momenta) - h * middle * f).norm(), 1e-14);
  }
}

/// Chaplygin's ball at the start of the models by angles and by quaternions, whose numbers need not be written twice.
Problem ball_as_in_other_models(double step) {
  Problem problem = rotating_body("chaplygin-ball", step);
  const double c = std::cos(1.0), s = std::sin(1.0);
  problem.start.q = {0, 0, 1, 0, 0, 0, c, -s, 0, s, c};
  const double w1 = -1, w2 = -s * 0.02;
  problem.start.v = {0.5 * w2, -0.5 * w1, -1, 0, 0.02};
  return problem;
}

std::vector<double> matrix_of_angles(std::span<const double> q) {
  Quaternion turn{1, 0, 0, 0};
  for (const auto& [axis, angle] : {std::pair{2, q[2]}, std::pair{0, q[3]}, std::pair{2, q[4]}}) {
    std::array<double, 3> about{};
    about[static_cast<std::size_t>(axis)] = angle;
    turn = product(turn, quaternion_of_axis_angle(about));
  }
  const RotationMatrix m = matrix_of(turn);
  return {m.begin(), m.end()};
}

TEST(Rotations, move_as_quaternions_and_angles_do) {
  // The discrete equations are others: they differ by the order of the method.
  struct Other {
    const char* model;
    double time;  // by angles up to where they are not singular
    std::function<std::vector<double>(std::span<const double>)> matrix;
  };
  const Other others[] = {{"chaplygin-ball-by-quaternions", 3.0,
                           [](std::span<const double> q) {
                             const RotationMatrix m = matrix_of({q[2], q[3], q[4], q[5]});
                             return std::vector<double>(m.begin(), m.end());
                           }},
                          {"chaplygin-ball-by-angles", 0.6, matrix_of_angles}};
  for (const auto& [model, time, matrix] : others) {
    const auto compared = [&](const State& a, const State& b) {
      return std::max(distance(std::span(a.q).first(2), std::span(b.q).first(2)),
                      distance(std::span(a.q).subspan(2), matrix(b.q)));
    };
    const double exact = compared(ReferenceFlow(ball_as_in_other_models(0.1)).at(time),
                                  ReferenceFlow(rotating_body(model, 0.1)).at(time));
    EXPECT_LT(exact, 1e-11) << model;
    double differences[2];
    for (const int k : {0, 1}) {
      const int steps = 60 << k;
      const auto by_rotation = make_stepper("dla", ball_as_in_other_models(time / steps));
      const auto by_other = make_stepper("dla", rotating_body(model, time / steps));
      take(*by_rotation, steps);
      take(*by_other, steps);
      differences[k] = compared(by_rotation->node(), by_other->node());
    }
    EXPECT_NEAR(std::log2(differences[0] / differences[1]), 2.0, 0.1) << model;
    EXPECT_GT(differences[1], 1e-8) << model;
  }
}

RunResult ran(const std::string& method, const Problem& problem, double time) {
  const auto stepper = make_stepper(method, problem);
  RunOptions options;
  options.steps = std::llround(time / problem.step);
  return run(*stepper, problem, options);
}

TEST(Poles, are_passed_by_rotations_where_angles_end) {
  // In space the constraints push p and R μ together, so that dla keeps K = π + a e₃ × p to rounding.
  const Problem problem = ball_as_in_other_models(0.1);
  struct Kept {
    const char* method;
    double energy;
    double momentum;
  };
  for (const auto& [method, energy, momentum] :
       {Kept{"reference", 1e-12, 1e-11}, Kept{"dla", 1e-7, 1e-12}, Kept{"dla:order=4", 1e-10, 1e-12},
        Kept{"dla:order=6", 1e-12, 1e-12}, Kept{"gni", 1e-7, 1e-12}, Kept{"rk4", 1e-7, 1e-5}}) {
    const RunResult result = ran(method, problem, 1000.0);
    ASSERT_EQ(result.outcome, RunOutcome::finished) << method << result.failure;
    EXPECT_LT(result.statistics.max_energy_error(), energy) << method;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT(result.statistics.relative_conserved_error(i).value, momentum) << method << " " << i;
    if (method == std::string("reference")) continue;  // ends by angles too, at t = 936, after long
    EXPECT_EQ(ran(method, rotating_body("chaplygin-ball-by-angles", 0.1), 1000.0).outcome, RunOutcome::failed)
        << method;
  }
}

TEST(Poles, are_passed_once_in_a_turn) {
  const auto stepper = make_stepper("dla", ball_as_in_other_models(0.1));
  int passed[2] = {};
  bool near = false;
  for (int k = 0; k < 10000; ++k) {
    take(*stepper, 1);
    const double height = stepper->node().q[10];  // cos θ
    const bool is_near = std::abs(height) > std::cos(0.1);
    if (is_near && !near) ++passed[height > 0.0];
    near = is_near;
  }
  for (const int passages : passed) EXPECT_NEAR(passages, 1000.0 / (2.0 * std::numbers::pi), 2.0);
}

}  // namespace rotation_test
}  // namespace rattleback
