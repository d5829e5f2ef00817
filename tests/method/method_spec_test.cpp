// Methods as values: read once, derived once; maps and flows.

#include "rattleback/method/method_spec.hpp"

#include <numbers>

#include "rattleback/flow/run.hpp"
#include "rattleback/observe/observers.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace method_spec_test {

using test::problem_of;
using test::take;

TEST(MethodSpecs, are_maps_or_flows) {
  const Problem problem = problem_of("quadratic-particle", 0.1);
  const MethodSpec map = "dla:trapezoidal:order=4";
  EXPECT_EQ(map.text(), "dla:trapezoidal:order=4");
  EXPECT_FALSE(map.is_flow());
  EXPECT_EQ(map.derive(problem).structure.order, 4);
  EXPECT_THROW(map.flow(problem), MethodError);
  const MethodSpec flow = "reference:tolerance=1e-10";
  EXPECT_TRUE(flow.is_flow());
  EXPECT_THROW(flow.derive(problem), MethodError);
  EXPECT_EQ(flow.flow(problem)->at(0.0).q, problem.start.q);
  EXPECT_FALSE(DerivedMethod(flow, problem).map);
  EXPECT_TRUE(map == MethodSpec("dla:trapezoidal:order=4"));
  EXPECT_FALSE(map == flow);
}

TEST(MethodSpecs, refuse_what_there_is_not) {
  EXPECT_THROW(MethodSpec("euler"), MethodError);
  EXPECT_THROW(MethodSpec("dla:order=3"), MethodError);
  EXPECT_THROW(MethodSpec("reference:order=4"), MethodError);
}

TEST(MethodSpecs, take_a_rule_of_the_constraints) {
  const Problem problem = problem_of("quadratic-particle", 0.1);
  EXPECT_EQ(MethodSpec("dla:midpoint:constraints=trapezoidal").derive(problem).structure.order, 2);
  EXPECT_EQ(MethodSpec("dla:midpoint:constraints=alpha=0.3").derive(problem).structure.order, 1);
  EXPECT_EQ(MethodSpec("dla:alpha=0.3:constraints=sym=0.25").derive(problem).structure.order, 1);
  EXPECT_FALSE(MethodSpec("dla:midpoint:constraints=alpha=0.3").derive(problem).structure.symmetric);
  for (const char* wrong :
       {"dla:constraints=alpha", "dla:constraints=simpson", "dla:constraints=midpoint=1", "dla:constraints=alpha=2",
        "dla:constraints", "dla:constraints=alpha=0:order=4", "gni:constraints=midpoint"}) {
    EXPECT_THROW(MethodSpec{wrong}, MethodError) << wrong;
  }
  // The rule of the Lagrangian, given again, changes nothing.
  const auto same = make_stepper("dla:sym=0.2:constraints=sym=0.2", problem);
  const auto plain = make_stepper("dla:sym=0.2", problem);
  take(*same, 20);
  take(*plain, 20);
  EXPECT_EQ(same->node().q, plain->node().q);
}

/// A program may have a method of its own: here dla that forgets to move, and starts as dla does.
TEST(MethodSpecs, can_have_equations_of_their_own) {
  const Problem problem = problem_of("quadratic-particle", 0.1);
  const MethodSpec dla = "dla:start=reference";
  const MethodSpec own = dla.with_equations("still", [&](const Problem& p) {
    Method method = dla.derive(p);
    for (std::size_t i = 0; i < method.state_size(); ++i) method.step.outputs[i] = method.step.data[i];
    return method;
  });
  EXPECT_EQ(own.text(), "still");
  EXPECT_TRUE(own.starts_from_reference());
  EXPECT_EQ(own.start(), "reference");
  EXPECT_FALSE(own == dla);
  const auto moving = make_stepper(dla, problem);
  const auto still = make_stepper(own, problem);
  take(*moving, 1);
  take(*still, 1);
  EXPECT_EQ(still->node().q, moving->node().q);  // q1 is that of the reference
  take(*moving, 5);
  const std::vector<double> q1 = still->node().q;
  take(*still, 5);
  EXPECT_EQ(still->node().q, q1);
  EXPECT_NE(moving->node().q, q1);
  EXPECT_FALSE(
      MethodSpec("reference").with_equations("map", [&](const Problem& p) { return dla.derive(p); }).is_flow());
  EXPECT_THROW(MethodSpec("still"), MethodError);
}

/// A method that was derived for one step and start serves others to the bit.
TEST(DerivedMethods, serve_other_steps_and_starts) {
  for (const char* name : {"dla", "dla:order=4", "gni", "rk4", "rdla", "pthdel", "conformal:ell=2"}) {
    Problem problem = problem_of("quadratic-particle", 0.1);
    const DerivedMethod derived(name, problem);
    problem.step = 0.05;
    problem.start.q[1] += 0.25;
    problem.start.v[2] = problem.start.q[1] * problem.start.v[0];  // z' = y x'
    const auto shared = make_stepper(derived, problem);
    const auto own = make_stepper(name, problem);
    take(*shared, 20);
    take(*own, 20);
    EXPECT_EQ(shared->node().q, own->node().q) << name;
    EXPECT_EQ(shared->save(), own->save()) << name;
  }
}

TEST(DerivedMethods, share_geometry) {
  const Problem problem = problem_of("quadratic-particle", 0.1);
  Geometry geometry(problem);
  const DerivedMethod first("pthdel", problem, geometry);
  const Hamiltonization* const found = &geometry.hamiltonization("a test");
  const DerivedMethod second("hdel", problem, geometry);
  EXPECT_EQ(&geometry.hamiltonization("a test"), found) << "it was looked for again";
  ASSERT_TRUE(second.map);
  EXPECT_THROW(Geometry(problem_of("chaplygin-sleigh", 0.1)).hamiltonization("pthdel"), MethodError);
}

/// x'' = -x, known exactly.
class Oscillation final : public Flow {
 public:
  State at(double t) override {
    if (t > 10.0) throw FlowError("it is known up to t = 10 only");
    return {{std::sin(t)}, {std::cos(t)}};
  }
  std::vector<double> save() const override { return {}; }
  void restore(std::span<const double>) override {}
};

TEST(Flows, of_others_run_as_the_reference_does) {
  const Expression x = Expression::symbol("x");
  const System system({x}, 0.5 * sq(Expression::symbol("x'")) - 0.5 * sq(x));
  const Problem problem{system, {}, {{0.0}, {1.0}}, std::numbers::pi / 16};
  RunOptions options;
  options.steps = 40;
  const auto stepper = make_flow_stepper(std::make_unique<Oscillation>(), problem.step);
  const RunResult result = run(*stepper, problem, options);
  EXPECT_EQ(result.outcome, RunOutcome::finished);
  EXPECT_EQ(result.node.q[0], std::sin(40 * problem.step));
  EXPECT_LT(result.statistics.max_energy_error(), 1e-15);

  options.steps = 60;  // beyond what is known: all up to there is kept
  const Checkpoint checkpoint{40, stepper->save(), result.statistics};
  const auto other = make_flow_stepper(std::make_unique<Oscillation>(), problem.step);
  const RunResult resumed = run(*other, problem, options, &checkpoint);
  EXPECT_EQ(resumed.outcome, RunOutcome::failed);
  EXPECT_EQ(resumed.steps, 50);
  EXPECT_EQ(resumed.node.q[0], std::sin(50 * problem.step));
  EXPECT_NE(resumed.failure.find("it is known up to t = 10 only"), std::string::npos) << resumed.failure;
}

}  // namespace method_spec_test
}  // namespace rattleback
