#include "files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

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

/// An open file, closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  operator int() const { return number_; }

 private:
  int number_;
};

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

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// What was made, renamed or removed in a folder is on the disk only after this. A folder that may be written to but
/// not read cannot be synchronised.
void synchronise_folder(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor >= 0) synchronise_descriptor(descriptor, folder);
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

AppendFile::AppendFile(const std::string& path, std::int64_t keep, std::uint64_t checksum)
    : path_(path), size_(keep), is_named_(keep > 0) {
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | (keep == 0 ? O_CREAT : 0), 0666);
  if (descriptor_ < 0 && keep > 0 && errno == ENOENT) {
    throw FileError(
        fmt::format("{} is missing, with the rows that were recorded before the checkpoint; the run must start "
                    "anew (`force`)",
                    path));
  }
  if (descriptor_ < 0) fail("write to", path);
  if (is_stream(path)) {
    is_named_ = true;
    return;
  }
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw FileError(fmt::format("{} is being written by another run; wait for it, or choose another file", path));
    if (keep > 0) checksum_ = require_beginning(path, keep, checksum);
    if (::ftruncate(descriptor_, keep) != 0) fail("write to", path);
    ::lseek(descriptor_, keep, SEEK_SET);
  } catch (...) {
    ::close(descriptor_);
    throw;
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
  checksum_.add(buffer_);
  buffer_.clear();
}

void AppendFile::synchronise() {
  flush();
  synchronise_descriptor(descriptor_, path_);
  if (!is_named_) synchronise_folder(folder_of(path_));
  is_named_ = true;
}

void replace_file(const std::string& path, std::string_view content) {
  if (is_stream(path)) {
    AppendFile stream(path, 0);
    stream.append(content);
    stream.flush();
    return;
  }
  const std::string made = made_beside(path);
  try {
    const Descriptor descriptor(::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (descriptor < 0) fail("write to", made);
    write_all(descriptor, content, made);
    put_in_place(made, path);
  } catch (...) {
    ::unlink(made.c_str());
    throw;
  }
}

void put_in_place(const std::string& made, const std::string& path) {
  {
    const Descriptor descriptor(::open(made.c_str(), O_WRONLY | O_CLOEXEC));
    if (descriptor < 0) fail("write to", made);
    synchronise_descriptor(descriptor, made);
  }
  if (std::rename(made.c_str(), path.c_str()) != 0) fail("write to", path);
  synchronise_folder(folder_of(path));
}

void copy_file(const std::string& from, const std::string& to) {
  const std::string made = made_beside(to);
  try {
    std::ifstream file(from, std::ios::binary);
    std::string block(buffer_size, '\0');
    AppendFile copy(made, 0);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
      copy.append(std::string_view(block).substr(0, static_cast<std::size_t>(file.gcount())));
    if (!file.eof()) fail("read", from);
    copy.flush();
    put_in_place(made, to);
  } catch (...) {
    ::unlink(made.c_str());
    throw;
  }
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path);
}

void make_folder(const std::string& path) {
  std::vector<std::string> missing;
  std::error_code ignored;
  for (std::filesystem::path p = path; !p.empty() && !std::filesystem::exists(p, ignored); p = p.parent_path())
    missing.push_back(p.string());
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, ignored)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw FileError(fmt::format("cannot make the folder {}: {}", path, error.message()));
  for (const std::string& made : missing) synchronise_folder(folder_of(made));
}

void require_writable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw FileError(fmt::format("{} is a directory, expected a file", path));
  if (is_stream(path)) {
    if (::access(path.c_str(), W_OK) != 0) fail("write to", path);
    return;
  }
  // What will be done at the end is tried; what somebody left there will be replaced.
  const std::string made = made_beside(path);
  const Descriptor descriptor(::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (descriptor < 0 && errno == EEXIST) {
    if (std::filesystem::is_directory(made, ignored))
      throw FileError(fmt::format("{} is in the way: {} is made there; move it away", made, path));
    if (::access(made.c_str(), W_OK) == 0) return;
  }
  if (descriptor < 0) fail("write to", path);
  ::unlink(made.c_str());
}

Checksum require_beginning(const std::string& path, std::int64_t bytes, std::uint64_t expected) {
  std::ifstream file(path, std::ios::binary);
  std::string block(buffer_size, '\0');
  Checksum found;
  std::int64_t there = 0;
  while (file && there < bytes) {
    const auto wanted = std::min(static_cast<std::int64_t>(block.size()), bytes - there);
    file.read(block.data(), static_cast<std::streamsize>(wanted));
    found.add(std::string_view(block).substr(0, static_cast<std::size_t>(file.gcount())));
    there += file.gcount();
  }
  if (there < bytes) {
    throw FileError(
        fmt::format("{} has {} bytes, but {} were recorded when the checkpoint was written; it was cut or "
                    "replaced, and the run must start anew (`force`)",
                    path, there, bytes));
  }
  if (found.value() != expected) {
    throw FileError(
        fmt::format("{} was changed since the checkpoint was written: the checksum of its first {} bytes is {:016x}, "
                    "expected {:016x}; put the file back as it was, or start the run anew (`force`)",
                    path, bytes, found.value(), expected));
  }
  return found;
}

void throw_file_error(const char* what, const std::string& path, int error) {
  errno = error;
  fail(what, path);
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
