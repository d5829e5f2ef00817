// What methods keep of bodies whose orientations are coordinates: momenta, orthogonality, the symmetry of space, the
// symplectic form, constraints, energy; and bits, where a run goes on or the lanes of a step do.

#include <numbers>

#include "promises.hpp"
#include "rotating_bodies.hpp"

namespace rattleback {
namespace rotation_structure_test {

using test::distance;
using test::largest_observed;
using test::problem_of;
using test::rotating_body;
using test::take;

TEST(RotatingStructure, of_a_free_body_keeps_its_momentum_and_its_rotation_for_a_million_steps) {
  const Problem problem = rotating_body("free-body");
  for (const char* method : {"dla", "rk4"}) {
    const auto stepper = make_stepper(method, problem);
    const std::vector<double> start(stepper->state().begin(), stepper->state().end());
    RunOptions options;
    options.steps = 1'000'000;
    const RunResult result = run(*stepper, problem, options);
    ASSERT_EQ(result.outcome, RunOutcome::finished) << result.failure;
    if (method == std::string("rk4")) {  // one step towards the nearest rotation leaves the square of its error
      EXPECT_LT(test::orthogonality_defect(result.node.q), 1e-12);
      continue;
    }
    EXPECT_LT(test::orthogonality_defect(result.node.q), 1e-15);
    // The momentum in space keeps its bits; that of the node is the same to the rounding of one solution.
    EXPECT_TRUE(std::ranges::equal(stepper->state().subspan(9, 3), std::span(start).subspan(9, 3)));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(result.statistics.relative_conserved_error(k).value, 1e-14);
    EXPECT_LT(result.statistics.max_energy_error(), 2e-3);
  }
}

TEST(RotatingStructure, is_that_of_space_turned) {
  const std::array<double, 3> vertical{0, 0, 2.1};
  const std::pair<const char*, std::array<double, 3>> turns[] = {
      {"free-body", {0.3, -1.2, 0.8}}, {"heavy-top", vertical}, {"rattleback", vertical},
      {"chaplygin-ball", vertical},    {"suslov", vertical},    {"braked-ball", vertical},
      {"hinged-bodies", vertical}};
  for (const auto& [name, axis_angle] : turns) {
    const test::Turn turn(axis_angle);
    for (const char* method : {"dla", "gni", "rk4"}) {
      const Problem problem = rotating_body(name);
      Problem turned = problem;
      turned.start = turn(problem.system, problem.start);
      const auto stepper = make_stepper(method, problem);
      const auto other = make_stepper(method, turned);
      take(*stepper, 60);
      take(*other, 60);
      EXPECT_LT(distance(turn(problem.system, stepper->node()), other->node()), 1e-12) << name << " " << method;
    }
  }
}

TEST(RotatingStructure, of_angles_depends_on_where_space_has_its_axes) {
  // W of a free body does not depend on its orientation at the start: that of the reference, not that of dla by angles.
  const std::string angles = R"toml(
coordinates = ["psi", "theta", "phi"]
lagrangian = "0.5*dot(W, diag(1.0, 1.7, 2.4)*W)"
definitions = { W = "angular(rotz(psi)*rotx(theta)*rotz(phi))" }
initial = { q = [0, 1, 0], v = [0, 0, 0] }
)toml";
  const auto turning = [](const State& s) {
    const auto& [psi, theta, phi] = std::array{s.v[0], s.v[1], s.v[2]};
    const double across = psi * std::sin(s.q[1]);
    return std::vector{across * std::sin(s.q[2]) + theta * std::cos(s.q[2]),
                       across * std::cos(s.q[2]) - theta * std::sin(s.q[2]), psi * std::cos(s.q[1]) + phi};
  };
  for (const auto& [method, least, most] : {std::tuple{"reference", 0.0, 1e-13}, std::tuple{"dla", 1e-5, 1e-2}}) {
    std::vector<std::vector<double>> ends;
    for (const double tilt : {1.0, 2.0}) {
      Problem problem = problem_of(read_model(angles, "angles.toml"), 0.1);
      const double w[] = {0.3, 0.7, 0.2};
      problem.start = {{0, tilt, 0}, {w[1] / std::sin(tilt), w[0], w[2] - w[1] / std::tan(tilt)}};
      const auto stepper = make_stepper(method, problem);
      take(*stepper, 10);
      ends.push_back(turning(stepper->node()));
    }
    EXPECT_GE(distance(ends[0], ends[1]), least) << method;
    EXPECT_LT(distance(ends[0], ends[1]), most) << method;
  }
}

TEST(RotatingStructure, has_symplectic_forms_with_the_bracket_of_rotations) {
  // Cortés & Martínez (22) on T*(Rⁿ × SO(3)ᵐ); without constraints the step is symplectic.
  for (const char* method : {"dla", "dla:trapezoidal", "dla:alpha=0.3", "dla:order=4"}) {
    EXPECT_LT(largest_observed("symplectic", method, rotating_body("heavy-top")), 1e-12) << method;
    EXPECT_LT(largest_observed("symplectic", method, rotating_body("suslov")), 1e-12) << method;
  }
  for (const char* name : {"free-body", "chaplygin-ball"})
    EXPECT_LT(largest_observed("symplectic", "dla", rotating_body(name)), 1e-12) << name;
  EXPECT_LT(largest_observed("symplectic", "del:sym=0.25", rotating_body("heavy-top", 0.2)), 1e-13);
  EXPECT_GT(largest_observed("symplectic", "dla:project=energy", rotating_body("heavy-top", 0.2)), 1e-6);
}

TEST(RotatingStructure, is_reversible) {
  for (const std::string& name : test::rotating_bodies) {
    for (const char* method : {"dla", "gni"})
      EXPECT_LT(largest_observed("reversibility", method, rotating_body(name)), 1e-13) << name << " " << method;
    if (name == "free-body" || name == "chaplygin-ball") continue;  // every rule is symmetric
    EXPECT_GT(largest_observed("reversibility", "dla:alpha=0.3", rotating_body(name)), 1e-6) << name;
  }
  for (const char* method : {"dla:trapezoidal", "dla:order=6"})
    EXPECT_LT(largest_observed("reversibility", method, rotating_body("suslov")), 1e-13) << method;
  EXPECT_GT(largest_observed("reversibility", "rk4", rotating_body("suslov")), 1e-9);
}

TEST(RotatingStructure, keeps_constraints_where_methods_say) {
  for (const char* name : {"rattleback", "chaplygin-ball", "suslov", "braked-ball"}) {
    EXPECT_LT(largest_observed("discrete-constraint", "dla", rotating_body(name)), 1e-14) << name;
    EXPECT_LT(largest_observed("node-constraint", "gni", rotating_body(name)), 1e-14) << name;
  }
  EXPECT_GT(largest_observed("node-constraint", "rk4", rotating_body("chaplygin-ball")), 1e-9);
  const Problem hinged = rotating_body("hinged-bodies");
  for (const char* method : {"dla", "gni", "reference"}) {
    const auto stepper = make_stepper(method, hinged);
    take(*stepper, 200);
    const std::vector<double>& q = stepper->node().q;
    for (const std::size_t axis : {0u, 1u}) {  // a column of R and the last one of S
      double height = 0.0;
      for (std::size_t row = 0; row < 9; row += 3) height += q[row + axis] * q[9 + row + 2];
      EXPECT_LT(std::abs(height), 4e-15) << method;
    }
  }
}

TEST(RotatingStructure, has_its_energy_where_a_method_is_projected_onto_it) {
  for (const char* name : {"heavy-top", "chaplygin-ball", "suslov"}) {
    for (const char* method : {"dla:project=energy", "gni:project=energy", "rk4:project=energy"}) {
      const Problem problem = rotating_body(name);
      const auto stepper = make_stepper(method, problem);
      RunOptions options;
      options.steps = 200;
      const RunResult result = run(*stepper, problem, options);
      ASSERT_EQ(result.outcome, RunOutcome::finished) << name << " " << method << result.failure;
      EXPECT_LT(result.statistics.max_energy_error(), 1e-14) << name << " " << method;
    }
  }
}

TEST(RotatingStructure, goes_on_to_the_same_bits) {
  for (const char* name : {"chaplygin-ball", "driven-body", "hinged-bodies"}) {
    for (const char* method : {"dla:order=4", "gni", "rk4", "reference"}) {
      const Problem problem = rotating_body(name);
      const auto whole = make_stepper(method, problem);
      take(*whole, 7);
      const auto resumed = make_stepper(method, problem);
      resumed->restore(whole->save());
      take(*whole, 20);
      take(*resumed, 20);
      EXPECT_EQ(whole->node().q, resumed->node().q) << name << " " << method;
      EXPECT_EQ(whole->save(), resumed->save()) << name << " " << method;
    }
  }
}

/// Positions as results have them, and one checkpoint.
struct Recorded final : Recorder {
  std::vector<std::vector<double>> positions;
  std::optional<Checkpoint> kept;
  void record(const Sample& sample) override { positions.emplace_back(sample.q.begin(), sample.q.end()); }
  void checkpoint(const Checkpoint& checkpoint) override { kept = checkpoint; }
};

TEST(RotatingStructure, is_recorded_with_quaternions_that_do_not_jump) {
  const Problem problem = rotating_body("heavy-top");
  const auto run_to = [&](std::int64_t steps, Recorded& recorder, const Checkpoint* from) {
    const auto stepper = make_stepper("dla", problem);
    RunOptions options;
    options.steps = steps;
    options.recorder = &recorder;
    options.checkpoint_interval = 0.0;
    EXPECT_EQ(run(*stepper, problem, options, from).outcome, RunOutcome::finished);
  };
  Recorded whole, first, second;
  run_to(400, whole, nullptr);
  run_to(150, first, nullptr);
  ASSERT_TRUE(first.kept);
  run_to(400, second, &*first.kept);
  bool has_turned = false;
  for (std::size_t k = 1; k < whole.positions.size(); ++k) {
    EXPECT_LT(distance(whole.positions[k], whole.positions[k - 1]), 0.2);
    has_turned = has_turned || whole.positions[k][0] < -0.5;
  }
  EXPECT_TRUE(has_turned);  // further than where w changes its sign
  std::vector<std::vector<double>> both = first.positions;
  both.resize(static_cast<std::size_t>(first.kept->step) + 1);
  both.insert(both.end(), second.positions.begin(), second.positions.end());
  EXPECT_EQ(both, whole.positions);
}

TEST(RotatingStructure, begins_with_two_positions_as_with_one) {
  // q₁ of the method itself leads to the positions that it has from p₀.
  for (const char* name : {"heavy-top", "chaplygin-ball", "suslov", "driven-body", "hinged-bodies", "braked-ball"}) {
    Problem problem = rotating_body(name);
    const auto stepper = make_stepper("dla", problem);
    take(*stepper, 1);
    problem.second_position = stepper->node().q;
    const auto other = make_stepper("dla", problem);
    take(*stepper, 30);
    take(*other, 31);
    EXPECT_LT(distance(stepper->node().q, other->node().q), 1e-12) << name;
  }
}

TEST(RotatingStructure, has_events_where_they_are) {
  // A turn by 1.3 t about the vertical, stopped at a quarter and turned back.
  const std::string model = R"toml(
rotations = ["R"]
lagrangian = "0.5*dot(R.omega, diag(1.0, 2.0, 3.0)*R.omega)"
[initial]
q = { R = { axis = [0, 0, 1], angle = 0 } }
v = { R = [0, 0, 1.3] }
[events]
quarter = { when = "R[1,1]", set = { v = { R = "[0, 0, -0.5*R.omega[3]]" } } }
back = { when = "R[2,1]", direction = "falling", action = "stop" }
)toml";
  const Problem problem = problem_of(read_model(model, "turn.toml"), 0.1);
  for (const char* method : {"reference", "dla:order=6", "rk4"}) {
    const auto stepper = make_stepper(method, problem);
    RunOptions options;
    options.steps = 1000;
    const RunResult result = run(*stepper, problem, options);
    ASSERT_EQ(result.statistics.events.size(), 2u) << method;
    const double quarter = 0.5 * std::numbers::pi / 1.3;
    const double error = method == std::string("rk4") ? 1e-5 : method == std::string("reference") ? 1e-12 : 1e-8;
    EXPECT_NEAR(result.statistics.events[0].time, quarter, error) << method;
    EXPECT_NEAR(result.statistics.events[1].time, 3.0 * quarter, 3.0 * error) << method;
    EXPECT_LT(distance(result.node.q, problem.start.q), 3.0 * error) << method;
  }
}

TEST(RotatingStructure, is_refused_by_methods_that_need_numbers) {
  for (const char* method :
       {"rdla", "hdel", "pthdel", "conformal", "free", "free-modified", "dla:exact", "del:exact"}) {
    for (const char* name : {"free-body", "chaplygin-ball"}) {
      try {
        make_method(method, rotating_body(name));
        ADD_FAILURE() << method << " takes " << name;
      } catch (const RequestError& error) {
        EXPECT_NE(std::string(error.what()).find("R is a rotation"), std::string::npos) << method << error.what();
      }
    }
  }
}

}  // namespace rotation_structure_test
}  // namespace rattleback
