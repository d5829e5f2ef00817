#pragma once

// An integrator as an implicit system, by hand, for the tests of kernels: the discrete Lagrange–d'Alembert (DLA) method
// with the midpoint rule (Cortés & Martínez, Nonholonomic integrators, 2001), in position–momentum form.

#include <string>
#include <vector>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback::test {

struct MechanicalModel {
  std::vector<std::string> coordinates;
  std::string lagrangian;
  std::vector<std::string> constraints;
  std::vector<std::string> parameters;
};

/// The quadratic particle: y decouples, the rest is linear.
inline MechanicalModel quadratic_particle() {
  return {{"x", "y", "z"}, "0.5*(x'^2 + y'^2 + z'^2) - (x^2 + y^2)", {"z' - y*x'"}, {}};
}

/// The Chaplygin sleigh on an incline: needs iteration.
inline MechanicalModel chaplygin_sleigh() {
  return {{"x", "y", "theta"},
          "0.5*(m*(x'^2 + y'^2) + (I + m*a^2)*theta'^2 + 2*m*a*theta'*(y'*cos(theta) - x'*sin(theta)))"
          " - m*g*(y + a*sin(theta))",
          {"y'*cos(theta) - x'*sin(theta)"},
          {"m", "I", "a", "g"}};
}

/// With Δ = q₁ − q₀, q̄ = q₀ + Δ/2 and v̄ = Δ/h, solve for Δ and λ
///
///     p₀ + (h/2) L_q(q̄, v̄) − L_v(q̄, v̄) = A(q₀)ᵀλ,   A(q̄) Δ = 0
///
/// and return q₁ = q₀ + Δ, p₁ = (h/2) L_q(q̄, v̄) + L_v(q̄, v̄), Δ. Data are q, p, Δ of the step before
/// (the guess; zeros will do), h, then the parameters in their order; the state is (q, p, Δ). Start
/// with p = L_v(q, v).
///
/// By the first equation p₁ = p₀ + h L_q(q̄, v̄) − A(q₀)ᵀλ, and this is what is computed: the rounding of
/// constants like 1/h then acts as a slight change of the masses, under which the method is what it
/// was. Computed from L_v it acts as a force, and the errors grow faster (docs/kernels.md).
inline ImplicitSystem dla_midpoint(const MechanicalModel& model) {
  std::vector<Expression> q;
  std::vector<Expression> v;
  for (const std::string& name : model.coordinates) {
    q.push_back(Expression::symbol(name));
    v.push_back(dot(q.back()));
  }
  const std::size_t n = q.size();
  const Expression h = Expression::symbol("h");
  ParseOptions notation{"Lagrangian", 1, 1, model.parameters};
  for (const Expression& x : q) notation.names->insert(notation.names->end(), {x.name(), dot(x).name()});
  const Expression lagrangian = parse(model.lagrangian, notation);
  ImplicitSystem system;
  std::vector<Expression> p;
  std::vector<Expression> increment;
  std::vector<Expression> previous;
  for (const std::string& name : model.coordinates) {
    p.push_back(Expression::symbol("p_" + name));
    increment.push_back(Expression::symbol("d_" + name));
    previous.push_back(Expression::symbol("previous_" + name));
  }
  for (const auto* list : {&q, &p, &previous}) system.data.insert(system.data.end(), list->begin(), list->end());
  system.data.push_back(h);
  for (const std::string& name : model.parameters) system.data.push_back(Expression::symbol(name));
  system.state = 3 * n;

  Substitution midpoint;
  for (std::size_t i = 0; i < n; ++i) {
    midpoint.emplace(q[i], q[i] + 0.5 * increment[i]);
    midpoint.emplace(v[i], increment[i] / h);
  }
  const auto force = substitute(gradient(lagrangian, q), midpoint);
  const auto momentum = substitute(gradient(lagrangian, v), midpoint);
  system.unknowns = increment;
  system.guess = previous;
  std::vector<Expression> new_momentum;
  for (std::size_t i = 0; i < n; ++i) {
    system.residuals.push_back(p[i] + 0.5 * h * force[i] - momentum[i]);
    new_momentum.push_back(p[i] + h * force[i]);
  }
  for (std::size_t k = 0; k < model.constraints.size(); ++k) {
    notation.source = "constraint " + std::to_string(k + 1);
    const Expression constraint = parse(model.constraints[k], notation);
    const auto row = gradient(constraint, v);
    Substitution at_rest;
    for (const Expression& velocity : v) at_rest.emplace(velocity, Expression(0.0));
    for (const Expression& entry : row) {
      if (!(substitute(entry, at_rest) == entry))
        throw ExpressionError(notation.source + " is not linear in the velocities");
    }
    if (!substitute(constraint, at_rest).is_constant(0.0)) {
      throw ExpressionError(notation.source + " does not vanish with the velocities");
    }
    const auto row_at_midpoint = substitute(row, midpoint);
    const Expression lambda = Expression::symbol("lambda" + std::to_string(k));
    system.unknowns.push_back(lambda);
    system.guess.emplace_back(0.0);
    Expression slip;
    for (std::size_t i = 0; i < n; ++i) {
      system.residuals[i] -= row[i] * lambda;
      new_momentum[i] -= row[i] * lambda;
      slip += row_at_midpoint[i] * increment[i];
    }
    system.residuals.push_back(slip);
  }
  for (std::size_t i = 0; i < n; ++i) system.outputs.push_back(q[i] + increment[i]);
  system.outputs.insert(system.outputs.end(), new_momentum.begin(), new_momentum.end());
  for (std::size_t i = 0; i < n; ++i) system.outputs.push_back(increment[i]);
  return system;
}

}  // namespace rattleback::test
