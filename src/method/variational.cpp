#include "variational.hpp"

#include <fmt/format.h>

#include <numeric>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

// In the variables (q₀, Δ) instead of (q₀, q₁): D₂L_d = ∂L_d/∂Δ at fixed q₀, D₁L_d = −∂L_d/∂Δ at fixed q₁, and
// D₁L_d + D₂L_d = ∂L_d/∂q₀. A difference of nearly equal numbers then occurs nowhere.
Interval differentiate(const System& system, const Expression& discrete_lagrangian) {
  Interval interval{increment_symbols(system), {}, {}, {}};
  interval.right = gradient(discrete_lagrangian, interval.increments);
  interval.change = gradient(discrete_lagrangian, system.coordinates());
  Substitution seen_from_right;
  Substitution seen_from_left;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    const Expression right_end = Expression::symbol(system.coordinates()[i].name() + "(right)");
    seen_from_right.emplace(system.coordinates()[i], right_end - interval.increments[i]);
    seen_from_left.emplace(right_end, system.coordinates()[i] + interval.increments[i]);
  }
  interval.left =
      substitute(gradient(substitute(discrete_lagrangian, seen_from_right), interval.increments), seen_from_left);
  return interval;
}

// For L_d = h Σ ωᵢ L(qᵢ, Δ/h): D₂L_d = Σ ωᵢ (L_v + h αᵢ L_q), −D₁L_d = Σ ωᵢ (L_v − h (1 − αᵢ) L_q).
Interval differentiate(const System& system, const Rule& rule) {
  const Expression h = step_symbol();
  Rule to_right = rule;
  Rule to_left = rule;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    to_right.nodes[i].weight *= rule.nodes[i].position;
    to_left.nodes[i].weight *= 1.0 - rule.nodes[i].position;
  }
  const Vector applied = discretise(system.applied_forces(), system, rule);
  const Vector force = discretise(system.forces(), system, rule);
  const Vector right_force = discretise(system.forces(), system, to_right);
  const Vector left_force = discretise(system.forces(), system, to_left);
  Interval interval{increment_symbols(system), discretise(system.momenta(), system, rule), {}, {}};
  interval.right = interval.left;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    const Expression half = applied.empty() ? Expression(0.0) : 0.5 * h * applied[i];  // F⁻ = F⁺
    interval.left[i] -= h * left_force[i] + half;
    interval.right[i] += h * right_force[i] + half;
    interval.change.push_back(h * force[i] + 2.0 * half);
  }
  return interval;
}

std::vector<std::size_t> entries_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> entries(count);
  std::iota(entries.begin(), entries.end(), first);
  return entries;
}

Method position_momentum_method(const System& system, const Interval& interval) {
  const std::size_t n = system.dimension();
  const Vector& q = system.coordinates();
  const Vector p = momentum_symbols(system);
  const Vector h{step_symbol()};
  Vector next = q;
  for (std::size_t i = 0; i < n; ++i) next[i] += interval.increments[i];

  Method method;
  method.start.data = joined({q, system.velocities(), h, system.parameters()});
  method.start.outputs = joined({q, system.momenta()});
  method.from_two_positions = ImplicitSystem{};
  method.from_two_positions->data = joined({q, interval.increments, system.velocities(), h, system.parameters()});
  method.from_two_positions->outputs = joined({next, interval.right});
  method.step.data = joined({q, p, h, system.parameters()});
  method.step.state = 2 * n;
  ImplicitSystem node = admissible_velocity(system);
  Vector before;
  for (std::size_t i = 0; i < n; ++i) {
    before.push_back(Expression::symbol(system.velocities()[i].name() + "(before)"));
    node.guess[i] = before[i];
  }
  node.data = joined({q, p, before, h, system.parameters()});
  node.outputs.insert(node.outputs.begin(), q.begin(), q.end());
  method.node = std::move(node);
  method.keeps_momenta = true;
  for (const Expression& x : q) method.equations.push_back("the discrete equation of motion of " + x.name());
  return method;
}

Vector discrete_constraints(const System& system, const Rule& rule) {
  const Vector increments = increment_symbols(system);
  const Vector affine = discretise(system.affine_part(), system, rule);
  Vector values;
  for (const auto& entry : system.constraint_matrix().entries) values.push_back(entry.value);
  values = discretise(values, system, rule);

  Vector rows(system.constraints().size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& entry = system.constraint_matrix().entries[k];
    const auto row = static_cast<std::size_t>(entry.row);
    if (row < rows.size()) rows[row] += values[k] * increments[static_cast<std::size_t>(entry.column)];
  }
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] += step_symbol() * affine[k];
  return joined({rows, discretise(system.holonomic(), system, alpha(1.0))});
}

IntervalFunctions interval_functions(const System& system, const Rule& rule) {
  return {joined({system.coordinates(), increment_symbols(system), Vector{step_symbol()}, system.parameters()}),
          discretise(system.energy(), system, midpoint()), discretise(system.constraints(), system, rule)};
}

void add_predictor(Method& method, const std::unordered_map<Expression, Expression>& first) {
  Vector current;
  Vector starts;
  Vector memory[3];
  for (const std::size_t k : iterated_unknowns(method.step)) {
    const Expression& unknown = method.step.unknowns[k];
    const auto start = first.find(unknown);
    if (start == first.end()) continue;
    current.push_back(unknown);
    starts.push_back(start->second);
    for (int age = 0; age < 3; ++age) {
      memory[age].push_back(Expression::symbol(fmt::format("{}(before {})", unknown.name(), age + 1)));
    }
    method.step.guess[k] = 3.0 * memory[0].back() - 3.0 * memory[1].back() + memory[2].back();
  }
  const Vector all = joined({memory[0], memory[1], memory[2]});
  const Vector next = joined({current, memory[0], memory[1]});
  const std::size_t state = method.step.state;
  method.memory = all.size();
  method.step.data.insert(method.step.data.begin() + static_cast<std::ptrdiff_t>(state), all.begin(), all.end());
  method.start.outputs = joined({method.start.outputs, starts, starts, starts});
  method.step.state += all.size();
  method.step.outputs.insert(method.step.outputs.begin() + static_cast<std::ptrdiff_t>(state), next.begin(),
                             next.end());
}

}  // namespace rattleback
