// Implicit steps: what is solved and how, outcomes, lanes, more digits.

#include "rattleback/kernel/step.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <random>

#include "dla_midpoint.hpp"
#include "kernel/step_interpreter.hpp"
#include "kernel/step_program.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "small_systems.hpp"
#include "src/bench/hand_particle.hpp"
#include "src/bench/hand_sleigh.hpp"

namespace rattleback {
namespace step_test {

using namespace test;

class OnEachBackend : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Step, OnEachBackend, testing::Values(Backend::interpreted, Backend::compiled),
                         [](const auto& p) { return p.param == Backend::compiled ? "compiled" : "interpreted"; });

TEST(StepProgram, quadratic_particle_needs_no_iteration) {
  const StepProgram p = make_step_program(test::dla_midpoint(test::quadratic_particle()));
  ASSERT_EQ(p.blocks.size(), 1U);  // y alone, then x, z and λ: linear blocks are computed as one
  EXPECT_FALSE(p.blocks[0].iterative);
  int divisions = 0;
  for (Value v = p.invariant.end; v < p.code.size(); ++v) divisions += p.code[v].op == Opcode::divide ? 1 : 0;
  EXPECT_EQ(divisions, 1);  // as in the closed form by hand
}

TEST(StepProgram, sleigh_is_one_block_that_iterates) {
  const StepProgram p = make_step_program(test::dla_midpoint(test::chaplygin_sleigh()));
  ASSERT_EQ(p.blocks.size(), 1U);
  EXPECT_TRUE(p.blocks[0].iterative);
  // The angle of A(q₀) and everything that depends on parameters only stays out of the iteration.
  int sines_in_iteration = 0;
  for (Value v = p.blocks[0].check.begin; v < p.blocks[0].solve.end; ++v) {
    sines_in_iteration += p.code[v].op == Opcode::sincos ? 1 : 0;
  }
  EXPECT_EQ(sines_in_iteration, 1);
}

TEST(StepProgram, code_of_a_sparse_system_grows_linearly) {
  // A ring of coupled nonlinear equations: one block, Jacobian with a border.
  const auto size = [](int n) {
    ImplicitSystem s;
    for (int i = 0; i < n; ++i) {
      s.unknowns.push_back(Expression::symbol("u" + std::to_string(i)));
      s.guess.emplace_back(0.0);
    }
    const Expression d = Expression::symbol("d");
    s.data = {d};
    for (int i = 0; i < n; ++i) {
      const Expression& u = s.unknowns[static_cast<std::size_t>(i)];
      const Expression& next = s.unknowns[static_cast<std::size_t>((i + 1) % n)];
      s.residuals.push_back(4 * u + pow(u, 3) - sin(next) - d);
    }
    s.outputs = s.unknowns;
    return static_cast<double>(make_step_program(s).code.size());
  };
  EXPECT_LT(size(400) / size(100), 4.4);
}

TEST_P(OnEachBackend, particle_follows_its_discrete_equations) {
  // Truth: the two equations of the method, evaluated here in float128 from the definition.
  Step step(test::dla_midpoint(test::quadratic_particle()), 1, GetParam());
  std::vector<double> data(std::begin(particle_start), std::end(particle_start));
  std::vector<double> out(9);
  for (int n = 0; n < 500; ++n) {
    const std::vector<double> before = data;
    ASSERT_EQ(step.run(data, out), 1);
    const float128 h = before[9];
    float128 q[3], p[3], mid[3], v[3];
    for (std::size_t i = 0; i < 3; ++i) {
      q[i] = before[i];
      p[i] = before[3 + i];
      const float128 d = out[6 + i];
      mid[i] = q[i] + d / 2;
      v[i] = d / h;
    }
    EXPECT_NEAR(static_cast<double>(v[2] - mid[1] * v[0]), 0.0, 1e-14);  // A(q̄) v̄ = 0
    const float128 rx = p[0] - h * mid[0] - v[0];                        // p + h/2 L_q − L_v
    const float128 ry = p[1] - h * mid[1] - v[1];
    const float128 rz = p[2] - v[2];
    EXPECT_NEAR(static_cast<double>(ry), 0.0, 1e-14);
    EXPECT_NEAR(static_cast<double>(rx + q[1] * rz), 0.0,
                1e-14 * (1 + std::abs(before[1])));  // ⊥ to A(q₀)ᵀ = (−y, 0, 1)
    EXPECT_NEAR(data[3], static_cast<double>(v[0] - h * mid[0]), 1e-14);
  }
}

TEST_P(OnEachBackend, steps_agree_with_code_written_by_hand) {
  Step particle(test::dla_midpoint(test::quadratic_particle()), 1, GetParam());
  std::vector<double> data(std::begin(particle_start), std::end(particle_start));
  std::vector<double> out(9);
  hand::ParticleState by_hand{1, 0, 0, 0, 1, 0};
  for (int n = 0; n < 1250; ++n) {
    ASSERT_EQ(particle.run(data, out), 1);
    hand::particle_schur_newton(by_hand, 0.2);
    EXPECT_NEAR(data[0], by_hand.x, 1e-12);
    EXPECT_NEAR(data[1], by_hand.y, 1e-12);
    EXPECT_NEAR(data[2], by_hand.z, 1e-12);
  }
  Step sleigh(test::dla_midpoint(test::chaplygin_sleigh()), 1, GetParam());
  data.assign(std::begin(sleigh_start), std::end(sleigh_start));
  hand::SleighState sleigh_by_hand{1, 0, 0, 0, 0, 0};
  for (int n = 0; n < 250; ++n) {
    ASSERT_EQ(sleigh.run(data, out), 1);
    hand::sleigh_newton<hand::libm_sincos>(sleigh_by_hand, {}, 1e-13);
    EXPECT_NEAR(data[0], sleigh_by_hand.x, 1e-12);
    EXPECT_NEAR(data[1], sleigh_by_hand.y, 1e-12);
    EXPECT_NEAR(data[2], sleigh_by_hand.theta, 1e-12);
  }
}

TEST_P(OnEachBackend, sleigh_reaches_the_known_end) {
  // Reference end of the continuous motion at t = 30, and the size of this method's error there.
  Step step(test::dla_midpoint(test::chaplygin_sleigh()), 1, GetParam());
  std::vector<double> data(std::begin(sleigh_start), std::end(sleigh_start));
  std::vector<double> out(9);
  ASSERT_EQ(step.run(data, out, 250), 250);
  const double error =
      std::max({std::abs(data[0] + 1.32195001), std::abs(data[1] + 38.49751118), std::abs(data[2] + 1.63612548)});
  EXPECT_NEAR(error, 1.044e-3, 0.01e-3);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::converged);
  EXPECT_LE(step.reports()[0].max_iterations, 4);
  EXPECT_EQ(step.reports()[0].pivoted, 0);
}

