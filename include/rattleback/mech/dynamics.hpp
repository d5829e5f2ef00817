#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

// The maps of a mechanical system, each as an implicit system ready to be compiled. The last data of all of them are
// the time, where the system depends on it, and the parameters; their values are not built in.

/// Index 1: accelerations and multipliers (a, λ) at (q, v), from
///
///     [ M  −Aᵀ ] [a]   [ L_q − L_vq v − L_vt + F ]
///     [ A   0  ] [λ] = [ −d(A)/dt v − d(b)/dt    ]
///
/// where F may contain λ, linearly or not.
///
/// With damping γ > 0 the constraints are differentiated as ċ + γ c = 0 and g̈ + 2γ ġ + γ² g = 0
/// (Baumgarte): the same motion on the constraints, and a way back to them from beside.
ImplicitSystem accelerations(const System& system, double damping = 0.0);
/// The equations alone, in a and λ. Where F depends on λ nonlinearly, `accelerations` has further ones, from whose
/// solution it starts.
ImplicitSystem equations_of_accelerations(const System& system, double damping = 0.0);

/// Index 0: the underlying ODE in which λ is a state too, (q, v, λ) ↦ (v, a, λ̇), by one more
/// differentiation (Evensberget). Needs M itself to be regular.
ImplicitSystem index_zero_rates(const System& system);

/// (q, v) ↦ p = L_v.
ImplicitSystem legendre(const System& system);
/// (q, p) ↦ v, the velocity with L_v(q, v) = p. Needs M itself to be regular.
ImplicitSystem inverse_legendre(const System& system);
/// (q, p) ↦ v, the admissible velocity with L_v(q, v) = p − Aᵀν and A v + b = 0 for some ν.
ImplicitSystem admissible_velocity(const System& system);

/// (q̂, v̂) ↦ (q, v) on the constraints, both nearest in the metric M, which no change of units changes: the position
/// with g(q) = 0 that an admissible direction leads to, then the velocity with A v + b = 0.
ImplicitSystem projection(const System& system);

/// What is watched along a motion, as functions of (q, v, t): energy; rows of A v + b and ∇g·v + g_t, g; conserved
/// quantities.
ImplicitSystem observables(const System& system);

/// Names of equations of accelerations, for messages: "equation of motion of x", "constraint 1", …
std::vector<std::string> equation_names(const System& system);
/// Those of `accelerations`, with all that it has.
std::vector<std::string> names_of_accelerations(const System& system);

/// A map of (q, v, t, parameters) that gives nothing yet: most of the maps above begin so.
ImplicitSystem map_of_node(const System& system);
/// The same, of functions that contain the multipliers which applied forces contain: it solves for them.
ImplicitSystem map_with_multipliers(const System& system);
/// The data of such a map.
std::vector<Expression> state_and_parameters(const System& system);

/// The symbols p(x), … for momenta and λ(1), … for multipliers of the rows.
std::vector<Expression> momentum_symbols(const System& system);
std::vector<Expression> multiplier_symbols(const System& system, const char* suffix = "");

/// Whose axes the components of torques and angular momenta are along.
enum class SeenFrom : std::uint8_t { body, space };

/// x += factor · Aᵀλ
void add_constraint_forces(const System& system, const std::vector<Expression>& multipliers, const Expression& factor,
                           std::vector<Expression>& x, SeenFrom seen_from = SeenFrom::body);

}  // namespace rattleback
