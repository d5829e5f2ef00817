// The modified Lagrangian and the modified equation (García-Naranjo & Vermeeren, (4.8); M. Vermeeren, Modified
// equations for variational integrators, Numerische Mathematik 137 (2017) 1001–1037), from the modified Hamiltonian K =
// Σ h^j K_j.
//
// The Lagrangian is the Legendre transform, L = P·ṙ − K at the P where that is stationary: P = P₀ + Σ h^j δ_j with
// P₀ = ∂L₀/∂ṙ. K₀ is quadratic in P, and its Hessian is the inverse of M = ∂²L₀/∂ṙ², so that
//
//     δ_j = −M · coefficient of h^j in Σ_{k≥1} h^k ∂K_k/∂P (r, P₀ + δ).
//
// L is stationary at P: what is left out of δ counts twice, and δ up to h^⌊ℓ/2⌋ gives L up to h^ℓ.

#include <cmath>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/method/modified_series.hpp"

namespace rattleback {
namespace {

using Expressions = std::vector<Expression>;

constexpr std::size_t terms_of_formulas = 20000;

Expression short_form(const Expression& x, const ModifiedSeries& series) {
  return factored(x, terms_of_formulas, series.numbers);
}

Expressions modified_lagrangian(const ModifiedSeries& series, const System& motion) {
  const std::size_t n = series.momenta.size();
  const std::size_t order = series.hamiltonian.size() - 1;
  const Expression epsilon = unused_symbol("epsilon", motion);
  const SparseMatrix inertia = jacobian(motion.momenta(), motion.velocities());
  Expressions momenta(motion.momenta().begin(), motion.momenta().end());
  const auto at_momenta = [&](const Expression& f) {
    Substitution place;
    for (std::size_t i = 0; i < n; ++i) place.emplace(series.momenta[i], momenta[i]);
    return substitute(f, place);
  };
  const auto power = [&](std::size_t k) { return pow(epsilon, static_cast<double>(k)); };
  const auto coefficient = [&](const Expression& f, std::size_t j) {  // of ε^j
    const Expression slope = derivative(f, epsilon, static_cast<int>(j)) / std::tgamma(static_cast<double>(j) + 1.0);
    return short_form(substitute(slope, Substitution{{epsilon, Expression(0.0)}}), series);
  };
  for (std::size_t j = 1; 2 * j <= order; ++j) {
    Expression perturbation;
    for (std::size_t k = 1; k <= j; ++k) perturbation += power(k) * series.hamiltonian[k];
    Expressions slopes;
    for (const Expression& slope : gradient(perturbation, series.momenta))
      slopes.push_back(coefficient(at_momenta(slope), j));
    Expressions delta(n);
    for (const auto& m : inertia.entries)
      delta[static_cast<std::size_t>(m.row)] -= m.value * slopes[static_cast<std::size_t>(m.column)];
    for (std::size_t i = 0; i < n; ++i) momenta[i] += power(j) * delta[i];
  }
  Expression hamiltonian;
  for (std::size_t k = 0; k <= order; ++k) hamiltonian += power(k) * series.hamiltonian[k];
  Expression lagrangian = -at_momenta(hamiltonian);
  for (std::size_t i = 0; i < n; ++i) lagrangian += momenta[i] * motion.velocities()[i];
  Expressions coefficients;
  for (std::size_t j = 0; j <= order; ++j) coefficients.push_back(coefficient(lagrangian, j));
  return coefficients;
}

}  // namespace

ModifiedMotion modified_motion(const ModifiedSeries& series, const System& motion) {
  ModifiedMotion result;
  result.velocities.assign(motion.velocities().begin(), motion.velocities().end());
  result.lagrangian = modified_lagrangian(series, motion);
  const bool conformal = series.energy_symbol.has_value();
  const Expressions& energy = conformal ? series.energy : series.hamiltonian;
  for (std::size_t j = 0; j < energy.size(); ++j) {
    Expressions positions(series.momenta.size());
    Expressions momenta(series.momenta.size());
    for (std::size_t k = conformal ? 0 : j; k <= j; ++k) {
      const Expression factor = conformal ? series.factor[j - k] : Expression(1.0);
      const Expressions by_momenta = gradient(energy[k], series.momenta);
      const Expressions by_positions = gradient(energy[k], series.coordinates);
      for (std::size_t i = 0; i < positions.size(); ++i) {
        positions[i] += factor * by_momenta[i];
        momenta[i] -= factor * by_positions[i];
      }
    }
    for (Expression& x : positions) x = short_form(x, series);
    for (Expression& x : momenta) x = short_form(x, series);
    result.position_rates.push_back(std::move(positions));
    result.momentum_rates.push_back(std::move(momenta));
  }
  return result;
}

}  // namespace rattleback
