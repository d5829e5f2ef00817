#pragma once

#include <memory>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

// The observers that have a file of their own. Each throws MethodError where it has nothing to say.

std::unique_ptr<Observer> make_momentum_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_momentum_equation_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_symplectic_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_spectral_radius_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_time_error_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_reversibility_observer(const Method& method, const Problem& problem);

}  // namespace rattleback