TEST(Step, rounding_does_not_act_as_a_force) {
  const ImplicitSystem by_impulses = test::dla_midpoint(test::quadratic_particle());
  ImplicitSystem from_velocities = by_impulses;  // p₁ = (h/2) L_q + L_v: equal, if the residual is zero
  for (std::size_t i = 0; i < 3; ++i) from_velocities.outputs[3 + i] -= by_impulses.residuals[i];
  const StepProgram program = make_step_program(by_impulses);
  StepInterpreter<float128> exact(program);
  Step good(by_impulses);
  Step bad(from_velocities);
  std::vector<float128> truth(std::begin(particle_start), std::end(particle_start));
  std::vector<double> good_data(std::begin(particle_start), std::end(particle_start));
  std::vector<double> bad_data = good_data;
  std::vector<float128> next(9);
  std::vector<double> out(9);
  for (int n = 0; n < 5000; ++n) {
    StepIterations iterations;
    ASSERT_TRUE(exact(truth.data(), next.data(), iterations));
    std::copy(next.begin(), next.end(), truth.begin());
  }
  ASSERT_EQ(good.run(good_data, out, 5000), 5000);
  ASSERT_EQ(bad.run(bad_data, out, 5000), 5000);
  const double good_error = std::abs(static_cast<double>(float128(good_data[2]) - truth[2]));
  const double bad_error = std::abs(static_cast<double>(float128(bad_data[2]) - truth[2]));
  std::printf("error of z after 5000 steps: momenta by impulses %.1e, from velocities %.1e\n", good_error, bad_error);
  EXPECT_LT(good_error, 2e-11);
  EXPECT_LT(10.0 * good_error, bad_error);
}

