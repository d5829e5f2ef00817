// Systems that depend on time: what methods give for them against numbers that were integrated from equations of motion
// written by hand (Gragg, Bulirsch & Stoer in Python, 200 steps of six columns; 100 steps agree to 1e-13), the orders
// of the methods there, the balance of energy and work, and that nothing else notices that there is a time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "ida_residual.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace driven_test {

struct Driven {
  const char* name;
  const char* text;
  State start;
  State end;    ///< at t = 2
  double work;  ///< done until then
};

const double at_angle[] = {std::cos(0.2), std::sin(0.2)};

/// A constraint that moves and bends, ż = a y ẋ + b with a = 1 + 0.3 sin t and b = 0.2 cos 2t:
///
///     ẍ = −x − a y λ,   ÿ = −y,   z̈ = λ = (ȧ y ẋ + a ẏ ẋ + ḃ − a y x)/(1 + a² y²),   Ẇ = λ b
const Driven moving{
    "moving constraint",
    R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "0.5*(x'^2 + y'^2 + z'^2) - 0.5*(x^2 + y^2)"
constraints = ["z' - (1 + 0.3*sin(t))*y*x' - 0.2*cos(2*t)"]
)toml",
    {{1, 0.5, 0}, {0.3, 1, 0.35}},
    {{0.7621595404774, 0.7012240085521, -0.3966567635275}, {-0.5369378480876, -0.87079554996, -0.6099513187013}},
    0.0143650145176};

/// A mass μ = 1 + 0.2 sin t and a spring k = 1 + 0.5 cos 3t:
///
///     μ (1 + y²) ẍ = −k x − μ̇ ẋ − y (μ ẏ ẋ + μ̇ ż),   μ ÿ = −k y − μ̇ ẏ,   ż = y ẋ,   Ẇ = −½ μ̇ |v|² + ½ k̇ (x² + y²)
const Driven parametric{
    "driven parameters",
    R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "0.5*(1 + 0.2*sin(t))*(x'^2 + y'^2 + z'^2) - 0.5*(1 + 0.5*cos(3*t))*(x^2 + y^2)"
constraints = ["z' - y*x'"]
)toml",
    {{1, 0.5, 0}, {0.3, 1, 0.15}},
    {{0.5018178270515, 0.8721537988911, -0.5082703221077}, {-0.5905458810631, -0.6201720412061, -0.5150468335887}},
    -0.1543558127950};

/// A sleigh (m = 1, I = 0.5, the centre of mass 0.3 ahead of the blade) with a thrust f = 0.4 sin 2t along the blade
/// and a torque τ = 0.6 cos t − 0.1 ω, with the speed u along the blade:
///
///     u̇ = 0.3 ω² + f,   0.59 ω̇ = −0.3 u ω + τ,   ẋ = u cos θ, ẏ = u sin θ, θ̇ = ω,   Ẇ = f u + τ ω
const Driven steered{
    "inputs",
    R"toml(
coordinates = ["x", "y", "theta"]
lagrangian = "0.5*((x' - 0.3*sin(theta)*theta')^2 + (y' + 0.3*cos(theta)*theta')^2) + 0.25*theta'^2"
constraints = ["x'*sin(theta) - y'*cos(theta)"]
[inputs]
thrust = "0.4*sin(2*t)"
torque = "0.6*cos(t) - 0.1*theta'"
[forces]
x = "thrust*cos(theta)"
y = "thrust*sin(theta)"
theta = "torque"
)toml",
    {{0, 0, 0.2}, {at_angle[0], at_angle[1], 0.5}},
    {{1.4499463210907, 2.1098978047458, 1.5093405222176}, {0.0982682215962, 1.5969927893584, 0.2912328619620}},
    0.7312921973858};

/// A pendulum whose pivot is at (0, 0.1 cos 5t), g = l = 1: θ̈ = −(1 − 2.5 cos 5t) sin θ, x = sin θ, y = 0.1 cos 5t −
/// cos θ
const Driven pendulum{"moving pivot",
                      R"toml(
coordinates = ["x", "y"]
lagrangian = "0.5*(x'^2 + y'^2) - y"
holonomic = ["x^2 + (y - 0.1*cos(5*t))^2 - 1"]
)toml",
                      {{std::sin(0.5), 0.1 - std::cos(0.5)}, {0, 0}},
                      {{-0.2915386481198, -1.0404662031771}, {-0.3523495065523, 0.3793991152801}},
                      -0.1288367095653};

System system_of(const Driven& driven) { return read_model(driven.text, driven.name).system; }

Trajectory to_the_end(const Driven& driven, const std::string& method, std::int64_t steps) {
  return integrate(system_of(driven), method,
                   {driven.start.q, driven.start.v, 2.0 / static_cast<double>(steps), steps, 1});
}

