// Every model of the catalogue along its reference solution, against everything that is known about it: integrals,
// constraints, closed forms, another integrator, and end states from a program that shares no code with this one.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/ellint_1.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "ida_flow.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/model/model.hpp"
#include "tests/places.hpp"
#include "trajectory.hpp"

namespace rattleback {
namespace catalogue_test {

using test::distance;
using test::problem_of;

constexpr double step = 0.1;  // where results do not depend on it

constexpr double end_time = 50.0;

double largest(const std::vector<double>& a) { return distance(a, std::vector<double>(a.size())); }

std::vector<std::uint64_t> bits(const State& state) {
  std::vector<std::uint64_t> result;
  for (const double x : state.q) result.push_back(std::bit_cast<std::uint64_t>(x));
  for (const double x : state.v) result.push_back(std::bit_cast<std::uint64_t>(x));
  return result;
}

/// Functions of (q, v) of a system, one number for each.
class Watched {
 public:
  Watched(const System& system, std::vector<Expression> functions)
      : functions_(std::move(functions)), system_(system), parameters_(system.parameter_values()) {}

  std::vector<double> operator()(const State& state, double t = 0.0) const {
    const auto values = values_at(state, t);
    std::vector<double> result;
    for (const Expression& f : functions_) result.push_back(evaluate(f, values));
    return result;
  }
  /// How large the terms are that they are sums of.
  std::vector<double> sizes(const State& state) const {
    const auto values = values_at(state, 0.0);
    std::vector<double> result;
    for (const Expression& f : functions_) result.push_back(size_of_terms(f, values));
    return result;
  }

 private:
  std::unordered_map<Expression, double> values_at(const State& state, double t) const {
    std::unordered_map<Expression, double> values;
    for (std::size_t i = 0; i < parameters_.size(); ++i) values.emplace(system_.parameters()[i], parameters_[i]);
    for (std::size_t i = 0; i < state.q.size(); ++i) values.emplace(system_.coordinates()[i], state.q[i]);
    for (std::size_t i = 0; i < state.v.size(); ++i) values.emplace(system_.velocities()[i], state.v[i]);
    values.emplace(time_symbol(), t);
    return values;
  }