TEST(Step, many_steps_in_one_call_are_the_same_as_one_by_one) {
  const ImplicitSystem system = test::dla_midpoint(test::chaplygin_sleigh());
  Step step(system, 4);
  std::vector<double> data(14 * 4);
  for (std::size_t i = 0; i < 14; ++i) {
    for (std::size_t l = 0; l < 4; ++l)
      data[4 * i + l] = sleigh_start[i] + (i < 3 ? 0.1 * static_cast<double>(l) : 0.0);
  }
  std::vector<double> single = data;
  std::vector<double> out(9 * 4);
  ASSERT_EQ(step.run(data, out, 100), 100);
  for (int n = 0; n < 100; ++n) ASSERT_EQ(step.run(single, out), 1);
  EXPECT_EQ(data, single);
}

class StepLanes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(All, StepLanes, testing::Values(4, 8, 16),
                         [](const auto& p) { return std::to_string(p.param) + "_lanes"; });

TEST_P(StepLanes, give_the_bits_of_one_lane_whatever_the_neighbours_do) {
  // Trajectories that need different numbers of iterations, some of them with huge angles.
  const ImplicitSystem system = test::dla_midpoint(test::chaplygin_sleigh());
  const auto width = static_cast<std::size_t>(GetParam());
  Step many(system, GetParam());
  Step one(system, 1);
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> data(14 * width);
    for (std::size_t l = 0; l < width; ++l) {
      const double wild = random() % 4 == 0 ? 3e6 : 3.0;
      for (std::size_t i = 0; i < 14; ++i) {
        double v = sleigh_start[i];
        if (i < 2 || (i >= 3 && i < 6)) v += uniform(random);
        if (i == 2) v = wild * uniform(random);
        data[width * i + l] = v;
      }
    }
    const std::vector<double> start = data;
    std::vector<double> out(9 * width);
    ASSERT_EQ(many.run(data, out, 20), 20);
    for (std::size_t l = 0; l < width; ++l) {
      std::vector<double> lane(14);
      for (std::size_t i = 0; i < 14; ++i) lane[i] = start[width * i + l];
      std::vector<double> lane_out(9);
      ASSERT_EQ(one.run(lane, lane_out, 20), 20);
      for (std::size_t i = 0; i < 9; ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(lane[i]), std::bit_cast<std::uint64_t>(data[width * i + l])) << trial;
      }
      ASSERT_EQ(one.reports()[0].iterations, many.reports()[l].iterations);
    }
  }
}

/// a·x = b, entry by entry from the data.
ImplicitSystem linear_system(int n) {
  ImplicitSystem s;
  for (int i = 0; i < n; ++i) s.unknowns.push_back(Expression::symbol("x" + std::to_string(i)));
  for (int i = 0; i < n; ++i) {
    Expression r;
    for (int j = 0; j < n; ++j) {
      s.data.push_back(Expression::symbol("a" + std::to_string(i) + "_" + std::to_string(j)));
      r += s.data.back() * s.unknowns[static_cast<std::size_t>(j)];
    }
    s.data.push_back(Expression::symbol("b" + std::to_string(i)));
    s.residuals.push_back(r - s.data.back());
    s.guess.emplace_back(0.0);
  }
  s.outputs = s.unknowns;
  return s;
}

