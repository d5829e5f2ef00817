#pragma once

// The closed form of the quadratic particle's step (benchmarks/hand_particle.hpp) for many trajectories, written in
// intrinsics: what a person achieves who has a week for this one system.
//
// With u = p_y − hy, w = p_x − hx, X = 2hx, Z = z/h and s = v_x/2 the map is
//   y₁ = y + (h/k)u,   s = (w + y p_z) / (2k + y(y + y₁)),   p_z₁ = (y + y₁)s,
//   u₁ = u − 2hy₁,     w₁ = (2 − 3h²)s − X,   X₁ = X + 4h²s,   Z₁ = Z + p_z₁.
// Operations of one step, a fused multiply-add counted as two, a division as one: 16.

#include <cstdint>

#include "src/bench/hand_particle.hpp"

namespace rattleback::bench {

inline constexpr int particle_operations = 16;

/// Whether this processor has the instructions.
bool has_avx2();
bool has_avx512();

/// `steps` steps of `count` trajectories; count must be a multiple of the block, 4 · registers or 8 · registers.
/// A block stays in registers, or nearly.
void particles_avx2(hand::ParticleState* states, std::int64_t count, double h, std::int64_t steps, int registers);
void particles_avx512(hand::ParticleState* states, std::int64_t count, double h, std::int64_t steps, int registers);

/// Operations in a second of fused multiply-adds that do not wait for each other, in the widest registers there are:
/// the peak of this core. `width` names them.
double peak_operations(const char*& width);

}  // namespace rattleback::bench
