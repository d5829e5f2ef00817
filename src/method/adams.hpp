#pragma once

#include <cstdint>
#include <memory>

#include "integrator.hpp"

namespace rattleback {

// Adams methods of variable order and step with the interpolation that belongs to them, by CVODE. They live in a
// library of their own: only those who ask for them load SUNDIALS.

/// Loads CVODE on the first call. Throws std::runtime_error if it is not there.
std::unique_ptr<Integrator> make_adams(const MotionEquations& equations);

/// Entry point of the library: null if the layouts differ.
using AdamsFactory = Integrator* (*)(const MotionEquations& equations);
using AdamsEntry = AdamsFactory (*)(std::uint64_t layout);
inline constexpr const char* adams_entry_name = "rattleback_adams";
constexpr std::uint64_t adams_layout() { return 1000 * sizeof(MotionEquations) + 4; }

}  // namespace rattleback