// 0 = u − (d·u/u)² − 1: the slope is 1, and u = 0, where linear equations are evaluated, is not in the domain.
TEST_P(OnEachBackend, an_unknown_that_is_divided_by_itself_is_not_lost) {
  const Expression u = Expression::symbol("u");
  const Expression d = Expression::symbol("d");
  const Expression w = Expression::symbol("w");
  const Expression ratio = d * u / w / u;
  ImplicitSystem s;
  s.data = {d, w};
  s.unknowns = {u};
  s.residuals = {u - sq(w * ratio) / w - 1.0};
  s.guess = {Expression(1.0)};
  s.outputs = {u, sq(w * ratio) / w};
  Step step(s, 1, GetParam());
  std::vector<double> data{3.0, 2.0};
  std::vector<double> outputs(2);
  ASSERT_EQ(step.run(data, outputs), 1);
  EXPECT_DOUBLE_EQ(outputs[0], 5.5);
  EXPECT_DOUBLE_EQ(outputs[1], 4.5);
}

TEST_P(OnEachBackend, a_matrix_that_needs_pivoting_is_solved_with_pivots) {
  // The example of every textbook: without exchange of rows x₀ comes out as 0, and it is 1.
  ImplicitSystem s = linear_system(2);
  s.typical = {1, 1, 1, 1, 1, 2};  // misleads the choice of pivots: here the first entry is large
  Step step(s, 1, GetParam());
  std::vector<double> data{1e-20, 1, 1, 1, 1, 2};
  std::vector<double> x(2);
  ASSERT_EQ(step.run(data, x), 1);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_DOUBLE_EQ(x[1], 1.0);
}

TEST_P(OnEachBackend, pivoting_is_used_when_and_only_when_accuracy_is_lost) {
  ImplicitSystem s = linear_system(3);
  s.typical = {1, 0.1, 0.1, 1, 0.1, 1, 0.1, 1, 0.1, 0.1, 1, 1};  // the diagonal looks safe
  Step step(s, 1, GetParam());
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int rescued = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> data(12);
    for (double& v : data) v = uniform(random);
    const bool hostile = trial % 2 == 0;
    for (const std::size_t k : {0U, 5U, 10U}) data[k] = hostile ? 1e-17 * data[k] : 3.0 + data[k];
    std::vector<double> x(3);
    ASSERT_EQ(step.run(data, x), 1);
    rescued += static_cast<int>(step.reports()[0].pivoted);
    if (!hostile) {
      EXPECT_EQ(step.reports()[0].pivoted, 0);
    }
    for (std::size_t i = 0; i < 3; ++i) {  // every row, relative to its terms
      float128 r = -float128(data[4 * i + 3]);
      double size = std::abs(data[4 * i + 3]);
      for (std::size_t j = 0; j < 3; ++j) {
        r += float128(data[4 * i + j]) * x[j];
        size += std::abs(data[4 * i + j] * x[j]);
      }
      ASSERT_LE(std::abs(static_cast<double>(r)), 3e-13 * size) << trial;
    }
  }
  EXPECT_GT(rescued, 900);
}

TEST_P(OnEachBackend, a_singular_system_names_its_equation) {
  Step step(linear_system(2), 1, GetParam());
  std::vector<double> data{1, 2, 1, 2, 4, 1};  // second row twice the first, right-hand side not
  std::vector<double> x(2);
  EXPECT_EQ(step.run(data, x), 0);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::singular);
  EXPECT_TRUE(step.reports()[0].equation == 0 || step.reports()[0].equation == 1);
  EXPECT_NE(step.describe(step.reports()[0]).find("singular at equation"), std::string::npos);
}

