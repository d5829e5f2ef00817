#pragma once

#include "rattleback/kernel/series.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// The equations of motion as they stand, d/dt L_v = L_q + p × Ω + F + Aᵀλ with A v + b = 0, for power series.
SeriesSystem motion_series(const System& system);

/// Whether there are such series: nothing in the equations jumps or has kinks, and they are linear in multipliers.
bool has_motion_series(const System& system);

}  // namespace rattleback
