#pragma once

#include <cstddef>

namespace rattleback {

/// A number of entries, for the arithmetic of iterators.
constexpr std::ptrdiff_t signed_size(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

}  // namespace rattleback