TEST_P(OnEachBackend, an_equation_without_root_does_not_converge) {
  Step step(equations({"d"}, {"u"}, {"u^2 + d"}, {"2"}), 1, GetParam());
  std::vector<double> data{1.0};
  std::vector<double> u(1);
  EXPECT_EQ(step.run(data, u), 0);
  EXPECT_NE(step.reports()[0].outcome, Outcome::converged);
  EXPECT_EQ(step.reports()[0].equation, 0);
  data[0] = -9.0;  // the same kernel goes on working
  EXPECT_EQ(step.run(data, u), 1);
  EXPECT_DOUBLE_EQ(u[0], 3.0);
}

TEST_P(OnEachBackend, an_undefined_equation_is_not_finite) {
  Step step(equations({"d"}, {"u"}, {"u + log(d) - cos(u)"}, {"0"}), 1, GetParam());
  std::vector<double> data{-1.0};
  std::vector<double> u(1);
  EXPECT_EQ(step.run(data, u), 0);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::not_finite);
  EXPECT_EQ(step.reports()[0].equation, 0);
}

TEST_P(OnEachBackend, an_undefined_output_is_not_finite) {
  ImplicitSystem s = equations({"d"}, {"u"}, {"u - d"}, {"0"});
  s.outputs = parse_all({"log(u)"});
  Step step(s, 1, GetParam());
  std::vector<double> data{-1.0};
  std::vector<double> out(1);
  EXPECT_EQ(step.run(data, out), 0);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::not_finite);
}

TEST_P(OnEachBackend, a_hard_start_is_damped) {
  // From far away the full Newton step for atan overshoots and diverges.
  Step step(equations({"d"}, {"u"}, {"atan(u) - d"}, {"20"}), 1, GetParam());
  std::vector<double> data{0.5};
  std::vector<double> u(1);
  ASSERT_EQ(step.run(data, u), 1);
  EXPECT_NEAR(u[0], std::tan(0.5), 1e-15);
  EXPECT_EQ(step.reports()[0].pivoted, 1);
}

TEST_P(OnEachBackend, overflow_by_growth_is_caught_at_its_step) {
  ImplicitSystem s = equations({"x"}, {"u"}, {"u - 1e10*x"}, {"0"});
  s.outputs = s.unknowns;
  s.state = 1;
  Step step(s, 1, GetParam());
  std::vector<double> data{1.0};
  std::vector<double> out(1);
  EXPECT_EQ(step.run(data, out, 1000), 30);  // 10³⁰⁰ is a double, 10³¹⁰ is not
  EXPECT_DOUBLE_EQ(data[0], 1e300);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::not_finite);
}

TEST_P(OnEachBackend, an_unknown_that_vanishes_because_forces_balance_is_solved_for) {
  // A bead at rest on a wire: a = λ − g, b = cλ, a + εb = 0 has a = 0 but for ε, and λ = g.
  const ImplicitSystem s =
      equations({"g", "c", "e"}, {"a", "b", "l"}, {"a + g - l", "b - c*l", "a + e*b"}, {"0", "0", "0"});
  Step step(s, 1, GetParam());
  for (const double e : {0.0, 1e-30, 1e-17, 9e-14}) {
    std::vector<double> data{1.0, e, e};
    std::vector<double> out(3);
    ASSERT_EQ(step.run(data, out), 1) << step.describe(step.reports()[0]);
    EXPECT_NEAR(out[0], 0.0, 1e-15);
    EXPECT_DOUBLE_EQ(out[1], e);
    EXPECT_DOUBLE_EQ(out[2], 1.0);
  }
}

