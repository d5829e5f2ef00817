#pragma once

#include <string>

#include "command_line.hpp"

namespace rattleback::cli {

/// Manual pages, in the language of man(7). The date is that of SOURCE_DATE_EPOCH, or none: the same sources give the
/// same pages.
std::string manual_page(const Program& program);
std::string manual_page(const Program& program, const Command& command);

}  // namespace rattleback::cli
