// A system and the maps derived from it, against formulas worked out by hand.

#include "rattleback/mech/dynamics.hpp"
#include "mech/decompositions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {
namespace dynamics_test {

using Numbers = std::vector<double>;

std::vector<Expression> parse_list(const std::vector<std::string>& texts) {
  std::vector<Expression> list;
  for (const std::string& text : texts) list.push_back(parse(text));
  return list;
}

SystemDefinition define(const std::vector<std::string>& coordinates, const std::string& lagrangian,
                        const std::vector<std::string>& constraints = {},
                        const std::vector<std::string>& holonomic = {}, std::vector<Parameter> parameters = {}) {
  SystemDefinition definition;
  definition.coordinates = parse_list(coordinates);
  definition.lagrangian = parse(lagrangian);
  definition.constraints = parse_list(constraints);
  definition.holonomic = parse_list(holonomic);
  definition.parameters = std::move(parameters);
  return definition;
}

System knife_edge() {
  return System(define({"x", "y", "phi"}, "0.5*m*(x'^2 + y'^2) + 0.5*J*phi'^2 + m*g*x*sin(alpha)",
                       {"x'*sin(phi) - y'*cos(phi)"}, {}, {{"m", 1.7}, {"J", 0.6}, {"g", 9.81}, {"alpha", 0.3}}));
}

System sleigh(double m = 1.0, double inertia = 1.0, double a = 1.0, double g = 0.1) {
  return System(define({"x", "y", "theta"},
                       "0.5*(m*(x'^2 + y'^2) + (I + m*a^2)*theta'^2 + 2*m*a*theta'*(y'*cos(theta) - x'*sin(theta)))"
                       "- m*g*(y + a*sin(theta))",
                       {"y'*cos(theta) - x'*sin(theta)"}, {}, {{"m", m}, {"I", inertia}, {"a", a}, {"g", g}}));
}

System pendulum() {
  return System(define({"x", "y"}, "0.5*m*(x'^2 + y'^2) - m*g*y", {}, {"x^2 + y^2 - l^2"},
                       {{"m", 0.8}, {"g", 9.81}, {"l", 1.3}}));
}

/// Both kinds of constraint, masses that depend on the position: a blade on a sphere, sort of.
System blade_on_sphere() {
  return System(define({"x", "y", "z"}, "0.5*((1 + z^2)*x'^2 + y'^2 + 2*z'^2 + x*x'*y') - z", {"y' - x*z'"},
                       {"x^2 + y^2 + z^2 - 4"}));
}

/// A bead on a table that turns: an affine constraint.
System turning() {
  return System(define({"x", "y", "z"}, "0.5*(x'^2 + 2*y'^2 + z'^2) - 0.5*x^2", {"x' + W*y - z*z'"}, {}, {{"W", 0.7}}));
}

/// No quadratic form: relativistic kinetic energy, an exponential, and mixed terms.
System relativistic() { return System(define({"x", "y"}, "-(1 + x^2)*sqrt(1 - x'^2 - y'^2) + 0.1*x'*y")); }
System exponential() { return System(define({"x", "y"}, "exp(x' + y) + exp(y' - x') + x*y'", {})); }

class Random {
 public:
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
  Numbers numbers(std::size_t n, double low, double high) {
    Numbers list(n);
    for (double& x : list) x = number(low, high);
    return list;
  }

