#pragma once

#include <CLI/App.hpp>

#include <optional>
#include <string>

#include "rattleback/report/report.hpp"
#include "request.hpp"

namespace rattleback::cli {

/// --report of the commands that have it.
void add_report_option(CLI::App& command, std::optional<std::string>& path);
/// Refuses a path that is no page, before time is spent.
void check_report(const std::optional<std::string>& path);
void write_report(const std::string& kind, const std::string& path, report::Experiment experiment,
                  const OutputOptions& output);

}  // namespace rattleback::cli
