// Projection onto the energy: after each step the velocity of the node is scaled, v ↦ s v, so that it has the energy of
// the start,
//
//     E(q_{k+1}, s v_{k+1}) = E(q₀, v₀)
//
// (Evensberget, section 2.2; E. Hairer, C. Lubich and G. Wanner, Geometric Numerical Integration, section IV.4). Of all
// velocities with this energy s v is the nearest in the metric of the kinetic energy, for Lagrangians that are
// quadratic in velocities: neither coordinates nor units matter. Positions stay, and with them the discrete
// constraints; linear constraints on v_{k+1} hold for s v_{k+1} too. Momenta follow, p ↦ p + L_v(q, s v) − L_v(q, v).
// The order stays, as the energy errs by no more than the step does. What is lost is everything that relates steps to
// each other: symmetry, the symplectic form and the momentum equation.
//
// Where the potential alone exceeds the energy there is no such s, and the trajectory ends.

#include <algorithm>

#include "method_maps.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

Substitution at(const System& system, std::span<const Expression> q, std::span<const Expression> v) {
  Substitution place;
  for (std::size_t i = 0; i < q.size(); ++i) place.emplace(system.coordinates()[i], q[i]);
  for (std::size_t i = 0; i < v.size(); ++i) place.emplace(system.velocities()[i], v[i]);
  return place;
}

/// What maps give besides the state.
void give_the_rest(ImplicitSystem& map, const ImplicitSystem& as) {
  for (const Slot slot : {Slot::memory, Slot::multipliers, Slot::increments, Slot::position, Slot::velocity}) {
    if (as.output_layout.has(slot)) map.give(slot, as.given(slot));
  }
}

/// The velocity at the node that a step leads to, with its equations added to those of the step.
Vector velocity_after(const Method& method, const System& system, ImplicitSystem& step,
                      std::vector<std::string>& equations) {
  const auto state = method.step.given(Slot::state);
  if (!method.node) {
    const auto v = method.state.of(state, Slot::velocity);
    return {v.begin(), v.end()};
  }
  const ImplicitSystem& node = *method.node;
  Substitution there;
  for (std::size_t i = 0; i < state.size(); ++i) there.emplace(node.data[i], state[i]);
  for (const Expression& v : velocities_before(system)) there.emplace(v, Expression(0.0));
  for (const Expression& unknown : node.unknowns) {
    step.unknowns.push_back(Expression::symbol(unknown.name() + "(node)"));
    there.emplace(unknown, step.unknowns.back());
    equations.emplace_back("the velocity after the step");
  }
  for (const Expression& r : node.residuals) step.residuals.push_back(substitute(r, there));
  for (const Expression& g : node.guess) step.guess.push_back(substitute(g, there));
  return substitute(node.given(Slot::velocity), there);
}

}  // namespace

Method projected_onto_energy(Method method, const System& system) {
  if (method.stages.size() > 1) {
    throw MethodError("projection onto the energy is for methods of one stage, and this one is a composition");
  }
  if (!method.keeps_momenta && !method.state.has(Slot::velocity)) {
    throw MethodError("projection onto the energy needs a method that keeps velocities or momenta of the model");
  }
  const Expression energy = Expression::symbol("E(0)");
  const Expression scale = Expression::symbol("s(energy)");
  const auto with_energy = [](std::span<const Expression> state, const Expression& e) {
    Vector extended(state.begin(), state.end());
    extended.push_back(e);
    return extended;
  };
  const auto old_state = method.step.data_layout.of(method.step.data, Slot::state);

  ImplicitSystem step = map_from_state(system, with_energy(old_state, energy));
  if (method.step.data_layout.has(Slot::memory)) {
    step.take_after(Slot::state, Slot::memory, method.step.data_layout.of(method.step.data, Slot::memory));
    step.state += method.memory_size();
  }
  step.solve_as(method.step);
  Vector next(method.step.given(Slot::state).begin(), method.step.given(Slot::state).end());
  const Vector v = velocity_after(method, system, step, method.equations);
  Vector scaled;
  for (const Expression& each : v) scaled.push_back(scale * each);
  const auto q = method.state.of(std::span(next), Slot::position);
  const Substitution before = at(system, q, v);
  const Substitution after = at(system, q, scaled);
  step.unknowns.push_back(scale);
  step.guess.emplace_back(1.0);
  step.residuals.push_back(substitute(system.energy(), after) - energy);
  method.equations.emplace_back("the energy of the start, which velocities are scaled to have after each step");
  if (method.keeps_momenta) {
    const auto p = method.state.of(std::span(next), Slot::momentum);
    Vector gained;
    for (const Expression& momentum : system.momenta())
      gained.push_back(substitute(momentum, after) - substitute(momentum, before));
    gained = in_space(system, std::move(gained), q);
    for (std::size_t i = 0; i < p.size(); ++i) p[i] += gained[i];
  } else {
    std::ranges::copy(scaled, method.state.of(std::span(next), Slot::velocity).begin());
  }
  step.give(Slot::state, with_energy(next, energy));
  give_the_rest(step, method.step);

  ImplicitSystem start = map_from_node(system);
  start.solve_as(method.start);
  start.give(Slot::state, with_energy(method.start.given(Slot::state), system.energy()));
  give_the_rest(start, method.start);
  if (method.node) {
    const auto state = method.node->data_layout.of(method.node->data, Slot::state);
    ImplicitSystem node = map_to_node(system, with_energy(state, energy));
    node.solve_as(*method.node);
    give_the_rest(node, *method.node);
    method.node = std::move(node);
  }
  method.step = std::move(step);
  method.start = std::move(start);
  method.state.add(Slot::constants, 1);
  method.from_two_positions.reset();
  method.canonical.reset();
  method.structure.symmetric = method.structure.symplectic = method.structure.momentum_equation = false;
  method.structure.order_gained_from_two_positions = 0;
  return method;
}

}  // namespace rattleback
