#pragma once

#include <optional>
#include <string>

#include "rattleback/report/report.hpp"
#include "request.hpp"

namespace rattleback::cli {

/// --report of the commands that have it.
void add_report_option(Command& command, std::optional<std::string>& path);
/// Refuses a path whose folder does not exist; the option is named.
void require_folder(const std::string& path, const char* option);
/// Refuses a path that is no page, before time is spent.
void check_report(const std::optional<std::string>& path);
void write_report(ReportKind kind, const std::string& path, report::ExperimentEntry experiment,
                  const OutputOptions& output);

}  // namespace rattleback::cli
