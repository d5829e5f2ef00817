// The reduced discrete Lagrange–d'Alembert (RDLA) equations on the shape space of a Chaplygin system, Cortés & Martínez
// (32) and Fernandez, Bloch & Olver (21): forced discrete Euler–Lagrange equations for the reduced Lagrangian l,
//
//     D₁l_d(r_k, r_{k+1}) + D₂l_d(r_{k−1}, r_k) + F⁻(r_k, r_{k+1}) + F⁺(r_{k−1}, r_k) = 0
//
// with discrete gyroscopic forces of two kinds.
//
//   averaged   F⁻ = F⁺ = (h/2) F_d, the gyroscopic force under the rule. (Fernandez, Bloch & Olver (24)–(25), which
//   have
//              a factor 2 too much.)
//   general    the forces of Cortés & Martínez: what remains of the DLA equations on Q, modulo A(q)ᵀ, when s_{k+1} is
//              determined by the discrete constraints. In position–momentum form, with the horizontal vectors
//              e_α(q) = ∂_α − Γ^a_α ∂_a, this is
//
//                  −e_α(q_k)·D₁L_d(q_k, q_{k+1}) = P_k,   A_d(q_k, q_{k+1}) = 0,   P_{k+1} = e_α(q_{k+1})·D₂L_d(q_k,
//                  q_{k+1})
//
//              and r moves as in dla under the same rule.
//
// For an abelian group, connections that are linear in r and the midpoint rule the two coincide (Cortés & Martínez,
// Theorem 5.6); in general they differ at order h².

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "reduced.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// f_r − Γᵀ f_s: a covector on the horizontal vectors.
Vector on_horizontal(const Vector& f, const ChaplyginSystem& c, const std::vector<Vector>& connection) {
  Vector result;
  for (std::size_t i = 0; i < c.shape.size(); ++i) {
    Expression total = f[c.shape[i]];
    for (std::size_t a = 0; a < c.fibre.size(); ++a) total -= connection[a][i] * f[c.fibre[a]];
    result.push_back(total);
  }
  return result;
}

ShapeStep with_general_forces(const System& system, const ChaplyginSystem& c, const Rule& rule) {
  const Interval interval = differentiate(system, rule);
  const Substitution to_right = moved_there(system);
  std::vector<Vector> connection_right;
  for (const Vector& row : c.connection) connection_right.push_back(substitute(row, to_right));
  ShapeStep step{c.reduced, Expression(1.0), {}, {}, {}, {}, {}};
  for (const std::size_t i : c.shape) step.increments.push_back(interval.increments[i]);
  step.left = on_horizontal(interval.left, c, c.connection);
  step.right = on_horizontal(interval.right, c, connection_right);
  step.next = step.right;
  return step;
}

}  // namespace

Method rdla(const System& system, const ChaplyginSystem& c, const Rule& rule, DiscreteForces forces,
            const std::optional<Rule>& own_rule) {
  const Rule& constraint_rule = own_rule ? *own_rule : rule;
  const ShapeStep step = forces == DiscreteForces::general ? with_general_forces(system, c, rule)
                                                           : shape_step(c.reduced, differentiate(c.reduced, rule));
  Method method = reduced_method(system, c, constraint_rule, step);
  method.interval = interval_functions(system, rule, own_rule);
  method.structure.order = std::min(method.structure.order, rule.order());
  method.structure.symmetric = method.structure.symmetric && rule.is_symmetric();
  guard_transversality(method, system, c, step, /*ends=*/false);
  return method;
}

}  // namespace rattleback
