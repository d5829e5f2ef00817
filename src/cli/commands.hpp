#pragma once

#include "command_line.hpp"

namespace rattleback::cli {

/// Each command describes itself: its options, its help, and what it does.
Command models_command();
Command show_command();
Command analyse_command();
Command run_command();
Command compare_command();
Command converge_command();
Command modified_command();
Command measure_command();
Command ensemble_command();
Command reproduce_command();
Command demo_command();
Command bench_command();
Command help_command();
Command manual_command();
Command complete_command();

/// Those of the program that is linked, in the order in which they are listed to people.
std::vector<Command> commands();

}  // namespace rattleback::cli
