#pragma once

#include "rattleback/method/method.hpp"

namespace rattleback {

/// A trajectory in steps of τ, whose nodes know their time t by a quadrature of dt/dτ. If it is resampled, the nodes
/// are those at t = k h instead, by Hermite interpolation of degree 5, and a step of τ is h·(dτ/dt at the start). If
/// the nodes are those of a reference solution, see paced_stepper.hpp.
std::unique_ptr<Stepper> make_tau_stepper(const Method& method, const Problem& problem);

}  // namespace rattleback
