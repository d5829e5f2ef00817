// Where experiments are found.

#include <algorithm>
#include <filesystem>

#include "../base/files.hpp"
#include "rattleback/base/installation.hpp"
#include "rattleback/experiment/statement.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

constexpr const char* paper_file = "paper.toml";
constexpr const char* statements_file = "statements.toml";

std::string short_name(const fs::path& path) { return (path.parent_path().filename() / path.filename()).string(); }

std::vector<fs::path> sorted(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

std::vector<Paper> papers() {
  std::vector<Paper> list;
  for (const fs::path& folder : sorted(shared_data("experiments"))) {
    const fs::path file = folder / paper_file;
    if (fs::exists(file)) list.push_back(read_paper(read_file(file.string()), short_name(file)));
  }
  std::ranges::sort(list, {}, &Paper::year);
  return list;
}

std::vector<Experiment> experiments_of(const std::string& paper) {
  std::vector<Experiment> list;
  for (const fs::path& file : sorted(shared_data("experiments") / paper)) {
    if (file.extension() != ".toml" || file.filename() == paper_file || file.filename() == statements_file) continue;
    list.push_back(read_experiment(read_file(file.string()), short_name(file), file.parent_path().string()));
  }
  return list;
}

std::vector<Statement> statements_of(const std::string& paper, const std::vector<Experiment>& experiments) {
  const fs::path file = shared_data("experiments") / paper / statements_file;
  if (!fs::exists(file)) return {};
  return read_statements(read_file(file.string()), short_name(file), experiments);
}

}  // namespace rattleback
