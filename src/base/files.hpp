#pragma once

// Files that survive crashes and a loss of power: every error is reported, and what was synchronised is there.

#include <cstdint>
#include <string>
#include <string_view>

#include "checksum.hpp"

namespace rattleback {

/// A file that grows at its end.
class AppendFile {
 public:
  /// Creates the file, or keeps the first `keep` bytes of an existing one and continues after them. Throws FileError
  /// if they do not have the checksum that they had.
  AppendFile(const std::string& path, std::int64_t keep, std::uint64_t checksum = 0);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  /// Returns when everything appended so far survives the end of this process, though not that of the machine.
  void flush();
  /// Returns when everything appended so far is on the disk, and so is the name of the file.
  void synchronise();
  std::int64_t size() const { return size_; }
  /// Of all that was flushed.
  std::uint64_t checksum() const { return checksum_.value(); }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::string buffer_;
  std::int64_t size_ = 0;
  Checksum checksum_;
  bool is_named_ = false;  ///< its name is on the disk
};

/// Devices and pipes, which are written to and not replaced.
bool is_stream(const std::string& path);

/// Replaces the file as a whole: at any moment, also after a loss of power, it has either the old or the new content.
void replace_file(const std::string& path, std::string_view content);

/// The second half of replace_file: a complete file, `made`, becomes `path`. Its content is on the disk before its name
/// is, and the name when this returns.
void put_in_place(const std::string& made, const std::string& path);

/// Replaces `to` by a copy.
void copy_file(const std::string& from, const std::string& to);

/// Where a file is made that is to replace another.
inline std::string made_beside(const std::string& path) { return path + ".new"; }

/// Nothing happens if there is no such file.
void remove_file(const std::string& path);

/// With those that it is in, and all of them on the disk.
void make_folder(const std::string& path);

/// Throws FileError if `path` cannot be made or replaced: it is a folder, is in none, or in one that cannot be
/// written to. For results that are written after long work.
void require_writable(const std::string& path);

/// Throws FileError unless the file begins with `bytes` bytes that have the checksum; returns it, to be continued.
Checksum require_beginning(const std::string& path, std::int64_t bytes, std::uint64_t checksum);

/// Throws FileError: "cannot write to x.csv: No space left on device; free some space".
[[noreturn]] void throw_file_error(const char* what, const std::string& path, int error);

/// The whole content.
std::string read_file(const std::string& path);

}  // namespace rattleback
