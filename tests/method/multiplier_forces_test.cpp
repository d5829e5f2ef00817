// Forces that contain the multipliers of constraints, as friction does that depends on the force of a contact, against
// solutions in closed form and equations of motion solved by hand, which are integrated by other programs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <ostream>
#include <string>

#include "base/signed_size.hpp"
#include "ida_residual.hpp"
#include "promises.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace multiplier_forces_test {

using Rates = std::function<void(double t, const std::vector<double>& y, std::vector<double>& rate)>;

struct Rubbing {
  const char* name;
  const char* text;
  State start;
  double time;
  Rates motion;  ///< of (q, v, work), solved by hand
};

/// A bead on a wire, a circle of radius 1, g = m = 1. With the angle θ from the bottom and θ̇ > 0 the wire presses with
/// N = θ̇² + cos θ inwards, as long as that is positive, and θ̈ = −sin θ − μ N. The multiplier of x² + y² − 1 is −N/2.
constexpr double bead_mu = 0.2;
const Rubbing bead{"bead",
                   R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - y"
holonomic = [{ wire = "x^2 + y^2 - 1" }]
[definitions]
speed = "sqrt(x'^2 + y'^2)"
"rub(n, v)" = "-0.2*abs(n)*v/speed"
[forces]
x = "rub(2*wire, x')"
y = "rub(2*wire, y')"
)toml",
                   {{0, -1}, {3, 0}},
                   0.8,
                   [](double, const std::vector<double>& y, std::vector<double>& rate) {
                     const double w = y[2] * -y[1] + y[3] * y[0];  // θ̇; (x, y) = (sin θ, −cos θ)
                     const double normal = w * w - y[1];
                     const double spin = -y[0] - bead_mu * std::abs(normal);
                     rate = {y[2], y[3], -y[1] * spin - y[0] * w * w, y[0] * spin - y[1] * w * w,
                             -bead_mu * std::abs(normal) * w};
                   }};

/// A sleigh (m = 1, J = I + m a² = 0.59, a = 0.3) whose blade is rubbed along by μ |λ|, μ = 0.2 + 0.1 sin 3t, and
/// against turning by ν |λ|, ν = 0.25. With the speed u > 0 along the blade, ω > 0 and the force R = |λ| = a ω̇ + u ω
/// across it:
///
///     u̇ = a ω² − μ R,   J ω̇ = −a u ω − ν R,   so that   ω̇ = −u ω (a + ν)/(J + ν a)
const Rubbing sleigh{
    "sleigh",
    R"toml(
coordinates = ["x", "y", "theta"]
lagrangian = "0.5*((x' - 0.3*sin(theta)*theta')^2 + (y' + 0.3*cos(theta)*theta')^2) + 0.25*theta'^2"
constraints = [{ blade = "x'*sin(theta) - y'*cos(theta)" }]
[inputs]
mu = "0.2 + 0.1*sin(3*t)"
[forces]
x = "-mu*abs(blade)*cos(theta)"
y = "-mu*abs(blade)*sin(theta)"
theta = "-0.25*abs(blade)*sign(theta')"
)toml",
    {{0, 0, 0.2}, {std::cos(0.2), std::sin(0.2), 1.5}},
    1.5,
    [](double t, const std::vector<double>& y, std::vector<double>& rate) {
      const double c = std::cos(y[2]);
      const double s = std::sin(y[2]);
      const double u = y[3] * c + y[4] * s;
      const double w = y[5];
      const double spin = -u * w * 0.55 / (0.59 + 0.25 * 0.3);
      const double across = 0.3 * spin + u * w;
      const double mu = 0.2 + 0.1 * std::sin(3 * t);
      const double thrust = 0.3 * w * w - mu * across;
      rate = {
          y[3], y[4], w, thrust * c - u * s * w, thrust * s + u * c * w, spin, -mu * across * u - 0.25 * across * w};
    }};

