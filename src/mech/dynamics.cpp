#include "rattleback/mech/dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// Symbols that no model can contain, because the notation has no such names.
Vector derivative_symbols(const Vector& symbols, const char* primes) {
  Vector result;
  for (const Expression& s : symbols) result.push_back(Expression::symbol(s.name() + primes));
  return result;
}
Vector zeros(std::size_t n) { return Vector(n, Expression(0.0)); }

/// M a + L_vq v + L_vt − L_q − F − Aᵀλ, of rotations also − p × Ω
Vector motion_residuals(const System& s, const Vector& a, const Vector& lambda, const Vector& applied) {
  Vector residuals = rates_of_change(s.momenta(), s, a);
  for (std::size_t i = 0; i < s.dimension(); ++i) residuals[i] -= s.forces()[i];
  const Vector turning = gyroscopic(s);
  for (std::size_t i = 0; i < s.dimension(); ++i) residuals[i] -= turning[i];
  for (std::size_t i = 0; i < applied.size(); ++i) residuals[i] -= applied[i];
  add_constraint_forces(s, lambda, -1.0, residuals);
  return residuals;
}

bool contains_any(const Expression& e, const Vector& symbols) {
  const auto free = free_symbols(e);
  return std::ranges::any_of(free, [&](const Expression& s) { return std::ranges::find(symbols, s) != symbols.end(); });
}

bool depends_nonlinearly(const Vector& functions, const Vector& symbols) {
  return std::ranges::any_of(functions, [&](const Expression& f) {
    if (has_kinks_in(f, symbols)) return true;
    const Vector slopes = gradient(f, symbols);
    return std::ranges::any_of(slopes, [&](const Expression& slope) { return contains_any(slope, symbols); });
  });
}

/// The terms of a sum in which none of the symbols occurs.
Expression part_without(const Expression& e, const Vector& symbols) {
  if (e.kind() != Kind::sum) return contains_any(e, symbols) ? Expression(0.0) : e;
  std::vector<Term> terms;
  for (const Term& t : e.operands()) {
    if (!contains_any(t.expression, symbols)) terms.push_back(t);
  }
  return sum(terms, e.value());
}

/// d/dt of A v + b and of ∇g·v + g_t
Vector row_rates(const System& s, const Vector& a) { return rates_of_change(s.velocity_rows(), s, a); }

}  // namespace

Vector momentum_symbols(const System& system) {
  Vector result;
  for (const Expression& q : system.freedoms()) result.push_back(Expression::symbol("p(" + q.name() + ")"));
  return result;
}

Vector multiplier_symbols(const System& system, const char* suffix) {
  Vector result;
  for (std::size_t k = 0; k < system.row_count(); ++k) {
    result.push_back(Expression::symbol(multiplier_symbol(k).name() + suffix));
  }
  return result;
}

void add_constraint_forces(const System& system, const Vector& multipliers, const Expression& factor, Vector& x,
                           SeenFrom seen_from) {
  Vector torques = zeros(system.dimension());  // in the body
  for (const auto& entry : system.constraint_matrix().entries) {
    const Expression force = factor * entry.value * multipliers[static_cast<std::size_t>(entry.row)];
    const auto column = static_cast<std::size_t>(entry.column);
    (seen_from == SeenFrom::body || column < system.space().numbers ? x : torques)[column] += force;
  }
  if (seen_from == SeenFrom::body) return;
  torques = in_space(system, std::move(torques), system.coordinates());
  for (std::size_t i = system.space().numbers; i < system.dimension(); ++i) x[i] += torques[i];
}

Vector state_and_parameters(const System& system) { return map_of_node(system).data; }

ImplicitSystem map_of_node(const System& system) {
  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::velocity, system.velocities());
  map.take(Slot::time, system.time());
  map.take(Slot::parameters, system.parameters());
  return map;
}

ImplicitSystem equations_of_accelerations(const System& s, double damping) {
  const Vector a = derivative_symbols(s.freedoms(), "''");
  const Vector lambda = multiplier_symbols(s);
  Vector rates = row_rates(s, a);
  if (damping != 0.0) {
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const bool holonomic = k >= s.constraints().size();
      rates[k] += (holonomic ? 2.0 : 1.0) * damping * s.velocity_rows()[k];
      if (holonomic) rates[k] += damping * damping * s.holonomic()[k - s.constraints().size()];
    }
  }
  ImplicitSystem result = map_of_node(s);
  result.unknowns = joined({a, lambda});
  result.residuals = motion_residuals(s, a, lambda, s.applied_forces());
  result.residuals.insert(result.residuals.end(), rates.begin(), rates.end());
  result.guess = zeros(result.unknowns.size());
  return result;
}

