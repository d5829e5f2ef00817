#pragma once

#include <vector>

#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

// A method as maps that need nobody who carries numbers from stage to stage: what runs in lanes. The state is that of
// the method, then the memories of all stages one after the other; the last data are h, then the parameters.

/// (state, h, parameters) ↦ state, by all stages of a composition one after the other.
ImplicitSystem whole_step(const Method& method);

/// The same with the velocity of the node, which then belongs to the state, behind the memories: (state, v, h,
/// parameters) ↦ (state, v). Methods whose state begins with (q, v) stay as they are.
ImplicitSystem whole_step_with_node(const Method& method);

/// (q, v, h, parameters) ↦ state.
ImplicitSystem whole_start(const Method& method);

/// The data of whole_step where a problem starts. Throws MethodError if the method cannot start there.
std::vector<double> whole_start(const Method& method, const Problem& problem);

}  // namespace rattleback
