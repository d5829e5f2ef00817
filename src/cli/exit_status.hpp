#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace rattleback::cli {

enum class ExitStatus {
  done = 0,
  answer_is_no = 1,
  wrong_request = 2,
  numerics_failed = 3,
  system = 4,
  interrupted = 130
};

inline constexpr std::pair<ExitStatus, const char*> exit_statuses[] = {
    {ExitStatus::done, "done"},
    {ExitStatus::answer_is_no, "the answer is no"},
    {ExitStatus::wrong_request, "the request or the model is wrong"},
    {ExitStatus::numerics_failed, "the numerics failed and everything up to there is saved"},
    {ExitStatus::system, "files or system"},
    {ExitStatus::interrupted, "interrupted"}};

/// Ends a command with a message and an exit status.
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

}  // namespace rattleback::cli
