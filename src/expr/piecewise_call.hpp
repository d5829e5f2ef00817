#pragma once

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// The node of a function that is not smooth everywhere, in canonical form; not all arguments are constant.
Expression piecewise_call(Function function, std::span<const Expression> arguments);

}  // namespace rattleback
