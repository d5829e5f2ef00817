// Structure of rotating systems under constraints: rolling, and two hinged rotations. What the observers say of tangent
// maps is said again by loops of states, with no derivative of the method.

#include <fstream>
#include <iterator>
#include <numbers>

#include "promises.hpp"
#include "rattleback/expr/graph.hpp"
#include "rotating_bodies.hpp"

namespace rattleback {
namespace rotating_loops_test {

using test::largest_observed;
using test::rotating_body;
using test::take;

// Cortés & Martínez (22), and what is seen where it does not hold.
void expect_form_of_the_paper(const char* name) {
  for (const char* method : {"dla", "dla:trapezoidal", "dla:alpha=0.3", "dla:order=4"})
    EXPECT_LT(largest_observed("symplectic", method, rotating_body(name)), 1e-12) << name << " " << method;
  EXPECT_GT(largest_observed("symplectic", "dla:project=energy", rotating_body(name)), 1e-6) << name;
}

TEST(RotatingTangents, of_a_rattleback_have_the_form_of_the_paper) { expect_form_of_the_paper("rattleback"); }
TEST(RotatingTangents, of_hinged_bodies_have_the_form_of_the_paper_long) { expect_form_of_the_paper("hinged-bodies"); }

/// A body of the tests with a symmetry that its file does not declare.
Problem with_symmetry(const std::string& name, const std::string& symmetry) {
  std::ifstream file(test::source_file("tests/method/rotating/" + name + ".toml"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return test::problem_of(read_model(text + "\n[symmetry]\n" + symmetry, name + ".toml"));
}

TEST(RotatingTangents, have_momenta_that_change_as_constraints_say) {
  // (24): the stone turned about its point of contact, which is a motion inside the constraints; the hinged bodies
  // turned about the vertical.
  const Problem stone = with_symmetry("rattleback", R"toml(group = "SE(2)"
acts_on = ["x", "y", "R"]
[symmetry.sections]
contact = { "translation of x" = "(c + R*r)[2]", "translation of y" = "-(c + R*r)[1]", "rotation of the plane" = "1" }
)toml");
  const Problem hinged = with_symmetry("hinged-bodies", "group = \"SO(2)\"\nacts_on = [\"R\", \"S\"]\n");
  for (const char* method : {"dla", "dla:trapezoidal", "dla:alpha=0.3", "dla:order=4"}) {
    EXPECT_LT(largest_observed("momentum-equation", method, stone), 1e-13) << method;
    EXPECT_LT(largest_observed("momentum-equation", method, hinged), 1e-13) << method;
  }
}

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vector3 axis_of(const Matrix3& m) { return {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)}; }

/// A closed curve of states about one of them, each number and each rotation on a way of its own.
std::vector<std::vector<double>> loop_about(const std::vector<double>& state, const Space& space, int points,
                                            double size) {
  std::vector<std::vector<double>> loop;
  for (int k = 0; k < points; ++k) {
    const double s = 2.0 * std::numbers::pi * k / points;
    const auto wave = [&](std::size_t i) {
      return size * (std::cos(s + 1.7 * double(i)) + 0.5 * std::sin(2.0 * s + 0.9 * double(i * i)));
    };
    std::vector<double> there = state;
    for (std::size_t i = 0; i < space.numbers; ++i) there[i] += wave(i);
    for (std::size_t r = 0; r < space.rotations; ++r) {
      const Vector3 by(wave(11 + 3 * r), wave(12 + 3 * r), wave(13 + 3 * r));
      Eigen::Map<Matrix3> matrix(&there[space.position_of(r)]);
      const Matrix3 turned = Eigen::AngleAxisd(by.norm(), by.normalized()).toRotationMatrix() * matrix;
      matrix = turned;
    }
    for (std::size_t i = space.positions(); i < state.size(); ++i) there[i] += wave(31 + i) * std::abs(state[i]);
    loop.push_back(std::move(there));
  }
  return loop;
}

/// d/ds of a closed curve given by equidistant points, exact for trigonometric polynomials.
std::vector<std::vector<double>> slopes_of(const std::vector<std::vector<double>>& loop) {
  const int n = static_cast<int>(loop.size());
  std::vector<std::vector<double>> slopes(loop.size(), std::vector<double>(loop.front().size()));
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      if (k == j) continue;
      const double weight = ((j - k) % 2 == 0 ? 0.5 : -0.5) / std::tan(std::numbers::pi * (j - k) / n);
      for (std::size_t i = 0; i < slopes[0].size(); ++i) slopes[std::size_t(j)][i] += weight * loop[std::size_t(k)][i];
    }
  }
  return slopes;
}

/// ∮ (p·dq + π·ξ) over a loop of states, δR = ξ̂ R; with covectors of their own, if there are some.
double circulation(const std::vector<std::vector<double>>& loop, const Space& space,
                   const std::vector<std::vector<double>>* covectors = nullptr) {
  const auto slopes = slopes_of(loop);
  double total = 0.0;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const double* const p = covectors == nullptr ? &loop[k][space.positions()] : (*covectors)[k].data();
    for (std::size_t i = 0; i < space.numbers; ++i) total += p[i] * slopes[k][i];
    for (std::size_t r = 0; r < space.rotations; ++r) {
      const Eigen::Map<const Matrix3> matrix(&loop[k][space.position_of(r)]), slope(&slopes[k][space.position_of(r)]);
      const Matrix3 rate = slope * matrix.transpose();
      total += 0.5 * axis_of(rate).dot(Eigen::Map<const Vector3>(p + space.velocity_of(r)));
    }
  }
  return total * 2.0 * std::numbers::pi / double(loop.size());
}

