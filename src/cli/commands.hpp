#pragma once

#include <CLI/App.hpp>

namespace rattleback::cli {

/// Each command adds itself to the application: its options, its help, and what it does.
void add_demo(CLI::App& app);

}  // namespace rattleback::cli
