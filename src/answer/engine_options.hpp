#pragma once

#include <cstdint>
#include <optional>

#include "rattleback/ensemble/ensemble.hpp"

namespace rattleback::answer {

/// Throws RequestError unless there can be so many `lanes` and `threads`.
EnsembleOptions engine_options(std::int64_t lanes, const std::optional<std::int64_t>& threads);

}  // namespace rattleback::answer
