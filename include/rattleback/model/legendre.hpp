#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback {

/// f*(y) = y·w − f(w) where y = ∂f/∂w: takes Lagrangians to Hamiltonians, and back.
struct LegendreTransform {
  std::vector<Expression> variables;  ///< w, as functions of y
  Expression function;                ///< f*
};

/// Of a function that is quadratic in w, with a regular second derivative; nothing for others, or if there are too many
/// variables for formulas.
std::optional<LegendreTransform> legendre_transform(const Expression& f, std::span<const Expression> w,
                                                    std::span<const Expression> y);

}  // namespace rattleback
