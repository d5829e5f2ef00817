#pragma once

#include <vector>

#include "rattleback/kernel/chain.hpp"
#include "step_program.hpp"

namespace rattleback {

/// The code of the links one after the other, each as it stands. What several of them compute from the same numbers is
/// computed once; what a step begins with and the last one has computed already is carried over.
StepProgram make_chain_program(const Chain& chain, std::vector<StepProgram> links);

}  // namespace rattleback