  std::vector<Expression> functions_;
  System system_;
  std::vector<double> parameters_;
};

/// tests/mech/reference_states.py: systems written down again, Bulirsch–Stoer in 80 bits.
const nlohmann::json& end_states() {
  static const auto all = [] {
    std::ifstream file(test::source_file("tests/mech/reference_states.json"));
    return nlohmann::json::parse(file);
  }();
  return all;
}

/// The last time for which there is an end state, if that is earlier: some errors grow fast, as those of a rattleback
/// when it rattles, and falls without their impacts, which a flow by itself has not, lead far.
double end_time_of(const std::string& model) {
  double last = 0.0;
  if (end_states().contains(model)) {
    for (const auto& state : end_states()[model]) last = std::max(last, state["t"].get<double>());
  }
  return std::min(last, end_time);
}

class Catalogue : public testing::TestWithParam<std::string> {
 protected:
  Model model_ = load_model(GetParam());
  const System& system_ = model_.system;
  Problem problem_ = problem_of(model_, step);
  ReferenceFlow flow_{problem_};
  const double end_time_ = end_time_of(GetParam());
  const double often_ = std::min(0.5, 0.05 * end_time_);
};
INSTANTIATE_TEST_SUITE_P(Model, Catalogue, testing::ValuesIn(catalogue()), [](const auto& p) {
  std::string name = p.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Catalogue, energy_is_constant_if_nothing_does_work) {
  // E = v·L_v − L changes at the rate λ·A v + F·v − L_t = −λ·b + F·v − L_t: zero for linear constraints, not for a
  // turning table. Applied forces in the catalogue are gyroscopic, F·v = 0, or those of motors, or resistance.
  Expression energy = -system_.lagrangian();
  for (const Expression& v : system_.velocities()) energy += v * derivative(system_.lagrangian(), v);
  const Watched watched(system_, {energy});
  const double initial = watched(problem_.start)[0];
  double change = 0.0;
  for (double t = often_; t <= end_time_; t += often_)
    change = std::max(change, std::abs(watched(flow_.at(t), t)[0] - initial));
  const bool events_alone_depend_on_time = !system_.with_events({}).depends_on_time();
  if (GetParam() == "tippe-top" || GetParam() == "euler-disk") {
    EXPECT_GT(change, 0.005 * initial);
    EXPECT_LT(watched(flow_.at(end_time_))[0], initial);
  } else if (system_.is_affine() || !events_alone_depend_on_time) {
    EXPECT_GT(change, 1e-2);
  } else {
    EXPECT_LT(change, 1e-10);
  }
}

TEST_P(Catalogue, declared_conserved_quantities_are_constant) {
  std::vector<Expression> quantities;
  for (const NamedExpression& c : system_.conserved()) quantities.push_back(c.expression);
  ASSERT_FALSE(system_.is_affine() && !system_.depends_on_time() && quantities.empty())
      << "not even the energy is known to be constant";
  const Watched watched(system_, quantities);
  const std::vector<double> initial = watched(problem_.start);
  const std::vector<double> first_sizes = watched.sizes(problem_.start);
  const std::vector<double> last_sizes = watched.sizes(flow_.at(end_time_));
  for (double t = often_; t <= end_time_; t += often_) {
    const std::vector<double> now = watched(flow_.at(t), t);
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double terms = std::max(first_sizes[k], last_sizes[k]);
      const double size = std::max(std::min(1.0, terms), std::abs(initial[k]));
      ASSERT_NEAR(now[k], initial[k], 1e-10 * size) << system_.conserved()[k].name << " at t = " << t;
    }
  }
}

TEST_P(Catalogue, constraints_hold_or_something_stands_in_their_place) {
  std::vector<Expression> rows = system_.constraints();
  for (const Expression& g : system_.holonomic()) {
    rows.push_back(g);
    Expression speed = derivative(g, time_symbol());
    const std::vector<Expression> rates = test::LagrangeDAlembert::moving(system_, system_.velocities());
    for (std::size_t i = 0; i < rates.size(); ++i) speed += derivative(g, system_.coordinates()[i]) * rates[i];
    rows.push_back(speed);
  }
  if (rows.empty()) {
    ASSERT_FALSE(system_.applied_forces().empty() && system_.events().empty() && system_.rotations().empty())
        << "neither constraints nor forces nor impacts nor rotations";
    return;
  }
  const Watched watched(system_, rows);
  for (double t = 0.0; t <= end_time_; t += often_) {
    for (const double row : watched(flow_.at(t), t)) ASSERT_LT(std::abs(row), 1e-10) << "at t = " << t;
  }
}

TEST_P(Catalogue, agrees_with_ida) {
  test::IdaFlow ida(system_, problem_.parameters, problem_.start);
  for (const double t : {0.2 * end_time_, end_time_}) {
    const State expected = ida.at(t);
    const State found = flow_.at(t);
    EXPECT_LT(distance(found.q, expected.q), 1e-8) << "at t = " << t;
    EXPECT_LT(distance(found.v, expected.v), 1e-8 * std::max(1.0, largest(expected.v))) << "at t = " << t;
  }
}

TEST_P(Catalogue, reproduces_its_exact_solutions) {
  for (std::size_t i = 0; i < system_.exact().size(); ++i) {
    if (!system_.exact()[i]) continue;
    const Watched exact(system_, {*system_.exact()[i]});
    for (const double t : {0.01, 1.0, 7.3, 20.0, 33.3, end_time_}) {
      EXPECT_NEAR(flow_.at(t).q[i], exact(problem_.start, t)[0], 1e-9)
          << system_.coordinates()[i].name() << " at t = " << t;
    }
  }
}

/// Relative to the largest number, if it is above 1.
double relative_distance(const std::vector<double>& found, const std::vector<double>& expected) {
  double largest = 1.0;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  return distance(found, expected) / largest;
}

TEST_P(Catalogue, ends_where_80_bit_arithmetic_does) {
  constexpr double precision = 2e-12;
  ASSERT_TRUE(end_states().contains(GetParam())) << "run tests/mech/reference_states.py";
  ASSERT_FALSE(end_states()[GetParam()].empty());
  for (const auto& state : end_states()[GetParam()]) {
    const double t = state["t"];
    const State found = flow_.at(t);
    ASSERT_GE(state["digits"].get<int>(), 12);
    EXPECT_LT(relative_distance(found.q, state["q"]), precision) << "at t = " << t;
    EXPECT_LT(relative_distance(found.v, state["v"]), precision) << "at t = " << t;
    const double energy = state["energy"];
    EXPECT_NEAR(Watched(system_, {system_.energy()})(found, t)[0], energy, precision * std::max(1.0, std::abs(energy)));
  }
}

TEST_P(Catalogue, dense_output_does_not_depend_on_the_order_of_times) {
  const auto third = bits(flow_.at(3.0));
  const auto first = bits(flow_.at(1.0));
  EXPECT_EQ(bits(flow_.at(3.0)), third);
  EXPECT_EQ(bits(ReferenceFlow(problem_).at(1.0)), first);
  const auto last = bits(flow_.at(end_time_));  // most models: beyond several places where the integration starts anew
  EXPECT_EQ(bits(flow_.at(1.0)), first);
  EXPECT_EQ(bits(flow_.at(end_time_)), last);
  EXPECT_EQ(bits(ReferenceFlow(problem_).at(end_time_)), last);
}

TEST_P(Catalogue, dense_output_is_the_same_from_both_sides_of_a_start) {
  // Such a time belongs to two internal steps, the one that ends there and the one that begins there.
  const auto initial = bits(flow_.at(0.0));
  flow_.at(1e-14);
  EXPECT_EQ(bits(flow_.at(0.0)), initial) << "at t = 0, asked for again within the first internal step";
  flow_.at(end_time_);
  const double restart = flow_.save()[0];
  const auto coming_back = bits(flow_.at(restart));
  EXPECT_EQ(bits(ReferenceFlow(problem_).at(restart)), coming_back) << "where it starts anew, t = " << restart;
}

TEST(Reference, reaches_end_states_computed_by_others) {
  // Computed before this program existed, with another integrator at a tolerance of 1e-12: all digits given.
  struct Known {
    const char* model;
    double t;
    std::vector<double> q;
    std::vector<double> last_digit;
  };
  const std::vector<Known> all{
      {"quadratic-particle", 250.0, {-0.2272693756, 0.701658506, 1.037550638}, {1e-10, 1e-9, 1e-9}},
      {"chaplygin-sleigh", 30.0, {-1.32195001, -38.49751118, -1.63612548}, {1e-8, 1e-8, 1e-8}},
      {"mclachlan-perlmutter",
       10.0,
       {1.0483683811, -0.9263590533, -0.6441768809, -0.1147697293, 0.2379207445},
       {1e-10, 1e-10, 1e-10, 1e-10, 1e-10}}};
  for (const Known& p : all) {
    const State found = ReferenceFlow(problem_of(load_model(p.model), step)).at(p.t);
    for (std::size_t i = 0; i < p.q.size(); ++i) {
      EXPECT_NEAR(found.q[i], p.q[i], 0.51 * p.last_digit[i]) << p.model << ", coordinate " << i;
    }
  }
}

/// F(φ | −1), by the imaginary-modulus transformation (Abramowitz & Stegun 17.4.17):
/// F(φ | −m) = (1 + m)^(−1/2) (K(μ) − F(π/2 − φ | μ)) with μ = m/(1 + m), here 1/2.
double elliptic_integral(double phi) {
  const double modulus = std::sqrt(0.5);
  const double quarter = boost::math::ellint_1(modulus);
  return std::sqrt(0.5) * (quarter - boost::math::ellint_1(modulus, 0.5 * std::numbers::pi - phi));
}

TEST(Reference, sinusoidal_particle_is_an_elliptic_integral) {
  // Fernandez, Bloch & Olver, section 5.2, with (63) corrected: x = α_x t, y = (α_y/α_x) F(α_x t | −1). Then
  // dz = −sin x dy gives z = (α_y/α_x) (asin(cos x/√2) − π/4).
  const Model model = load_model("sinusoidal-particle");
  for (const auto& [ax, ay] : {std::pair{1.0, 1.0}, std::pair{0.7, -1.3}}) {
    Problem problem = problem_of(model, step);
    ASSERT_EQ(problem.start.q, std::vector<double>(3, 0.0));
    problem.start.v = {ax, ay, 0.0};
    ReferenceFlow flow(problem);
    for (const double t : {0.1, 1.0, 3.0, 10.0, 27.5, end_time}) {
      const State found = flow.at(t);
      EXPECT_NEAR(found.q[0], ax * t, 1e-9);
      EXPECT_NEAR(found.q[1], ay / ax * elliptic_integral(ax * t), 1e-9) << "at t = " << t;
      EXPECT_NEAR(found.q[2], ay / ax * (std::asin(std::cos(ax * t) / std::sqrt(2.0)) - 0.25 * std::numbers::pi), 1e-9)
          << "at t = " << t;
    }
  }
}

TEST(Reference, elliptic_integral_of_the_test_is_right) {
  // Simpson's rule on dθ/√(1 + sin²θ): the transformation above is easily got wrong.
  for (const double phi : {0.3, 2.0, 11.0}) {
    const int cells = 4000;
    double total = 0.0;
    for (int i = 0; i <= 2 * cells; ++i) {
      const double sine = std::sin(phi * i / (2 * cells));
      total += (i == 0 || i == 2 * cells ? 1.0 : 2.0 * (1 + i % 2)) / std::sqrt(1.0 + sine * sine);
    }
    EXPECT_NEAR(elliptic_integral(phi), total * phi / (6 * cells), 1e-11);
  }
}

TEST(Reference, twelve_oscillators_start_with_energy_nine_and_a_half) {
  // Evensberget, section 3.2, n = 6: also a test of models with an integer parameter.
  const Model model = load_model("mclachlan-perlmutter", {{"n", 6}});
  Problem problem = problem_of(model, step);
  problem.start = {{1, 0, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 0}, {0, 1, 0, -1, 1, 0, -1, 0, 1, -1, 1, 1, 1}};
  EXPECT_NO_THROW(require_regular_start(problem.system, problem.parameters, problem.start));
  const Watched energy(model.system, {model.system.energy()});
  EXPECT_DOUBLE_EQ(energy(problem.start)[0], 9.5);
  ReferenceFlow flow(problem);
  EXPECT_DOUBLE_EQ(energy(flow.at(0.0))[0], 9.5);
  for (double t = 1.0; t <= end_time; t += 1.0) EXPECT_NEAR(energy(flow.at(t))[0], 9.5, 1e-10) << "at t = " << t;
}

// Numbers of a program of its own (scipy, DOP853): the motion of g in R^(n+1), with the gyroscopic force of the
// literature and a multiplier for |g| = 1, seen in stereographic coordinates.
TEST(Reference, veselova_in_four_and_five_dimensions_is_that_of_an_independent_program) {
  const std::vector<std::vector<double>> ends{{-0.922225511148, -0.867217205614, -0.464496940883},
                                              {0.155128123697, 0.267569514525, 0.650422161751, -0.657251619912}};
  for (const auto& end : ends) {
    ReferenceFlow flow(problem_of(load_model("veselova-nd", {{"n", static_cast<double>(end.size())}}), step));
    EXPECT_LT(distance(flow.at(end_time).q, end), 1e-9) << end.size();
  }
}

// Numbers of a program of its own, by multipliers on SO(N) × R^N: matrices R, constraints of rolling and no twist on
// the angular velocity and the velocity of the centre, nothing reduced; Runge–Kutta with 1000 steps to t = 5.
TEST(Reference, bodies_that_roll_in_many_dimensions_are_those_of_the_full_equations) {
  const std::vector<std::vector<double>> ends{
      {0.5332476277025656, -0.14984310028069298},
      {0.3144114850892816, -0.19194285093610777, 0.34940252341875744},
      {0.46694167820468, -0.012271454830818242, 0.5760625318144093, 0.09684939877891263}};
  for (const auto& end : ends) {
    const Model model = load_model("rubber-routh-sphere-nd", {{"n", static_cast<double>(end.size())}});
    ReferenceFlow flow(problem_of(model, step));
    EXPECT_LT(distance(flow.at(5.0).q, end), 1e-9) << end.size();
  }
  constexpr double turn = 2.0 * std::numbers::pi;
  ReferenceFlow ball(problem_of(load_model("ball-over-sphere-4d"), step));
  EXPECT_LT(distance(ball.at(5.0).q, {0.8396910010807279, turn - 2.942970984671902, 3.1207094398731328}), 1e-9);
}

TEST(Reference, a_quarter_of_the_catalogue_has_exact_solutions) {
  // The tests above pass for a model that declares nothing: someone must declare something.
  std::size_t with_exact = 0;
  std::size_t with_conserved = 0;
  const std::vector<std::string> names = catalogue();
  for (const std::string& name : names) {
    const Model model = load_model(name);
    const auto& exact = model.system.exact();
    with_exact += std::any_of(exact.begin(), exact.end(), [](const auto& e) { return e.has_value(); }) ? 1 : 0;
    with_conserved += model.system.conserved().empty() ? 0 : 1;
  }
  EXPECT_GE(4 * with_exact, names.size());
  EXPECT_GE(3 * with_conserved, names.size());
}

}  // namespace catalogue_test
}  // namespace rattleback
