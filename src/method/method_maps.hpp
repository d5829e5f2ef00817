#pragma once

// The data that maps of methods have in common: each map begins with one of these functions and is then told what it
// gives.

#include "rattleback/method/method.hpp"

namespace rattleback {

/// (q, v; h, parameters)
ImplicitSystem map_from_node(const System& system);
/// (q, Δ; h, parameters)
ImplicitSystem map_from_interval(const System& system);
/// (q, Δ, v; h, parameters)
ImplicitSystem map_from_two_positions(const System& system);
/// (state; h, parameters), a step.
ImplicitSystem map_from_state(const System& system, std::span<const Expression> state);
/// (state, velocity of the node before; h, parameters)
ImplicitSystem map_to_node(const System& system, std::span<const Expression> state);

/// The velocity of the node before.
std::vector<Expression> velocities_before(const System& system);

}  // namespace rattleback