/// A disk that rolls upright, m = R = 1, I = 0.5, with a resistance c |λ|, c = 0.4, λ being the force in the plane at
/// the contact. ω̇ = −κ ω Ω with κ = c/√(1.5² − c²), Ω constant.
const double disk_kappa = 0.4 / std::sqrt(2.25 - 0.16);
const Rubbing disk{"disk",
                   R"toml(
coordinates = ["x", "y", "theta", "phi"]
lagrangian = "0.5*(x'^2 + y'^2) + 0.25*theta'^2 + 0.125*phi'^2"
constraints = [{ contact = "[x' - cos(phi)*theta', y' - sin(phi)*theta']" }]
[forces]
theta = "-0.4*norm(contact)"
)toml",
                   {{0, 0, 0, 0.3}, {2 * std::cos(0.3), 2 * std::sin(0.3), 2, 1.2}},
                   1.5,
                   [](double, const std::vector<double>& y, std::vector<double>& rate) {
                     const double c = std::cos(y[3]);
                     const double s = std::sin(y[3]);
                     const double w = y[6];
                     const double turn = y[7];
                     const double spin = -disk_kappa * w * turn;
                     rate = {y[4],
                             y[5],
                             w,
                             turn,
                             spin * c - w * turn * s,
                             spin * s + w * turn * c,
                             spin,
                             0.0,
                             -0.4 * std::hypot(spin, w * turn) * w};
                   }};

/// A rod (m = g = l = 1, J = 1/3) that falls with its lower end sliding on the floor, to the left, μ = 0.6:
///
///     N (1 + cos φ (cos φ − μ sin φ)/J) = 1 − φ̇² sin φ,   ẍ = μ N,   J φ̈ = −N (cos φ − μ sin φ)
const Rubbing rod{"rod",
                  R"toml(
coordinates = ["x", "y", "phi"]
lagrangian = "0.5*(x'^2 + y'^2) + phi'^2/6 - y"
holonomic = [{ floor = "y - sin(phi)" }]
[definitions]
tip = "x - cos(phi)"
[inputs]
mu = 0.6
[forces]
x = "-mu*abs(floor)*sign(tip')"
phi = "-mu*abs(floor)*sign(tip')*sin(phi)"
)toml",
                  {{0, std::sin(0.8), 0.8}, {-2, std::cos(0.8) * 0.5, 0.5}},
                  1.2,
                  [](double, const std::vector<double>& y, std::vector<double>& rate) {
                    const double c = std::cos(y[2]);
                    const double s = std::sin(y[2]);
                    const double w = y[5];
                    const double normal = (1.0 - w * w * s) / (1.0 + 3.0 * c * (c - 0.6 * s));
                    const double turn = -3.0 * normal * (c - 0.6 * s);
                    rate = {y[3], y[4], w, 0.6 * normal, normal - 1.0, turn, 0.6 * normal * (y[3] + s * w)};
                  }};

const Rubbing* const all[] = {&bead, &sleigh, &disk, &rod};

System system_of(const Rubbing& rubbing) { return read_model(rubbing.text, rubbing.name).system; }

/// (q, v, work) at the end.
std::vector<double> witness(const Rubbing& rubbing, double time) {
  std::vector<double> y = rubbing.start.q;
  y.insert(y.end(), rubbing.start.v.begin(), rubbing.start.v.end());
  y.push_back(0.0);
  boost::numeric::odeint::bulirsch_stoer<std::vector<double>> stepper(1e-13, 1e-13);
  boost::numeric::odeint::integrate_adaptive(
      stepper,
      [&](const std::vector<double>& now, std::vector<double>& rate, double t) { rubbing.motion(t, now, rate); }, y,
      0.0, time, 0.01);
  return y;
}
std::vector<double> witness(const Rubbing& rubbing) { return witness(rubbing, rubbing.time); }

Trajectory to_the_end(const Rubbing& rubbing, const std::string& method, std::int64_t steps) {
  const System system = system_of(rubbing);
  return integrate(system, method,
                   {rubbing.start.q, rubbing.start.v, rubbing.time / static_cast<double>(steps), steps, 1});
}

double error(const Rubbing& rubbing, const State& end) {
  const std::vector<double> y = witness(rubbing);
  double largest = 0.0;
  for (std::size_t i = 0; i < end.q.size(); ++i) {
    largest = std::max({largest, std::abs(end.q[i] - y[i]), std::abs(end.v[i] - y[end.q.size() + i])});
  }
  return largest;
}

struct OrderCase {
  const Rubbing* system;
  const char* method;
  double order;
  int steps;  ///< then twice as many

  friend void PrintTo(const OrderCase& c, std::ostream* out) { *out << c.method << ", " << c.system->name; }
};

class OrderWithMultipliers : public testing::TestWithParam<OrderCase> {};

