#pragma once

#include "rattleback/expr/derivative.hpp"

namespace rattleback {

/// ∂fᵢ/∂xⱼ, computed.
SparseMatrix differentiate(std::span<const Expression> functions, std::span<const Expression> variables);

}  // namespace rattleback
