#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rattleback {

/// Whatever Rattleback throws to tell its users something. The message says where, what was found, what was expected.
class Error : public std::runtime_error {
 public:
  /// Who is to blame. The numbers are the exit status of the command.
  enum class Kind : std::uint8_t {
    answer_is_no = 1,
    request = 2,   ///< the request or the model is wrong
    numerics = 3,  ///< the numbers: no solution, not finite, a singularity
    system = 4,    ///< files, memory, a part that is not installed
    interrupted = 130,
  };

  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const noexcept { return kind_; }

 private:
  Kind kind_;
};

/// Errors of one kind, to derive from.
template <Error::Kind K>
class ErrorOfKind : public Error {
 public:
  explicit ErrorOfKind(const std::string& message) : Error(K, message) {}
};
using RequestError = ErrorOfKind<Error::Kind::request>;
using NumericalError = ErrorOfKind<Error::Kind::numerics>;
using SystemFailure = ErrorOfKind<Error::Kind::system>;

/// A file that cannot be read or written, or is not where it should be.
class FileError : public SystemFailure {
 public:
  using SystemFailure::SystemFailure;
};

}  // namespace rattleback
