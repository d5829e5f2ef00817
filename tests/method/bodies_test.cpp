// Bodies of the catalogue that roll, spin and steer, against what is published about them: periods, reversals, closed
// forms, eigenvalues.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/ellint_1.hpp>
#include <cmath>
#include <complex>
#include <numbers>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/model/start.hpp"
#include "tests/places.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace bodies_test {

using test::distance;
using test::problem_of;

constexpr double step = 0.1;  // where results do not depend on it

State at(const char* model, double t, const ParameterValues& parameters = {}) {
  return ReferenceFlow(problem_of(load_model(model, parameters), step)).at(t);
}

// A model in angles (tests/model/written_out) moves as the same body with a rotation does.
TEST(Bodies, rattlebacks_in_angles_and_without_are_the_same) {
  const double t = 2.0;
  const Model angles = load_model(test::source_file("tests/model/written_out/rattleback.toml"));
  const State in_angles = ReferenceFlow(problem_of(angles, step)).at(t);
  const State in_space = at("rattleback", t);
  std::unordered_map<Expression, double> values;
  for (std::size_t i = 0; i < in_angles.q.size(); ++i) {
    values.emplace(angles.system.coordinates()[i], in_angles.q[i]);
    values.emplace(angles.system.velocities()[i], in_angles.v[i]);
  }
  for (const Parameter& p : angles.system.parameter_list()) values.emplace(Expression::symbol(p.name), p.value);
  const auto value = [&](const char* name) {
    std::vector<double> numbers;
    for (const Expression& e : entries_of(angles.definitions.find(name)->value)) numbers.push_back(evaluate(e, values));
    return numbers;
  };
  EXPECT_LT(distance({in_space.q.begin(), in_space.q.begin() + 3}, value("c")), 1e-9);
  EXPECT_LT(distance({in_space.q.begin() + 3, in_space.q.end()}, value("Q")), 1e-9);
  EXPECT_LT(distance({in_space.v.begin() + 3, in_space.v.end()}, value("W")), 1e-9);
}

// Le Saux, Leine & Glocker 2005: the coin comes back to its place after 5.85217 s, leaning as before, having rolled
// with 10.73650 rad/s.
TEST(Bodies, a_coin_rolls_round_its_circle) {
  const Model model = load_model("coin");
  const auto& parameters = model.system.parameter_list();
  const auto roll = std::ranges::find(parameters, "roll", &Parameter::name);
  ASSERT_NE(roll, parameters.end());
  EXPECT_NEAR(roll->value, 10.73650, 5e-6);
  const double period = 2.0 * std::numbers::pi / (0.1 * roll->value);
  EXPECT_NEAR(period, 5.85217, 5e-6);
  ReferenceFlow flow(problem_of(model, step));
  const State start = flow.at(0.0);
  const State half = flow.at(0.5 * period);
  EXPECT_NEAR(half.q[0], 0.0, 1e-9);
  EXPECT_NEAR(half.q[1], -2.0 * (0.5 - 0.05 * std::sin(std::numbers::pi / 36)), 1e-9)
      << "the centre's circle is smaller";
  const State end = flow.at(period);
  EXPECT_LT(distance(std::span(start.q).first(3), std::span(end.q).first(3)), 1e-9);
  for (const std::size_t axis : {4U, 7U, 10U}) EXPECT_NEAR(end.q[axis], start.q[axis], 1e-9) << "the axis of the coin";
}

