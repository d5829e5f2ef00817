// Which angular velocity the turn of a step has: discretisations of bodies that are known from elsewhere, and what
// becomes of constraints where L_d and D_d do not agree about it.

#include "promises.hpp"
#include "rotating_bodies.hpp"
#include "tests/bodies.hpp"

namespace rattleback {
namespace turn_rate_test {

using test::distance;
using test::known_end;
using test::largest_observed;
using test::problem_of;
using test::rotating_body;
using test::take;

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr const char* turns[] = {"quarter", "chord", "cayley", "sine"};

Matrix3 matrix_at(std::span<const double> numbers) { return Eigen::Map<const Matrix3>(numbers.data()); }
Vector3 vector_at(std::span<const double> numbers) { return {numbers[0], numbers[1], numbers[2]}; }
/// a with â = ½ (m − mᵀ)
Vector3 axis_of(const Matrix3& m) { return 0.5 * Vector3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)); }
Vector3 body_rate(const Matrix3& w, double rate_of_angle(double)) {
  const Eigen::AngleAxisd turn{Eigen::Matrix3d(w)};
  return rate_of_angle(turn.angle()) * turn.axis();
}

TEST(TurnRate, of_chords_has_the_equations_of_moser_and_veselov) {
  // With J = ½ tr(I) 1 − I, L_d = −(1/h) tr(R₀ᵀR₁ J) up to a constant and the momentum in space is that of
  // (1/h) (R₁ J R₀ᵀ − R₀ J R₁ᵀ), the same in every step.
  const double h = 0.4;
  const Problem problem = rotating_body("free-body", h);
  const Matrix3 inertia = [&] {  // the momentum of unit velocities
    Matrix3 columns;
    for (int k : {0, 1, 2}) {
      Problem unit = problem;
      unit.start = {problem.system.space().origin(), {0, 0, 0}};
      unit.start.v[std::size_t(k)] = 1;
      columns.col(k) = vector_at(make_stepper("del", unit)->state().subspan(9, 3));
    }
    return columns;
  }();
  const Matrix3 j = 0.5 * inertia.trace() * Matrix3::Identity() - inertia;
  const auto stepper = make_stepper("del:turn=chord", problem);
  const Vector3 momentum = vector_at(stepper->state().subspan(9, 3));
  double turned = 0.0;
  for (int k = 0; k < 50; ++k) {
    const Matrix3 before = matrix_at(stepper->state());
    take(*stepper, 1);
    const Matrix3 after = matrix_at(stepper->state());
    EXPECT_LT((2.0 / h * axis_of(after * j * before.transpose()) - momentum).norm(), 1e-13);
    turned = std::max(turned, (after - before).norm());
  }
  EXPECT_GT(turned, 0.2);
}

TEST(TurnRate, of_cayley_has_the_equations_that_are_written_on_the_algebra) {
  // Suslov's problem with h Ω = 2 tan(θ/2) n: momenta at the ends are (1 ± (h/2) Ω̂ + (h²/4) ΩΩᵀ) IΩ, and those of two
  // steps agree on Ω₃ = 0.
  const Problem problem = problem_of(read_model(test::suslov(), "suslov.toml"), 0.3);
  Matrix3 inertia;
  inertia << 1, 0, 0.2, 0, 2, -0.3, 0.2, -0.3, 1.5;
  const auto stepper = make_stepper("dla:turn=cayley", problem);
  Vector3 kept = inertia * Vector3(0.7, -0.4, 0);
  for (int k = 0; k < 50; ++k) {
    const Matrix3 before = matrix_at(stepper->state());
    take(*stepper, 1);
    const double h = problem.step;
    const Matrix3 w = before.transpose() * matrix_at(stepper->state());
    const Vector3 rate = body_rate(w, [](double angle) { return 2.0 * std::tan(angle / 2.0); }) / h;
    const Vector3 momentum = inertia * rate;
    const Vector3 along = h * h / 4.0 * rate.dot(momentum) * rate;
    const Vector3 left = momentum + h / 2.0 * rate.cross(momentum) + along;
    const Vector3 right = momentum - h / 2.0 * rate.cross(momentum) + along;
    EXPECT_LT((left - kept).head(2).norm(), 1e-13) << k;
    EXPECT_LT(std::abs(rate[2]), 1e-13);
    kept = right;
  }
}

TEST(TurnRate, keeps_the_order_of_the_method) {
  for (const char* body : {"suslov", "heavy-top", "chaplygin-ball", "rattleback", "braked-ball"}) {
    const auto& [time, end] = known_end(body);
    for (const std::string turn : turns) {
      for (const std::string& method : {"dla:turn=" + turn, "dla:turn=" + turn + ":constraints=midpoint"}) {
        double error[2];
        for (int k : {0, 1}) {
          const int count = (body == std::string("rattleback") ? 5 : 1) * (160 << k);
          const auto stepper = make_stepper(method, rotating_body(body, time / count));
          take(*stepper, count);
          error[k] = distance(stepper->node(), end);
        }
        EXPECT_NEAR(std::log2(error[0] / error[1]), 2.0, 0.1) << body << " " << method;
      }
    }
  }
}