double error(const Driven& driven, const State& end) {
  return std::max(test::distance(end.q, driven.end.q), test::distance(end.v, driven.end.v));
}

struct OrderCase {
  const Driven* system;
  const char* method;
  double order;
  int steps;  ///< then twice as many

  friend void PrintTo(const OrderCase& c, std::ostream* out) { *out << c.method << ", " << c.system->name; }
};

class DrivenOrder : public testing::TestWithParam<OrderCase> {};

INSTANTIATE_TEST_SUITE_P(
    Method, DrivenOrder,
    testing::Values(OrderCase{&moving, "dla", 2, 40}, OrderCase{&moving, "dla:trapezoidal", 2, 40},
                    OrderCase{&moving, "dla:alpha=0.3", 1, 160},
                    OrderCase{&moving, "dla:constraints=trapezoidal", 2, 40}, OrderCase{&moving, "dla:order=4", 4, 20},
                    OrderCase{&moving, "dla:order=6", 6, 10}, OrderCase{&moving, "gni", 2, 40},
                    OrderCase{&moving, "gni:trapezoidal", 2, 80}, OrderCase{&moving, "gni:order=4", 4, 40},
                    OrderCase{&moving, "rk4", 4, 40}, OrderCase{&moving, "rk4-index0", 4, 40},
                    OrderCase{&parametric, "dla", 2, 40}, OrderCase{&parametric, "dla:order=4", 4, 20},
                    OrderCase{&parametric, "gni", 2, 80}, OrderCase{&parametric, "rdla", 2, 40},
                    OrderCase{&parametric, "rdla:forces=general", 2, 40}, OrderCase{&parametric, "rdla:order=4", 4, 20},
                    OrderCase{&parametric, "rk4", 4, 40}, OrderCase{&parametric, "rk4-index0", 4, 40},
                    OrderCase{&steered, "dla", 2, 40}, OrderCase{&steered, "dla:trapezoidal", 2, 40},
                    OrderCase{&steered, "dla:order=4", 4, 20}, OrderCase{&steered, "gni", 2, 80},
                    OrderCase{&steered, "rdla", 2, 40}, OrderCase{&steered, "rdla:order=4", 4, 20},
                    OrderCase{&steered, "rk4", 4, 40}, OrderCase{&steered, "rk4-index0", 4, 40},
                    OrderCase{&pendulum, "dla", 2, 80}, OrderCase{&pendulum, "dla:order=4", 4, 40},
                    OrderCase{&pendulum, "gni", 2, 80}, OrderCase{&pendulum, "rk4", 4, 80}),
    [](const auto& p) {
      std::string name = std::string(p.param.system->name) + "_" + p.param.method;
      std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

// The method evaluates L, F, A, b and g at the right times: at others its order would be 1, or it would not converge.
TEST_P(DrivenOrder, is_that_of_the_method) {
  const auto& [system, method, order, steps] = GetParam();
  const double coarse = error(*system, to_the_end(*system, method, steps).result.node);
  const double fine = error(*system, to_the_end(*system, method, 2 * steps).result.node);
  EXPECT_GT(fine, 1e-11) << "rounding";
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << coarse << ", " << fine;
}

TEST(Driven, the_reference_meets_independent_integrations) {
  for (const Driven* driven : {&moving, &parametric, &steered, &pendulum}) {
    const RunResult result = to_the_end(*driven, "reference", 40).result;
    EXPECT_LT(error(*driven, result.node), 1e-11) << driven->name;
    EXPECT_NEAR(result.statistics.work, driven->work, 1e-7) << driven->name;
    EXPECT_LT(result.statistics.max_energy_error(), 1e-7) << driven->name;
  }
}

/// The equations above once more, with λ as an unknown and the constraint differentiated (index 1): y = (q, v, λ).
struct Witness {
  const Driven* driven;
  test::Residual motion;  ///< the rows after q̇ − v
};

const Witness witnesses[] = {
    {&moving,
     [](double t, const double* y, const double* d, double* f) {
       const double a = 1.0 + 0.3 * std::sin(t);
       f[0] = d[3] + y[0] + a * y[1] * y[6];
       f[1] = d[4] + y[1];
       f[2] = d[5] - y[6];
       f[3] = d[5] - 0.3 * std::cos(t) * y[1] * y[3] - a * (y[4] * y[3] + y[1] * d[3]) + 0.4 * std::sin(2 * t);
     }},
    {&parametric,
     [](double t, const double* y, const double* d, double* f) {
       const double m = 1.0 + 0.2 * std::sin(t);
       const double rate = 0.2 * std::cos(t);
       const double k = 1.0 + 0.5 * std::cos(3 * t);
       f[0] = m * d[3] + rate * y[3] + k * y[0] + y[1] * y[6];
       f[1] = m * d[4] + rate * y[4] + k * y[1];
       f[2] = m * d[5] + rate * y[5] - y[6];
       f[3] = d[5] - y[4] * y[3] - y[1] * d[3];
     }},
    {&steered,
     [](double t, const double* y, const double* d, double* f) {
       const double c = std::cos(y[2]);
       const double s = std::sin(y[2]);
       const double w = y[5];
       const double thrust = 0.4 * std::sin(2 * t);
       f[0] = d[3] - 0.3 * (c * w * w + s * d[5]) - thrust * c - y[6] * s;
       f[1] = d[4] - 0.3 * (s * w * w - c * d[5]) - thrust * s + y[6] * c;
       f[2] = 0.3 * (c * d[4] - s * d[3]) + 0.59 * d[5] - 0.6 * std::cos(t) + 0.1 * w;
       f[3] = d[3] * s - d[4] * c + w * (y[3] * c + y[4] * s);
     }},
    {&pendulum, [](double t, const double* y, const double* d, double* f) {
       const double above = y[1] - 0.1 * std::cos(5 * t);
       const double rising = y[3] + 0.5 * std::sin(5 * t);
       f[0] = d[2] - 2.0 * y[0] * y[4];
       f[1] = d[3] + 1.0 - 2.0 * above * y[4];
       f[2] = y[2] * y[2] + y[0] * d[2] + rising * rising + above * (d[3] + 2.5 * std::cos(5 * t));
     }}};

// A third opinion: BDF instead of extrapolation, differential-algebraic equations instead of solved ones.
TEST(Driven, ida_with_equations_by_hand_agrees_with_the_numbers_above_and_with_the_methods) {
  for (const auto& [driven, motion] : witnesses) {
    const std::size_t n = driven->start.q.size();
    std::vector<double> start = driven->start.q;
    start.insert(start.end(), driven->start.v.begin(), driven->start.v.end());
    start.push_back(0.0);
    const std::vector<double> y = test::solve_with_ida(
        [&](double t, const double* now, const double* rate, double* values) {
          for (std::size_t i = 0; i < n; ++i) values[i] = rate[i] - now[n + i];
          motion(t, now, rate, values + n);
        },
        start, 1, 2.0);
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(n);
    const State ida{{y.begin(), middle}, {middle, middle + static_cast<std::ptrdiff_t>(n)}};
    EXPECT_LT(error(*driven, ida), 1e-8) << driven->name;
    for (const char* method : {"reference", "dla:order=6", "rk4"}) {
      const State end = to_the_end(*driven, method, 800).result.node;
      EXPECT_LT(test::distance(end.q, ida.q), 1e-8) << driven->name << ", " << method;
      EXPECT_LT(test::distance(end.v, ida.v), 1e-8) << driven->name << ", " << method;
    }
  }
}

// dE/dt = F·v − λ·b − L_t: without one of the terms the balance would be off by the work, 0.01 and more.
TEST(Driven, energy_and_work_balance_to_the_order_of_the_method) {
  for (const Driven* driven : {&moving, &parametric, &steered, &pendulum}) {
    const auto error_of = [&](const char* method, int steps) {
      return to_the_end(*driven, method, steps).result.statistics.max_energy_error();
    };
    EXPECT_NEAR(std::log2(error_of("dla", 80) / error_of("dla", 160)), 2.0, 0.3) << driven->name;
    EXPECT_LT(error_of("dla:order=6", 80), 1e-8) << driven->name;
  }
}

TEST(Driven, work_of_friction_is_what_the_energy_loses) {
  const System system = read_model(R"toml(
coordinates = ["x"]
lagrangian = "0.5*x'^2 - 0.5*x^2"
[forces]
x = "-0.2*x'"
)toml",
                                   "damped")
                            .system;
  EXPECT_FALSE(system.depends_on_time());
  const RunStatistics s = integrate(system, "reference", {{1}, {0}, 0.1, 100, 1}).result.statistics;
  // E₀ = ½, and x = e^{−γt} (cos ωt + γ/ω sin ωt), γ = 0.1
  const double w = std::sqrt(0.99);
  const double x = std::exp(-1.0) * (std::cos(10 * w) + 0.1 / w * std::sin(10 * w));
  const double v = -std::exp(-1.0) / w * std::sin(10 * w);
  EXPECT_NEAR(s.work, 0.5 * (x * x + v * v) - 0.5, 1e-8);
  EXPECT_LT(s.max_energy_error(), 1e-8);
}

// Many steps in one call of compiled code count their times themselves.
TEST(Driven, leaps_have_the_bits_of_steps) {
  for (const Driven* driven : {&moving, &parametric, &steered, &pendulum}) {
    for (const char* method : {"dla", "dla:order=6", "gni", "rk4"}) {
      const System system = system_of(*driven);
      Problem problem{system, {}, driven->start, 0.03};
      problem.start.t = 0.7;
      const auto stepped = make_stepper(method, problem);
      const auto leaping = make_stepper(method, problem);
      const ImplicitSystem watched = observables(system);
      ASSERT_TRUE(leaping->watch(make_program(watched.data, watched.outputs)));
      test::take(*stepped, 50);
      test::take(*leaping, 1);
      Watched values(watched.outputs.size());
      ASSERT_EQ(leaping->leap(values, 49), 49) << driven->name << ", " << method;
      EXPECT_EQ(stepped->node().q, leaping->node().q) << driven->name << ", " << method;
      EXPECT_EQ(stepped->node().v, leaping->node().v) << driven->name << ", " << method;
      EXPECT_EQ(stepped->node().t, leaping->node().t) << driven->name << ", " << method;
      EXPECT_NEAR(stepped->node().t, 0.7 + 50 * 0.03, 1e-14);
    }
  }
}

TEST(Driven, a_restored_trajectory_has_the_same_bits) {
  for (const char* method : {"dla:order=4", "gni", "rk4", "reference"}) {
    Problem problem{system_of(moving), {}, moving.start, 0.05};
    const auto whole = make_stepper(method, problem);
    test::take(*whole, 10);
    const std::vector<double> saved = whole->save();
    test::take(*whole, 10);
    const auto resumed = make_stepper(method, problem);
    resumed->restore(saved);
    test::take(*resumed, 10);
    EXPECT_EQ(whole->node().q, resumed->node().q) << method;
  }
}

// Counting steps, a clock is off by one rounding after any number of them; a million sums of 0.1 are off by 1.3e-6.
TEST(Driven, clocks_do_not_drift) {
  const System system = read_model("coordinates = [\"x\"]\nlagrangian = \"0.5*x'^2 + x*sin(t)\"\n", "pushed").system;
  Problem problem{system, {}, {{0}, {0}}, 0.1};
  const auto stepper = make_stepper("rk4", problem);
  const ImplicitSystem watched = observables(system);
  ASSERT_TRUE(stepper->watch(make_program(watched.data, watched.outputs)));
  Watched values(watched.outputs.size());
  ASSERT_EQ(stepper->leap(values, 1000000), 1000000);
  EXPECT_EQ(stepper->node().t, 1000000 * 0.1);
}

TEST(Driven, the_time_of_the_start_changes_no_bit_of_an_autonomous_motion) {
  const Model model = load_model("quadratic-particle");
  for (const char* method : {"dla:order=4", "gni", "rk4", "rdla", "reference"}) {
    IntegrateOptions options{model.initial->q, model.initial->v, 0.1, 50, 1};
    const Trajectory early = integrate(model.system, method, options);
    options.t = 3.7;
    const Trajectory late = integrate(model.system, method, options);
    EXPECT_EQ(early.result.node.q, late.result.node.q) << method;
    EXPECT_EQ(early.energy, late.energy) << method;
    EXPECT_DOUBLE_EQ(late.time.back(), 3.7 + early.time.back()) << method;
  }
}

TEST(Driven, a_shift_of_time_is_a_shift_of_the_start) {
  const System later = read_model(R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "0.5*(x'^2 + y'^2 + z'^2) - 0.5*(x^2 + y^2)"
constraints = ["z' - (1 + 0.3*sin(t - 5))*y*x' - 0.2*cos(2*(t - 5))"]
)toml",
                                  "later")
                           .system;
  for (const char* method : {"dla", "gni:order=4", "rk4", "reference"}) {
    IntegrateOptions options{moving.start.q, moving.start.v, 0.05, 40, 1};
    options.t = 5.0;
    const State late = integrate(later, method, options).result.node;
    EXPECT_LT(test::distance(late.q, to_the_end(moving, method, 40).result.node.q), 1e-13) << method;
  }
}

TEST(Driven, methods_for_autonomous_systems_say_so) {
  for (const char* method : {"hdel", "pthdel", "conformal", "free", "free-modified"}) {
    try {
      to_the_end(parametric, method, 10);
      FAIL() << method;
    } catch (const MethodError& error) {
      EXPECT_NE(std::string(error.what()).find("depends on time explicitly"), std::string::npos) << error.what();
    }
  }
  const System turning = read_model(R"toml(
coordinates = ["x", "y", "z"]
lagrangian = "0.5*(x'^2 + y'^2 + z'^2)"
constraints = ["z' - sin(t)*y*x'"]
)toml",
                                    "turning")
                             .system;
  try {
    make_stepper("rdla", {turning, {}, {{1, 1, 0}, {1, 0, 0}}, 0.1});
    FAIL();
  } catch (const MethodError& error) {
    EXPECT_NE(std::string(error.what()).find("the constraints depend on time"), std::string::npos) << error.what();
  }
}

}  // namespace driven_test
}  // namespace rattleback
