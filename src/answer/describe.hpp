#pragma once

// A run as its file describes it.

#include <string>

#include "rattleback/answer/run.hpp"
#include "rattleback/io/result_file.hpp"

namespace rattleback::answer {

RunDescription description_of(const RunAnswer& answer);

/// Throws RequestError unless the ending of `output` is one of a format.
void require_known_format(const std::string& output);

}  // namespace rattleback::answer
