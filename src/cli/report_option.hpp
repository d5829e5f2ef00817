#pragma once

#include <optional>
#include <string>

#include "request.hpp"

namespace rattleback::cli {

/// --report of the commands that have it.
void add_report_option(Command& command, std::optional<std::string>& path);
/// Refuses a path whose folder does not exist; the option is named.
void require_folder(const std::string& path, const char* option);

}  // namespace rattleback::cli
