// A race is fair if all run the same course: everybody who takes part solves the problem of the model, and what is
// written by hand takes the same steps.

#include <gtest/gtest.h>

#include "rattleback/method/registry.hpp"
#include "rattleback/method/whole_step.hpp"
#include "src/bench/competitors.hpp"
#include "src/bench/hand_particle_avx2.hpp"
#include "src/bench/our_flow.hpp"
#include "src/bench/ours.hpp"
#include "src/bench/rattlebacks.hpp"

namespace rattleback::bench {
namespace contestants_test {

constexpr double end_time = 10.0;

std::vector<double> reference_end(Problem problem) {
  problem.step = end_time;
  const auto stepper = make_stepper("reference", problem);
  if (!stepper->advance()) throw std::runtime_error(stepper->failure());
  return stepper->node().q;
}

void expect_same_end(Contestant& contestant, double setting, const std::vector<double>& expected, double tolerance) {
  SCOPED_TRACE(contestant.name());
  const std::vector<double> found = contestant.end(setting, end_time);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance);
  // The energy of the model, watched on the way.
  EXPECT_TRUE(contestant.hold(setting, {end_time, 1e-4}).held);
  const Attempt lost = contestant.hold(contestant.setting() == Contestant::Setting::step ? 0.5 : 1e-2, {1e4, 1e-13});
  EXPECT_FALSE(lost.held);
  EXPECT_LT(lost.fraction, 1.0);
}

void expect_same_ends(const Contestants& contestants, const Problem& problem) {
  const std::vector<double> expected = reference_end(problem);
  for (const auto& c : contestants) {
    expect_same_end(*c, c->setting() == Contestant::Setting::step ? 0.005 : 1e-12, expected, 1e-7);
  }
}

TEST(Contestants, solve_the_problem_of_the_particle) { expect_same_ends(competitors_particle(), particle()); }
TEST(Contestants, solve_the_problem_of_the_sleigh) { expect_same_ends(competitors_sleigh(), sleigh()); }

TEST(Contestants, solve_the_problem_of_the_oscillators) { expect_same_ends(competitors_oscillators(), oscillators(6)); }

// At its end h = 0.005 is too long for some.
TEST(Contestants, solve_the_problem_of_the_rattleback) {
  OurFlow flow(rattleback_on_ground());
  const std::vector<double> expected = flow.end(1e-15, 0.5);
  for (const auto& c : competitors_rattleback()) {
    SCOPED_TRACE(c->name());
    const double setting = c->setting() == Contestant::Setting::step ? 1e-4 : 1e-13;
    const std::vector<double> found = c->end(setting, 0.5);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-8);
    EXPECT_TRUE(c->hold(setting, {0.5, 1e-4}).held);
  }
}

TEST(Contestants, are_ours_too) {
  for (const char* method : {"dla:order=8", "dla:order=10", "dla:order=6:stages=13"}) {
    OurMethod particle_method(method, particle());
    expect_same_end(particle_method, 0.05, reference_end(particle()), 1e-7);
    OurMethod sleigh_method(method, sleigh());
    expect_same_end(sleigh_method, 0.05, reference_end(sleigh()), 1e-7);
  }
}

TEST(HandWritten, batches_take_the_steps_of_dla) {
  constexpr double h = 0.2;
  constexpr std::int64_t steps = 100;
  Problem problem = particle();
  problem.step = h;
  const auto stepper = make_stepper("dla:midpoint", problem);
  for (std::int64_t k = 0; k < steps; ++k) ASSERT_TRUE(stepper->advance());
  const auto& q = problem.start.q;
  const auto& v = problem.start.v;
  const hand::ParticleState start{q[0], q[1], q[2], v[0], v[1], v[2]};
  const auto expect_end = [&](const hand::ParticleState& s, const char* what) {
    EXPECT_NEAR(s.x, stepper->node().q[0], 1e-12) << what;
    EXPECT_NEAR(s.y, stepper->node().q[1], 1e-12) << what;
    EXPECT_NEAR(s.z, stepper->node().q[2], 1e-12) << what;
  };
  const hand::ParticleConstants constants(h);
  hand::ParticleState one = start;
  for (std::int64_t k = 0; k < steps; ++k) hand::particle_closed_form(one, constants);
  expect_end(one, "closed form");
  for (const int registers : {1, 2, 4}) {
    std::vector<hand::ParticleState> many(static_cast<std::size_t>(8 * registers), start);
    if (has_avx2()) {
      particles_avx2(many.data(), 8 * registers, h, steps, registers);
      for (const auto& s : many) expect_end(s, "AVX2");
    }
    many.assign(many.size(), start);
    if (has_avx512()) {
      particles_avx512(many.data(), 8 * registers, h, steps, registers);
      for (const auto& s : many) expect_end(s, "AVX-512");
    }
  }
}

TEST(HandWritten, the_rattleback_takes_the_steps_of_dla) {
  constexpr int steps = 200;
  const Problem problem = rattleback_by_rotation();
  const auto stepper = make_stepper("dla", problem);
  const hand::RattlebackConstants constants = constants_by_hand(problem);
  hand::RattlebackState s = start_by_hand(problem, constants);
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(stepper->advance());
    EXPECT_LE(hand::rattleback_newton(s, constants), 4);
  }
  const std::vector<double> found{s.x.x,   s.x.y,   s.x.z,   s.r.a.x, s.r.a.y, s.r.a.z,
                                  s.r.b.x, s.r.b.y, s.r.b.z, s.r.c.x, s.r.c.y, s.r.c.z};
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], stepper->node().q[i], 1e-12) << i;
}

// By the reference: the centre of mass, and the third row of R in Euler angles.
TEST(HandWritten, rattlebacks_are_the_same_body) {
  std::vector<std::vector<double>> ends;
  for (Problem problem : {rattleback_by_rotation(), rattleback_by_angles()}) {
    problem.step = 1.0;
    const auto stepper = make_stepper("reference", problem);
    ASSERT_TRUE(stepper->advance());
    ends.push_back(stepper->node().q);
  }
  const std::vector<double>& q = ends[0];
  const std::vector<double>& angles = ends[1];
  const double phi = angles[3];
  const double theta = angles[4];
  EXPECT_NEAR(q[0], angles[0], 1e-9);
  EXPECT_NEAR(q[1], angles[1], 1e-9);
  EXPECT_NEAR(q[9], -std::cos(phi) * std::sin(theta), 1e-9);
  EXPECT_NEAR(q[10], std::sin(phi), 1e-9);
  EXPECT_NEAR(q[11], std::cos(phi) * std::cos(theta), 1e-9);
}

}  // namespace contestants_test
}  // namespace rattleback::bench
