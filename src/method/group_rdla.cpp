// The discrete Lagrange–d'Alembert equations on Q/G, for groups of motions of space (geometry/space_motions.hpp).
//
// L_d and D_d are invariant under G, so that the equations of a step may be written for any point of an orbit. They are
// written for q̄_k in the slice, and contain nothing but the point of Q/G and momenta p̂ that are seen from the body, or
// from the frame that turns with it:
//
//     D₁L_d(q̄_k, Δ) + p̂_k = A(q̄_k)ᵀλ_k,     A_d(q̄_k, Δ) = 0
//
// They have one solution Δ for each point of an orbit of T*Q/D° under G, and lead to q̄_k moved by Δ, which is
// W_k q̄_{k+1}: W_k, the increment in the group, is determined by the discrete constraints and the equations together,
// in the Chaplygin case by the constraints and the two points of Q/G alone. Seen from there the momentum is p̂_{k+1}.
// The group follows by g_{k+1} = g_k W_k; the motion in Q/G does not know of it. Where TQ = D ⊕ V this is the algorithm
// of Cortés & Martínez, Theorem 5.5: p̂ modulo Aᵀ is a covector of Q/G. In the other cases it is its analogue on D/G.
//
// The state is (q, p̂): q has the point of Q/G and the group element in one.

#include "group_rdla.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "variational.hpp"

namespace rattleback {
namespace {

Substitution at_slice(const System& system, const SpaceMotions& motions) {
  const Vector slice = motions.slice(system);
  Substitution there;
  for (std::size_t i = 0; i < slice.size(); ++i) there.emplace(system.coordinates()[i], slice[i]);
  return there;
}

}  // namespace

Method rdla(const System& system, const SpaceMotions& motions, const Rule& rule, const std::optional<Rule>& own_rule) {
  if (system.forces_contain_multipliers())
    throw MethodError("rdla for rotations knows no forces that contain multipliers; dla does");
  const Rule& constraint_rule = own_rule ? *own_rule : rule;
  const Interval interval = differentiate(system, rule);
  const Vector& q = system.coordinates();
  const Vector p = momentum_symbols(system);  // p̂
  const Vector lambda = multiplier_symbols(system);
  const Vector& increments = interval.increments;
  const Substitution slice = at_slice(system, motions);
  const Matrix frame = motions.frame(system, q);
  const Vector right_end = moved(system);
  const Matrix frame_there = motions.frame(system, right_end);

  Vector motion = p - interval.left;
  add_constraint_forces(system, lambda, -1.0, motion);
  Vector impulses = interval.change;
  add_constraint_forces(system, lambda, -1.0, impulses, SeenFrom::space);
  const Vector next_p = motions.turned_back(frame_there, in_body(system, in_space(system, p, q) + impulses, right_end));
  const Vector in_space_increments = motions.turned_by(frame, increments);

  Method method;
  method.state.add(Slot::position, q.size());
  method.state.add(Slot::momentum, p.size());
  method.start = map_from_node(system);
  method.start.give(Slot::state, joined({q, motions.turned_back(frame, system.momenta())}));
  method.from_two_positions = map_from_two_positions(system);
  method.from_two_positions->give(Slot::state, joined({right_end, motions.turned_back(frame_there, interval.right)}));

  method.step = map_from_state(system, joined({q, p}));
  method.step.unknowns = joined({increments, lambda});
  method.step.residuals = substitute(joined({motion, discrete_constraints(system, constraint_rule)}), slice);
  method.step.guess.assign(method.step.unknowns.size(), Expression(0.0));
  give_next(method.step, system, joined({moved_by(system, in_space_increments, 1.0), substitute(next_p, slice)}));
  method.step.give(Slot::increments, in_space_increments);
  for (const Expression& x : system.freedoms())
    method.equations.push_back("the reduced discrete equation of motion of " + x.name());
  for (std::size_t k = 0; k < lambda.size(); ++k) method.equations.push_back("the discrete " + system.row_name(k));

  ImplicitSystem node = map_to_node(system, joined({q, p}));
  const ImplicitSystem velocity = admissible_velocity(system);
  node.solve_as(velocity);
  const Vector of_model = motions.turned_by(frame, p);
  Substitution momenta;
  for (std::size_t i = 0; i < p.size(); ++i) momenta.emplace(p[i], of_model[i]);
  node.residuals = substitute(node.residuals, momenta);
  std::ranges::copy(velocities_before(system), node.guess.begin());
  node.give(Slot::position, q);
  node.give(Slot::velocity, velocity.given(Slot::velocity));
  method.node = std::move(node);

  method.interval = interval_functions(system, rule, own_rule);
  method.structure = {std::min(rule.order(), constraint_rule.order()), Structure::Constraint::between_nodes,
                      rule.is_symmetric() && constraint_rule.is_symmetric(), true, false};
  std::unordered_map<Expression, Expression> first;
  const Vector velocities = motions.turned_back(frame, system.velocities());
  for (std::size_t i = 0; i < increments.size(); ++i) first.emplace(increments[i], step_symbol() * velocities[i]);
  add_predictor(method, first);
  return method;
}

Method rdla(const Problem& problem, const Rule& rule, const std::optional<Rule>& own_rule) {
  const System& system = problem.system;
  SpaceMotions motions;
  try {
    motions = find_space_motions(system, known_symmetries(system, problem.parameters, problem.start),
                                 problem.parameters, problem.start);
  } catch (const GeometryError& error) {
    throw MethodError(fmt::format("rdla needs symmetries: {}", error.what()));
  }
  if (motions.empty()) {
    throw MethodError(
        "rdla divides out motions of space, and no symmetry is known that is one; 'rattleback analyse' says more");
  }
  const Rule& constraint_rule = own_rule ? *own_rule : rule;
  const Substitution numbers{{step_symbol(), Expression(problem.step)}};
  if (constraint_rule.nodes.size() > 1 &&
      !motions.leave_alone(system, substitute(discrete_constraints(system, constraint_rule), numbers),
                           increment_symbols(system), problem.parameters, problem.start)) {
    throw MethodError(
        "under a rule with several nodes the group changes the discrete constraints, whose rows have factors that are "
        "not invariant: give a rule with one node, as constraints=midpoint");
  }
  return rdla(system, motions, rule, own_rule);
}

}  // namespace rattleback
