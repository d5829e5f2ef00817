#pragma once

#include "rattleback/geometry/chaplygin.hpp"

namespace rattleback {

/// The Chaplygin system with a group and the coordinates it moves.
ChaplyginSystem reduce(const System& system, SymmetryGroup group, std::vector<std::size_t> fibre,
                       std::span<const double> parameters, const State& near);

}  // namespace rattleback
