#pragma once

#include <string>

#include "command_line.hpp"

namespace rattleback::cli {

/// What --help prints.
std::string help_text(const Program& program);
std::string help_text(const Program& program, const Command& command);

/// "rattleback run [OPTIONS] MODEL"
std::string usage(const Program& program, const Command& command);

/// The help of an option with what else is to be known of it: its default, what it excludes.
std::string full_help(const Option& option);

/// What every command has.
inline constexpr const char* help_option = "-h,--help";
inline constexpr const char* help_option_help = "Prints this help";
inline constexpr const char* version_option_help = "Prints the version";

}  // namespace rattleback::cli
