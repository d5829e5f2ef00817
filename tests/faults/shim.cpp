// A disk that fails on purpose: a library that is loaded before all others (LD_PRELOAD) and stands between a program
// and what it does to files below one folder. Everything is chosen by the environment:
//
//   FAULTS_FOLDER=DIR     what is below it is watched; operations on it are counted from 1 on, in each process
//   FAULTS_CUT=K          the process ends at the K-th operation, with status 86; of a write half is done before
//   FAULTS_FAIL=K         the K-th operation fails; K+ means that one and all after it
//   FAULTS_ERROR=ENOSPC   with "no space left" instead of an input/output error
//   FAULTS_DISK=N         after N bytes the disk is full
//   FAULTS_LOG=FILE       all operations with their data, from which tests/faults/disk.hpp rebuilds what a loss of
//                         power leaves
//   FAULTS_CLOCK=S        each look at the clock finds it S seconds later than the one before, so that what happens
//                         twice a second happens at the same step in every run
//
// Operations are opening for writing, writing, changing the size, synchronising, closing what was open for
// writing, renaming, removing and making folders. Reading is not watched.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>

namespace {

constexpr int cut_status = 86;

/// What the program would have called.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

long number(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atol(text) : otherwise;
}

/// Without following the last part, which may be about to be made or removed.
std::string absolute(int folder, const char* path) {
  std::string start = path;
  if (path[0] != '/') {
    char buffer[PATH_MAX];
    const std::string link = folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder);
    const ssize_t size = ::readlink(link.c_str(), buffer, sizeof buffer);
    start = std::string(buffer, size > 0 ? static_cast<std::size_t>(size) : 0) + "/" + path;
  }
  for (std::size_t at = 0; (at = start.find("/./")) != std::string::npos;) start.erase(at, 2);
  while (start.size() > 1 && start.ends_with('/')) start.pop_back();
  return start;
}

std::string path_of(int descriptor) {
  char buffer[PATH_MAX];
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), buffer, sizeof buffer);
  return {buffer, size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// Decides what becomes of each operation, one at a time.
class Disk {
 public:
  static Disk& get() {
    static Disk& disk = *new Disk;  // lives as long as the process: files are closed at its very end
    return disk;
  }

  bool watches(const std::string& path) const {
    return !folder_.empty() && path.starts_with(folder_) &&
           (path.size() == folder_.size() || path[folder_.size()] == '/');
  }
  /// Files that are open for writing; folders, which are open to be synchronised.
  bool watches(int descriptor) const {
    if (folder_.empty()) return false;
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) return false;
    const int access = ::fcntl(descriptor, F_GETFL) & O_ACCMODE;
    return (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && access != O_RDONLY)) && watches(path_of(descriptor));
  }

  /// One operation: `half` does a part of it before the process ends, `log` tells what was done.
  template <class Do, class Half, class Log>
  auto operation(Do&& act, Half&& half, Log&& log) {
    const std::lock_guard guard(mutex_);
    ++count_;
    if (count_ == cut_) {
      half();
      ::_exit(cut_status);
    }
    using Result = decltype(act());
    if (fails()) {
      errno = error_;
      return static_cast<Result>(-1);
    }
    const Result result = act();
    const int error = errno;
    if (log_ >= 0) log(result);
    errno = error;
    return result;
  }
  template <class Do, class Log>
  auto operation(Do&& act, Log&& log) {
    return operation(act, [] {}, log);
  }

  /// Of `size` bytes, those that still fit.
  std::size_t room_for(std::size_t size) {
    if (room_ < 0) return size;
    const std::size_t fits = std::min(size, static_cast<std::size_t>(room_));
    room_ -= static_cast<long>(fits);
    return fits;
  }

  void say(const std::string& line, std::string_view data = {}) const {
    std::string text = line + "\n";
    text += data;
    for (std::string_view rest = text; !rest.empty();) {
      const long done = ::syscall(SYS_write, log_, rest.data(), rest.size());
      if (done <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(done));
    }
  }

 private:
  Disk() {
    if (const char* folder = std::getenv("FAULTS_FOLDER")) folder_ = folder;
    cut_ = number("FAULTS_CUT", 0);
    fail_ = number("FAULTS_FAIL", 0);
    if (const char* text = std::getenv("FAULTS_FAIL")) fails_on_ = std::string_view(text).ends_with('+');
    if (const char* text = std::getenv("FAULTS_ERROR")) error_ = std::string_view(text) == "ENOSPC" ? ENOSPC : EIO;
    room_ = number("FAULTS_DISK", -1);
    if (const char* path = std::getenv("FAULTS_LOG"))
      log_ = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  }
  bool fails() const { return fail_ > 0 && (count_ == fail_ || (fails_on_ && count_ > fail_)); }

  std::recursive_mutex mutex_;
  std::string folder_;
  long count_ = 0;
  long cut_ = 0;
  long fail_ = 0;
  bool fails_on_ = false;
  int error_ = EIO;
  long room_ = -1;  ///< bytes; −1 without end
  int log_ = -1;
};

