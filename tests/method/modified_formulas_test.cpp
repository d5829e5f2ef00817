// Formulas of modified Hamiltonians of rigid bodies: quotients of polynomials in sines and cosines with roots.

#include <algorithm>
#include <array>

#include "modified_numbers.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/method/modified_series.hpp"
#include "tests/case_name.hpp"

namespace rattleback::test {
namespace modified_formulas_test {

/// Of the midpoint rule at (theta, phi, p_theta, p_phi), by sympy from kinetic energies and multipliers that were
/// written down by hand: K₂ = −K″(f, f)/24 with f = J∇K at E = 0.7; 𝓔₂ = K₂/N and N₂ = −∂K₂/∂E at E = H.
struct Recorded {
  const char* model;
  bool short_enough;  ///< for names of parameters
  std::array<double, 4> point;
  double k2;
  double e2;
  double n2;
};
void PrintTo(const Recorded& r, std::ostream* out) { *out << r.model; }

class OfRigidBody : public testing::TestWithParam<Recorded> {
 protected:
  std::vector<double> state(const Method& method, double energy) const {
    const std::span point(GetParam().point);
    std::vector<double> z = state_of(method, point.first(2), point.last(2), energy);
    const auto& shape = method.canonical->positions;
    for (std::size_t i = 0; i < problem_.start.q.size(); ++i) {  // rotations about other axes than 0 and pi
      if (std::ranges::find(shape, i) == shape.end()) z[i] = problem_.start.q[i];
    }
    return z;
  }
  ParameterNumbers parameters() const {
    ParameterNumbers numbers;
    for (std::size_t i = 0; i < problem_.parameters.size(); ++i)
      numbers.emplace(problem_.system.parameters()[i], problem_.parameters[i]);
    return numbers;
  }
  /// A coefficient at the point.
  double value(const Expression& formula, const ModifiedSeries& series, double energy) const {
    ParameterNumbers at = parameters();
    for (std::size_t i = 0; i < 2; ++i) {
      at[series.coordinates[i]] = GetParam().point[i];
      at[series.momenta[i]] = GetParam().point[2 + i];
    }
    at[*series.energy_symbol] = energy;
    return evaluate(formula, at);
  }

  Problem problem_ = problem_of(GetParam().model, 0.1);
};

constexpr double energy = 0.7;

TEST_P(OfRigidBody, formulas_have_the_values_of_an_independent_program) {
  const Method method = make_method("conformal:M", problem_);
  std::vector<ModifiedSeries> all{modified_series(method, 2, parameters())};
  if (GetParam().short_enough) all.push_back(modified_series(method, 2));
  for (const ModifiedSeries& series : all) {
    EXPECT_NEAR(value(series.hamiltonian[2], series, energy), GetParam().k2, 1e-13);
    EXPECT_NEAR(value(series.energy[2], series, energy), GetParam().e2, 1e-13);
    EXPECT_NEAR(value(series.factor[2], series, energy), GetParam().n2, 1e-13);
  }
  for (const Expression& x : free_symbols(all[0].hamiltonian[2])) EXPECT_FALSE(parameters().contains(x)) << x.name();
}

// Orbits know nothing of formulas. h² of what is compared is 1/16.
TEST_P(OfRigidBody, formulas_are_what_orbits_in_quadruple_precision_lead_to) {
  for (const char* rule : {"conformal:M", "conformal:TT"}) {
    const Method method = make_method(rule, problem_);
    const ModifiedSeries series = modified_series(method, 2, parameters());
    ModifiedHamiltonian orbits(method, problem_);
    const auto z = state(method, energy);
    const auto velocity = velocity_at(method, problem_, z);
    const double h = 0.25;
    const auto at = [&](int ell) {
      const ConformalValues c = orbits.truncated_conformal(z, velocity, h, ell);
      return std::array{orbits.truncated(z, velocity, h, ell).value, c.energy.value, c.factor.value};
    };
    const auto first = at(0);
    const auto second = at(2);
    const Expression formulas[] = {series.hamiltonian[2], series.energy[2], series.factor[2]};
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(value(formulas[k], series, energy), (second[k] - first[k]) / (h * h), 2e-14) << rule << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OfRigidBody,
                         testing::Values(Recorded{"veselova",
                                                  true,
                                                  {1.125, 0.375, 0.25, 1.125},
                                                  -0.03416567285305471705956172,
                                                  -0.05003074348583086036777432,
                                                  0.006567265096610567771567929},
                                         Recorded{"rubber-routh-sphere",
                                                  true,
                                                  {2.0, 0.375, 0.0625, 0.5},
                                                  -0.009649863445322545360142245,
                                                  -0.0004716442752639317263620635,
                                                  0.005309899762162778821775297},
                                         Recorded{"rubber-body-on-sphere",
                                                  false,
                                                  {1.5, 0.375, 0.125, 0.5},
                                                  -0.001605011949251837330865020,
                                                  -0.0002752787303348314077728887,
                                                  0.00002519174719924004550362810}),
                         [](const auto& which) { return case_name(which.param.model); });

}  // namespace modified_formulas_test
}  // namespace rattleback::test