TEST(TurnRate, keeps_the_structure_of_the_method) {
  for (const char* turn : {"chord", "cayley", "sine"}) {
    const std::string method = std::string("dla:turn=") + turn;
    for (const char* body : {"suslov", "heavy-top", "chaplygin-ball"}) {
      EXPECT_LT(largest_observed("symplectic", method, rotating_body(body)), 1e-12) << body << " " << method;
      EXPECT_LT(largest_observed("reversibility", method, rotating_body(body)), 1e-13) << body << " " << method;
      if (body == std::string("heavy-top")) continue;
      EXPECT_LT(largest_observed("discrete-constraint", method, rotating_body(body)), 1e-14) << body << " " << method;
    }
    const Problem veselova = problem_of(read_model(test::veselova(), "veselova.toml"), 0.1);
    EXPECT_LT(largest_observed("reduced-equation", method, veselova), 1e-12) << method;
    const auto full = make_stepper(method, veselova);
    const auto reduced = make_stepper("r" + method, veselova);
    take(*full, 60);
    take(*reduced, 60);
    EXPECT_LT(distance(full->node(), reduced->node()), 1e-11) << method;
  }
}

/// The positions after 60 steps.
std::vector<double> end_of(const std::string& method, const Problem& problem) {
  const auto stepper = make_stepper(method, problem);
  take(*stepper, 60);
  return stepper->node().q;
}

TEST(TurnRate, of_constraints_does_not_matter_where_they_are_constant_in_the_body_or_in_space) {
  // Whatever is parallel to the axis of the turn vanishes on them together with the axis: one D_d.
  for (const std::string& text : {test::suslov(), test::veselova()}) {
    const Problem problem = problem_of(read_model(text, "body.toml"), 0.3);
    for (const std::string turn : turns) {
      const std::vector<double> consistent = end_of("dla:turn=" + turn, problem);
      for (const char* other : {"midpoint", "trapezoidal", "alpha=0.3"})
        EXPECT_LT(distance(consistent, end_of("dla:turn=" + turn + ":constraints=" + other, problem)), 1e-12)
            << turn << " " << other;
    }
  }
  // Where it rolls, the distance and the angle have to agree.
  for (const char* body : {"chaplygin-ball", "rattleback"}) {
    for (const char* turn : {"chord", "cayley", "sine"}) {
      const std::string method = std::string("dla:turn=") + turn;
      double differences[2];
      const double step = *load_model(test::source_file("tests/method/rotating/" + std::string(body) + ".toml")).step;
      for (int k : {0, 1}) {
        const Problem problem = rotating_body(body, step / (4 << k));
        const auto one = make_stepper(method, problem);
        const auto other = make_stepper(method + ":constraints=midpoint", problem);
        take(*one, 60 << k);
        take(*other, 60 << k);
        differences[k] = distance(one->node().q, other->node().q);
      }
      EXPECT_NEAR(std::log2(differences[0] / differences[1]), 2.0, 0.2) << body << " " << turn;
    }
  }
}

/// The largest relative error of the energy of Suslov's problem at nodes, T = 100.
double energy_error(const std::string& method, double step) {
  const Problem problem = problem_of(read_model(test::suslov(), "suslov.toml"), step);
  const auto stepper = make_stepper(method, problem);
  RunOptions options;
  options.steps = std::llround(100.0 / step);
  const RunResult result = run(*stepper, problem, options);
  EXPECT_EQ(result.outcome, RunOutcome::finished) << method << result.failure;
  return result.statistics.max_energy_error();
}

TEST(TurnRate, of_chords_keeps_the_energy_of_suslovs_problem) {
  // docs/chaplygin.md has the proof, and that no other rate does.
  for (const double step : {0.3, 0.15}) EXPECT_LT(energy_error("dla:turn=chord", step), 1e-14);
  EXPECT_LT(energy_error("dla:turn=chord:constraints=trapezoidal", 0.3), 1e-14);
  for (const char* other : {"quarter", "cayley", "sine"}) {
    const std::string method = std::string("dla:turn=") + other;
    const double error = energy_error(method, 0.15);
    EXPECT_GT(error, 1e-4) << other;
    EXPECT_NEAR(std::log2(energy_error(method, 0.3) / error), 2.0, 0.2) << other;
  }
}

TEST(TurnRate, is_refused_where_nothing_turns) {
  const auto message = [](const std::string& method, const Problem& problem) -> std::string {
    try {
      make_method(method, problem);
    } catch (const MethodError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* method : {"dla:turn=chord", "gni:turn=chord", "rdla:turn=chord"})
    EXPECT_EQ(message(method, problem_of("quadratic-particle")),
              "turn says which angular velocity a turn has, and this system has no rotations: drop it")
        << method;
  EXPECT_NE(message("dla:turn=half", rotating_body("free-body")).find("turn must be one of quarter, chord"),
            std::string::npos);
}

}  // namespace turn_rate_test
}  // namespace rattleback
