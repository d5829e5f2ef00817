#pragma once

#include <hdf5.h>

#include <string>

namespace rattleback {

/// The disk under an HDF5 file that is written. After a write that failed, HDF5 1.10 can neither close the file nor
/// forget it, and crashes at the end of the process. So HDF5 is told that all writes succeed; the first error is kept
/// here, and what comes after it is dropped: who writes asks. It must outlive the file.
class Hdf5Disk {
 public:
  /// Files that are created with these access properties are on this disk.
  void carry(hid_t access);

  /// The first error (errno), 0 if there was none.
  int error() const { return error_; }
  void fail(int error) {
    if (error_ == 0) error_ = error;
  }

 private:
  int error_ = 0;
};

}  // namespace rattleback
