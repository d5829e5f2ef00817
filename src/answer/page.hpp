#pragma once

#include <optional>
#include <string>

#include "rattleback/report/report.hpp"

namespace rattleback::answer {

/// Refuses a path that cannot become a page, or is something else, before time is spent.
void require_page(const std::optional<std::string>& path, bool force);
/// One experiment as a page; `kind` is the function that was asked, `command` how the page says that it was made.
void write_page(ReportKind kind, const std::string& path, report::ExperimentEntry experiment,
                const std::string& command);

}  // namespace rattleback::answer
