#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "rattleback/expr/parse.hpp"

namespace rattleback {

[[noreturn]] inline void wrong_quantity(std::string_view text, const std::string& summary) {
  throw ParseError(fmt::format("'{}': {}", text, summary), summary, 1, 1);
}

}  // namespace rattleback