unsigned long long inode(int descriptor) {
  struct stat status{};
  ::fstat(descriptor, &status);
  return status.st_ino;
}

int open_file(const char* name, int folder, const char* path, int flags, mode_t mode) {
  const auto act = [&] {
    return static_cast<int>(::syscall(SYS_openat, folder, path, flags | (name[4] == '6' ? O_LARGEFILE : 0), mode));
  };
  const std::string whole = absolute(folder, path);
  if ((flags & O_ACCMODE) == O_RDONLY || !Disk::get().watches(whole)) return act();
  struct stat status{};
  const bool there = ::stat(path, &status) == 0 || folder != AT_FDCWD;
  return Disk::get().operation(act, [&](int descriptor) {
    if (descriptor < 0) return Disk::get().say("open " + whole + " failed");
    const std::string number = std::to_string(inode(descriptor));
    Disk::get().say(!there            ? "create " + number + " " + whole
                    : flags & O_TRUNC ? "truncate " + number + " 0"
                                      : "open " + number);
  });
}

/// Bytes at a place, or where the file is (−1).
ssize_t write_at(int descriptor, const char* bytes, std::size_t size, off_t place) {
  const auto act = [&](std::size_t count) -> ssize_t {
    if (place < 0) return ::syscall(SYS_write, descriptor, bytes, count);
    return ::syscall(SYS_pwrite64, descriptor, bytes, count, place);
  };
  if (!Disk::get().watches(descriptor)) return act(size);
  off_t at = place;
  return Disk::get().operation(
      [&]() -> ssize_t {
        const std::size_t fits = Disk::get().room_for(size);
        if (fits == 0 && size > 0) {
          errno = ENOSPC;
          return -1;
        }
        if (place < 0)
          at = ::fcntl(descriptor, F_GETFL) & O_APPEND ? ::lseek(descriptor, 0, SEEK_END)
                                                       : ::lseek(descriptor, 0, SEEK_CUR);
        return act(fits);
      },
      [&] { act(size / 2); },
      [&](ssize_t done) {
        const std::size_t count = done > 0 ? static_cast<std::size_t>(done) : 0;
        Disk::get().say(
            "write " + std::to_string(inode(descriptor)) + " " + std::to_string(at) + " " + std::to_string(count),
            {bytes, count});
      });
}

int resize(int descriptor, off_t size) {
  const auto act = [&] { return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size)); };
  if (!Disk::get().watches(descriptor)) return act();
  return Disk::get().operation(
      act, [&](int) { Disk::get().say("truncate " + std::to_string(inode(descriptor)) + " " + std::to_string(size)); });
}

int synchronise(long call, int descriptor) {
  const auto act = [&] { return static_cast<int>(::syscall(call, descriptor)); };
  if (!Disk::get().watches(descriptor)) return act();
  return Disk::get().operation(act, [&](int) {
    struct stat status{};
    ::fstat(descriptor, &status);
    Disk::get().say(S_ISDIR(status.st_mode) ? "settle " + path_of(descriptor)
                                            : "synchronise " + std::to_string(status.st_ino));
  });
}

/// Renaming, removing, making folders: what is done to names.
template <class Do>
int change_names(const std::string& path, const std::string& line, Do&& act) {
  if (!Disk::get().watches(path)) return act();
  return Disk::get().operation(act, [&](int result) { Disk::get().say(result == 0 ? line : "nothing"); });
}

