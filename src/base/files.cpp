#include "files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "rattleback/base/error.hpp"

namespace rattleback {
namespace {

constexpr std::size_t buffer_size = 1U << 18;

[[noreturn]] void fail(const char* what, const std::string& path) {
  const int error = errno;
  const char* hint = error == ENOSPC                                       ? "; free some space"
                     : error == ENOENT && std::strcmp(what, "read") != 0   ? "; does the directory exist?"
                     : error == ENOTDIR                                    ? "; a part of the path is a file"
                     : error == EACCES || error == EPERM || error == EROFS ? "; choose another place"
                                                                           : "";
  throw FileError(fmt::format("cannot {} {}: {}{}", what, path, std::strerror(error), hint));
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write to", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Devices and pipes cannot be synchronised, and need not be.
void synchronise_descriptor(int descriptor, const std::string& path) {
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) fail("write to", path);
}

}  // namespace

AppendFile::AppendFile(const std::string& path, std::int64_t keep) : path_(path), size_(keep) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (keep == 0 ? O_CREAT : 0), 0666);
  if (descriptor_ < 0 && keep > 0 && errno == ENOENT) {
    throw FileError(
        fmt::format("{} is missing, with the rows that were recorded before the checkpoint; the run must start "
                    "anew (`force`)",
                    path));
  }
  if (descriptor_ < 0) fail("write to", path);
  struct stat status{};
  if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      throw FileError(fmt::format("{} is being written by another run; wait for it, or choose another file", path));
    }
    if (status.st_size < keep) {
      ::close(descriptor_);
      throw FileError(
          fmt::format("{} has {} bytes, but {} were recorded when the checkpoint was written; it was cut or "
                      "replaced, and the run must start anew (`force`)",
                      path, status.st_size, keep));
    }
    if (::ftruncate(descriptor_, keep) != 0) fail("write to", path);
    ::lseek(descriptor_, keep, SEEK_SET);
  }
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AppendFile::append(std::string_view bytes) {
  buffer_ += bytes;
  size_ += static_cast<std::int64_t>(bytes.size());
  if (buffer_.size() >= buffer_size) flush();
}

void AppendFile::flush() {
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void AppendFile::synchronise() {
  flush();
  synchronise_descriptor(descriptor_, path_);
}

void replace_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".new";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail("write to", temporary);
  try {
    write_all(descriptor, content, temporary);
    synchronise_descriptor(descriptor, temporary);
  } catch (...) {
    ::close(descriptor);
    ::unlink(temporary.c_str());
    throw;
  }
  ::close(descriptor);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("write to", path);
}

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw FileError(fmt::format("{} is a directory, expected a file", path));
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file) fail("read", path);
  return text;
}

}  // namespace rattleback
