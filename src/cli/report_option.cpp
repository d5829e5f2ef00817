#include "report_option.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "exit_status.hpp"
#include "rattleback/base/version.hpp"
#include "terminal.hpp"

namespace rattleback::cli {

void add_report_option(Command& command, std::optional<std::string>& path) {
  command.add({.names = "--report",
               .value = "FILE",
               .help = "Also makes a page with figures: a file ending with .html",
               .target = &path,
               .values = {Values::Kind::file, {".html"}}});
}

void require_folder(const std::string& path, const char* option) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  throw Failure(ExitStatus::system,
                fmt::format("{} '{}': the folder {} does not exist", option, path, folder.string()));
}

void check_report(const std::optional<std::string>& path) {
  if (path && !path->ends_with(".html"))
    throw Failure(ExitStatus::wrong_request, fmt::format("--report '{}' must end with .html", *path));
  if (path) require_folder(*path, "--report");
}

void write_report(ReportKind kind, const std::string& path, report::ExperimentEntry experiment,
                  const OutputOptions& output) {
  report::Report page{kind, experiment.title, "", fmt::format("rattleback {}", version), command_line()};
  page.chapters.push_back({std::string(word_of(kind)), "", "", ""});
  page.chapters.back().experiments.push_back(std::move(experiment));
  report::write_page(page, path);
  if (output.talks()) fmt::print("\nThe page is {}\n", path);
}

}  // namespace rattleback::cli
