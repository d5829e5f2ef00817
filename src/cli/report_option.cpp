#include "report_option.hpp"

#include <fmt/format.h>

#include <filesystem>

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
  throw SystemFailure(fmt::format("{} '{}': the folder {} does not exist", option, path, folder.string()));
}

}  // namespace rattleback::cli
