#pragma once

// What JSON documents have in common.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "rattleback/answer/problem.hpp"
#include "rattleback/expr/expression.hpp"
#include "rattleback/flow/statistics.hpp"

namespace rattleback::answer {

/// A list of texts.
nlohmann::json texts(const std::vector<Expression>& expressions);
/// Adds what is the largest over all nodes, or null and where it ceases to exist.
void add(nlohmann::json& document, const char* key, const Largest& largest);
/// Adds the methods that do not apply, if there are any.
void add(nlohmann::json& document, const std::vector<InapplicableMethod>& methods);
/// A document as a text. What is not UTF-8, as names of files may be, is replaced by U+FFFD.
std::string text_of(const nlohmann::json& document);

}  // namespace rattleback::answer