// With F = F⁰ + F(λ) and the solution (a⁰, λ⁰) for F⁰ alone, which is unique, the equations for F are solved for a and
// δ = λ − λ⁰ from δ = 0: of the forces that friction allows, these are what they become when it grows from nothing.
// Slopes may be infinite at λ = 0, as that of |λ| is.
ImplicitSystem accelerations(const System& s, double damping) {
  ImplicitSystem result = equations_of_accelerations(s, damping);
  const Vector a = derivative_symbols(s.freedoms(), "''");
  const Vector lambda = multiplier_symbols(s);
  if (depends_nonlinearly(s.applied_forces(), lambda)) {
    const Vector lambda_before = multiplier_symbols(s, "(before)");
    const Vector change = multiplier_symbols(s, "(change)");
    Substitution before;
    Substitution changed;
    for (std::size_t i = 0; i < a.size(); ++i) before.emplace(a[i], Expression::symbol(a[i].name() + "(before)"));
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      before.emplace(lambda[k], lambda_before[k]);
      changed.emplace(lambda[k], lambda_before[k] + change[k]);
    }
    Vector applied = s.applied_forces();  // F⁰
    for (Expression& force : applied) force = part_without(force, lambda);
    Vector first = result.residuals;
    std::ranges::copy(motion_residuals(s, a, lambda, applied), first.begin());
    Vector sums;
    for (std::size_t k = 0; k < lambda.size(); ++k) sums.push_back(lambda[k] - lambda_before[k] - change[k]);
    result.residuals = joined({substitute(result.residuals, changed), substitute(first, before), sums});
    result.unknowns = joined({result.unknowns, substitute(result.unknowns, before), change});
    result.guess = zeros(result.unknowns.size());
  }
  result.give(Slot::acceleration, a);
  result.give(Slot::multipliers, lambda);
  return result;
}

ImplicitSystem map_with_multipliers(const System& s) {
  ImplicitSystem map = map_of_node(s);
  if (s.forces_contain_multipliers()) map.solve_as(accelerations(s));
  return map;
}

ImplicitSystem index_zero_rates(const System& s) {
  const Vector a = derivative_symbols(s.freedoms(), "''");
  const Vector jerk = derivative_symbols(s.freedoms(), "'''");
  const Vector lambda = multiplier_symbols(s);
  const Vector lambda_rate = multiplier_symbols(s, "'");
  const Vector motion = motion_residuals(s, a, lambda, s.applied_forces());
  const Vector from = joined({s.coordinates(), s.velocities(), a, lambda, s.time()});
  Vector along = joined({position_rates(s), a, jerk, lambda_rate});
  along.resize(from.size(), Expression(1.0));
  const Vector motion_rate = directional_derivative(motion, from, along);
  const Vector rows = directional_derivative(row_rates(s, a), from, along);

  ImplicitSystem result;
  result.take(Slot::state, joined({s.coordinates(), s.velocities(), lambda}));
  result.take(Slot::time, s.time());
  result.take(Slot::parameters, s.parameters());
  result.unknowns = joined({a, jerk, lambda_rate});
  result.residuals = joined({motion, motion_rate, rows});
  result.guess = zeros(result.unknowns.size());
  result.give(Slot::state, joined({position_rates(s), a, lambda_rate}));
  return result;
}

ImplicitSystem legendre(const System& s) {
  ImplicitSystem result = map_of_node(s);
  result.give(Slot::momentum, s.momenta());
  return result;
}

ImplicitSystem inverse_legendre(const System& s) {
  const Vector p = momentum_symbols(s);
  ImplicitSystem result;
  result.take(Slot::position, s.coordinates());
  result.take(Slot::momentum, p);
  result.take(Slot::time, s.time());
  result.take(Slot::parameters, s.parameters());
  result.unknowns = s.velocities();
  for (std::size_t i = 0; i < s.dimension(); ++i) result.residuals.push_back(s.momenta()[i] - p[i]);
  result.guess = zeros(s.dimension());
  result.give(Slot::velocity, s.velocities());
  return result;
}

ImplicitSystem admissible_velocity(const System& s) {
  ImplicitSystem result = inverse_legendre(s);
  const Vector nu = multiplier_symbols(s);
  add_constraint_forces(s, nu, 1.0, result.residuals);
  result.unknowns.insert(result.unknowns.end(), nu.begin(), nu.end());
  result.residuals.insert(result.residuals.end(), s.velocity_rows().begin(), s.velocity_rows().end());
  result.guess = zeros(result.unknowns.size());
  return result;
}

