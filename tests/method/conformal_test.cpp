// García-Naranjo & Vermeeren's integrators Φ^(ℓ) of conformally Hamiltonian systems: their discrete Lagrangians (5.1),
// runs in 50 digits (modified_numbers.py), and that modified altered Hamiltonian and modified energy are constant up to
// the promised powers of h.

#include <fmt/format.h>

#include <array>

#include "modified_numbers.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/method/reference.hpp"

namespace rattleback::test {
namespace conformal_test {

constexpr const char* rules[] = {"M", "MT", "TM", "TT", "T"};

// ------------------------------------------------------------------------------------------- discrete Lagrangians

/// h Λ of (5.1), as a function of (x₀, y₀, x₁, y₁).
float128 discrete_lagrangian_51(const std::string& rule, bool harmonic, const std::array<float128, 4>& z,
                                const float128& h, const float128& energy) {
  const auto factor = [](const float128& y) { return 1 / sqrt(1 + y * y); };
  const float128 vx = (z[2] - z[0]) / h;
  const float128 vy = (z[3] - z[1]) / h;
  const auto lagrangian = [&](const float128& x, const float128& y) {
    return float128(((1 + y * y) * vx * vx + vy * vy) / 2 - (harmonic ? float128((x * x + y * y) / 2) : float128(0)));
  };
  const float128 x = (z[0] + z[2]) / 2;
  const float128 y = (z[1] + z[3]) / 2;
  const float128 mean_factor = (factor(z[1]) + factor(z[3])) / 2;
  const float128 mean_lagrangian = (lagrangian(z[0], z[1]) + lagrangian(z[2], z[3])) / 2;
  if (rule == "M") return h * factor(y) * (lagrangian(x, y) + energy);
  if (rule == "MT") return h * factor(y) * (mean_lagrangian + energy);
  if (rule == "TM") return h * mean_factor * (lagrangian(x, y) + energy);
  if (rule == "TT") return h * mean_factor * (mean_lagrangian + energy);
  return h * (factor(z[1]) * (lagrangian(z[0], z[1]) + energy) + factor(z[3]) * (lagrangian(z[2], z[3]) + energy)) / 2;
}

// Derivatives by central differences: errors of 1e-20 from the differences and 1e-24 from rounding in quadruple
// precision. The positions are known to 1e-16, and 1/h times that in the velocities: momenta to some 1e-15.
TEST(Conformal, steps_are_those_of_the_discrete_lagrangians_5_1) {
  for (const char* model : {"harmonic-particle", "free-particle"}) {
    for (const std::string rule : rules) {
      Problem problem = problem_of(model, 0.25);
      problem.start = {{0.3, -0.4, 0}, {0.7, 0.9, -0.4 * 0.7}};
      const auto stepper = make_stepper("conformal:" + rule + ":ell=0", problem);
      const bool harmonic = model[0] == 'h';
      const double energy = stepper->state()[5];
      EXPECT_NEAR(energy, 0.5 * (0.49 * 1.16 + 0.81) + (harmonic ? 0.5 * (0.09 + 0.16) : 0.0), 1e-15);
      for (int k = 0; k < 5; ++k) {
        const std::vector<double> before(stepper->state().begin(), stepper->state().end());
        take(*stepper, 1);
        const std::vector<double> after(stepper->state().begin(), stepper->state().end());
        EXPECT_EQ(after[5], energy);
        const std::array<float128, 4> z{before[0], before[1], after[0], after[1]};
        const double expected[] = {-before[3], -before[4], after[3], after[4]};
        for (std::size_t i = 0; i < 4; ++i) {
          const float128 delta = 1e-10;
          auto up = z;
          auto down = z;
          up[i] += delta;
          down[i] -= delta;
          const float128 slope = (discrete_lagrangian_51(rule, harmonic, up, problem.step, energy) -
                                  discrete_lagrangian_51(rule, harmonic, down, problem.step, energy)) /
                                 (2 * delta);
          EXPECT_NEAR(static_cast<double>(slope), expected[i], 1e-14) << model << " " << rule << " " << i;
        }
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------- runs in 50 digits

/// H of the particle.
double hamiltonian(std::span<const double> state, bool harmonic) {
  const double x = state[0];
  const double y = state[1];
  return 0.5 * (state[3] * state[3] + (1 + y * y) * state[4] * state[4]) + (harmonic ? 0.5 * (x * x + y * y) : 0.0);
}

// Each step has a rounding error of about 1e-16 times the size of the state, which is up to 25 for the free particle.
// Errors grow linearly with time, as in all integrable motions: 100 steps make 100²/2·25·1e-16 at most.
TEST(Conformal, runs_are_those_of_the_definition_long) {
  for (const auto& record : modified_numbers().at("conformal")) {
    const std::string system = record.at("system").get<std::string>();
    for (const int ell : {0, 2, 4, 6}) {
      const std::string name = fmt::format("conformal:{}:ell={}", rule_name(record), ell);
      SCOPED_TRACE(system + " " + name);
      const auto stepper = make_stepper(name, recorded_problem(system));
      EXPECT_NEAR(stepper->state()[5], number(record, fmt::format("E({})", ell)), 1e-15);
      if (ell != 0 && ell != 4) continue;
      double largest = 0.0;
      for (int k = 1; k <= 200; ++k) {
        take(*stepper, 1);
        const auto state = stepper->state();
        largest = std::max(largest, std::abs(hamiltonian(state, system == "harmonic") - 1.0));
        if (k != 100) continue;
        const auto& expected = record.at(fmt::format("state 100, ell={}", ell));
        const double found[] = {state[0], state[1], state[3], state[4]};
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_NEAR(found[i], std::stod(expected.at(i).get<std::string>()), 1e-11) << i;
      }
      EXPECT_NEAR(largest, number(record, fmt::format("max |H-1|, ell={}", ell)), 1e-11);
    }
  }
}

TEST(Conformal, odd_powers_vanish_under_symmetric_rules) {
  const Problem problem = recorded_problem("harmonic");
  const auto energy = [&](const char* name) { return make_stepper(name, problem)->state()[5]; };
  EXPECT_NEAR(energy("conformal:TT:ell=5"), energy("conformal:TT:ell=4"), 1e-15);
}

// ------------------------------------------------------------------------------------------------- powers of h

/// How far K^(ℓ) and 𝓔^(ℓ) are from their first values at most, and K^(ℓ) from 0.
struct Deviations {
  double hamiltonian = 0.0;
  double energy = 0.0;
  double from_zero = 0.0;
};

/// Up to t = 2, at times that all runs have in common: how a maximum is sampled must not look like a power of h.
Deviations deviations(const std::string& rule, int ell, double h) {
  Problem problem = problem_of("harmonic-particle", h);
  problem.start = {{0.1, 0.2, 0}, {1, 0.8, 0.2}};
  const std::string name = fmt::format("conformal:{}:ell={}", rule, ell);
  ModifiedHamiltonian modified(make_method(name, problem), problem, ModifiedHamiltonian::Digits::extended);
  const auto stepper = make_stepper(name, problem);
  Deviations d;
  double first_hamiltonian = 0.0;
  double first_energy = 0.0;
  for (int k = 0; k <= 4; ++k) {
    if (k > 0) take(*stepper, std::lround(0.5 / h));
    const double hamiltonian = modified.truncated(stepper->state(), stepper->node().v, h, ell).value;
    const double energy = modified.truncated_conformal(stepper->state(), stepper->node().v, h, ell).energy.value;
    if (k == 0) {
      first_hamiltonian = hamiltonian;
      first_energy = energy;
      EXPECT_NEAR(energy, stepper->state()[5], 1e-15);
    }
    d.hamiltonian = std::max(d.hamiltonian, std::abs(hamiltonian - first_hamiltonian));
    d.energy = std::max(d.energy, std::abs(energy - first_energy));
    d.from_zero = std::max(d.from_zero, std::abs(hamiltonian));
  }
  return d;
}

// Steps must be small enough for the first power that is left to be the only one that counts, and large enough for
// h^(ℓ+2) to be above the rounding errors of the run, which are about 1e-15: with ℓ = 8 and h = 1/12 it is 1e-13.
TEST(Conformal, truncated_hamiltonians_are_constant_up_to_the_next_power_long) {
  for (const char* rule : {"M", "TT"}) {
    for (const int ell : {2, 4, 6, 8}) {
      const double h = ell == 8 ? 1.0 / 6 : 1.0 / 8;
      const Deviations coarse = deviations(rule, ell, h);
      const Deviations fine = deviations(rule, ell, h / 2);
      const auto exponent = [&](double Deviations::* which) { return std::log2(coarse.*which / fine.*which); };
      fmt::print("{:>3} ell = {}: K {:.1e}, exponents {:.2f} {:.2f} {:.2f}\n", rule, ell, fine.hamiltonian,
                 exponent(&Deviations::hamiltonian), exponent(&Deviations::energy), exponent(&Deviations::from_zero));
      EXPECT_NEAR(exponent(&Deviations::hamiltonian), ell + 2, 0.3) << rule << ell;
      EXPECT_NEAR(exponent(&Deviations::energy), ell + 2, 0.3) << rule << ell;
      EXPECT_NEAR(exponent(&Deviations::from_zero), ell + 2, 0.3) << rule << ell;
    }
  }
}

// --------------------------------------------------------------------------------------------------------- gradients

// Differences over ±δ, ±2δ with δ = 1/1024 have errors of 2δ⁴/15 = 1e-13 times a fifth derivative, and 1e-13 of
// rounding.
TEST(Conformal, energy_gradients_are_those_of_the_energy) {
  struct Case {
    const char* system;
    const char* rule;
    int ell;
  };
  for (const auto& [system, rule, ell] : {Case{"harmonic", "TT", 4}, Case{"knife edge, incline", "alpha=0.3", 3},
                                          Case{"sinusoidal, potential", "MT", 2}}) {
    const Problem problem = recorded_problem(system);
    const Method method = make_method(fmt::format("conformal:{}", rule), problem);
    ModifiedHamiltonian modified(method, problem);
    const double r[] = {0.3, -0.4};
    const double p[] = {0.6, 0.7};
    const auto state = state_of(method, r, p, 0.5);
    const auto velocity = velocity_at(method, problem, state);
    const auto gradient = modified.energy_gradient(state, velocity, 0.25, ell);
    ASSERT_EQ(gradient.size(), state.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      const auto difference = [&](double delta) {
        auto up = state;
        auto down = state;
        up[i] += delta;
        down[i] -= delta;
        return (modified.truncated_conformal(up, velocity, 0.25, ell).energy.value -
                modified.truncated_conformal(down, velocity, 0.25, ell).energy.value) /
               (2 * delta);
      };
      const double delta = 1.0 / 1024;
      const double expected = (4 * difference(delta) - difference(2 * delta)) / 3;
      EXPECT_NEAR(gradient[i], expected, 1e-11) << system << " " << i;
    }
    EXPECT_EQ(gradient[method.canonical->conformal->entry], 0.0);
  }
}

// ------------------------------------------------------------------------------------------------- Figures 5.5 and 5.6

// The free particle runs away and N tends to 0, so that H − E = K/N grows unless K vanishes.
TEST(Conformal, removes_the_energy_drift_of_the_free_particle) {
  for (const char* rule : {"M", "MT", "TM", "TT", "T"}) {
    SCOPED_TRACE(rule);
    Problem problem = problem_of("free-particle", 0.25);
    problem.start = {{0, 0, 0}, {1, 1, 0}};
    // Energy error and distance from the exact solution at t = 25 and t = 50.
    const auto run_of = [&](int ell) {
      std::array<double, 4> errors{};
      const auto stepper = make_stepper(fmt::format("conformal:{}:ell={}", rule, ell), problem);
      for (int k = 0; k < 2; ++k) {
        take(*stepper, 100);
        const auto& [q, v, when] = stepper->node();
        errors[static_cast<std::size_t>(2 * k)] = std::abs(0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) - 1.0);
        errors[static_cast<std::size_t>(2 * k + 1)] = distance(q, ReferenceFlow(problem).at(25.0 * (k + 1)).q);
      }
      return errors;
    };
    const auto [energy_25, error_25, energy_50, error_50] = run_of(4);
    const auto [drift_25, drifting_25, drift_50, drifting_50] = run_of(0);
    EXPECT_LT(energy_50, 0.02);
    EXPECT_LT(std::abs(energy_50 - energy_25), 0.05 * (drift_50 - drift_25));  // what ℓ > 4 would still remove
    EXPECT_GT(drift_50, 1.5 * drift_25);                                       // GV's figure: linear in time
    EXPECT_GT(drift_50, 0.1);
    EXPECT_LT(error_50 / error_25, 2.4);  // grows linearly
    EXPECT_GT(drifting_50 / drifting_25, 3.5);
    EXPECT_LT(error_50, 0.05 * drifting_50);
  }
}

// ------------------------------------------------------------------------------------------------------------ options

TEST(Conformal, options_are_checked) {
  const auto refusal = [](const char* name) { return refusal_of([&] { MethodSpec{name}; }); };
  EXPECT_NE(refusal("conformal:ell=13").find("ell must be a number between 0 and 12, found '13'"), std::string::npos);
  EXPECT_NE(refusal("conformal:ell=-1").find("ell must be a number between 0 and 12"), std::string::npos);
  EXPECT_NE(refusal("conformal:ell=2.5").find("ell must be a whole number, found '2.5'"), std::string::npos);
  EXPECT_NE(refusal("conformal:M:T").find("M and T are two rules: give one"), std::string::npos);
  EXPECT_NE(refusal("conformal:midpoint:TT").find("are two rules: give one"), std::string::npos);
  EXPECT_NE(refusal("conformal:Q").find("has no option 'Q'"), std::string::npos);
  EXPECT_EQ(refusal("conformal:MT:ell=12"), "");
}

TEST(Conformal, with_ell_0_is_pthdel) {
  for (const char* rule : {"midpoint", "trapezoidal", "alpha=0.3", "sym=0.25"}) {
    const Problem problem = recorded_problem("harmonic");
    const auto conformal = make_stepper(fmt::format("conformal:{}:ell=0", rule), problem);
    const auto pthdel = make_stepper(fmt::format("pthdel:{}", rule), problem);
    take(*conformal, 20);
    take(*pthdel, 20);
    EXPECT_EQ(distance(conformal->state(), pthdel->state()), 0.0) << rule;
  }
}

}  // namespace conformal_test
}  // namespace rattleback::test
