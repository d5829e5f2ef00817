#include "rattleback/model/conformal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/model/legendre.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

SystemDefinition mechanical(const ConformalDefinition& d) {
  if (d.momenta.size() != d.coordinates.size()) {
    throw SystemError(SystemError::Part::lagrangian, 0,
                      fmt::format("there are {} momenta for {} coordinates", d.momenta.size(), d.coordinates.size()));
  }
  const auto symbols = free_symbols(d.factor);
  for (const Expression& p : d.momenta) {
    if (std::ranges::find(symbols, p) == symbols.end()) continue;
    throw SystemError(SystemError::Part::lagrangian, 0,
                      fmt::format("the conformal factor depends on the momentum {}: it must be a function of the "
                                  "coordinates, so that the altered Hamiltonian has a Lagrangian N (L + E)",
                                  p.name()));
  }
  Vector u;  // ∂H/∂p
  Vector v;
  for (const Expression& q : d.coordinates) {
    u.push_back(Expression::symbol("u(" + q.name() + ")"));
    v.push_back(dot(q));
  }
  const auto legendre = legendre_transform(d.hamiltonian, d.momenta, u);
  if (!legendre) {
    throw SystemError(SystemError::Part::lagrangian, 0,
                      "the Hamiltonian must be quadratic in the momenta, with a regular matrix of second derivatives, "
                      "and have at most six");
  }
  Substitution at_rest;
  for (const Expression& p : d.momenta) at_rest.emplace(p, Expression(0.0));
  for (const Expression& slope : gradient(d.hamiltonian, d.momenta)) {
    if (tidy(substitute(slope, at_rest)).is_constant(0.0)) continue;
    throw SystemError(SystemError::Part::lagrangian, 0,
                      "the Hamiltonian has terms that are linear in the momenta: systems with magnetic terms have no "
                      "methods here that need a factor");
  }
  Substitution scaled;
  for (std::size_t i = 0; i < u.size(); ++i) scaled.emplace(u[i], v[i] / d.factor);

  SystemDefinition result;
  result.coordinates = d.coordinates;
  result.parameters = d.parameters;
  const Expression lagrangian = substitute(legendre->function, scaled);
  const Expression forms[] = {tidy(lagrangian), factored(lagrangian)};
  result.lagrangian = operation_count(forms[1]) < operation_count(forms[0]) ? forms[1] : forms[0];
  result.conformal_factor = d.factor;
  const Vector m = gradient(result.lagrangian, v);
  const Vector slope = gradient(d.factor, d.coordinates);
  Expression work;   // ⟨m, v⟩
  Expression along;  // ⟨∇φ, v⟩
  for (std::size_t i = 0; i < v.size(); ++i) {
    work += m[i] * v[i];
    along += slope[i] / d.factor * v[i];
  }
  const auto is_zero = [](const Expression& x) { return x.is_constant(0.0); };
  if (std::ranges::all_of(slope, is_zero)) return result;
  for (std::size_t i = 0; i < v.size(); ++i) {
    result.applied_forces.push_back(factored(work * slope[i] / d.factor - along * m[i]));
  }
  return result;
}

}  // namespace rattleback