int remove_at(int folder, const char* path, int flags) {
  const std::string whole = absolute(folder, path);
  return change_names(whole, (flags & AT_REMOVEDIR ? "rmdir " : "unlink ") + whole,
                      [&] { return static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags)); });
}

}  // namespace

extern "C" {

#define MODE_OF_OPEN(flags)                \
  mode_t mode = 0;                         \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list arguments;                     \
    va_start(arguments, flags);            \
    mode = va_arg(arguments, mode_t);      \
    va_end(arguments);                     \
  }

int open(const char* path, int flags, ...) {
  MODE_OF_OPEN(flags)
  return open_file("open", AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_OF_OPEN(flags)
  return open_file("open64", AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_OF_OPEN(flags)
  return open_file("open", folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE_OF_OPEN(flags)
  return open_file("open64", folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return open_file("open", AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) { return creat(path, mode); }

/// libc opens its streams without asking anybody, so that they are opened here and handed over.
FILE* fopen(const char* path, const char* mode) {
  if (mode[0] == 'r' && std::strchr(mode, '+') == nullptr)
    return real<FILE*(const char*, const char*)>("fopen")(path, mode);
  if (!Disk::get().watches(absolute(AT_FDCWD, path))) return real<FILE*(const char*, const char*)>("fopen")(path, mode);
  const int access = std::strchr(mode, '+') != nullptr ? O_RDWR : O_WRONLY;
  const int rest = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
  const int descriptor = open_file("open", AT_FDCWD, path, access | rest, 0666);
  return descriptor < 0 ? nullptr : ::fdopen(descriptor, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  return write_at(descriptor, static_cast<const char*>(bytes), size, -1);
}
ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t place) {
  return write_at(descriptor, static_cast<const char*>(bytes), size, place);
}
ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off64_t place) {
  return write_at(descriptor, static_cast<const char*>(bytes), size, place);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  if (!Disk::get().watches(descriptor)) return ::syscall(SYS_writev, descriptor, parts, count);
  std::string whole;
  for (int k = 0; k < count; ++k) whole.append(static_cast<const char*>(parts[k].iov_base), parts[k].iov_len);
  return write_at(descriptor, whole.data(), whole.size(), -1);
}

int ftruncate(int descriptor, off_t size) noexcept { return resize(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) noexcept { return resize(descriptor, size); }
int fsync(int descriptor) { return synchronise(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return synchronise(SYS_fdatasync, descriptor); }

int close(int descriptor) {
  const auto act = [&] { return static_cast<int>(::syscall(SYS_close, descriptor)); };
  if (!Disk::get().watches(descriptor)) return act();
  // A descriptor is given back even if closing fails.
  const int result = Disk::get().operation([] { return 0; }, [](int) { Disk::get().say("close"); });
  const int error = errno;
  act();
  errno = error;
  return result;
}

int rename(const char* from, const char* to) noexcept {
  const std::string target = absolute(AT_FDCWD, to);
  return change_names(target, "rename " + absolute(AT_FDCWD, from) + "\n" + target,
                      [&] { return static_cast<int>(::syscall(SYS_rename, from, to)); });
}
int unlink(const char* path) noexcept { return remove_at(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept { return remove_at(folder, path, flags); }
int rmdir(const char* path) noexcept { return remove_at(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  struct stat status{};
  return remove_at(AT_FDCWD, path, ::lstat(path, &status) == 0 && S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0);
}
int mkdir(const char* path, mode_t mode) noexcept {
  const std::string whole = absolute(AT_FDCWD, path);
  return change_names(whole, "mkdir " + whole, [&] { return static_cast<int>(::syscall(SYS_mkdir, path, mode)); });
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const char* const step = std::getenv("FAULTS_CLOCK");
  const int result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (step == nullptr || clock != CLOCK_MONOTONIC) return result;
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  static double now = 1000.0;
  now += std::atof(step);
  time->tv_sec = static_cast<time_t>(now);
  time->tv_nsec = static_cast<long>((now - static_cast<double>(time->tv_sec)) * 1e9);
  return result;
}

}  // extern "C"
