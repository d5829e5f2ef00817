#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../base/files.hpp"

namespace rattleback {

/// FILE.parts, where the processes that work on a result keep their journals, and what is ours in it: files with our
/// names and our first words. Others' files are never touched.
class JournalFolder {
 public:
  explicit JournalFolder(const std::string& result) : path_(result + ".parts") {}

  const std::filesystem::path& path() const { return path_; }
  bool exists() const;
  /// In the order of their names.
  std::vector<std::filesystem::path> journals() const;
  /// Of all journals.
  std::uintmax_t bytes() const;
  /// The number of the next generation of processes.
  int next_generation() const;

  /// Makes it if it is not there. While this object lives, no other process works in it; throws ResumeError if one
  /// does.
  void take();
  /// Removes what is ours, and itself unless something is left.
  void remove();
  /// Names of what is not ours, some of them.
  std::vector<std::string> strangers() const;

 private:
  std::vector<std::filesystem::path> files() const;

  std::filesystem::path path_;
  std::unique_ptr<AppendFile> lock_;
};

/// The first words of all journals, before the number of their format.
inline constexpr std::string_view journal_family = "rattleback ensemble journal ";

/// The name of the journal of a rank.
std::string journal_name(int generation, int rank);

}  // namespace rattleback