/// β = Aᵀλ at a position, of rotations as seen from space: rows of A are of velocities, and those are of the body.
std::vector<double> impulse(const Problem& problem, const std::vector<double>& q, std::span<const double> lambda) {
  const System& system = problem.system;
  std::unordered_map<Expression, double> here;
  for (std::size_t i = 0; i < q.size() && i < system.coordinates().size(); ++i)
    here.emplace(system.coordinates()[i], q[i]);
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    here.emplace(system.parameters()[i], problem.parameters[i]);
  std::vector<double> beta(system.dimension());
  for (std::size_t row = 0; row < lambda.size(); ++row) {
    for (std::size_t j = 0; j < beta.size(); ++j) {
      for (std::size_t k = 0; k < beta.size(); ++k) here[system.velocities()[k]] = k == j ? 1.0 : 0.0;
      beta[j] += lambda[row] * evaluate(system.velocity_rows()[row], here);
    }
  }
  const Space space = system.space();
  for (std::size_t r = 0; r < space.rotations; ++r) {
    const Eigen::Map<const Matrix3> matrix(&q[space.position_of(r)]);
    Eigen::Map<Vector3> part(&beta[space.velocity_of(r)]);
    const Vector3 seen = matrix * part;
    part = seen;
  }
  return beta;
}

TEST(RotatingTangents, are_those_of_loops) {
  // A step has p₁·dq₁ − p₀·dq₀ = dL_d − β, so that over a loop of states ∮p₁·dq₁ = ∮p₀·dq₀ − ∮β.
  for (const char* name : {"rattleback", "hinged-bodies", "chaplygin-ball", "suslov", "heavy-top"}) {
    for (const char* method : {"dla", "dla:trapezoidal", "dla:alpha=0.3"}) {
      const Problem problem = rotating_body(name);
      const Space space = problem.system.space();
      const Method derived = make_method(method, problem);
      StepMap map(derived, problem, false);
      const auto stepper = make_stepper(method, problem);
      take(*stepper, 5);
      const std::vector<double> state(
          stepper->state().begin(),
          stepper->state().begin() + static_cast<std::ptrdiff_t>(space.positions() + space.velocities()));
      const auto before = loop_about(state, space, 64, 0.01);
      std::vector<std::vector<double>> after, beta;
      for (const auto& there : before) {
        ASSERT_TRUE(map.apply(there, stepper->node().v, problem.start.t, problem.step)) << name << " " << method;
        after.emplace_back(map.state().begin(), map.state().begin() + static_cast<std::ptrdiff_t>(there.size()));
        beta.push_back(impulse(problem, there, map.multipliers()));
      }
      const double first = circulation(before, space);
      const double by_constraints = circulation(before, space, &beta);
      const double second = circulation(after, space);
      const double size = std::abs(first) + std::abs(second) + std::abs(by_constraints);
      EXPECT_NEAR(second, first - by_constraints, 1e-11 * size) << name << " " << method;
      if (name != std::string("heavy-top")) {
        EXPECT_GT(std::abs(by_constraints), 1e-4 * size) << name << " " << method;
      }
    }
  }
}

}  // namespace rotating_loops_test
}  // namespace rattleback