std::vector<OrderCase> order_cases() {
  std::vector<OrderCase> cases;
  for (const Rubbing* system : all) {
    for (const auto& [method, order, steps] :
         {std::tuple("dla", 2, 40), std::tuple("dla:trapezoidal", 2, 40), std::tuple("dla:alpha=0.3", 1, 320),
          std::tuple("dla:order=4", 4, 20), std::tuple("dla:order=6", 6, 10), std::tuple("gni", 2, 40),
          std::tuple("gni:trapezoidal", 2, 40), std::tuple("gni:order=4", 4, 40), std::tuple("rk4", 4, 20),
          std::tuple("rk4-index0", 4, 20)}) {
      cases.push_back({system, method, static_cast<double>(order), steps});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Method, OrderWithMultipliers, testing::ValuesIn(order_cases()), [](const auto& p) {
  return test::case_name(std::string(p.param.system->name) + "_" + p.param.method);
});

TEST_P(OrderWithMultipliers, is_that_of_the_method) {
  const auto& [system, method, order, steps] = GetParam();
  const double coarse = error(*system, to_the_end(*system, method, steps).result.node);
  const double fine = error(*system, to_the_end(*system, method, 2 * steps).result.node);
  EXPECT_GT(fine, 1e-11) << "rounding";
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << coarse << ", " << fine;
}

TEST(MultiplierForces, the_reference_meets_equations_by_hand) {
  for (const Rubbing* rubbing : all) {
    const RunResult result = to_the_end(*rubbing, "reference", 40).result;
    EXPECT_LT(error(*rubbing, result.node), 1e-10) << rubbing->name;
    EXPECT_NEAR(result.statistics.work, witness(*rubbing).back(), 1e-8) << rubbing->name;
    EXPECT_LT(result.statistics.max_energy_error(), 1e-9) << rubbing->name;
  }
}

/// u = θ̇² of the bead as a function of the angle: du/dθ = −2 sin θ − 2 μ (u + cos θ), so that
///
///     u = C e^{−2μθ} + ((2 − 4μ²) cos θ − 6 μ sin θ)/(1 + 4μ²)
double squared_speed(double angle) {
  const auto particular = [](double a) {
    return ((2 - 4 * bead_mu * bead_mu) * std::cos(a) - 6 * bead_mu * std::sin(a)) / (1 + 4 * bead_mu * bead_mu);
  };
  return (9.0 - particular(0.0)) * std::exp(-2 * bead_mu * angle) + particular(angle);
}

TEST(MultiplierForces, a_bead_has_the_speed_of_the_closed_form) {
  for (const auto& [method, steps, tolerance] :
       {std::tuple("reference", 10, 1e-10), std::tuple("dla:order=6", 80, 1e-10), std::tuple("rk4", 400, 1e-8)}) {
    const State end = to_the_end(bead, method, steps).result.node;
    const double angle = std::atan2(end.q[0], -end.q[1]);
    const double u = end.v[0] * end.v[0] + end.v[1] * end.v[1];
    EXPECT_GT(angle, 1.5);
    EXPECT_NEAR(u, squared_speed(angle), tolerance) << method;
  }
}

// With ψ = φ₀ + Ω t and ω = ω₀ e^{−κΩt}: θ = θ₀ + ω₀ (1 − e^{−κΩt})/(κΩ), and x + i y is an integral of ω e^{iψ}.
TEST(MultiplierForces, a_disk_rolls_as_the_closed_form_does) {
  const State end = to_the_end(disk, "reference", 10).result.node;
  const double turn = 1.2;
  const double decay = disk_kappa * turn;
  const double left = std::exp(-decay * disk.time);
  EXPECT_NEAR(end.q[2], 2.0 * (1.0 - left) / decay, 1e-10);
  EXPECT_NEAR(end.v[2], 2.0 * left, 1e-10);
  const std::complex<double> rate(-decay, turn);
  const std::complex<double> place =
      2.0 * std::polar(1.0, 0.3) * (std::exp(rate * disk.time) - std::complex(1.0)) / rate;
  EXPECT_NEAR(end.q[0], place.real(), 1e-10);
  EXPECT_NEAR(end.q[1], place.imag(), 1e-10);
}

// The equations with λ as an unknown, differentiated once: y = (q, v, λ). Nothing is solved by hand here.
TEST(MultiplierForces, ida_agrees_with_the_methods) {
  const auto motion = [](double, const double* y, const double* d, double* f) {
    const double c = std::cos(y[2]);
    const double s = std::sin(y[2]);
    const double friction = 0.6 * std::abs(y[6]);  // to the right: the tip slides to the left
    for (int i = 0; i < 3; ++i) f[i] = d[i] - y[3 + i];
    f[3] = d[3] - friction;
    f[4] = d[4] + 1.0 - y[6];
    f[5] = d[5] / 3.0 + c * y[6] - s * friction;
    f[6] = d[4] - c * d[5] + s * y[5] * y[5];
  };
  std::vector<double> start = rod.start.q;
  start.insert(start.end(), rod.start.v.begin(), rod.start.v.end());
  start.push_back(0.7);
  const std::vector<double> y = test::solve_with_ida(motion, start, 1, rod.time);
  for (const char* method : {"reference", "dla:order=6", "rk4"}) {
    const State end = to_the_end(rod, method, 400).result.node;
    EXPECT_LT(test::distance(end.q, std::span(y).first(3)), 1e-8) << method;
    EXPECT_LT(test::distance(end.v, std::span(y).subspan(3, 3)), 1e-8) << method;
  }
}

TEST(MultiplierForces, energy_and_work_balance_to_the_order_of_the_method) {
  for (const Rubbing* rubbing : all) {
    for (const auto& [method, order, steps] : {std::tuple("dla", 2, 80), std::tuple("dla:order=4", 4, 20),
                                               std::tuple("gni", 2, 80), std::tuple("rk4", 4, 40)}) {
      const auto error_of = [&](int count) {
        return to_the_end(*rubbing, method, count).result.statistics.max_energy_error();
      };
      EXPECT_NEAR(std::log2(error_of(steps) / error_of(2 * steps)), order, 0.3) << rubbing->name << ", " << method;
    }
  }
}

TEST(MultiplierForces, symmetric_methods_are_reversible) {
  for (const Rubbing* rubbing : all) {
    Problem problem{system_of(*rubbing), {}, rubbing->start, 0.01};
    problem.parameters = problem.system.parameter_values();
    for (const char* method : {"dla", "dla:trapezoidal", "dla:order=4"}) {
      EXPECT_LT(test::largest_observed("reversibility", method, problem), 1e-13) << rubbing->name << ", " << method;
    }
  }
}

// The bead becomes slow near the top, where the wire presses outwards: |N| has a kink, and goes on.
TEST(MultiplierForces, go_on_where_the_contact_changes_sides) {
  const double time = 1.7;
  const std::vector<double> y = witness(bead, time);
  EXPECT_GT(y[1], 0.6);
  EXPECT_LT(y[2] * y[2] + y[3] * y[3] - y[1], 0.0) << "the force has changed its sign";
  for (const char* method : {"dla", "gni", "rk4", "reference"}) {
    const Trajectory run = integrate(system_of(bead), method, {bead.start.q, bead.start.v, time / 1700, 1700, 1});
    EXPECT_EQ(run.result.outcome, RunOutcome::finished) << run.result.failure;
    EXPECT_LT(test::distance(run.result.node.q, std::span(y).first(2)), 1e-5) << method;
  }
}

/// Why a trajectory does not start, or ends before 100 steps.
std::string failure_of(const std::string& method, const Problem& problem) {
  try {
    const auto stepper = make_stepper(method, problem);
    RunOptions options;
    options.steps = 100;
    const RunResult result = run(*stepper, problem, options);
    EXPECT_EQ(result.outcome, RunOutcome::failed) << method;
    for (const double x : result.node.q) EXPECT_TRUE(std::isfinite(x)) << method;
    return result.failure;
  } catch (const MethodError& error) {
    return error.what();
  }
}

// Painlevé: μ = 2 and cos φ (cos φ − μ sin φ) < −J leave no force with which the rod could slide on. (The equation is
// p N = 1 − φ̇² sin φ with p < 0 for N > 0, and p > 0 for N < 0.)
TEST(MultiplierForces, that_do_not_exist_end_the_run) {
  Model model = read_model(rod.text, "rod", {{"mu", 2.0}});
  for (const char* method : {"dla", "gni", "rk4", "rk4-index0", "reference"}) {
    const Problem problem{model.system, model.system.parameter_values(), {{0, std::sin(1.0), 1}, {-2, 0, 0}}, 0.01};
    const std::string message = failure_of(method, problem);
    EXPECT_NE(message.find("not converged"), std::string::npos) << method << ": " << message;
    EXPECT_NE(message.find("may have no solution, as"), std::string::npos) << method << ": " << message;
  }
}

// With φ̇² sin φ > 1 the same rod has two forces, one that presses and one that pulls: N (1 + 3 cos φ (cos φ ∓ μ sin φ))
// = 1 − φ̇² sin φ. Without friction it pulls, and so it does with it.
TEST(MultiplierForces, of_several_that_exist_the_one_is_taken_that_grows_out_of_the_one_without_friction) {
  const Rubbing pulled{"pulled rod",
                       rod.text,
                       {{0, std::sin(1.0), 1}, {-2, std::cos(1.0) * 1.5, 1.5}},
                       0.1,
                       [](double, const std::vector<double>& y, std::vector<double>& rate) {
                         const double c = std::cos(y[2]);
                         const double s = std::sin(y[2]);
                         const double w = y[5];
                         const double normal = (1.0 - w * w * s) / (1.0 + 3.0 * c * (c + 2.0 * s));
                         const double turn = -3.0 * normal * (c + 2.0 * s);
                         rate = {y[3], y[4], w, -2.0 * normal, normal - 1.0, turn, 0.0};
                       }};
  const Model model = read_model(rod.text, "rod", {{"mu", 2.0}});
  for (const char* method : {"dla", "gni", "rk4", "rk4-index0", "reference"}) {
    const State end = integrate(model.system, method, {pulled.start.q, pulled.start.v, 1e-3, 100, 1}).result.node;
    EXPECT_LT(error(pulled, end), 1e-6) << method;
  }
}

// What holds z = x/2 against gravity is taken away by the force −x λ: λ (1 − x) = 1, which nothing solves at x = 1.
TEST(MultiplierForces, a_joint_system_that_is_singular_ends_the_run) {
  const Model model = read_model(R"toml(
coordinates = ["x", "z"]
lagrangian = "0.5*(x'^2 + z'^2) - z"
holonomic = [{ hold = "z - x/2" }]
[forces]
x = "hold/2"
z = "-x*hold"
[initial]
q = [1, 0.5]
v = [1, 0.5]
)toml",
                                 "singular");
  for (const char* method : {"dla", "gni", "rk4", "reference"}) {
    const std::string message = failure_of(method, test::problem_of(model, 0.01));
    EXPECT_NE(message.find("singular"), std::string::npos) << method << ": " << message;
  }
}

TEST(MultiplierForces, leaps_and_checkpoints_have_the_bits_of_steps) {
  for (const Rubbing* rubbing : all) {
    for (const char* method : {"dla", "dla:order=4", "gni", "rk4"}) {
      Problem problem{system_of(*rubbing), {}, rubbing->start, 0.01};
      problem.parameters = problem.system.parameter_values();
      const auto stepped = make_stepper(method, problem);
      const auto leaping = make_stepper(method, problem);
      const auto resumed = make_stepper(method, problem);
      const ImplicitSystem watched = observables(problem.system);
      ASSERT_TRUE(leaping->watch(make_program(watched.data, watched.outputs)));
      test::take(*stepped, 20);
      resumed->restore(stepped->save());
      test::take(*stepped, 20);
      test::take(*resumed, 20);
      test::take(*leaping, 1);
      Watched values(watched.outputs.size());
      ASSERT_EQ(leaping->leap(values, 39), 39) << rubbing->name << ", " << method;
      EXPECT_EQ(stepped->node().q, leaping->node().q) << rubbing->name << ", " << method;
      EXPECT_EQ(stepped->node().v, leaping->node().v) << rubbing->name << ", " << method;
      EXPECT_EQ(stepped->node().q, resumed->node().q) << rubbing->name << ", " << method;
    }
  }
}

TEST(MultiplierForces, start_from_two_positions) {
  // Two positions of the motion: the run has the order of the method.
  for (const Rubbing* rubbing : {&disk, &rod}) {
    const auto error_with = [&](int steps) {
      const double h = rubbing->time / steps;
      const std::vector<double> second = witness(*rubbing, h);
      Problem problem{system_of(*rubbing), {}, rubbing->start, h};
      problem.parameters = problem.system.parameter_values();
      problem.second_position.emplace(second.begin(), second.begin() + signed_size(rubbing->start.q.size()));
      const auto stepper = make_stepper("dla", problem);
      test::take(*stepper, steps);
      const std::vector<double> end = witness(*rubbing);
      return test::distance(stepper->node().q, std::span(end).first(rubbing->start.q.size()));
    };
    EXPECT_NEAR(std::log2(error_with(80) / error_with(160)), 2.0, 0.3) << rubbing->name;
  }
}

// A force across the motion does no work, however strong the contact is: the energy stays, and algebra does not see it.
TEST(MultiplierForces, that_do_no_work_conserve_the_energy) {
  const Model model = read_model(R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "0.5*(x'^2 + y'^2 + z'^2) - z"
holonomic = [{ bowl = "z - 0.5*(x^2 + y^2)" }]
[forces]
x = "-0.3*bowl*(x*y' - y*x')*y'"
y = "0.3*bowl*(x*y' - y*x')*x'"
[initial]
q = { x = 1 }
v = { y = 0.5 }
[symmetry.generators]
turn = { x = "-y", y = "x" }
)toml",
                                 "bowl");
  const System& s = model.system;
  EXPECT_TRUE(conserves_energy(s, s.parameter_values(), *model.initial));
  EXPECT_TRUE(broken_symmetries(s, s.parameter_values(), *model.initial).empty());
  const RunResult result = integrate(s, "reference", {model.initial->q, model.initial->v, 0.1, 50, 1}).result;
  EXPECT_LT(result.statistics.max_energy_error(), 1e-10);
}

