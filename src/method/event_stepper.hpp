#pragma once

#include <memory>

#include "rattleback/method/registry.hpp"

namespace rattleback {

/// A trajectory of a system with events; further ones that record may stand after those of the system. Throws
/// MethodError for methods that cannot take a fraction of a step.
std::unique_ptr<Stepper> make_event_stepper(const DerivedMethod& method, const Problem& problem,
                                            const std::vector<Event>& further = {});

}  // namespace rattleback
