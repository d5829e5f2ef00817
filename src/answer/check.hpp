#pragma once

// What requests have in common that can be wrong with them.

#include <cstdint>
#include <string>
#include <vector>

#include "rattleback/answer/problem.hpp"
#include "rattleback/method/method_spec.hpp"

namespace rattleback::answer {

/// Numbers of steps up to here are exact as doubles, and so is the k of t = k·h.
inline constexpr std::int64_t most_steps = std::int64_t{1} << 53;

/// Throw RequestError unless the value of a field is positive and finite, or at most 2⁵³; they return it.
double require_positive(double value, const char* field);
std::int64_t require_positive(std::int64_t value, const char* field);

/// Throws MethodError unless there is at least one, and all of them exist.
std::vector<MethodSpec> require_methods(const std::vector<std::string>& methods);

/// Throws MethodError with the reasons if no method is left.
void require_applicable(bool any, const std::vector<InapplicableMethod>& others);

/// Throws FileError if the folder that a file is to be in does not exist.
void require_folder(const std::string& path, const char* field);

}  // namespace rattleback::answer
