#pragma once

#include <cstddef>

namespace rattleback {

/// Refuses the convex hull of so many points if it would take more memory than there may be. Throws MemoryError.
void require_memory_of_hull(std::size_t points, std::size_t dimension);

}  // namespace rattleback
