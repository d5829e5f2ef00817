#pragma once

#include "rattleback/geometry/space_motions.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// The discrete Lagrange–d'Alembert equations on Q/G, for a group of motions of space that are symmetries.
Method rdla(const System& system, const SpaceMotions& motions, const Rule& rule,
            const std::optional<Rule>& constraints = {});

/// The same for the known symmetries of a problem. Throws MethodError where there are none, or where a rule with
/// several nodes makes a D_d that they do not leave alone.
Method rdla(const Problem& problem, const Rule& rule, const std::optional<Rule>& constraints = {});

}  // namespace rattleback
