#pragma once

// The data that maps of methods have in common: each map begins with one of these functions and is then told what it
// gives. There is a time where the system depends on it.

#include "rattleback/method/method.hpp"

namespace rattleback {

/// (q, v; t, h, parameters)
ImplicitSystem map_from_node(const System& system);
/// (q, Δ; t, h, parameters)
ImplicitSystem map_from_interval(const System& system);
/// (q, Δ, v; t, h, parameters)
ImplicitSystem map_from_two_positions(const System& system);
/// (state; t, h, parameters), a step: t is where it begins.
ImplicitSystem map_from_state(const System& system, std::span<const Expression> state);
/// (state, velocity of the node before; t, h, parameters): t is that of the node.
ImplicitSystem map_to_node(const System& system, std::span<const Expression> state);

/// What a step leads to: the state, which begins with the position, its rotations kept free of rounding errors; and the
/// time, which belongs to what changes from step to step.
void give_next(ImplicitSystem& step, const System& system, std::span<const Expression> state);

/// The velocity of the node before.
std::vector<Expression> velocities_before(const System& system);

}  // namespace rattleback
