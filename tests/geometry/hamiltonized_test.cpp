// Hamiltonians and Lagrangians of Hamiltonized systems: the formulas of Fernandez, Bloch & Olver, and their motion
// against the reduced equations.

#include "rattleback/geometry/hamiltonized.hpp"

#include "found.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback::test {
namespace hamiltonized_test {

TEST(HamiltonizedForms, of_the_particle_are_those_of_the_paper) {
  const Found f("free-particle-x");
  const Expression& n = f.gyroscopic().multiplier->exponential;
  const HamiltonizedForms forms = hamiltonized_forms(f.reduced(), n);
  ASSERT_TRUE(forms.hamiltonian);
  for (const double x : {-1.3, 0.0, 0.4, 2.0}) {
    const double v[] = {0.7, -1.1};
    const double p[] = {0.6, 1.9};
    const double e = 1.7;
    Values at = values(f.reduced(), {x, 0.3}, {v[0], v[1]});
    for (const int i : {0, 1}) at[forms.momenta[static_cast<std::size_t>(i)]] = p[i];
    at[forms.energy] = e;
    const double root = std::sqrt(1.0 + x * x);
    const double h = 0.5 * ((1.0 + x * x) * p[0] * p[0] + p[1] * p[1]);                    // (31)
    const double lagrangian = 0.5 * (v[0] * v[0] / root + root * v[1] * v[1]) + e / root;  // (51)
    // N is determined up to a factor: here it is 1 at x = 0
    EXPECT_NEAR(evaluate(n, at), 1.0 / root, 1e-15);
    EXPECT_NEAR(evaluate(*forms.hamiltonian, at), h, 1e-14 * h);
    EXPECT_NEAR(evaluate(forms.poincare_lagrangian, at), lagrangian, 1e-14 * lagrangian);
    EXPECT_NEAR(evaluate(*forms.poincare_hamiltonian, at), (h - e) / root, 1e-13);
  }
}

TEST(HamiltonizedForms, symbols_are_none_of_the_system) {
  Found f("free-particle-x");
  SystemDefinition d;
  d.coordinates = f.reduced().coordinates();
  d.parameters = {{"E", 1.0}, {"P_x", 2.0}};
  d.lagrangian = f.reduced().lagrangian();
  const HamiltonizedForms forms = hamiltonized_forms(System(d), Expression(1.0));
  EXPECT_EQ(forms.energy.name(), "E_");
  EXPECT_EQ(forms.momenta[0].name(), "P_x_");
}

TEST(HamiltonizedForms, have_the_reduced_motion) {
  // On the level set: ṙ = ∂K/∂P and d/dt (N l_ṙ) = −∂K/∂r with the accelerations of the reduced equations, whose
  // agreement with the full ones is tested elsewhere; (41)–(43).
  for (const char* name :
       {"free-particle", "knife-edge-incline", "harmonic-particle", "veselova", "rubber-body-on-sphere"}) {
    const Found f(name);
    const Expression& n = f.gyroscopic().multiplier->exponential;
    const System& s = f.reduced();
    const HamiltonizedForms forms = hamiltonized_forms(s, n);
    ASSERT_TRUE(forms.poincare_hamiltonian) << name;
    const std::size_t m = s.dimension();
    std::vector<double> r;
    for (const std::size_t i : f.chaplygin().shape) r.push_back(f.near.q[i] + 0.1);
    std::vector<double> v;
    for (std::size_t i = 0; i < m; ++i) v.push_back(0.7 - 0.3 * static_cast<double>(i));
    Values at = values(s, r, v);

    std::vector<double> data = r;
    data.insert(data.end(), v.begin(), v.end());
    data.insert(data.end(), s.parameter_values().begin(), s.parameter_values().end());
    Step step(accelerations(s), 1, Backend::interpreted);
    std::vector<double> a(step.system().outputs.size());
    ASSERT_EQ(step.run(data, a), 1);

    std::vector<Expression> momenta;
    for (std::size_t i = 0; i < m; ++i) {
      momenta.push_back(n * s.momenta()[i]);
      at[forms.momenta[i]] = evaluate(momenta[i], at);
    }
    at[forms.energy] = evaluate(*forms.hamiltonian, at);
    EXPECT_NEAR(evaluate(*forms.hamiltonian, at), evaluate(s.energy(), at), 1e-12) << name;
    for (std::size_t i = 0; i < m; ++i) {
      double rate = 0.0;
      for (std::size_t k = 0; k < m; ++k) {
        rate += evaluate(derivative(momenta[i], s.coordinates()[k]), at) * v[k];
        rate += evaluate(derivative(momenta[i], s.velocities()[k]), at) * a[k];
      }
      EXPECT_NEAR(evaluate(derivative(*forms.poincare_hamiltonian, forms.momenta[i]), at), v[i], 1e-11) << name;
      EXPECT_NEAR(-evaluate(derivative(*forms.poincare_hamiltonian, s.coordinates()[i]), at), rate, 1e-11) << name;
    }
  }
}

}  // namespace hamiltonized_test
}  // namespace rattleback::test
