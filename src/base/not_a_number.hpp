#pragma once

#include <limits>

namespace rattleback {

/// What does not exist.
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace rattleback
