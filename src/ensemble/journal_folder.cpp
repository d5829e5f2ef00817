#include "journal_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "rattleback/io/result_file.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "part-";
constexpr const char* lock_name = "lock";

/// Of a name like part-003-00017; nothing if it is none.
std::optional<int> generation_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  const char* const end = name.data() + name.size();
  int generation = 0;
  int rank = 0;
  const auto first = std::from_chars(name.data() + prefix.size(), end, generation);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, rank);
  if (second.ec != std::errc() || second.ptr != end || name != journal_name(generation, rank)) return std::nullopt;
  return generation;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::regular;
}

/// The file of a process that died at once may end before its first words do; after a loss of power there may be zeros
/// in their place.
bool is_journal(const fs::path& path) {
  if (!generation_of(path) || !is_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string first(journal_family.size(), '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(file.gcount()));
  return journal_family.starts_with(first) || std::ranges::all_of(first, [](char c) { return c == '\0'; });
}

bool is_lock(const fs::path& path) {
  std::error_code error;
  return path.filename() == lock_name && is_file(path) && fs::file_size(path, error) == 0 && !error;
}

}  // namespace

std::string journal_name(int generation, int rank) { return fmt::format("{}{:03}-{:05}", prefix, generation, rank); }

bool JournalFolder::exists() const {
  std::error_code ignored;
  return fs::is_directory(path_, ignored);
}

std::vector<fs::path> JournalFolder::files() const {
  std::error_code error;
  std::vector<fs::path> all;
  for (fs::directory_iterator i(path_, error), end; !error && i != end; i.increment(error)) all.push_back(i->path());
  if (error) throw FileError(fmt::format("cannot read the folder {}: {}", path_.string(), error.message()));
  std::ranges::sort(all);
  return all;
}

std::vector<fs::path> JournalFolder::journals() const {
  std::vector<fs::path> ours;
  if (exists()) std::ranges::copy_if(files(), std::back_inserter(ours), is_journal);
  return ours;
}

std::uintmax_t JournalFolder::bytes() const {
  std::uintmax_t sum = 0;
  for (const fs::path& path : journals()) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error) sum += size;
  }
  return sum;
}

int JournalFolder::next_generation() const {
  int next = 0;
  for (const fs::path& path : files()) next = std::max(next, 1 + generation_of(path).value_or(-1));
  return next;
}

void JournalFolder::take() {
  make_folder(path_.string());
  const fs::path lock = path_ / lock_name;
  std::error_code ignored;
  if (fs::symlink_status(lock, ignored).type() != fs::file_type::not_found && !is_lock(lock)) {
    throw ResumeError(fmt::format("{} is in the way, and is not ours: move it away, or choose another file (`output`)",
                                  lock.string()));
  }
  try {
    lock_ = std::make_unique<AppendFile>(lock.string(), 0);
  } catch (const FileError& failure) {
    if (std::string_view(failure.what()).find("another run") == std::string_view::npos) throw;
    throw ResumeError(
        fmt::format("{} is being computed by another process; wait for it, or choose another file (`output`)",
                    fs::path(path_).replace_extension().string()));
  }
}

void JournalFolder::remove() {
  if (!exists()) return;
  for (const fs::path& path : files()) {
    if (is_journal(path) || is_lock(path)) remove_file(path.string());
  }
  lock_.reset();
  std::error_code ignored;
  fs::remove(path_, ignored);  // which fails if something is left
}

std::vector<std::string> JournalFolder::strangers() const {
  constexpr std::size_t enough = 5;
  std::vector<std::string> names;
  if (!exists()) return names;
  for (const fs::path& path : files()) {
    if (names.size() < enough && !is_journal(path) && !is_lock(path)) names.push_back(path.filename().string());
  }
  return names;
}

}  // namespace rattleback
