#pragma once

#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback {

/// Where an equation does not depend on an unknown although it contains it, as a(x + y) − a(x − y) contains x, any
/// value of the unknown will do: equations are ordered by what they depend on. `slopes` is the Jacobian of the
/// residuals, and again that of the result.
ImplicitSystem without_idle_unknowns(ImplicitSystem system, SparseMatrix& slopes);

}  // namespace rattleback