TEST_P(OnEachBackend, an_unknown_may_occur_in_an_equation_that_does_not_depend_on_it) {
  const ImplicitSystem s = equations({"j", "f"}, {"u", "w"}, {"j*(u + w) - j*(u - w) - f", "u*w - 6"}, {"0", "0"});
  Step step(s, 1, GetParam());
  std::vector<double> data{0.5, 2.0};
  std::vector<double> out(2);
  ASSERT_EQ(step.run(data, out), 1) << step.describe(step.reports()[0]);
  EXPECT_DOUBLE_EQ(out[0], 3.0);
  EXPECT_DOUBLE_EQ(out[1], 2.0);
}

TEST_P(OnEachBackend, an_explicit_map_is_a_step_without_unknowns) {
  ImplicitSystem s;
  s.data = parse_all({"x", "a"});
  s.outputs = parse_all({"a*x*(1 - x)", "log(x)"});
  s.state = 1;
  Step step(s, 1, GetParam());
  std::vector<double> data{0.25, 4.0};
  std::vector<double> out(2);
  ASSERT_EQ(step.run(data, out, 2), 2);
  EXPECT_DOUBLE_EQ(data[0], 0.75);  // ¼ → ¾ → ¾
  EXPECT_DOUBLE_EQ(out[1], std::log(0.75));
  data[0] = 2.0;  // 2 → −8, whose logarithm is undefined: the second step is not taken
  EXPECT_EQ(step.run(data, out, 2), 1);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::not_finite);
  EXPECT_EQ(step.describe(step.reports()[0]), "not finite: an output is infinite or undefined");
  EXPECT_DOUBLE_EQ(data[0], -8.0);
}

TEST(Step, a_failed_lane_stops_the_batch_before_the_step) {
  ImplicitSystem s = equations({"x", "d"}, {"u"}, {"u^2 - (x - d)"}, {"x"});
  s.state = 1;
  Step step(s, 4);
  // u² = x − d: lane 2 reaches a negative right-hand side in its second step.
  std::vector<double> data{16, 16, 16, 16, 0, 0, 15.5, 0};
  std::vector<double> out(4);
  EXPECT_EQ(step.run(data, out, 2), 1);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::converged);
  EXPECT_NE(step.reports()[2].outcome, Outcome::converged);
  EXPECT_DOUBLE_EQ(data[0], 4.0);  // every lane stands before the step that failed
  EXPECT_DOUBLE_EQ(data[2], std::sqrt(0.5));
}

TEST(Step, rescued_lanes_have_the_bits_of_a_rescued_scalar) {
  const ImplicitSystem s = equations({"d"}, {"u"}, {"atan(u) - d"}, {"20*d"});
  Step many(s, 8);
  Step one(s, 1);
  std::vector<double> data{0.5, 0.01, 1.2, -0.7, 0.3, 0.0, 1.5, -1.5};
  std::vector<double> out(8);
  ASSERT_EQ(many.run(data, out), 1);
  for (std::size_t l = 0; l < 8; ++l) {
    std::vector<double> lane{data[l]};
    std::vector<double> u(1);
    ASSERT_EQ(one.run(lane, u), 1);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(u[0]), std::bit_cast<std::uint64_t>(out[l])) << l;
  }
}

TEST(Step, more_digits_converge_to_their_own_floor) {
  const ImplicitSystem system = test::dla_midpoint(test::chaplygin_sleigh());
  const std::vector<float128> wide(std::begin(sleigh_start), std::end(sleigh_start));
  const auto exact = interpret_step<float128>(system, wide);
  const std::vector<long double> extended(std::begin(sleigh_start), std::end(sleigh_start));
  const auto middle = interpret_step<long double>(system, extended);
  Step step(system);
  std::vector<double> data(std::begin(sleigh_start), std::end(sleigh_start));
  std::vector<double> out(9);
  ASSERT_EQ(step.run(data, out), 1);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_NEAR(out[i], static_cast<double>(exact[i]), 1e-16);
    EXPECT_NEAR(static_cast<double>(float128(middle[i]) - exact[i]), 0.0, 1e-19);
  }
  // The equations hold to float128's own precision.
  std::vector<Expression> arguments = system.data;
  arguments.insert(arguments.end(), system.unknowns.begin(), system.unknowns.end());
  ImplicitSystem with_unknowns = system;
  with_unknowns.outputs = system.unknowns;
  with_unknowns.state = 0;
  std::vector<float128> point = wide;
  const auto u = interpret_step<float128>(with_unknowns, wide);
  point.insert(point.end(), u.begin(), u.end());
  for (const float128& r : Interpreter<float128>(make_program(arguments, system.residuals))(point)) {
    EXPECT_LT(static_cast<double>(abs(r)), 1e-32);
  }
}