// The multiplier itself tells where the body is: under a turn nothing else changes than what the force does to it.
TEST(MultiplierForces, break_symmetries_that_the_multiplier_does_not_have) {
  const auto broken = [](const char* row) {
    const Model model = read_model(fmt::format(R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2)"
constraints = [{{ slip = "{}" }}]
[forces]
x = "-abs(slip)*x'"
y = "-abs(slip)*y'"
[initial]
q = [1, 0.3]
v = {{ x = 0.5 }}
[symmetry]
fibre = ["x"]
)toml",
                                               row),
                                   "moved");
    return broken_symmetries(model.system, {}, *model.initial);
  };
  EXPECT_TRUE(broken("x' - sin(y)*y'").empty());
  const auto found = broken("(2 + sin(x))*(x' - sin(y)*y')");  // the same constraint, with another multiplier
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].find("the applied force on x is not invariant under translation of x"), std::string::npos)
      << found[0];
}

TEST(MultiplierForces, are_refused_by_methods_that_reduce) {
  for (const char* method : {"rdla", "hdel", "pthdel", "conformal", "free", "free-modified"}) {
    try {
      to_the_end(disk, method, 10);
      FAIL() << method;
    } catch (const MethodError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.find("applied forces contain multipliers of constraints") != std::string::npos ||
                  text.find("there are applied forces") != std::string::npos)
          << text;
    }
  }
}

