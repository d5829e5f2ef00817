// Classical Runge–Kutta on the index-1 and the index-0 form: order, drift, and agreement with a version by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace runge_kutta_test {

double distance(const State& a, const State& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    sum += (a.q[i] - b.q[i]) * (a.q[i] - b.q[i]) + (a.v[i] - b.v[i]) * (a.v[i] - b.v[i]);
  }
  return std::sqrt(sum);
}

Trajectory integrate_model(const Model& model, const std::string& method, const State& start, double step,
                           std::int64_t steps) {
  return integrate(model.system, method, {start.q, start.v, step, steps, 1});
}

/// A system and a range of steps in which the error is neither rounding (above 1e-11) nor beyond the asymptotic regime.
struct OrderCase {
  const char* model;
  const char* method;
  double time;
  int steps;  ///< the fewest; then twice and four times as many

  friend void PrintTo(const OrderCase& c, std::ostream* out) { *out << c.method << " on " << c.model; }
};

class RungeKuttaOrder : public testing::TestWithParam<OrderCase> {};

INSTANTIATE_TEST_SUITE_P(
    Model, RungeKuttaOrder,
    testing::Values(
        OrderCase{"chaplygin-sleigh", "rk4", 10.0, 80}, OrderCase{"chaplygin-sleigh", "rk4-index0", 10.0, 80},
        OrderCase{"mclachlan-perlmutter", "rk4", 2.0, 80}, OrderCase{"mclachlan-perlmutter", "rk4-index0", 2.0, 80},
        OrderCase{"cart-pendulum", "rk4", 2.0, 160}, OrderCase{"cart-pendulum", "rk4-index0", 2.0, 320},
        OrderCase{"quadratic-particle", "rk4", 2.0, 80}, OrderCase{"quadratic-particle", "rk4-index0", 2.0, 80},
        OrderCase{"snakeboard", "rk4", 2.0, 80}, OrderCase{"snakeboard", "rk4-index0", 2.0, 80},
        OrderCase{"ball-on-turntable", "rk4", 2.0, 80}, OrderCase{"ball-on-turntable", "rk4-index0", 2.0, 80}),
    [](const auto& p) {
      std::string name = std::string(p.param.model) + "_" + p.param.method;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_P(RungeKuttaOrder, is_four) {
  const OrderCase& c = GetParam();
  const Model model = load_model(c.model);
  const State start = *model.initial;
  const State exact = ReferenceFlow({model.system, model.system.parameter_values(), start, 0.1}).at(c.time);
  std::array<double, 3> error{};
  for (std::size_t i = 0; i < error.size(); ++i) {
    const int steps = c.steps << i;
    const Trajectory found = integrate_model(model, c.method, start, c.time / steps, steps);
    ASSERT_TRUE(found.result.outcome == RunOutcome::finished) << found.result.failure;
    error[i] = distance(found.nodes.back(), exact);
    ASSERT_GT(error[i], 1e-11) << "too close to rounding to measure an order";
  }
  for (std::size_t i = 0; i + 1 < error.size(); ++i) {
    EXPECT_NEAR(std::log2(error[i] / error[i + 1]), 4.0, 0.1)
        << "between " << (c.steps << i) << " steps, error " << error[i] << ", and twice as many, error "
        << error[i + 1];
  }
}

/// Constraint and energy error of the sleigh along a trajectory.
struct Drift {
  std::vector<double> constraint;
  std::vector<double> energy;

  explicit Drift(const Trajectory& trajectory) {
    for (std::size_t i = 0; i < trajectory.nodes.size(); ++i) {
      const State& s = trajectory.nodes[i];
      constraint.push_back(s.v[1] * std::cos(s.q[2]) - s.v[0] * std::sin(s.q[2]));
      energy.push_back(trajectory.energy[i] - trajectory.energy[0]);
    }
  }
};
double largest(const std::vector<double>& values) {
  double result = 0.0;
  for (const double x : values) result = std::max(result, std::abs(x));
  return result;
}

/// Evensberget's Experiment 3.7: from rest at (1, 0, 0), T = 30, h = 0.12.
class SleighDrift : public testing::Test {
 protected:
  Drift run(const std::string& method, int refinement = 1) {
    const Trajectory t = integrate_model(model_, method, *model_.initial, 0.12 / refinement, 250 * refinement);
    EXPECT_TRUE(t.result.outcome == RunOutcome::finished) << t.result.failure;
    return Drift(t);
  }
  Model model_ = load_model("chaplygin-sleigh");
  static constexpr std::size_t stabilised = 167;  ///< t = 20; Figure 3.14: free fall from then on
  static constexpr std::size_t end = 250;
};

TEST_F(SleighDrift, starts_as_in_the_thesis) {
  EXPECT_EQ(model_.initial->q, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(model_.initial->v, (std::vector<double>{0, 0, 0}));
}

TEST_F(SleighDrift, of_index_0_grows_linearly_and_its_energy_settles) {
  // Figure 3.17: "When the trajectory of the sleigh has stabilized the constraint error appears to grow linearly. […]
  // the energy appears to settle at a constant value." λ as a state makes c̈ = 0 the equation that is integrated, so
  // that an error once made in ċ goes on acting.
  const Drift drift = run("rk4-index0");
  ASSERT_EQ(drift.constraint.size(), end + 1);
  EXPECT_GT(largest(drift.constraint), 1e-9);  // h⁴ = 2e-4 of a motion whose derivatives are of size 0.1 and less
  EXPECT_LT(largest(drift.constraint), 1e-6);
  const double growth = drift.constraint[end] - drift.constraint[stabilised];
  EXPECT_GT(std::abs(growth), 1e-9);
  for (std::size_t i = stabilised; i <= end; ++i) {
    const double share = static_cast<double>(i - stabilised) / static_cast<double>(end - stabilised);
    EXPECT_NEAR(drift.constraint[i], drift.constraint[stabilised] + share * growth, 0.02 * std::abs(growth));
  }
  EXPECT_GT(largest(drift.energy), 1e-11);
  EXPECT_LT(largest(drift.energy), 1e-7);
  EXPECT_LT(std::abs(drift.energy[end] - drift.energy[stabilised]), 0.1 * largest(drift.energy));
}

TEST_F(SleighDrift, of_index_1_stops_growing) {
  // There ċ = 0 holds in every stage: errors of c are made by the motion and stay where they are without it.
  const Drift drift = run("rk4");
  ASSERT_EQ(drift.constraint.size(), end + 1);
  EXPECT_GT(largest(drift.constraint), 1e-10);
  EXPECT_LT(largest(drift.constraint), 1e-7);
  EXPECT_NEAR(drift.constraint[end], drift.constraint[stabilised], 1e-2 * largest(drift.constraint));
  EXPECT_GT(largest(drift.energy), 1e-11);
  EXPECT_LT(std::abs(drift.energy[end] - drift.energy[stabilised]), 0.1 * largest(drift.energy));
}

TEST_F(SleighDrift, is_of_fourth_order) {
  for (const char* method : {"rk4", "rk4-index0"}) {
    const double coarse = largest(run(method).constraint);
    const double fine = largest(run(method, 2).constraint);
    EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.2) << method << ": " << coarse << ", " << fine;
  }
}

TEST_F(SleighDrift, of_the_reference_is_rounding) {
  const Drift drift = run("reference");
  ASSERT_EQ(drift.constraint.size(), end + 1);
  EXPECT_LT(largest(drift.constraint), 1e-14);
  EXPECT_LT(largest(drift.energy), 1e-11);
}

/// RK4 for the sleigh by hand. With u = ẋ cos θ + ẏ sin θ and the derivative of the constraint,
/// ÿ cos θ − ẍ sin θ = θ̇ u, the third equation of motion contains only θ̈; along the blade λ drops out:
///
///     θ̈ = −m a (θ̇ u + g cos θ)/(I + m a²),   u̇ + … = ẍ cos θ + ÿ sin θ = a θ̇² − g sin θ
class SleighByHand {
 public:
  using Vector = std::array<double, 6>;  ///< x, y, θ, ẋ, ẏ, θ̇

  SleighByHand(double m, double inertia, double a, double g) : m_(m), inertia_(inertia), a_(a), g_(g) {}

  void step(Vector& s, double h) const {
    const Vector k1 = rates(s);
    const Vector k2 = rates(moved(s, k1, 0.5 * h));
    const Vector k3 = rates(moved(s, k2, 0.5 * h));
    const Vector k4 = rates(moved(s, k3, h));
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
  }

 private:
  Vector rates(const Vector& s) const {
    const double c = std::cos(s[2]);
    const double sine = std::sin(s[2]);
    const double omega = s[5];
    const double across = omega * (s[3] * c + s[4] * sine);
    const double along = a_ * omega * omega - g_ * sine;
    return {s[3],
            s[4],
            omega,
            along * c - across * sine,
            along * sine + across * c,
            -m_ * a_ * (across + g_ * c) / (inertia_ + m_ * a_ * a_)};
  }
  static Vector moved(Vector s, const Vector& k, double h) {
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += h * k[i];
    return s;
  }

  double m_;
  double inertia_;
  double a_;
  double g_;
};

void expect_agreement_with_hand_written(const State& start, const ParameterValues& p) {
  const Model model = load_model("chaplygin-sleigh", p);
  const Trajectory found = integrate_model(model, "rk4", start, 0.12, 50);
  ASSERT_TRUE(found.result.outcome == RunOutcome::finished) << found.result.failure;
  const SleighByHand sleigh(p.at("m"), p.at("I"), p.at("a"), p.at("g"));
  SleighByHand::Vector s{start.q[0], start.q[1], start.q[2], start.v[0], start.v[1], start.v[2]};
  for (std::size_t n = 1; n <= 50; ++n) {
    sleigh.step(s, 0.12);
    EXPECT_LT(distance(found.nodes[n], {{s[0], s[1], s[2]}, {s[3], s[4], s[5]}}), 1e-13) << "after step " << n;
  }
}

TEST(RungeKutta, agrees_with_hand_written_code_from_the_start_of_the_thesis) {
  expect_agreement_with_hand_written({{1, 0, 0}, {0, 0, 0}}, {{"m", 1}, {"I", 1}, {"a", 1}, {"g", 0.1}});
}

TEST(RungeKutta, agrees_with_hand_written_code_from_another_start) {
  expect_agreement_with_hand_written({{0.2, -0.1, 0.7}, {0.5 * std::cos(0.7), 0.5 * std::sin(0.7), -0.8}},
                                     {{"m", 1.3}, {"I", 0.6}, {"a", 0.4}, {"g", 0.25}});
}

TEST(RungeKutta, can_start_at_rest) {
  // Many terms of the equations vanish there, in the first stage and, by symmetry, in later ones.
  for (const std::string name : {"quadratic-particle", "harmonic-particle", "knife-edge-incline", "mobile-robot",
                                 "mclachlan-perlmutter", "chaplygin-sleigh", "snakeboard", "cart-pendulum"}) {
    const Model model = load_model(name);
    const State start{model.initial->q, std::vector<double>(model.system.dimension(), 0.0)};
    for (const char* method : {"rk4", "rk4-index0"}) {
      const Trajectory found = integrate_model(model, method, start, 0.01, 20);
      EXPECT_TRUE(found.result.outcome == RunOutcome::finished)
          << name << ", " << method << ": " << found.result.failure;
    }
  }
}

}  // namespace runge_kutta_test
}  // namespace rattleback
