#include "rattleback/method/discrete_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "../expr/determinant.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/method/method.hpp"
#include "variational.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// What L_d and the constraints give by differentiation.
struct DiscretePrinciple {
  const ChaplyginSystem& chaplygin;
  Interval interval;         ///< −D₁L_d and D₂L_d
  Vector shape;              ///< r₀
  Vector shape_increments;   ///< Δr
  Vector fibre_increments;   ///< Δs
  ExpressionMatrix by_left;  ///< of the constraints, by r₀ with r₁ fixed
  ExpressionMatrix by_right;
  ExpressionMatrix by_fibre;
  ExpressionMatrix connection_right;  ///< Γ(q₁)

  DiscretePrinciple(const System& system, const ChaplyginSystem& c, const Expression& lagrangian, const Vector& rows)
      : chaplygin(c), interval(differentiate(system, lagrangian)) {
    for (const std::size_t i : c.shape) {
      shape.push_back(system.coordinates()[i]);
      shape_increments.push_back(interval.increments[i]);
    }
    for (const std::size_t a : c.fibre) fibre_increments.push_back(interval.increments[a]);
    by_fibre = dense(jacobian(rows, fibre_increments));
    by_right = dense(jacobian(rows, shape_increments));
    by_left = dense(jacobian(rows, shape));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t i = 0; i < shape.size(); ++i) by_left[k][i] -= by_right[k][i];
    }
    const Vector right_end = moved(system);
    Substitution to_right;
    for (std::size_t i = 0; i < right_end.size(); ++i) to_right.emplace(system.coordinates()[i], right_end[i]);
    for (const Vector& row : c.connection) connection_right.push_back(substitute(row, to_right));
  }

  Expression by_s0(std::size_t a) const { return -interval.left[chaplygin.fibre[a]]; }  ///< ∂L_d/∂s₀
  Expression by_s1(std::size_t a) const { return interval.right[chaplygin.fibre[a]]; }  ///< ∂L_d/∂s₁

  /// (F⁻, F⁺) from ∂L_d/∂s₁ ∂s₁/∂r₀ and ∂L_d/∂s₁ ∂s₁/∂r₁.
  std::pair<Vector, Vector> forces(Vector minus, Vector plus) const {
    for (std::size_t a = 0; a < fibre_increments.size(); ++a) {
      for (std::size_t i = 0; i < shape.size(); ++i) {
        minus[i] += by_s0(a) * chaplygin.connection[a][i];
        plus[i] += by_s1(a) * connection_right[a][i];
      }
    }
    return {std::move(minus), std::move(plus)};
  }
};

/// κ with Σ_k κ_k ∂R_k/∂s₁ = ∂L_d/∂s₁ turns ∂L_d/∂s₁ ∂s₁/∂r into −κ·∂R/∂r, for R = 0 defines s₁.
ImplicitSystem reduction_map(const System& system, const DiscretePrinciple& d, const Expression& lagrangian,
                             const Vector& rows) {
  const std::size_t m = rows.size();
  Vector kappa;
  Vector near;
  for (std::size_t a = 0; a < m; ++a) {
    kappa.push_back(Expression::symbol(fmt::format("κ({})", a)));
    near.push_back(Expression::symbol(d.fibre_increments[a].name() + "(near)"));
  }
  ImplicitSystem map;
  const Expression h = step_symbol();
  map.take(Slot::position, system.coordinates());
  map.take(Slot::increments, d.shape_increments);
  map.take(Slot::others, near);
  map.take(Slot::step, {&h, 1});
  map.take(Slot::parameters, system.parameters());
  map.unknowns = joined({d.fibre_increments, kappa});
  map.guess = joined({near, Vector(m)});
  map.residuals = rows;
  for (std::size_t a = 0; a < m; ++a) {
    Expression adjoint = -d.by_s1(a);
    for (std::size_t k = 0; k < m; ++k) adjoint += kappa[k] * d.by_fibre[k][a];
    map.residuals.push_back(adjoint);
  }
  Vector minus(d.shape.size());
  Vector plus(d.shape.size());
  for (std::size_t i = 0; i < d.shape.size(); ++i) {
    for (std::size_t k = 0; k < m; ++k) {
      minus[i] -= kappa[k] * d.by_left[k][i];
      plus[i] -= kappa[k] * d.by_right[k][i];
    }
  }
  std::tie(minus, plus) = d.forces(std::move(minus), std::move(plus));
  map.give(Slot::others, joined({Vector{lagrangian}, minus, plus}));
  map.give(Slot::increments, d.fibre_increments);
  return map;
}

