#pragma once

#include <stdexcept>
#include <string>

namespace rattleback::cli {

enum class ExitStatus {
  done = 0,
  answer_is_no = 1,
  wrong_request = 2,
  numerics_failed = 3,
  system = 4,
  interrupted = 130
};

/// Ends a command with a message and an exit status.
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

}  // namespace rattleback::cli
