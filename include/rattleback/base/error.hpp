#pragma once

#include <stdexcept>

namespace rattleback {

/// A file that cannot be read or written, or is not where it should be.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rattleback
