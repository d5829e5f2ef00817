#pragma once

#include "rattleback/method/method.hpp"

namespace rattleback {

/// A trajectory whose k-th step of τ is τ((k+1)h) − τ(kh), where τ(t) = ∫ N dt along the reference solution: its nodes
/// are at t = k h. Fernandez, Bloch & Olver compare HDEL with exact solutions r(τ_k) at such nodes in section 5.3.
std::unique_ptr<Stepper> make_paced_stepper(const Method& method, const Problem& problem);

}  // namespace rattleback
