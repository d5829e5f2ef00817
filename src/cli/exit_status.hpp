#pragma once

#include <utility>

#include "rattleback/base/error.hpp"

namespace rattleback::cli {

enum class ExitStatus {
  done = 0,
  answer_is_no = static_cast<int>(Error::Kind::answer_is_no),
  wrong_request = static_cast<int>(Error::Kind::request),
  numerics_failed = static_cast<int>(Error::Kind::numerics),
  system = static_cast<int>(Error::Kind::system),
  interrupted = static_cast<int>(Error::Kind::interrupted)
};

inline constexpr std::pair<ExitStatus, const char*> exit_statuses[] = {
    {ExitStatus::done, "done"},
    {ExitStatus::answer_is_no, "the answer is no"},
    {ExitStatus::wrong_request, "the request or the model is wrong"},
    {ExitStatus::numerics_failed, "the numerics failed and everything up to there is saved"},
    {ExitStatus::system, "files or system"},
    {ExitStatus::interrupted, "interrupted"}};

/// Ends a command with a message and an exit status.
class Failure : public Error {
 public:
  Failure(ExitStatus status, const std::string& message) : Error(static_cast<Kind>(status), message) {}
};

}  // namespace rattleback::cli
