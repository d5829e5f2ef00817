#pragma once

#include "builder.hpp"
#include "step_program.hpp"

namespace rattleback {

/// Orders the code of a step. The program comes with the blocks and outputs as values of the builder
/// and without code; it returns with code in the order of its segments, each value as early as its
/// operands allow and as late as its users do.
StepProgram schedule(StepProgram program, const Builder& builder);

}  // namespace rattleback
