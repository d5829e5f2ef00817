#pragma once

// What texts and documents of answers are made of.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "rattleback/expr/expression.hpp"

namespace rattleback::answer {

/// Appends to a text.
template <typename... T>
void add(std::string& out, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
}

/// An expression as a page bears it; JSON has it all.
std::string text(const Expression& expression);

/// Lines of LaTeX, each with its &, under a title.
std::string aligned(const std::string& title, const std::vector<std::string>& lines);

}  // namespace rattleback::answer
