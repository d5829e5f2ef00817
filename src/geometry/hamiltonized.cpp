#include "rattleback/geometry/hamiltonized.hpp"

#include <algorithm>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/model/legendre.hpp"

namespace rattleback {
namespace {

/// A symbol that is neither coordinate nor parameter of a system.
Expression symbol_beside(const System& system, std::string name) {
  const auto is_taken = [&](const std::vector<Expression>& symbols) {
    return std::ranges::any_of(symbols, [&](const Expression& s) { return s.name() == name; });
  };
  while (is_taken(system.coordinates()) || is_taken(system.parameters())) name += "_";
  return Expression::symbol(name);
}

/// A function that is quadratic in the momenta, without linear terms: by its coefficients if that is shorter.
Expression shorter_quadratic(const Expression& function, const std::vector<Expression>& momenta) {
  Substitution at_rest;
  for (const Expression& p : momenta) at_rest.emplace(p, Expression(0.0));
  Expression square;
  const std::vector<Expression> velocities = gradient(function, momenta);
  for (std::size_t i = 0; i < momenta.size(); ++i) {
    const std::vector<Expression> coefficients = gradient(velocities[i], momenta);
    for (std::size_t j = i; j < momenta.size(); ++j) {
      square += (i == j ? 1.0 : 2.0) * tidy(coefficients[j]) * momenta[i] * momenta[j];
    }
  }
  const Expression by_coefficients = 0.5 * square + substitute(function, at_rest);
  return operation_count(by_coefficients) <= operation_count(function) ? by_coefficients : function;
}

}  // namespace

HamiltonizedForms hamiltonized_forms(const System& reduced, const Expression& multiplier) {
  const System in_tau = hamiltonized(reduced, multiplier);
  HamiltonizedForms forms;
  for (const Expression& r : reduced.coordinates()) {
    forms.momenta.push_back(symbol_beside(reduced, "P_" + r.name()));
  }
  forms.energy = symbol_beside(reduced, "E");
  forms.lagrangian = in_tau.lagrangian();
  forms.poincare_lagrangian = scaled_lagrangian(reduced, multiplier, multiplier) + multiplier * forms.energy;
  const auto legendre = legendre_transform(forms.lagrangian, in_tau.velocities(), forms.momenta);
  if (!legendre) return forms;
  forms.hamiltonian = shorter_quadratic(legendre->function, forms.momenta);
  forms.poincare_hamiltonian = multiplier * (*forms.hamiltonian - forms.energy);
  return forms;
}

}  // namespace rattleback
