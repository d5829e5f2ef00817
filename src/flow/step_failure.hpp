#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace rattleback {

/// Why a trajectory has ended, with its place: at the step after `taken` ones, which begins at t.
inline std::string step_failure(std::int64_t taken, std::int64_t steps, double t, double h, const std::string& why) {
  return fmt::format("step {} of {}, from t = {:.10g} with h = {}: {}", taken + 1, steps, t, h, why);
}

}  // namespace rattleback