// The rates of a free body are elliptic functions: with I₁ < I₂ < I₃, T the energy and G the momentum, G² < 2TI₂ or >,
// Ω₂ has the period 4K(k)/p (Landau & Lifshitz, Mechanics, §37).
TEST(Bodies, a_free_body_flips_with_the_period_of_an_elliptic_function) {
  const double i1 = 1.0;
  const double i2 = 2.0;
  const double i3 = 3.0;
  const double w1 = 0.001;
  const double w2 = 2.0;
  const double twice = i1 * w1 * w1 + i2 * w2 * w2;
  const double square = i1 * i1 * w1 * w1 + i2 * i2 * w2 * w2;
  ASSERT_LT(square, twice * i2);  // about the first axis: exchange I₁ and I₃
  const double p = std::sqrt((i1 - i2) * (twice * i3 - square) / (-i1 * i2 * i3));
  const double k = std::sqrt((i2 - i3) * (square - twice * i1) / ((i2 - i1) * -(twice * i3 - square)));
  const double period = 4.0 * boost::math::ellint_1(k) / p;
  ReferenceFlow flow(problem_of(load_model("rigid-body"), step));
  const State start = flow.at(0.0);
  EXPECT_LT(distance(flow.at(period).v, start.v), 1e-9) << "period " << period;
  EXPECT_LT(distance(flow.at(0.5 * period).v, {w1, -w2, 0.0}), 1e-9);
}

// Suslov: with √I₁ Ω₁ = √(2T) cos φ and √I₂ Ω₂ = √(2T) sin φ the equations I₁Ω̇₁ = −mΩ₂, I₂Ω̇₂ = mΩ₁,
// m = I₁₃Ω₁ + I₂₃Ω₂, are φ̇ = κ cos(φ − φ₀), whose solution is tan((φ − φ₀)/2 ) = tanh(κt/2 + const).
TEST(Bodies, suslovs_body_goes_from_one_rotation_to_another_as_tanh_does) {
  const double i1 = 1.0;
  const double i2 = 1.5;
  const double size = std::sqrt(i1 * 0.7 * 0.7 + i2 * 0.4 * 0.4);
  const double a = size * 0.3 / (i1 * std::sqrt(i2));  // φ̇ = m/√(I₁I₂) = a cos φ + b sin φ
  const double b = size * 0.2 / (i2 * std::sqrt(i1));
  const double kappa = std::hypot(a, b);
  const double phi0 = std::atan2(b, a);
  const double start = std::atan2(std::sqrt(i2) * 0.4, -std::sqrt(i1) * 0.7);
  const double constant = std::atanh(std::tan(0.5 * (start - phi0)));
  ReferenceFlow flow(problem_of(load_model("suslov"), step));
  for (const double t : {0.3, 2.0, 10.0, 40.0}) {
    const double phi = phi0 + 2.0 * std::atan(std::tanh(0.5 * kappa * t + constant));
    const std::vector<double> expected{size * std::cos(phi) / std::sqrt(i1), size * std::sin(phi) / std::sqrt(i2), 0.0};
    EXPECT_LT(distance(flow.at(t).v, expected), 1e-9) << "at t = " << t;
  }
}

// Leine & Glocker: spun with 180 rad/s, a tenth of a radian from the vertical, it turns over.
TEST(Bodies, a_tippe_top_turns_over) {
  ReferenceFlow flow(problem_of(load_model("tippe-top"), step));
  const auto upright = [&](double t) { return flow.at(t).q[11]; };  // cos of the angle of its axis
  EXPECT_NEAR(upright(0.0), std::cos(0.1), 1e-15);
  EXPECT_LT(upright(4.0), -0.9);
  EXPECT_GT(upright(1.0), 0.0) << "it takes its time";
  ReferenceFlow slow(problem_of(load_model("tippe-top", {{"spin", 30.0}}), step));
  EXPECT_GT(slow.at(1.0).q[11], 0.99) << "too slow to rise";
}