/// The message of the exception that building the step throws.
std::string complaint(const ImplicitSystem& system) {
  try {
    make_step_program(system);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(StepErrors, structurally_singular_systems_are_refused) {
  const std::string message = complaint(equations({"d"}, {"u", "v"}, {"u - d", "u^2 - d"}, {"0", "0"}));
  EXPECT_NE(message.find("cannot determine the unknowns"), std::string::npos) << message;
  EXPECT_NE(message.find("no equation is left for 'v'"), std::string::npos) << message;
}

TEST(StepErrors, dependent_equations_are_refused) {
  const std::string message = complaint(equations({"d"}, {"u", "v"}, {"u + v - d", "2*u + 2*v - 1"}, {"0", "0"}));
  EXPECT_NE(message.find("is a combination of the others, whatever the data are: 0 = 2*u + 2*v - 1"), std::string::npos)
      << message;
}

TEST(StepErrors, sizes_and_names_are_checked) {
  EXPECT_EQ(complaint(equations({"d"}, {"u"}, {"u - d", "u"}, {"0"})), "2 equations for 1 unknowns");
  EXPECT_EQ(complaint(equations({"d"}, {"u"}, {"u - d"}, {})), "0 guesses for 1 unknowns");
  EXPECT_EQ(complaint(equations({"u"}, {"u"}, {"u - 1"}, {"0"})), "'u' occurs twice among data and unknowns");
  EXPECT_EQ(complaint(equations({"d"}, {"u"}, {"u - e"}, {"0"})),
            "equation 1 contains 'e', which is neither data nor an unknown");
  EXPECT_EQ(complaint(equations({"d"}, {"u"}, {"u - d"}, {"u"})),
            "guess 1 contains 'u', which is an unknown: a guess depends on data only");
  EXPECT_EQ(complaint(equations({"d"}, {"u"}, {"u - d"}, {"w"})), "guess 1 contains 'w', which is not among the data");
  ImplicitSystem s = equations({"d"}, {"u"}, {"u - d"}, {"0"});
  s.state = 2;
  EXPECT_EQ(complaint(s), "a state of 2 is larger than the 1 data or the 1 outputs");
  s.state = 0;
  s.typical = {1, 2};
  EXPECT_EQ(complaint(s), "2 typical values for 1 data");
  s.typical = {std::nan("")};
  EXPECT_EQ(complaint(s), "the typical value of 'd' is nan");
  s.typical = {};
  s.unknowns = {Expression(1.0)};
  EXPECT_EQ(complaint(s), "data and unknowns must be symbols, found 1");
}

/// The message of the exception that f throws.
std::string message_of(auto&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

TEST(StepErrors, wrong_calls_are_refused) {
  Step step(equations({"d"}, {"u"}, {"u - d"}, {"0"}), 4);
  std::vector<double> eight(8);
  std::vector<double> four(4);
  EXPECT_EQ(message_of([&] { step.run(eight, four); }), "a step of 4 lanes needs 4 data and 4 outputs, found 8 and 4");
  EXPECT_EQ(message_of([&] { step.run(four, four, -1); }), "-1 steps: the number cannot be negative");
  const std::vector<long double> wide(2);
  EXPECT_EQ(message_of([&] { interpret_step<long double>(step.system(), wide); }),
            "a step of 1 data was called with 2");
  EXPECT_EQ(message_of([&] { with_tangent_matrix(step.system(), 2, 1); }),
            "a tangent matrix of 2 × 1 for 1 outputs and 1 data");
  const std::vector<long double> hard{0.5L};
  EXPECT_EQ(message_of([&] { interpret_step<long double>(equations({"d"}, {"u"}, {"atan(u) - d"}, {"20"}), hard); }),
            "the step did not converge from its guess; Step has means for such cases");
}

TEST(StepErrors, failures_are_described_for_people) {
  Step step(equations({"d"}, {"u"}, {"u^2 + d + 1e-3*sin(u)"}, {"2"}));
  std::vector<double> data{1.0};
  std::vector<double> u(1);
  ASSERT_EQ(step.run(data, u), 0);
  const std::string text = step.describe(step.reports()[0]);
  EXPECT_NE(text.find(" at equation 1 (0 = " + to_text(step.system().residuals[0]) + "): "), std::string::npos) << text;
  EXPECT_TRUE(step.is_compiled());
  EXPECT_FALSE(Step(equations({"d"}, {"u"}, {"u - d"}, {"0"}), 1, Backend::interpreted).is_compiled());
}

/// u + k(u) = d, where k is not smooth, against solutions by hand; branches that are not taken may be undefined.
TEST(Step, solves_equations_that_are_not_smooth) {
  struct Case {
    const char* residual;
    double d;
    double u;
  };
  for (const Case& c :
       {Case{"u + sign(u) - d", 3.0, 2.0}, Case{"u + sign(u) - d", -3.0, -2.0}, Case{"2*u + abs(u) - d", 3.0, 1.0},
        Case{"2*u + abs(u) - d", -3.0, -3.0}, Case{"u + max(u, 5*u - 4) - d", 8.0, 2.0},
        Case{"u + min(u, 1) - d", -4.0, -2.0}, Case{"u + if(u > 0, sqrt(u), 0) - d", -1.0, -1.0},
        Case{"u + if(u > 0, sqrt(u), 0) - d", 6.0, 4.0}, Case{"u - d + if(d > 0, 1/d, 0)", 0.0, 0.0}}) {
    ImplicitSystem s;
    s.data = {Expression::symbol("d")};
    s.unknowns = {Expression::symbol("u")};
    s.residuals = {parse(c.residual)};
    s.guess = {parse("d + 0.5")};
    s.outputs = {parse("u"), parse("if(u > -10, u, log(-10 - u))")};
    for (const Backend backend : {Backend::compiled, Backend::interpreted}) {
      Step step(s, 1, backend);
      std::vector<double> data{c.d};
      std::vector<double> outputs(2);
      step.run(data, outputs, 1);
      EXPECT_EQ(step.reports()[0].outcome, Outcome::converged) << c.residual << " " << c.d;
      EXPECT_NEAR(outputs[0], c.u, 1e-14) << c.residual << " " << c.d;
      EXPECT_NEAR(outputs[1], c.u, 1e-14) << c.residual << " " << c.d;
    }
  }
}

// Between −1 and 1 no u solves u + sign(u) = d but u = 0, where the sign is 0: the step fails and says why.
TEST(Step, says_that_an_equation_jumps) {
  ImplicitSystem s;
  s.data = {Expression::symbol("d")};
  s.unknowns = {Expression::symbol("u")};
  s.residuals = {parse("u + sign(u) - d")};
  s.guess = {Expression(0.0)};
  s.outputs = s.unknowns;
  Step step(s);
  std::vector<double> data{0.5};
  std::vector<double> outputs(1);
  step.run(data, outputs, 1);
  EXPECT_EQ(step.reports()[0].outcome, Outcome::not_converged);
  EXPECT_NE(step.describe(step.reports()[0]).find("where it jumps it may have no solution"), std::string::npos);
}

}  // namespace step_test
}  // namespace rattleback