/// Nothing if the constraints are not linear in Δs, or too large to be solved by formulas.
std::optional<DiscreteReduction::Formulas> closed_form(const DiscretePrinciple& d, const Expression& lagrangian,
                                                       const Vector& rows) {
  ExpressionMatrix matrix = d.by_fibre;  // and the constraints, times h, which cancels
  ExpressionMatrix constant;
  Vector coefficients;
  for (const Vector& row : d.by_fibre) coefficients.insert(coefficients.end(), row.begin(), row.end());
  const auto symbols = free_symbols(coefficients);
  if (std::ranges::any_of(d.fibre_increments,
                          [&](const Expression& s) { return std::ranges::find(symbols, s) != symbols.end(); })) {
    return {};
  }
  Substitution at_zero;
  for (const Expression& s : d.fibre_increments) at_zero.emplace(s, Expression(0.0));
  for (const Expression& row : substitute(rows, at_zero)) constant.push_back({tidy(-step_symbol() * row)});
  for (Vector& row : matrix) {
    for (Expression& entry : row) entry = tidy(step_symbol() * entry);
  }
  ExpressionMatrix solution;
  try {
    solution = solved(matrix, constant);
  } catch (const ExpressionError&) {
    return {};
  }
  DiscreteReduction::Formulas f;
  Substitution on_constraint;
  for (std::size_t a = 0; a < solution.size(); ++a) {
    f.fibre.push_back(solution[a][0]);
    on_constraint.emplace(d.fibre_increments[a], solution[a][0]);
  }
  f.lagrangian = tidy(substitute(lagrangian, on_constraint));
  const ExpressionMatrix by_right = dense(jacobian(f.fibre, d.shape_increments));
  const ExpressionMatrix by_left = dense(jacobian(f.fibre, d.shape));
  Vector minus(d.shape.size());
  Vector plus(d.shape.size());
  for (std::size_t i = 0; i < d.shape.size(); ++i) {
    for (std::size_t a = 0; a < solution.size(); ++a) {
      minus[i] += d.by_s1(a) * (by_left[a][i] - by_right[a][i]);
      plus[i] += d.by_s1(a) * by_right[a][i];
    }
  }
  std::tie(minus, plus) = d.forces(std::move(minus), std::move(plus));
  for (const Expression& force : substitute(minus, on_constraint)) f.minus.push_back(tidy(force));
  for (const Expression& force : substitute(plus, on_constraint)) f.plus.push_back(tidy(force));
  return f;
}

}  // namespace

DiscreteReduction reduce_discretely(const System& system, const ChaplyginSystem& chaplygin,
                                    const Expression& discrete_lagrangian, std::span<const Expression> constraints) {
  const Vector rows(constraints.begin(), constraints.end());
  if (rows.size() != chaplygin.fibre.size()) {
    throw MethodError(
        fmt::format("a discrete reduction needs one velocity constraint for each of the {} coordinates "
                    "of the fibre, found {}",
                    chaplygin.fibre.size(), rows.size()));
  }
  const DiscretePrinciple principle(system, chaplygin, discrete_lagrangian, rows);
  return {principle.shape_increments, principle.fibre_increments,
          reduction_map(system, principle, discrete_lagrangian, rows),
          closed_form(principle, discrete_lagrangian, rows)};
}

DiscreteReduction reduce_discretely(const System& system, const ChaplyginSystem& chaplygin, const Rule& rule) {
  return reduce_discretely(system, chaplygin, discrete_lagrangian(system, rule),
                           discretise(system.constraints(), system, rule));
}

}  // namespace rattleback
