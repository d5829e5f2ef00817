#pragma once

// Names, titles and excerpts of files can contain anything: what a terminal would obey, or show in another order, must
// not reach it.

#include <cstdio>
#include <string>
#include <string_view>

namespace rattleback::cli {

/// With a question mark for what is not UTF-8, controls (C0 but for line ends, C1) and marks that change the direction
/// of writing.
std::string printable(std::string_view text);

/// Prints a text for people.
void say(std::string_view text, std::FILE* to = stdout);
/// Prints a JSON document, with such characters as \u escapes, and a line end.
void say_json(std::string_view document);

}  // namespace rattleback::cli
