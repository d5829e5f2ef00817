#include "replaceable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../base/files.hpp"
#include "hdf5_result.hpp"
#include "rattleback/base/error.hpp"
#include "rattleback/model/column.hpp"

namespace rattleback {
namespace {

bool is_run_header(const std::vector<std::string>& names) {
  if (names.size() < 2 || names[0] != column_name(ColumnKind::time)) return false;
  const auto n = std::ranges::find(names, column_name(ColumnKind::velocity, names[1])) - names.begin() - 1;
  if (n < 1 || 3 * n + 2 > std::ssize(names)) return false;
  for (auto k = names.begin() + 1; k <= names.begin() + n; ++k) {
    if (k[n] != column_name(ColumnKind::velocity, *k) || k[2 * n] != column_name(ColumnKind::momentum, *k))
      return false;
  }
  return std::find(names.begin() + 3 * n + 1, names.end(), column_name(ColumnKind::energy)) != names.end();
}

}  // namespace

const ResultKind hdf5_result{"a result of Rattleback", [](const std::string& path) { return is_result_with(path); }};
const ResultKind run_hdf5{"a result of a run", [](const std::string& path) {
                            return is_result_with(path, column_name(ColumnKind::time).c_str());
                          }};
const ResultKind run_table{"a result of a run", [](const std::string& path) { return is_run_header(header_of(path)); }};
void require_older_result(const std::string& path, const ResultKind& kind, bool force) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw FileError(fmt::format("{} is a directory, expected a file", path));
  const bool is_something = fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
  if (force || !is_something || kind.recognises(path)) return;
  throw RequestError(fmt::format(
      "{} exists and is not {}: move it away, choose another file, or replace it with `force`", path, kind.name));
}

void require_replaceable(const std::string& path, const ResultKind& kind, bool force) {
  require_writable(path);
  require_older_result(path, kind, force);
}

std::string beginning_of(const std::string& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::vector<std::string> header_of(const std::string& path) {
  constexpr std::size_t longest = 1U << 20;
  std::istringstream text(beginning_of(path, longest));
  std::string line;
  std::getline(text, line);
  std::istringstream words(line);
  std::vector<std::string> names;
  for (std::string word; std::getline(words, word, ',');) names.push_back(word);
  return names;
}

}  // namespace rattleback
