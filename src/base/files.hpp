#pragma once

// Files that survive crashes: every error is reported, and what was synchronised is there.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rattleback {

/// A file that grows at its end.
class AppendFile {
 public:
  /// Creates the file, or keeps the first `keep` bytes of an existing one and continues after them.
  AppendFile(const std::string& path, std::int64_t keep);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  /// Returns when everything appended so far survives the end of this process, though not that of the machine.
  void flush();
  /// Returns when everything appended so far is on the disk.
  void synchronise();
  std::int64_t size() const { return size_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::string buffer_;
  std::int64_t size_ = 0;
};

/// Replaces the file as a whole: at any moment it has either the old or the new content.
void replace_file(const std::string& path, std::string_view content);

/// The whole content.
std::string read_file(const std::string& path);

}  // namespace rattleback
