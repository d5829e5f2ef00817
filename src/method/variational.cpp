#include "variational.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

// In the variables (q₀, Δ) instead of (q₀, q₁): D₂L_d = ∂L_d/∂Δ at fixed q₀, D₁L_d = −∂L_d/∂Δ at fixed q₁, and
// D₁L_d + D₂L_d = ∂L_d/∂q₀. A difference of nearly equal numbers then occurs nowhere.
Interval differentiate(const System& system, const Expression& discrete_lagrangian) {
  if (!system.rotations().empty()) throw MethodError("a given discrete Lagrangian cannot have rotations");
  Interval interval{increment_symbols(system), {}, {}, {}, {}, turns_by(system, increment_symbols(system), 1.0)};
  interval.right = gradient(discrete_lagrangian, interval.increments);
  interval.change = gradient(discrete_lagrangian, system.coordinates());
  const Vector right = moved(system);
  Substitution seen_from_right;
  Substitution seen_from_left;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    const Expression right_end = Expression::symbol(system.coordinates()[i].name() + "(right)");
    seen_from_right.emplace(system.coordinates()[i], right_end - interval.increments[i]);
    seen_from_left.emplace(right_end, right[i]);
  }
  interval.left =
      substitute(gradient(substitute(discrete_lagrangian, seen_from_right), interval.increments), seen_from_left);
  return interval;
}

namespace {

Expression of_node(const Expression& unknown, std::size_t node) {
  return Expression::symbol(fmt::format("{} of node {}", unknown.name(), node + 1));
}

void add_equations(ImplicitSystem& all, const ImplicitSystem& more) {
  all.unknowns = joined({all.unknowns, more.unknowns});
  all.residuals = joined({all.residuals, more.residuals});
  all.guess = joined({all.guess, more.guess});
}

/// The equations of motion at (qᵢ, Δ/h, tᵢ) for each node of the rule.
ImplicitSystem motion_at_nodes(const System& system, const Rule& rule, const ImplicitSystem& motion) {
  ImplicitSystem all;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    Substitution own;
    for (const Expression& u : motion.unknowns) own.emplace(u, of_node(u, i));
    ImplicitSystem there = motion;
    there.unknowns = substitute(motion.unknowns, own);
    there.residuals = substitute(discretise(motion.residuals, system, rule.at(rule.nodes[i].position)), own);
    add_equations(all, there);
  }
  return all;
}

/// F(qᵢ, Δ/h, tᵢ, λᵢ) for each node of the rule, where aᵢ and λᵢ are determined by the equations of motion there.
std::vector<Vector> applied_forces(const System& system, const Rule& rule, Interval::AtNodes& at_nodes) {
  std::vector<Vector> applied;
  for (const auto& node : rule.nodes)
    applied.push_back(discretise(system.applied_forces(), system, rule.at(node.position)));
  if (!system.forces_contain_multipliers()) return applied;
  const ImplicitSystem motion = equations_of_accelerations(system);
  at_nodes.equations = motion_at_nodes(system, rule, motion);
  at_nodes.equations_anew = motion_at_nodes(system, rule, accelerations(system));
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    Substitution own;
    for (const Expression& u : motion.unknowns) {
      own.emplace(u, of_node(u, i));
      at_nodes.first.emplace(of_node(u, i), u);
    }
    applied[i] = substitute(applied[i], own);
    for (const std::string& name : equation_names(system))
      at_nodes.names.push_back(fmt::format("{} at node {} of the rule", name, i + 1));
  }
  return applied;
}

}  // namespace

void require_turns(const System& system, const Rule& rule) {
  if (rule.turn != TurnRate::quarter && system.rotations().empty())
    throw MethodError("turn says which angular velocity a turn has, and this system has no rotations: drop it");
}

// For L_d = h Σ ωᵢ L(qᵢ, Δ/h): D₂L_d = Σ ωᵢ (L_v + h αᵢ L_q), −D₁L_d = Σ ωᵢ (L_v − h (1 − αᵢ) L_q), and D₁ + D₂ is
// h Σ ωᵢ L_q. Rotations have these at the ends that they belong to, seen from the body there; what they have of L_q,
// and of applied torques, is turned to the ends, and the sum is seen from space.
Interval differentiate(const System& system, const Rule& rule) {
  require_turns(system, rule);
  const Expression h = step_symbol();
  const std::size_t n = system.dimension();
  const std::size_t numbers = system.space().numbers;
  Interval interval{increment_symbols(system), {}, {}, {}, {}, turns_by(system, increment_symbols(system), 1.0)};
  const Vector momenta =
      by_increments(system, interval.increments, rule.turn, discretise(system.momenta(), system, rule));
  const std::vector<Vector> applied = applied_forces(system, rule, interval.at_nodes);
  const bool is_forced = !system.applied_forces().empty();
  Vector pushed(n);  // Σ ωᵢ F of numbers
  Vector right_force(n);
  Vector left_force(n);
  Vector force(n);
  for (std::size_t node = 0; node < rule.nodes.size(); ++node) {
    const auto& [weight, position] = rule.nodes[node];
    if (position != 1.0)
      std::ranges::move(turns_by(system, interval.increments, position), std::back_inserter(interval.turns));
    Vector there = discretise(system.forces(), system, rule.at(position));
    for (std::size_t i = 0; is_forced && i < n; ++i) {
      if (i < numbers)
        pushed[i] += weight * applied[node][i];
      else
        there[i] += applied[node][i];
    }
    const Vector right = to_right_end(system, interval.increments, weight, position, there);
    const Vector left = to_left_end(system, interval.increments, weight, position, there);
    const Vector both = in_space(system, there, moved(system, position));
    for (std::size_t i = 0; i < n; ++i) {
      right_force[i] += right[i];
      left_force[i] += left[i];
      force[i] += weight * both[i];
    }
  }
  interval.right = of_right_end(system, interval.increments, momenta);
  interval.left = of_left_end(system, interval.increments, momenta);
  for (std::size_t i = 0; i < n; ++i) {
    const Expression half = 0.5 * h * pushed[i];  // F⁻ = F⁺
    interval.left[i] -= h * left_force[i] + half;
    interval.right[i] += h * right_force[i] + half;
    interval.change.push_back(h * force[i] + 2.0 * half);
  }
  return interval;
}

