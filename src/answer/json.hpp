#pragma once

// What JSON documents have in common.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback::answer {

/// A list of texts.
nlohmann::json texts(const std::vector<Expression>& expressions);

}  // namespace rattleback::answer
