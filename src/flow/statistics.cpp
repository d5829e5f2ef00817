#include "rattleback/flow/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

using Values = std::unordered_map<Expression, double>;

Values values_at(const Problem& problem, const State& node, const std::vector<double>& v) {
  Values values;
  const auto set = [&](const std::vector<Expression>& symbols, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < symbols.size(); ++i) values[symbols[i]] = numbers[i];
  };
  set(problem.system.coordinates(), node.q);
  set(problem.system.time(), {node.t});
  set(problem.system.velocities(), v);
  set(problem.system.parameters(), problem.parameters);
  return values;
}

/// T + |V|: what the velocities add to the energy, and the terms of what it is without them. The energy is v·L_v − L,
/// whose own terms count the kinetic energy several times, depending on how L is written.
double size_of_energy(const Problem& problem, const State& node) {
  const Expression& energy = problem.system.energy();
  const Values moving = values_at(problem, node, node.v);
  const Values at_rest = values_at(problem, node, std::vector<double>(node.v.size(), 0.0));
  const double size = std::abs(evaluate(energy, moving) - evaluate(energy, at_rest)) + size_of_terms(energy, at_rest);
  return std::isfinite(size) ? size : size_of_terms(energy, moving);  // some are not defined at rest
}

void grow(double& scale, double size) {
  if (std::isfinite(size)) scale = std::max(scale, size);
}

}  // namespace

void Largest::see(double x, const NodePlace& at, const std::string& why) {
  if (end) return;
  if (!std::isfinite(x)) {
    end = {at, why};
  } else if (!(std::abs(x) <= value)) {
    value = std::abs(x);
  }
}

Largest Largest::relative_to(double scale) const {
  Largest relative = *this;
  if (scale > 0.0) {
    relative.value /= scale;
  } else if (value > 0.0) {
    relative.value = 1.0;
  }
  return relative;
}

void RunStatistics::begin(double energy, std::span<const double> conserved) {
  initial_energy = energy;
  initial_conserved.assign(conserved.begin(), conserved.end());
  conserved_error.resize(conserved.size());
  conserved_scale.resize(conserved.size());
}

void RunStatistics::see(std::span<const double> values, const NodePlace& at) {
  const std::size_t conserved = values.size() - initial_conserved.size();
  energy_error.see(values[0] - work - impact_energy - initial_energy, at);
  for (const double c : values.subspan(1, conserved - 1)) constraint.see(c, at);
  for (std::size_t k = 0; k < initial_conserved.size(); ++k) {
    const double impacts = impact_conserved.empty() ? 0.0 : impact_conserved[k];
    conserved_error[k].see(values[conserved + k] - impacts - initial_conserved[k], at);
  }
}

void RunStatistics::measure_scales(const Problem& problem, const State& node) {
  grow(energy_scale, size_of_energy(problem, node));
  if (conserved_scale.empty()) return;
  const Values values = values_at(problem, node, node.v);
  for (std::size_t k = 0; k < conserved_scale.size(); ++k) {
    grow(conserved_scale[k], size_of_terms(problem.system.conserved()[k].expression, values));
  }
}

}  // namespace rattleback
