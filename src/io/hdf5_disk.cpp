// A file driver of HDF5 (its "virtual file layer"), like the library's own for POSIX systems except where writes fail.

#include "hdf5_disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

namespace rattleback {
namespace {

struct DiskFile : H5FD_t {
  Hdf5Disk* disk = nullptr;
  int descriptor = -1;
  haddr_t allocated = 0;
  haddr_t size = 0;
};

DiskFile& of(H5FD_t* file) { return *static_cast<DiskFile*>(file); }
const DiskFile& of(const H5FD_t* file) { return *static_cast<const DiskFile*>(file); }

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* const disk = static_cast<Hdf5Disk* const*>(H5Pget_driver_info(access));
  if (disk == nullptr) return nullptr;
  const bool creates = (flags & H5F_ACC_CREAT) != 0;  // HDF5 first looks whether the file is there
  const int mode = O_CLOEXEC | ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) | (creates ? O_CREAT : 0) |
                   ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) | ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
  const int descriptor = ::open(name, mode, 0666);
  struct stat status{};
  auto* const file = descriptor < 0 ? nullptr : new (std::nothrow) DiskFile;
  if (file == nullptr || ::fstat(descriptor, &status) != 0) {
    if (creates) (*disk)->fail(errno);
    if (descriptor >= 0) ::close(descriptor);
    delete file;
    return nullptr;
  }
  file->disk = *disk;
  file->descriptor = descriptor;
  file->size = static_cast<haddr_t>(status.st_size);
  return file;
}

herr_t close_file(H5FD_t* file) {
  if (::close(of(file).descriptor) != 0) of(file).disk->fail(errno);
  delete &of(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return of(file).allocated; }
herr_t allocate(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).allocated = end;
  return 0;
}
haddr_t size(const H5FD_t* file, H5FD_mem_t) { return of(file).size; }

/// Calls transfer(bytes, place) until so many are through. What it could not do.
template <class Byte>
std::size_t in_pieces(Byte* bytes, std::size_t count, haddr_t place, auto&& transfer) {
  while (count > 0) {
    const ssize_t done = transfer(bytes, count, static_cast<off_t>(place));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    bytes += done;
    place += static_cast<haddr_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return count;
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, std::size_t count, void* buffer) {
  auto* const bytes = static_cast<char*>(buffer);
  const auto transfer = [&](char* at, std::size_t n, off_t from) { return ::pread(of(file).descriptor, at, n, from); };
  const std::size_t missing = in_pieces(bytes, count, place, transfer);
  std::memset(bytes + (count - missing), 0, missing);  // what lies behind the end, or was dropped
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t place, std::size_t count, const void* buffer) {
  DiskFile& f = of(file);
  f.size = std::max(f.size, place + count);
  if (f.disk->error() != 0) return 0;
  const auto transfer = [&](const char* at, std::size_t n, off_t to) { return ::pwrite(f.descriptor, at, n, to); };
  if (in_pieces(static_cast<const char*>(buffer), count, place, transfer) > 0) f.disk->fail(errno);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  DiskFile& f = of(file);
  if (f.size == f.allocated) return 0;
  f.size = f.allocated;
  if (f.disk->error() == 0 && ::ftruncate(f.descriptor, static_cast<off_t>(f.size)) != 0) f.disk->fail(errno);
  return 0;
}

H5FD_class_t driver() {
  H5FD_class_t c{};
#ifdef H5FD_CLASS_VERSION  // since HDF5 1.14
  c.version = H5FD_CLASS_VERSION;
  c.value = static_cast<H5FD_class_value_t>(600);  // from the range that HDF5 leaves to others
#endif
  c.name = "rattleback";
  c.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  c.fc_degree = H5F_CLOSE_WEAK;
  c.fapl_size = sizeof(Hdf5Disk*);
  c.open = open_file;
  c.close = close_file;
  c.query = query;
  c.get_eoa = allocated;
  c.set_eoa = allocate;
  c.get_eof = size;
  c.read = read;
  c.write = write;
  c.truncate = truncate;
  const H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), std::begin(c.fl_map));
  return c;
}

}  // namespace

void Hdf5Disk::carry(hid_t access) {
  static const H5FD_class_t driver_class = driver();
  static const hid_t id = H5FDregister(&driver_class);
  Hdf5Disk* const disk = this;
  if (H5Pset_driver(access, id, &disk) < 0) fail(ENOMEM);
}

}  // namespace rattleback
