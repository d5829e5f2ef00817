#pragma once

// Lists as people read them.

#include <string>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback::answer {

/// (x, y, z) with so many digits; long lists are cut.
std::string tuple(const std::vector<double>& values, int digits = 10);
/// x, y, z; long lists are cut.
std::string names(const std::vector<Expression>& symbols);

}  // namespace rattleback::answer
