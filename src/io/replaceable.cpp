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
#include "rattleback/model/rotation.hpp"

namespace rattleback {
namespace {

/// time, positions as people see them (x, or R.w, R.x, R.y, R.z), their velocities and momenta, and the energy.
bool is_run_header(const std::vector<std::string>& names) {
  if (names.empty() || names[0] != column_name(ColumnKind::time)) return false;
  std::vector<std::string> velocities;
  std::vector<std::string> momenta;
  auto next = names.begin() + 1;
  while (next != names.end() && (velocities.empty() || *next != velocities[0])) {
    if (next->ends_with(".w")) {
      const Rotation rotation(next->substr(0, next->size() - 2));
      const std::vector<std::string> quaternion = quaternion_names(rotation.name);
      if (names.end() - next < std::ssize(quaternion) || !std::equal(quaternion.begin(), quaternion.end(), next))
        return false;
      for (const Expression& component : rotation.omega) velocities.push_back(component.name());
      for (const Expression& freedom : rotation.freedoms)
        momenta.push_back(column_name(ColumnKind::momentum, freedom.name()));
      next += std::ssize(quaternion);
    } else {
      velocities.push_back(column_name(ColumnKind::velocity, *next));
      momenta.push_back(column_name(ColumnKind::momentum, *next));
      ++next;
    }
  }
  for (const auto& expected : {velocities, momenta}) {
    if (names.end() - next < std::ssize(expected) || !std::equal(expected.begin(), expected.end(), next)) return false;
    next += std::ssize(expected);
  }
  return !velocities.empty() && std::find(next, names.end(), column_name(ColumnKind::energy)) != names.end();
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
