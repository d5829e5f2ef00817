#pragma once

#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback {

/// Throws StructureError unless there are as many equations and guesses as unknowns, data and unknowns are different
/// symbols, and every other symbol is one of them.
void check_system(const ImplicitSystem& system);

}  // namespace rattleback