// With the torque c φ̇ against the rate of the contact on the rim, E = 3/2 m g a β and φ̇² = 4g/(aβ) for a small
// inclination β: dE/dt = −c φ̇² means d(β²)/dt = −16c/(3ma²). The corrections are of order β².
TEST(Bodies, the_square_of_the_inclination_of_eulers_disk_falls_linearly) {
  ReferenceFlow flow(problem_of(load_model("euler-disk", {{"tilt", 0.05}}), step));
  const auto square = [&](double t) { return std::pow(std::asin(flow.at(t).q[2] / 0.03752), 2); };
  const double rate = -16.0 * 1e-6 / (3.0 * 0.4387 * 0.03752 * 0.03752);
  // β wobbles about its mean: averages over many turns
  const auto mean = [&](double from) {
    double total = 0.0;
    for (int k = 0; k < 50; ++k) total += square(from + 0.001 * k) / 50;
    return total;
  };
  EXPECT_NEAR((mean(0.15) - mean(0.0)) / 0.15, rate, 0.02 * std::abs(rate));
}

// A rotor stabilises the rotation about the middle axis, which is unstable without it.
TEST(Bodies, a_rotor_keeps_a_satellite_from_tumbling) {
  const auto smallest = [](double rotor) {
    ReferenceFlow flow(problem_of(load_model("satellite-rotor", {{"rotor", rotor}}), step));
    double least = 1.0;
    for (int t = 0; t <= 20; ++t) least = std::min(least, flow.at(t).v[2]);
    return least;
  };
  EXPECT_GT(smallest(40.0), 0.98);
  EXPECT_LT(smallest(0.0), -0.5);
}

// It starts at a pole of Euler's angles, and comes again and again to both.
TEST(Bodies, chaplygins_ball_passes_the_poles) {
  const Model model = load_model("chaplygin-ball-so3");
  ReferenceFlow flow(problem_of(model, step));
  double lowest = 1.0;
  double highest = -1.0;
  for (double t = 1.0; t <= 20.0; t += 0.02) {
    const double cosine = flow.at(t).q[10];  // R[3,3], cos of Euler's second angle
    lowest = std::min(lowest, cosine);
    highest = std::max(highest, cosine);
  }
  EXPECT_LT(lowest, -0.999);
  EXPECT_GT(highest, 0.999);
}

// Linearised about rolling straight with the speed V, (I₁ + mh²) γ̈ = (mgh − k − mhV² tan(pivot)/l) γ: the lean passes
// zero after a quarter of a period, or grows.
TEST(Bodies, a_skateboard_weaves_above_its_critical_speed) {
  const auto lean = [](double speed, double t) {
    const State s = at("skateboard", t, {{"speed", speed}, {"tilt", 1e-4}});
    return -std::atan2(s.q[9], s.q[10]);  // R[3,2], R[3,3]
  };
  const double m = 70.0;
  const double stiffness = 500.0 - m * 9.81;
  const double steering = m * std::tan(std::numbers::pi / 6) / 0.25;
  EXPECT_NEAR(std::sqrt(-stiffness / steering), 1.075, 5e-4);
  const double frequency = std::sqrt((stiffness + steering * 9.0) / (8.0 + m));
  EXPECT_NEAR(lean(3.0, 0.5 * std::numbers::pi / frequency), 0.0, 1e-10);
  EXPECT_NEAR(lean(3.0, 1.0), 1e-4 * std::cos(frequency), 1e-10);
  const double growth = std::sqrt(-(stiffness + steering) / (8.0 + m));
  EXPECT_NEAR(lean(1.0, 1.0), 1e-4 * std::cosh(growth), 1e-10) << "slower than that it falls into a curve";
}

using Eigenvalue = std::complex<double>;

