// The discrete equations of free Lagrangians where they fold, and with the mean of the Lagrangian itself: against
// programs in many digits that solve them as they are defined.

#include "promises.hpp"
#include "rattleback/expr/parse.hpp"

namespace rattleback::test {
namespace free_equations_test {

// The equation of φ is a cubic for δ. Where it has been solved for all its roots in 30 digits, and the one nearest to
// the last δ was taken, the motion ends after so many steps, when two roots have met and gone: not where the
// coefficient of the unknown changes its sign, and not where no velocity has the momentum of a node.
struct Fold {
  double theta_dot, phi_dot;
  int steps;
  double x, y, phi;  ///< at the end
};

TEST(FreeEquations, modified_motions_end_where_their_positions_do) {
  const Fold folds[] = {{2, 1, 96, -1.39143025268579, -0.0793179304812936, 11.270807372005},
                        {1, 1, 28, 0.113228782118347, 0.982909711170798, 3.14020050730647},
                        {1, 0.5, 43, 1.33084042395854, 1.51152652101418, 2.47564600521869},
                        {2, 2, 18, -0.537025933217182, 0.740384436558189, 3.94928812650737}};
  for (const Fold& f : folds) {
    const double r = f.theta_dot / f.phi_dot;
    const double c = std::cos(0.3);
    const double s = std::sin(0.3);
    Problem problem = problem_of("rolling-disk", 0.1);
    problem.start = {{r * s, -r * c, 0, 0.3}, {f.theta_dot * c, f.theta_dot * s, f.theta_dot, f.phi_dot}};
    const auto stepper = make_stepper("free-modified:alpha=0:form=7:C=-0.2041241452319315", problem);
    int steps = 0;
    while (steps < 200 && stepper->advance()) ++steps;
    EXPECT_EQ(steps, f.steps) << stepper->failure();
    EXPECT_NE(stepper->failure().find("constants C"), std::string::npos) << stepper->failure();
    // Near its end a motion is sensitive: roots that meet lose half of their digits.
    EXPECT_NEAR(stepper->node().q[0], f.x, 1e-9);
    EXPECT_NEAR(stepper->node().q[1], f.y, 1e-9);
    EXPECT_NEAR(stepper->node().q[3], f.phi, 1e-9);
  }
}

// A run that is taken up again in the middle of a fold ends with the same bits.
TEST(FreeEquations, modified_motions_are_taken_up_again_in_a_fold) {
  Problem problem = problem_of("rolling-disk", 0.1);
  problem.start = {{std::sin(0.3), -std::cos(0.3), 0, 0.3}, {2 * std::cos(0.3), 2 * std::sin(0.3), 2, 2}};
  const std::string method = "free-modified:alpha=0:form=7:C=-0.2041241452319315";
  const auto whole = make_stepper(method, problem);
  take(*whole, 16);
  const auto remark = [](const Stepper& stepper) {
    for (const Remark& r : stepper.remarks()) {
      if (r.name == "velocities_by_interval") return r.value;
    }
    return 0.0;
  };
  EXPECT_GT(remark(*whole), 0.0);
  const auto rest = make_stepper(method, problem);
  rest->restore(whole->save());
  EXPECT_EQ(rest->node().v, whole->node().v);
  EXPECT_EQ(remark(*rest), remark(*whole));
  take(*whole, 2);
  take(*rest, 2);
  EXPECT_EQ(rest->node().q, whole->node().q);
  EXPECT_EQ(rest->node().v, whole->node().v);
}

// ½ (L̃ at α + L̃ at 1 − α), the discrete Euler–Lagrange equations solved in the coordinates themselves, in 40 digits.
TEST(FreeEquations, means_of_the_lagrangian_are_those_of_the_definition) {
  Problem disk = problem_of("rolling-disk", 0.1);
  disk.start = {{0.5 * std::sin(0.3), -0.5 * std::cos(0.3), 0, 0.3}, {std::cos(0.3), std::sin(0.3), 1, 2}};
  Problem particle = problem_of("free-particle-x", 0.1);
  particle.start = {{0.5, 0, 0}, {1, 1, -0.5}};
  particle.second_position = {0.6, 0.1, -0.055};
  Problem knife = problem_of("knife-edge", 0.1);
  knife.start = {{0, 0, 0.2}, {std::cos(0.2), std::sin(0.2), 0.5}};
  struct Case {
    const Problem& problem;
    std::string method;
    int steps;
    std::vector<double> q;
  };
  const Case cases[] = {
      {disk,
       "form=7:C=-0.2041241452319315:sym=0",
       6,
       {0.48748570175378902, -0.015390956915811034, 0.6, 1.5000179806315962}},
      {disk,
       "form=7:C=-0.2041241452319315:sym=0.25",
       6,
       {0.49637227395249567, -0.030076649974391001, 0.6, 1.4999653690558854}},
      {particle, "C=1:trapezoidal", 21, {2.6076973293596039, 1.3761124347771411, -1.9235529134561093}},
      {particle, "C=1:sym=0.25", 21, {2.601179269900001, 1.3729496691494202, -1.9077287197205636}},
      {knife, "C=1:sym=0", 21, {1.4875720191999005, 1.3077745176827348, 1.2310369041896036}},
      {knife, "C=1:sym=0.25", 21, {1.4972815841977371, 1.3234597531101078, 1.2448805048484509}},
  };
  for (const Case& c : cases) {
    const auto stepper = make_stepper("free:mean=lagrangian:" + c.method, c.problem);
    take(*stepper, c.steps);
    EXPECT_LT(distance(stepper->node().q, c.q), 1e-11) << c.method;
    // Without the option the rule makes another discrete Lagrangian.
    const auto other = make_stepper("free:" + c.method, c.problem);
    take(*other, c.steps);
    EXPECT_GT(distance(other->node().q, c.q), 1e-4) << c.method;
  }
  // Rules of one node have no mean to take.
  for (const char* rule : {":midpoint", ":alpha=0.2"}) {
    const auto one = make_stepper(std::string("free-modified:mean=lagrangian") + rule, disk);
    const auto same = make_stepper(std::string("free-modified") + rule, disk);
    take(*one, 50);
    take(*same, 50);
    EXPECT_EQ(one->node().q, same->node().q);
  }
}

// Of order 2 away from the poles. On a pole the start on the discrete constraint does not exist, and is refused.
TEST(FreeEquations, means_of_the_lagrangian_have_order_2_away_from_the_poles) {
  Problem problem = problem_of("free-particle-x");
  problem.start = {{0.5, 0, 0}, {1, 1, -0.5}};
  const State exact = ReferenceFlow(problem).at(2.0);
  for (const char* method : {"free:C=0.1:mean=lagrangian:sym=0.3", "free-modified:C=0.1:mean=lagrangian:sym=0.3",
                             "free:C=0.1:mean=lagrangian:trapezoidal:start=momentum"}) {
    std::vector<double> errors;
    for (const int steps : {40, 80, 160}) {
      problem.step = 2.0 / steps;
      const auto stepper = make_stepper(method, problem);
      take(*stepper, steps);
      errors.push_back(distance(stepper->node().q, exact.q));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.1) << method;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2.0, 0.1) << method;
  }
  problem.start = {{0, 0, 0}, {1, 1, 0}};
  try {
    make_stepper("free:mean=lagrangian:trapezoidal", problem);
    ADD_FAILURE() << "started on the pole";
  } catch (const MethodError& error) {
    EXPECT_NE(std::string(error.what()).find("the mean direction of z in an interval"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(make_stepper("free:mean=lagrangian:trapezoidal:start=momentum", problem));
}

// The paper's (13), which is not defined at rest, as a model of its own.
TEST(FreeEquations, lagrangian_without_values_at_rest_starts_from_two_positions) {
  Problem disk = problem_of("rolling-disk", 0.1);
  disk.start = {{0.5 * std::sin(0.3), -0.5 * std::cos(0.3), 0, 0.3}, {std::cos(0.3), std::sin(0.3), 1, 2}};
  disk.second_position = {disk.start.q[0] + 0.1 * std::cos(0.3), disk.start.q[1] + 0.1 * std::sin(0.3), 0.1, 0.5};
  SystemDefinition definition;
  definition.coordinates = disk.system.coordinates();
  definition.lagrangian = parse("0.5*(phi'^2 + theta'^2 + x'^2/(cos(phi)*phi') + y'^2/(sin(phi)*phi'))");
  Problem written{System(std::move(definition)), {}, disk.start, 0.1};
  written.second_position = disk.second_position;
  const auto del = make_stepper("del:alpha=0", written);
  const auto free = make_stepper("free:alpha=0:form=7:C=-0.2041241452319315", disk);
  take(*del, 6);  // up to the pole at π/2
  take(*free, 6);
  EXPECT_LT(distance(del->node().q, free->node().q), 1e-12);
  written.second_position.reset();
  const auto from_reference = make_stepper("del:alpha=0.2:start=reference", written);
  take(*from_reference, 1);
  EXPECT_LT(distance(from_reference->node().q, ReferenceFlow(written).at(0.1).q), 1e-12);
}

}  // namespace free_equations_test
}  // namespace rattleback::test
