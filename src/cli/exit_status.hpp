#pragma once

#include <utility>

#include "rattleback/base/error.hpp"

namespace rattleback::cli {

inline constexpr int done = 0;

/// The exit status of the command and what it means: that of an error is its kind.
inline constexpr std::pair<int, const char*> exit_statuses[] = {
    {done, "done"},
    {static_cast<int>(Error::Kind::answer_is_no), "the answer is no"},
    {static_cast<int>(Error::Kind::request), "the request or the model is wrong"},
    {static_cast<int>(Error::Kind::numerics), "the numerics failed and everything up to there is saved"},
    {static_cast<int>(Error::Kind::system), "files or system"},
    {static_cast<int>(Error::Kind::interrupted), "interrupted"}};

}  // namespace rattleback::cli