/// The motions of the upright bicycle at a speed, linearised in lean, steer and their rates: λ⁴ + c₃λ³ + c₂λ² + c₁λ +
/// c₀.
std::vector<double> characteristic_polynomial(double speed) {
  const Model model = load_model("bicycle", {{"speed", speed}, {"push", 0.0}});
  const Problem problem = problem_of(model, step);
  CompiledMap motion(typical_at(accelerations(model.system), problem), problem);
  const std::size_t steer = 3;
  const std::size_t lean = 6;  // about the first axis of the frame
  // What else changes with lean and steer, heights and pitch, does so in second order: it does not matter here, nor for
  // the extrapolation to small angles below, because differences of odd functions have even powers of the size alone.
  const auto accelerations_at = [&](std::array<double, 4> x) {
    State s = problem.start;
    s.q[steer] = x[1];
    const std::vector<double> turn{0, 0, 0, 0, 0, 0, x[0], 0, 0};
    model.system.space().move(s.q, turn);
    SomeNumbers given(s.v.size());
    given[0] = speed;
    given[steer] = x[3];
    given[lean] = x[2];
    s.v = completed_velocities(model.system, problem.parameters, s.q, given);
    EXPECT_TRUE(motion.run(s)) << motion.failure();
    return std::array{motion(Slot::acceleration)[lean], motion(Slot::acceleration)[steer]};
  };
  double a[4][4] = {{0, 0, 1, 0}, {0, 0, 0, 1}, {}, {}};
  for (std::size_t j = 0; j < 4; ++j) {
    const auto slope = [&](double size, std::size_t row) {
      std::array<double, 4> x{};
      x[j] = size;
      const double ahead = accelerations_at(x)[row];
      x[j] = -size;
      return (ahead - accelerations_at(x)[row]) / (2.0 * size);
    };
    for (std::size_t row = 0; row < 2; ++row) a[row + 2][j] = (4.0 * slope(5e-4, row) - slope(1e-3, row)) / 3.0;
  }
  // Faddeev and LeVerrier: B ← A B + c 1, c = −tr(A B)/k
  std::vector<double> coefficients{1.0};
  double b[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int k = 1; k <= 4; ++k) {
    double product[4][4] = {};
    double trace = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        for (std::size_t l = 0; l < 4; ++l) product[i][j] += a[i][l] * b[l][j];
      }
      trace += product[i][i];
    }
    coefficients.push_back(-trace / k);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) b[i][j] = product[i][j] + (i == j ? coefficients.back() : 0.0);
    }
  }
  return coefficients;
}

/// The zero next to a number, by Newton's iteration.
Eigenvalue zero_near(const std::vector<double>& polynomial, Eigenvalue x) {
  for (int k = 0; k < 20; ++k) {
    Eigenvalue value = 0.0;
    Eigenvalue slope = 0.0;
    for (const double c : polynomial) {
      slope = slope * x + value;
      value = value * x + c;
    }
    x -= value / slope;
  }
  return x;
}

// Meijaard, Papadopoulos, Ruina & Schwab 2007, table 2.
TEST(Bodies, the_bicycle_has_the_eigenvalues_of_the_benchmark) {
  const std::vector<double> at_rest = characteristic_polynomial(0.0);
  for (const double published : {3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393}) {
    EXPECT_LT(std::abs(zero_near(at_rest, published * 1.001) - published), 1e-8 * std::abs(published));
  }
  const std::vector<double> rolling = characteristic_polynomial(5.0);
  for (const Eigenvalue published : {Eigenvalue(-14.07838969279822), Eigenvalue(-0.32286642900409),
                                     Eigenvalue(-0.77534188219585, 4.46486771378823)}) {
    EXPECT_LT(std::abs(zero_near(rolling, published * 1.001) - published), 1e-8 * std::abs(published));
  }
}

// Self-stable for 4.29238253634111 < v < 6.02426201538837: at the ends the weave, a pair, and the capsize, one number,
// have the real part 0.
TEST(Bodies, the_bicycle_is_stable_between_the_published_speeds) {
  const double weave = 4.29238253634111;
  const double capsize = 6.02426201538837;
  EXPECT_NEAR(zero_near(characteristic_polynomial(weave), {0.0, 3.435}).real(), 0.0, 1e-8);
  EXPECT_NEAR(characteristic_polynomial(capsize)[4], 0.0, 1e-6);
}

}  // namespace bodies_test
}  // namespace rattleback