 private:
  std::mt19937_64 generator_{20240229};
};

Numbers joined(std::initializer_list<Numbers> parts) {
  Numbers all;
  for (const Numbers& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// A map of the system at a point. The data end with the parameters.
class Map {
 public:
  explicit Map(ImplicitSystem map, const System& system)
      : step_(std::move(map), 1, Backend::interpreted), parameters_(system.parameter_values()) {}

  Numbers operator()(const Numbers& point) {
    Numbers data = joined({point, parameters_});
    EXPECT_EQ(data.size(), step_.system().data.size());
    Numbers outputs(step_.system().outputs.size());
    if (step_.run(data, outputs) != 1) ADD_FAILURE() << step_.describe(step_.reports()[0]);
    return outputs;
  }

 private:
  Step step_;
  Numbers parameters_;
};

/// Expressions of a system as numbers at (q, v).
Numbers values(const System& system, const std::vector<Expression>& functions, const Numbers& q, const Numbers& v) {
  const auto inputs = state_and_parameters(system);
  return Interpreter<double>(make_program(inputs, functions))(joined({q, v, system.parameter_values()}));
}

Eigen::MatrixXd matrix(const System& system, const SparseMatrix& of, const Numbers& q, const Numbers& v) {
  Eigen::MatrixXd result(of.rows, of.columns);
  for (int i = 0; i < of.rows; ++i) {
    for (int j = 0; j < of.columns; ++j) result(i, j) = values(system, {of.at(i, j)}, q, v)[0];
  }
  return result;
}

Eigen::Map<const Eigen::VectorXd> as_vector(const Numbers& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// How far x is from being a combination of the rows of a.
double distance_to_row_space(const Eigen::MatrixXd& a, const Eigen::VectorXd& x) {
  const Eigen::MatrixXd columns = a.transpose();
  return (x - columns * nearest_solution(columns, x)).norm();
}

double largest(const Numbers& x) { return x.empty() ? 0.0 : as_vector(x).cwiseAbs().maxCoeff(); }

void expect_near(const Numbers& found, const Numbers& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "entry " << i;
}

// ---- objects that follow by differentiation ----

TEST(System, momenta_forces_energy_and_mass_of_a_polar_particle) {
  const System s(define({"r", "phi"}, "0.5*m*(r'^2 + r^2*phi'^2) + k/r", {}, {}, {{"m", 3.0}, {"k", 2.0}}));
  const double r = 1.7;
  const double vr = -0.4;
  const double w = 0.9;
  const Numbers q{r, 0.2};
  const Numbers v{vr, w};
  expect_near(values(s, s.momenta(), q, v), {3 * vr, 3 * r * r * w}, 1e-14);
  expect_near(values(s, s.forces(), q, v), {3 * r * w * w - 2 / (r * r), 0.0}, 1e-14);
  expect_near(values(s, {s.energy()}, q, v), {1.5 * (vr * vr + r * r * w * w) - 2 / r}, 1e-14);
  const Eigen::MatrixXd mass = matrix(s, s.mass_matrix(), q, v);
  EXPECT_LT((mass - Eigen::Vector2d(3, 3 * r * r).asDiagonal().toDenseMatrix()).norm(), 1e-14);
  EXPECT_TRUE(s.velocity_rows().empty());
  EXPECT_FALSE(s.is_affine());
}

TEST(System, energy_of_a_lagrangian_that_is_not_quadratic) {
  // E = v·L_v − L: for −√(1 − v²) it is 1/√(1 − v²), for e^v it is (v − 1) e^v, and terms linear in v drop out.
  const System relative(define({"x"}, "-sqrt(1 - x'^2)"));
  expect_near(values(relative, {relative.energy()}, {0.3}, {0.6}), {1.25}, 1e-15);
  const System rapid(define({"x"}, "exp(x') + x^3*x'"));
  expect_near(values(rapid, {rapid.energy()}, {0.3}, {0.5}), {-0.5 * std::exp(0.5)}, 1e-15);
}

TEST(System, energy_adds_up_terms_of_one_degree_in_the_velocities_once) {
  const System natural(define({"x", "y"}, "0.5*m*(x'^2 + y'^2) - k*(x^2 + y^2)", {}, {}, {{"m", 3.0}, {"k", 2.0}}));
  EXPECT_EQ(natural.energy(), parse("0.5*m*(x'^2 + y'^2) + k*(x^2 + y^2)"));
  // Degrees 2, 1, 0 and −1 in one sum, a square of a sum of degrees 1 and 0, a function of a velocity, and a constant.
  const System mixed(
      define({"x", "y"}, "2*(x*x'^2 + y*x'*y' + x*y' + sin(y) + 7) + 0.3*(x' + y)^2 + cos(x*y') + y/x'"));
  const double x = 0.7, y = -0.4, v = 0.9, w = 1.3;
  const double expected = 2 * (x * v * v + y * v * w - std::sin(y) - 7) + 0.3 * (v * v - y * y) -
                          x * w * std::sin(x * w) - std::cos(x * w) - 2 * y / v;
  expect_near(values(mixed, {mixed.energy()}, {x, y}, {v, w}), {expected}, 1e-14);
}

TEST(System, rows_are_constraints_then_derivatives_of_holonomic_ones) {
  const System s = blade_on_sphere();
  const Numbers q{0.5, -1.2, 0.8};
  const Numbers v{0.3, 0.7, -0.4};
  ASSERT_EQ(s.velocity_rows().size(), 2U);
  expect_near(values(s, s.velocity_rows(), q, v), {0.7 + 0.5 * 0.4, 2 * (0.5 * 0.3 - 1.2 * 0.7 - 0.8 * 0.4)}, 1e-14);
  Eigen::MatrixXd expected(2, 3);
  expected << 0, 1, -0.5, 1, -2.4, 1.6;
  EXPECT_LT((matrix(s, s.constraint_matrix(), q, v) - expected).norm(), 1e-14);
  EXPECT_EQ(s.row_name(0), "constraint 1");
  EXPECT_EQ(s.row_name(1), "holonomic constraint 1");
  EXPECT_FALSE(s.is_affine());
}

TEST(System, affine_part_is_what_is_left_at_rest) {
  const System s = turning();
  EXPECT_TRUE(s.is_affine());
  expect_near(values(s, s.affine_part(), {1, 2, 3}, {4, 5, 6}), {0.7 * 2}, 1e-15);
}

TEST(System, observables_are_energy_rows_heights_and_conserved_quantities) {
  SystemDefinition d = define({"x", "y"}, "0.5*(x'^2 + y'^2) - y", {}, {"x^2 + y^2 - 1"});
  d.conserved = {{"speed", parse("x'^2 + y'^2")}};
  const System s(d);
  expect_near(values(s, observables(s).outputs, {0.6, 0.9}, {2, 3}),
              {6.5 + 0.9, 1.2 * 2 + 1.8 * 3, 0.36 + 0.81 - 1, 13}, 1e-14);
}

// ---- accelerations and multipliers ----

TEST(Accelerations, of_the_knife_edge_on_an_incline) {
  // m ẍ = m g sin α + λ sin φ, m ÿ = −λ cos φ, J φ̈ = 0; the derivative of ẋ sin φ − ẏ cos φ gives
  // λ = −m (g sin α sin φ + φ̇ u) with u = ẋ cos φ + ẏ sin φ.
  const System s = knife_edge();
  const double m = 1.7;
  const double slope = 9.81 * std::sin(0.3);
  Map map(accelerations(s), s);
  Random random;
  for (int sample = 0; sample < 50; ++sample) {
    const Numbers q = random.numbers(3, -3, 3);
    const Numbers v = random.numbers(3, -2, 2);
    const double c = std::cos(q[2]);
    const double sine = std::sin(q[2]);
    const double lambda = -m * (slope * sine + v[2] * (v[0] * c + v[1] * sine));
    expect_near(map(joined({q, v})), {slope + lambda * sine / m, -lambda * c / m, 0.0, lambda}, 1e-12);
  }
}

TEST(Accelerations, of_the_sleigh) {
  // Evensberget (3.23) without its misprints. With u = ẋ cos θ + ẏ sin θ and the derivative of the constraint,
  // ÿ cos θ − ẍ sin θ = θ̇ u:   θ̈ = −m a (θ̇ u + g cos θ)/(I + m a²),   ẍ cos θ + ÿ sin θ = a θ̇² − g sin θ,
  // λ = m (θ̇ u + a θ̈ + g cos θ).
  const double m = 1.3;
  const double inertia = 0.7;
  const double a = 0.4;
  const double g = 2.1;
  const System s = sleigh(m, inertia, a, g);
  Map map(accelerations(s), s);
  Random random;
  for (int sample = 0; sample < 50; ++sample) {
    const Numbers q = random.numbers(3, -3, 3);
    const Numbers v = random.numbers(3, -2, 2);
    const double c = std::cos(q[2]);
    const double sine = std::sin(q[2]);
    const double across = v[2] * (v[0] * c + v[1] * sine);
    const double along = a * v[2] * v[2] - g * sine;
    const double turning_rate = -m * a * (across + g * c) / (inertia + m * a * a);
    const double lambda = m * (across + a * turning_rate + g * c);
    expect_near(map(joined({q, v})), {along * c - across * sine, along * sine + across * c, turning_rate, lambda},
                1e-12);
  }
}

TEST(Accelerations, multiplier_of_the_thesis) {
  // Experiment Setup 3.6 states λ₀ = 1/20 for m = I = a = 1 and, so it follows, g = 1/10.
  const System s = sleigh();
  expect_near(Map(accelerations(s), s)({1, 0, 0, 0, 0, 0}), {0, 0, -0.05, 0.05}, 1e-16);
}

TEST(Accelerations, of_a_pendulum_also_beside_its_circle) {
  // m ẍ = 2 x μ, m ÿ = −m g + 2 y μ; with g̈ + 2γ ġ + γ² g = 0 (γ = 0: plain index 1)
  // μ = −m (ẋ² + ẏ² − g y + 2γ (x ẋ + y ẏ) + ½ γ² (r² − l²))/(2 r²).
  const System s = pendulum();
  Random random;
  for (const double damping : {0.0, 1.0, 2.5}) {
    Map map(accelerations(s, damping), s);
    for (int sample = 0; sample < 30; ++sample) {
      const double angle = random.number(-3, 3);
      const double r = random.number(0.5, 2);
      const Numbers q{r * std::cos(angle), r * std::sin(angle)};
      const Numbers v = random.numbers(2, -2, 2);
      const double mu = -0.8 *
                        (v[0] * v[0] + v[1] * v[1] - 9.81 * q[1] + 2 * damping * (q[0] * v[0] + q[1] * v[1]) +
                         0.5 * damping * damping * (r * r - 1.3 * 1.3)) /
                        (2 * r * r);
      expect_near(map(joined({q, v})), {2 * q[0] * mu / 0.8, -9.81 + 2 * q[1] * mu / 0.8, mu}, 2e-12);
    }
  }
}

TEST(Accelerations, of_affine_constraints_feel_their_affine_part) {
  // ẍ = −x + λ, 2 ÿ = 0, z̈ = −z λ, and ẍ + W ẏ − ż² − z z̈ = 0: λ (1 + z²) = x − W ẏ + ż².
  const System s = turning();
  Map map(accelerations(s), s);
  Random random;
  for (int sample = 0; sample < 20; ++sample) {
    const Numbers q = random.numbers(3, -2, 2);
    const Numbers v = random.numbers(3, -2, 2);
    const double lambda = (q[0] - 0.7 * v[1] + v[2] * v[2]) / (1 + q[2] * q[2]);
    expect_near(map(joined({q, v})), {lambda - q[0], 0, -q[2] * lambda, lambda}, 1e-13);
  }
}

TEST(Accelerations, of_a_relativistic_particle) {
  // L = −√(1 − v²) − x: p = v/√(1 − v²), ṗ = −1, so a = −(1 − v²)^(3/2).
  const System s(define({"x"}, "-sqrt(1 - x'^2) - x"));
  Map map(accelerations(s), s);
  for (const double v : {-0.9, 0.0, 0.3, 0.99}) expect_near(map({0.4, v}), {-std::pow(1 - v * v, 1.5)}, 1e-13);
}

TEST(Accelerations, equations_are_named) {
  const System s = blade_on_sphere();
  const auto names = equation_names(s);
  ASSERT_EQ(names.size(), accelerations(s).residuals.size());
  EXPECT_NE(names[1].find('y'), std::string::npos);
  EXPECT_NE(names[3].find("constraint 1"), std::string::npos);
  EXPECT_NE(names[4].find("holonomic constraint 1"), std::string::npos);
}

// ---- momenta and velocities ----

TEST(Legendre, and_its_inverse_undo_each_other) {
  Random random;
  for (const System& s : {sleigh(1.3, 0.7, 0.4, 2.1), blade_on_sphere(), relativistic(), exponential()}) {
    Map forward(legendre(s), s);
    Map backward(inverse_legendre(s), s);
    for (int sample = 0; sample < 30; ++sample) {
      const Numbers q = random.numbers(s.dimension(), -1, 1);
      const Numbers v = random.numbers(s.dimension(), -0.65, 0.65);  // slower than light
      const Numbers p = forward(joined({q, v}));
      expect_near(p, values(s, s.momenta(), q, v), 1e-14);
      const Numbers back = backward(joined({q, p}));
      expect_near(back, v, 1e-13);
      expect_near(forward(joined({q, back})), p, 1e-13);
    }
  }
}

TEST(Legendre, inverse_of_the_relativistic_momentum) {
  // p = v/√(1 − v²), v = p/√(1 + p²): also for momenta at which the first Newton step is faster than light.
  const System s(define({"x"}, "-sqrt(1 - x'^2)"));
  Map backward(inverse_legendre(s), s);
  for (const double p : {-0.5, 1e-9, 0.9, 1.5, 4.0, 30.0})
    expect_near(backward({0.0, p}), {p / std::sqrt(1 + p * p)}, 1e-13);
}

TEST(AdmissibleVelocity, obeys_the_constraints_up_to_their_forces) {
  Random random;
  const System fast(define({"x", "y", "z"}, "-sqrt(4 - x'^2 - y'^2 - z'^2)", {"z' - y*x'"}));
  for (const System& s : {sleigh(1.3, 0.7, 0.4, 2.1), knife_edge(), turning(), blade_on_sphere(), fast}) {
    Map map(admissible_velocity(s), s);
    for (int sample = 0; sample < 30; ++sample) {
      const Numbers q = random.numbers(s.dimension(), -1, 1);
      const Numbers p = random.numbers(s.dimension(), -0.5, 0.5);
      const Numbers v = map(joined({q, p}));
      EXPECT_LT(largest(values(s, s.velocity_rows(), q, v)), 1e-14);
      const Eigen::VectorXd rest = as_vector(p) - as_vector(values(s, s.momenta(), q, v));
      EXPECT_LT(distance_to_row_space(matrix(s, s.constraint_matrix(), q, v), rest), 1e-13);
    }
  }
}

TEST(AdmissibleVelocity, leaves_an_admissible_velocity_alone) {
  const System s = sleigh(1.3, 0.7, 0.4, 2.1);
  const Numbers q{0.2, 0.3, 0.9};
  const Numbers v{0.7 * std::cos(0.9), 0.7 * std::sin(0.9), -0.4};
  expect_near(Map(admissible_velocity(s), s)(joined({q, values(s, s.momenta(), q, v)})), v, 1e-14);
}

// ---- projection ----

TEST(Projection, lands_on_the_constraints_at_the_nearest_velocity) {
  Random random;
  for (const System& s : {sleigh(1.3, 0.7, 0.4, 2.1), knife_edge(), turning(), pendulum(), blade_on_sphere()}) {
    Map map(projection(s), s);
    const std::size_t n = s.dimension();
    for (int sample = 0; sample < 30; ++sample) {
      Numbers q = random.numbers(n, -0.1, 0.1);
      q[0] += s.holonomic().empty() ? 0.4 : 0.9;
      q[1] += 1.1;
      q[n - 1] += s.dimension() == 2 ? -0.4 : 1.2;
      const Numbers v = random.numbers(n, -1, 1);
      const Numbers found = map(joined({q, v}));
      const Numbers new_q(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
      const Numbers new_v(found.begin() + static_cast<std::ptrdiff_t>(n), found.end());
      EXPECT_LT(largest(values(s, s.holonomic(), new_q, new_v)), 1e-14);
      EXPECT_LT(largest(values(s, s.velocity_rows(), new_q, new_v)), 1e-14);
      // M (q − q̂) is a combination of rows at q̂, those of A annihilate q − q̂; M (v − v̂) is one of rows at q.
      const Eigen::VectorXd shift = as_vector(new_q) - as_vector(q);
      if (s.holonomic().empty()) {
        EXPECT_EQ(shift.norm(), 0.0);
      } else {
        const Eigen::MatrixXd rows = matrix(s, s.constraint_matrix(), q, v);
        EXPECT_GT(shift.norm(), 1e-3);
        EXPECT_LT(distance_to_row_space(rows, matrix(s, s.mass_matrix(), q, v) * shift), 1e-13);
        EXPECT_LT((rows.topRows(static_cast<Eigen::Index>(s.constraints().size())) * shift).norm(), 1e-14);
      }
      const Eigen::VectorXd impulse = matrix(s, s.mass_matrix(), new_q, v) * (as_vector(new_v) - as_vector(v));
      EXPECT_LT(distance_to_row_space(matrix(s, s.constraint_matrix(), new_q, new_v), impulse), 1e-13);
    }
  }
}

TEST(Projection, leaves_consistent_states_alone) {
  const System s = sleigh(1.3, 0.7, 0.4, 2.1);
  const Numbers consistent{0.2, 0.3, 0.9, 0.7 * std::cos(0.9), 0.7 * std::sin(0.9), -0.4};
  expect_near(Map(projection(s), s)(consistent), consistent, 4e-16);
  const System swing = pendulum();
  for (const double angle : {0.1, 1.0, 2.0, 4.0}) {
    const double c = std::cos(angle);
    const double sine = std::sin(angle);
    const Numbers state{1.3 * c, 1.3 * sine, -0.6 * sine, 0.6 * c};
    expect_near(Map(projection(swing), swing)(state), state, 1e-15);
  }
}

// ---- the underlying ODE ----

/// Compares λ̇ with a difference quotient of λ along the reference solution, of sixth order with step 0.002: its error
/// is h⁶/140 of the seventh derivative, and some 1e-12 from rounding.
void expect_rates_of_multipliers(const System& s, const State& start) {
  ReferenceFlow flow({s, s.parameter_values(), start, 0.1});
  Map motion(accelerations(s), s);
  Map rates(index_zero_rates(s), s);
  const std::size_t n = s.dimension();
  const std::size_t m = s.velocity_rows().size();
  const auto multipliers = [&](double t) {
    const State state = flow.at(t);
    const Numbers all = motion(joined({state.q, state.v}));
    return Numbers(all.begin() + static_cast<std::ptrdiff_t>(n), all.end());
  };
  for (const double t : {0.3, 1.0, 2.2}) {
    const double h = 0.002;
    Numbers quotient(m, 0.0);
    constexpr std::array weights{45.0 / 60, -9.0 / 60, 1.0 / 60};
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double distance = static_cast<double>(k + 1) * h;
      const Numbers before = multipliers(t - distance);
      const Numbers after = multipliers(t + distance);
      for (std::size_t i = 0; i < m; ++i) quotient[i] += weights[k] * (after[i] - before[i]) / h;
    }
    const State state = flow.at(t);
    const Numbers all = rates(joined({state.q, state.v, multipliers(t)}));
    ASSERT_EQ(all.size(), 2 * n + m);
    expect_near(Numbers(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)), state.v, 0.0);
    const Numbers index_one = motion(joined({state.q, state.v}));
    expect_near(Numbers(all.begin() + static_cast<std::ptrdiff_t>(n), all.begin() + static_cast<std::ptrdiff_t>(2 * n)),
                Numbers(index_one.begin(), index_one.begin() + static_cast<std::ptrdiff_t>(n)), 1e-12);
    const Numbers found(all.begin() + static_cast<std::ptrdiff_t>(2 * n), all.end());
    expect_near(found, quotient, 1e-9 * (1 + largest(quotient)));
    EXPECT_GT(largest(quotient), 1e-3) << "nothing is tested where λ hardly changes";
  }
}

TEST(IndexZero, rate_of_the_multiplier_of_the_sleigh) {
  expect_rates_of_multipliers(sleigh(1.3, 0.7, 0.4, 2.1),
                              {{0, 0, 0.3}, {0.5 * std::cos(0.3), 0.5 * std::sin(0.3), 0.8}});
}
TEST(IndexZero, rate_of_the_multiplier_of_a_pendulum) { expect_rates_of_multipliers(pendulum(), {{1.3, 0}, {0, 0.7}}); }
TEST(IndexZero, rates_of_both_kinds_of_multipliers) {
  // v is orthogonal to the two rows (0, 1, −x) and (x, y, z) at q.
  const Numbers q{1.2, 1.2, std::sqrt(4 - 2 * 1.44)};
  const double w = 0.5;
  const Numbers v{-(q[1] * q[0] + q[2]) * w / q[0], q[0] * w, w};
  expect_rates_of_multipliers(blade_on_sphere(), {q, v});
}
TEST(IndexZero, rate_of_the_multiplier_of_an_affine_constraint) {
  expect_rates_of_multipliers(turning(), {{0.5, 0.4, 1.0}, {-0.7 * 0.4 + 1.0 * 0.6, 0.3, 0.6}});
}

// ---- what is no system ----

void expect_error(const SystemDefinition& definition, SystemError::Part part, int index,
                  const std::vector<std::string>& words) {
  try {
    const System system(definition);
    ADD_FAILURE() << "accepted; expected an error with '" << words[0] << "'";
  } catch (const SystemError& error) {
    EXPECT_EQ(static_cast<int>(error.part()), static_cast<int>(part)) << error.what();
    EXPECT_EQ(error.index(), index) << error.what();
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.what();
    }
  }
}

using Part = SystemError::Part;
const char* const plane = "0.5*(x'^2 + y'^2)";

TEST(SystemError, nonlinear_constraint_names_its_term) {
  expect_error(define({"x", "y"}, plane, {"x' - y*y'", "x' + 3*y'^2 - x"}), Part::constraints, 1,
               {"constraint 2", "not linear", "3*y'^2"});
  expect_error(define({"x", "y"}, plane, {"sin(x') + y'"}), Part::constraints, 0, {"constraint 1", "sin(x')"});
  expect_error(define({"x", "y"}, plane, {"x'*y'"}), Part::constraints, 0, {"constraint 1", "x'*y'"});
}

TEST(SystemError, constraint_without_velocities_belongs_elsewhere) {
  expect_error(define({"x", "y"}, plane, {"x^2 + y^2 - 1"}), Part::constraints, 0,
               {"constraint 1", "no velocity", "holonomic"});
}

TEST(SystemError, holonomic_constraint_has_positions_only) {
  expect_error(define({"x", "y"}, plane, {}, {"x^2 - 1", "x*y'"}), Part::holonomic, 1,
               {"holonomic constraint 2", "y'", "velocit"});
  expect_error(define({"x", "y"}, plane, {}, {"l - 1"}, {{"l", 1}}), Part::holonomic, 0,
               {"holonomic constraint 1", "no coordinate"});
}

TEST(SystemError, unknown_symbols_are_named) {
  expect_error(define({"x", "y"}, "0.5*m*x'^2 + y'^2"), Part::lagrangian, 0, {"Lagrangian", "contains m"});
  expect_error(define({"x", "y"}, plane, {"x' - z*y'"}), Part::constraints, 0, {"constraint 1", "contains z"});
  expect_error(define({"x"}, "0.5*x'^2 + m'*x", {}, {}, {{"m", 1}}), Part::lagrangian, 0, {"m'", "constant"});
}

TEST(SystemError, names_must_be_distinct_and_values_finite) {
  expect_error(define({}, "1"), Part::coordinates, 0, {"at least one coordinate"});
  expect_error(define({"x", "y", "x"}, plane), Part::coordinates, 2, {"x", "twice"});
  expect_error(define({"x", "y + 1"}, plane), Part::coordinates, 1, {"must be a name"});
  expect_error(define({"x", "y'"}, plane), Part::coordinates, 1, {"y'", "velocity"});
  expect_error(define({"x", "y"}, plane, {}, {}, {{"k", 1}, {"y", 2}}), Part::parameters, 1, {"parameter y"});
  expect_error(define({"x", "y"}, plane, {}, {}, {{"k", std::numeric_limits<double>::quiet_NaN()}}), Part::parameters,
               0, {"parameter k", "finite"});
}

TEST(SystemError, declared_knowledge_is_checked_for_its_symbols) {
  SystemDefinition exact = define({"x", "y"}, plane);
  exact.exact = {parse("x + x'*t"), parse("y + w*t")};
  expect_error(exact, Part::exact, 1, {"exact solution of y", "contains w"});
  exact.exact = {parse("x + x'*t")};
  expect_error(exact, Part::exact, 0, {"1", "2 coordinates"});
  SystemDefinition conserved = define({"x", "y"}, plane);
  conserved.conserved = {{"momentum", parse("x'")}, {"other", parse("y' + s")}};
  expect_error(conserved, Part::conserved, 1, {"other", "contains s"});
  SystemDefinition symmetric = define({"x", "y"}, plane);
  symmetric.symmetries = {{"shift", {Expression(1.0)}}};
  expect_error(symmetric, Part::symmetry, 0, {"shift", "1 components", "expected 2"});
  symmetric.symmetries = {{"shift", {Expression(1.0), parse("x'")}}};
  expect_error(symmetric, Part::symmetry, 0, {"shift", "x'", "velocity"});
  symmetric.symmetries = {{"shift", {Expression(1.0), parse("t")}}};
  expect_error(symmetric, Part::symmetry, 0, {"shift", "t, which is the time"});
}

}  // namespace dynamics_test
}  // namespace rattleback
