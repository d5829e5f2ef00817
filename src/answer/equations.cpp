#include "equations.hpp"

#include <algorithm>

#include "../expr/determinant.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/piecewise.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback::answer {
namespace {

using Vector = std::vector<Expression>;

bool contains_any(const Expression& e, const Vector& symbols) {
  const auto free = free_symbols(e);
  return std::ranges::any_of(free, [&](const Expression& s) { return std::ranges::find(symbols, s) != symbols.end(); });
}

/// By Cramer's rule, for systems that somebody would solve by hand. Forces that contain multipliers may make them
/// nonlinear, and such systems have no formula.
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
  const SparseMatrix slopes = jacobian(residuals, unknowns);
  if (std::ranges::any_of(slopes.entries, [&](const auto& e) { return contains_any(e.value, unknowns); })) return;
  if (std::ranges::any_of(residuals, [&](const Expression& r) { return has_kinks_in(r, unknowns); })) return;
  const ExpressionMatrix matrix = dense(slopes);
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

std::vector<Expression> accelerations_of(const System& s) {
  Vector symbols;
  for (const Expression& v : s.velocities()) symbols.push_back(Expression::symbol(v.name() + "'"));
  return symbols;
}

std::vector<Expression> multipliers_of(const System& s) {
  Vector symbols;
  for (std::size_t k = 0; k < s.row_count(); ++k) {
    symbols.push_back(Expression::symbol((s.given_name(k).empty() ? "lambda" : "lambda_") + s.row_label(k)));
  }
  return symbols;
}

EquationsOfMotion equations_of_motion(const System& s, const std::optional<SparseMatrix>& written) {
  EquationsOfMotion equations{.multipliers = multipliers_of(s),
                              .left = rates_of_change(s.momenta(), s, accelerations_of(s)),
                              .right = Vector(s.dimension())};
  add_constraint_forces(s, equations.multipliers, 1.0, equations.right);
  Substitution by_name;
  for (std::size_t k = 0; k < s.row_count(); ++k) by_name.emplace(multiplier_symbol(k), equations.multipliers[k]);
  const Vector applied = substitute(s.applied_forces(), by_name);
  const Vector gyroscopic_forces = gyroscopic(s);
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    equations.left[i] = readable(equations.left[i] - gyroscopic_forces[i] - s.forces()[i]);
    if (!applied.empty()) equations.right[i] += applied[i];
    equations.right[i] = readable(equations.right[i]);
  }
  try {
    solve(s, equations);
  } catch (const ExpressionError&) {  // it is singular, or too large
  }
  if (!written) return equations;
  Vector named(s.dimension());
  for (const auto& e : written->entries)
    named[static_cast<std::size_t>(e.column)] += e.value * equations.multipliers[static_cast<std::size_t>(e.row)];
  for (std::size_t i = 0; i < s.dimension(); ++i) {
    if (!applied.empty()) named[i] += applied[i];
    named[i] = readable(named[i]);
    if (operation_count(named[i]) < operation_count(equations.right[i])) equations.right[i] = named[i];
  }
  return equations;
}

}  // namespace rattleback::answer
