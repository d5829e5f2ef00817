#include "rattleback/mech/motion_series.hpp"

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// F = F⁰ + G λ: what multipliers are multiplied with, one row for each force.
std::vector<Vector> slopes_in_multipliers(const System& s) {
  std::vector<Vector> slopes;
  for (const Expression& force : s.applied_forces()) slopes.push_back(gradient(force, multiplier_symbols(s)));
  return slopes;
}

}  // namespace

bool has_motion_series(const System& s) {
  if (s.has_kinks()) return false;
  const Vector lambda = multiplier_symbols(s);
  for (const Vector& row : slopes_in_multipliers(s)) {
    for (const Expression& slope : row) {
      for (const Expression& symbol : free_symbols(slope)) {
        if (std::ranges::find(lambda, symbol) != lambda.end()) return false;
      }
    }
  }
  return true;
}

SeriesSystem motion_series(const System& s) {
  SeriesSystem series;
  series.positions = s.coordinates();
  series.position_rates = position_rates(s);
  series.velocities = s.velocities();
  series.momenta = s.momenta();
  series.multipliers = multiplier_symbols(s);
  series.rows = s.velocity_rows();
  series.time = s.time();
  series.parameters = s.parameters();

  series.forces = s.forces();
  const Vector turning = gyroscopic(s);
  for (std::size_t i = 0; i < s.dimension(); ++i) series.forces[i] += turning[i];
  series.reactions.assign(s.dimension(), Expression(0.0));
  add_constraint_forces(s, series.multipliers, 1.0, series.reactions);

  Substitution without;
  for (const Expression& lambda : series.multipliers) without.emplace(lambda, Expression(0.0));
  const Vector applied = substitute(s.applied_forces(), without);
  const std::vector<Vector> slopes = slopes_in_multipliers(s);
  for (std::size_t i = 0; i < applied.size(); ++i) {
    series.forces[i] += applied[i];
    for (std::size_t k = 0; k < series.multipliers.size(); ++k) {
      series.reactions[i] += slopes[i][k] * series.multipliers[k];
    }
  }
  return series;
}

}  // namespace rattleback