// In C++ a row's multiplier is a symbol.
TEST(MultiplierForces, can_be_written_in_expressions) {
  const auto [x, y] = coordinates("x", "y");
  SystemDefinition d;
  d.coordinates = {x, y};
  d.lagrangian = 0.5 * (sq(dot(x)) + sq(dot(y))) - y;
  d.holonomic = {sq(x) + sq(y) - 1.0};
  const Expression friction = -0.2 * abs(2.0 * multiplier_symbol(0)) / sqrt(sq(dot(x)) + sq(dot(y)));
  d.applied_forces = {friction * dot(x), friction * dot(y)};
  const System system(d);
  EXPECT_TRUE(system.forces_contain_multipliers());
  const State end = integrate(system, "dla", {bead.start.q, bead.start.v, bead.time / 40, 40, 1}).result.node;
  EXPECT_EQ(end.q, to_the_end(bead, "dla", 40).result.node.q);

  d.applied_forces[0] = multiplier_symbol(1);
  try {
    System wrong(d);
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(),
                 "the applied force on x contains λ(2), the multiplier of a row that does not exist: constraints and "
                 "holonomic constraints have 1 in all");
  }
  d.applied_forces.clear();
  d.lagrangian += multiplier_symbol(0);
  try {
    System wrong(d);
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_STREQ(
        error.what(),
        "the Lagrangian contains λ(1), the multiplier of a constraint, which may stand in applied forces only");
  }
}

}  // namespace multiplier_forces_test
}  // namespace rattleback
