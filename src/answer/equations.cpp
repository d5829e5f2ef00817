#include "equations.hpp"

#include <algorithm>

#include "../expr/determinant.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback::answer {
namespace {

using Vector = std::vector<Expression>;

Vector accelerations_of(const System& s) {
  Vector symbols;
  for (const Expression& q : s.coordinates()) symbols.push_back(Expression::symbol(q.name() + "''"));
  return symbols;
}

Vector multipliers_of(const System& s) {
  Vector symbols;
  for (std::size_t k = 0; k < s.velocity_rows().size(); ++k) {
    symbols.push_back(Expression::symbol((s.given_name(k).empty() ? "lambda" : "lambda_") + s.row_label(k)));
  }
  return symbols;
}

/// By Cramer's rule, for systems that somebody would solve by hand.
void solve(const System& s, EquationsOfMotion& equations) {
  constexpr std::size_t most_unknowns = 7;
  constexpr std::size_t most_operations = 200;
  constexpr std::size_t longest = 40;  ///< operations of a formula that can be read
  Vector unknowns = accelerations_of(s);
  unknowns.insert(unknowns.end(), equations.multipliers.begin(), equations.multipliers.end());
  if (unknowns.size() > most_unknowns) return;
  Vector residuals = rates_of_change(s.velocity_rows(), s, accelerations_of(s));
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    residuals.insert(residuals.begin() + static_cast<std::ptrdiff_t>(i), equations.left[i] - equations.right[i]);
  }
  if (operation_count(residuals) > most_operations) return;
  const ExpressionMatrix matrix = dense(jacobian(residuals, unknowns));
  Substitution none;
  for (const Expression& u : unknowns) none.emplace(u, Expression(0.0));
  ExpressionMatrix right;
  for (const Expression& r : substitute(residuals, none)) right.push_back({-r});
  Vector solution;
  for (const Vector& row : solved(matrix, right)) solution.push_back(readable(factored(row[0])));
  if (std::ranges::any_of(solution, [&](const Expression& e) { return operation_count(e) > longest; })) return;
  const auto end = solution.begin() + static_cast<std::ptrdiff_t>(s.dimension());
  equations.solved_accelerations.assign(solution.begin(), end);
  equations.solved_multipliers.assign(end, solution.end());
}

}  // namespace

EquationsOfMotion equations_of_motion(const System& s) {
  EquationsOfMotion equations{.multipliers = multipliers_of(s),
                              .left = rates_of_change(s.momenta(), s, accelerations_of(s)),
                              .right = Vector(s.dimension())};
  add_constraint_forces(s, equations.multipliers, 1.0, equations.right);
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    equations.left[i] = readable(equations.left[i] - s.forces()[i]);
    if (!s.applied_forces().empty()) equations.right[i] += s.applied_forces()[i];
    equations.right[i] = readable(equations.right[i]);
  }
  try {
    solve(s, equations);
  } catch (const ExpressionError&) {  // it is singular, or too large
  }
  return equations;
}

}  // namespace rattleback::answer
