#pragma once

#include "rattleback/model/system.hpp"

namespace rattleback {

/// What determines the motion, without symmetries and other claims about it.
SystemDefinition mechanics_of(const System& system);

/// The same with other values of its parameters.
System with_values(const System& system, std::span<const double> parameters);

/// The same system with the numbers in its expressions as further parameters, but for powers of two. Numbers that meet
/// in an expression are multiplied and added in double precision: where 0.7·1.1 and 1.1·0.7 should cancel after other
/// factors came between, a residue of rounding can remain that nothing tells from a small number. As parameters they
/// cancel by algebra, or are evaluated as precisely as one likes.
System with_literals_as_parameters(const System& system);

}  // namespace rattleback
