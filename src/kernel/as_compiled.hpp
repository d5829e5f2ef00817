#pragma once

#include <vector>

#include "rattleback/kernel/program.hpp"

namespace rattleback {

// Sine and cosine with the bits of compiled code, for arguments up to inline_sincos_range. Beyond, they are those of
// the C library, and `left_range` says so until somebody forgets it.
double sine_as_compiled(double x);
double cosine_as_compiled(double x);
bool& left_range();  ///< of this thread

/// Whether all operations of a program that has so many sines can be interpreted with the bits that code for this
/// machine has: those that round correctly, and sines that are inline code.
bool can_be_interpreted_as_compiled(const std::vector<Instruction>& code, std::size_t sines);

}  // namespace rattleback
