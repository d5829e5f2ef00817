#include "page.hpp"

#include <fmt/format.h>

#include "../report/kinds.hpp"
#include "check.hpp"
#include "rattleback/base/error.hpp"
#include "rattleback/base/installation.hpp"
#include "rattleback/base/version.hpp"

namespace rattleback::answer {

void require_page(const std::optional<std::string>& path, bool force) {
  if (!path) return;
  if (!path->ends_with(".html")) throw RequestError(fmt::format("`report` '{}' must end with .html", *path));
  require_folder(*path, "report");
  require_replaceable(*path, report::page_result, force);
  shared_data("report.html");  // without which there are no pages
}

void write_page(ReportKind kind, const std::string& path, report::ExperimentEntry experiment,
                const std::string& command) {
  report::Report page{kind, experiment.title, "", fmt::format("rattleback {}", version), command};
  page.chapters.push_back({std::string(word_of(kind)), "", "", ""});
  page.chapters.back().experiments.push_back(std::move(experiment));
  report::write_page(page, path);
}

}  // namespace rattleback::answer
