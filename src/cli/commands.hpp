#pragma once

#include <CLI/App.hpp>

namespace rattleback::cli {

inline constexpr const char* bench_program_name = "rattleback-bench";
inline constexpr const char* bench_summary = "Speed against other integrators and code written by hand";

/// Each command adds itself to the application: its options, its help, and what it does.
void add_models(CLI::App& app);
void add_show(CLI::App& app);
void add_analyse(CLI::App& app);
void add_run(CLI::App& app);
void add_compare(CLI::App& app);
void add_converge(CLI::App& app);
void add_modified(CLI::App& app);
void add_measure(CLI::App& app);
void add_ensemble(CLI::App& app);
void add_bench(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_demo(CLI::App& app);

}  // namespace rattleback::cli