ImplicitSystem projection(const System& s) {
  const std::size_t n = s.dimension();
  const std::size_t numbers = s.space().numbers;
  const Vector unknown_q = derivative_symbols(s.freedoms(), "(new)");  // of rotations, the increments that lead there
  Vector shift = unknown_q;
  for (std::size_t i = 0; i < numbers; ++i) shift[i] -= s.coordinates()[i];
  const Vector new_v = derivative_symbols(s.velocities(), "(new)");
  const Vector nu = multiplier_symbols(s);
  ImplicitSystem result = map_of_node(s);
  Vector q = orthonormal(s, s.coordinates());
  if (!s.holonomic().empty()) {
    Substitution at_rotations;
    for (std::size_t i = numbers; i < q.size(); ++i) at_rotations.emplace(s.coordinates()[i], q[i]);
    q = substitute(moved_by(s, shift, 1.0), at_rotations);
  }
  Substitution at_new;
  for (std::size_t i = 0; i < q.size(); ++i) at_new.emplace(s.coordinates()[i], q[i]);

  // M(q̂, v̂)(q − q̂) − A(q̂)ᵀσ = 0, g(q) = 0, and the other rows of A(q̂)(q − q̂) = 0: by inertia, as nothing else compares
  // coordinates of different units, and where there is none, constraints decide.
  if (!s.holonomic().empty()) {
    Vector sigma;
    for (const Expression& l : nu) sigma.push_back(Expression::symbol("σ" + l.name()));
    Vector balance = directional_derivative(s.momenta(), s.velocities(), shift);
    add_constraint_forces(s, sigma, -1.0, balance);
    Vector across = zeros(s.constraints().size());
    for (const auto& entry : s.constraint_matrix().entries) {
      const auto row = static_cast<std::size_t>(entry.row);
      if (row < across.size()) across[row] += entry.value * shift[static_cast<std::size_t>(entry.column)];
    }
    result.unknowns = joined({unknown_q, sigma});
    result.residuals = joined({balance, across, substitute(s.holonomic(), at_new)});
    result.guess.assign(s.coordinates().begin(), s.coordinates().begin() + static_cast<std::ptrdiff_t>(numbers));
    result.guess.resize(result.unknowns.size(), Expression(0.0));
  }
  // M(q, v̂)(v − v̂) − A(q)ᵀν = 0, A(q) v + b(q) = 0
  Vector change;
  Substitution at_new_velocity = at_new;
  for (std::size_t i = 0; i < n; ++i) {
    change.push_back(new_v[i] - s.velocities()[i]);
    at_new_velocity.emplace(s.velocities()[i], new_v[i]);
  }
  Vector impulse = directional_derivative(substitute(s.momenta(), at_new), s.velocities(), change);
  Vector force = zeros(n);
  add_constraint_forces(s, nu, -1.0, force);
  force = substitute(force, at_new);
  for (std::size_t i = 0; i < n; ++i) impulse[i] += force[i];
  const Vector rows = substitute(s.velocity_rows(), at_new_velocity);
  result.unknowns = joined({result.unknowns, new_v, nu});
  result.residuals = joined({result.residuals, impulse, rows});
  result.guess = joined({result.guess, s.velocities()});
  result.guess.resize(result.unknowns.size(), Expression(0.0));
  result.give(Slot::position, q);
  result.give(Slot::velocity, new_v);
  return result;
}

ImplicitSystem observables(const System& s) {
  Vector conserved;
  for (const NamedExpression& c : s.conserved()) conserved.push_back(c.expression);
  ImplicitSystem result = map_of_node(s);
  result.give(Slot::energy, {&s.energy(), 1});
  result.give(Slot::constraints, joined({s.velocity_rows(), s.holonomic()}));
  result.give(Slot::conserved, conserved);
  return result;
}

std::vector<std::string> equation_names(const System& s) {
  std::vector<std::string> names;
  for (const Expression& q : s.freedoms()) names.push_back("the equation of motion of " + q.name());
  for (std::size_t k = 0; k < s.velocity_rows().size(); ++k) names.push_back("the derivative of " + s.row_name(k));
  return names;
}

std::vector<std::string> names_of_accelerations(const System& s) {
  std::vector<std::string> names = equation_names(s);
  if (!depends_nonlinearly(s.applied_forces(), multiplier_symbols(s))) return names;
  for (const std::string& name : equation_names(s)) names.push_back(name + " without forces that contain multipliers");
  for (std::size_t k = 0; k < s.row_count(); ++k) names.push_back("the multiplier of " + s.row_name(k));
  return names;
}

}  // namespace rattleback