void solve_at_nodes(Method& method, const System& system, const Interval& interval,
                    std::unordered_map<Expression, Expression>& first) {
  const Interval::AtNodes& nodes = interval.at_nodes;
  if (nodes.names.empty()) return;
  add_equations(method.step, nodes.equations);
  method.equations.insert(method.equations.end(), nodes.names.begin(), nodes.names.end());
  first.insert(nodes.first.begin(), nodes.first.end());
  if (method.start.unknowns.empty()) method.start.solve_as(accelerations(system));
}

std::vector<std::size_t> entries_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> entries(count);
  std::iota(entries.begin(), entries.end(), first);
  return entries;
}

ImplicitSystem node_by_momenta(const System& system, const Vector& state) {
  const ImplicitSystem velocity = admissible_velocity(system);
  const Vector before = velocities_before(system);
  ImplicitSystem node = map_to_node(system, state);
  node.solve_as(velocity);
  const Vector p = momentum_symbols(system);  // of the state: those of rotations are seen from space
  const Vector body = in_body(system, p, system.coordinates());
  Substitution from_space;
  for (std::size_t i = 0; i < p.size(); ++i) from_space.emplace(p[i], body[i]);
  if (!system.rotations().empty()) node.residuals = substitute(node.residuals, from_space);
  std::ranges::copy(before, node.guess.begin());
  node.give(Slot::position, system.coordinates());
  node.give(Slot::velocity, velocity.given(Slot::velocity));
  return node;
}

Method position_momentum_method(const System& system, const Interval& interval) {
  const Vector& q = system.coordinates();
  const Vector state = joined({q, momentum_symbols(system)});

  Method method;
  method.state.add(Slot::position, q.size());
  method.state.add(Slot::momentum, system.dimension());
  method.start = map_from_node(system);
  method.start.give(Slot::state, joined({q, in_space(system, system.momenta(), q)}));
  const Vector next_q = moved(system);
  method.from_two_positions = map_from_two_positions(system);
  method.from_two_positions->give(Slot::state, joined({next_q, in_space(system, interval.right, next_q)}));
  add_equations(*method.from_two_positions, interval.at_nodes.equations_anew);
  method.step = map_from_state(system, state);
  method.step.known_slopes = interval.turns;
  method.node = node_by_momenta(system, state);
  method.keeps_momenta = true;
  method.momentum_of = entries_from(0, system.dimension());
  for (const Expression& x : system.freedoms())
    method.equations.push_back("the discrete equation of motion of " + x.name());
  return method;
}

Vector discrete_constraints(const System& system, const Rule& rule) {
  const Vector increments = rates_of_step(system, increment_symbols(system), rule.turn);
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

IntervalFunctions interval_functions(const System& system, const Rule& rule, const std::optional<Rule>& constraints) {
  return {discretise(system.energy(), system, rule.at(0.5)), discrete_lagrangian(system, rule),
          discretise(system.constraints(), system, constraints ? *constraints : rule)};
}

// A rule of order 1 errs by a term h² c v·L_q of L_d. Where L_q is a function of q alone, as for L = ½ v·Mv − V(q) with
// a constant M, this is the difference −h c (V(q₁) − V(q₀)) up to h³: sums over a path telescope, so that the equations
// at inner nodes are those of a rule of order 2, and only momenta differ (Cortés & Martínez, section 4). Constraints
// under a rule of order 1 and applied forces that depend on q have no such luck.
int order_gained_from_two_positions(const System& system, const Rule& rule, const Rule& constraint_rule) {
  const auto has_none_of = [](const Vector& expressions, const Vector& symbols) {
    return std::ranges::none_of(free_symbols(expressions),
                                [&](const Expression& s) { return std::ranges::find(symbols, s) != symbols.end(); });
  };
  const bool telescopes = !system.depends_on_time() && has_none_of(system.forces(), system.velocities()) &&
                          (constraint_rule.order() > 1 || has_none_of(system.constraints(), system.coordinates())) &&
                          !system.forces_contain_multipliers() &&
                          has_none_of(system.applied_forces(), system.coordinates());
  return rule.order() == 1 && telescopes ? 1 : 0;
}

void add_predictor(Method& method, const std::unordered_map<Expression, Expression>& first) {
  Vector current;
  Vector starts;
  static_assert(Method::remembered_steps == 3);  // quadratic extrapolation
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
  method.remembered = current.size();
  method.start.give(Slot::memory, joined({starts, starts, starts}));
  method.step.take_after(Slot::state, Slot::memory, joined({memory[0], memory[1], memory[2]}));
  method.step.give_after(Slot::state, Slot::memory, joined({current, memory[0], memory[1]}));
  method.step.state += method.memory_size();
}

}  // namespace rattleback
