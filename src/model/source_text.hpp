#pragma once

#include <string>
#include <string_view>

namespace rattleback {

struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The text of a file by lines, and messages that point into it.
class SourceText {
 public:
  SourceText(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  const std::string& file() const { return file_; }

  /// Throws ModelError with the place, the line and a caret.
  [[noreturn]] void fail(Place place, const std::string& summary) const;

  /// Where the content of the string literal begins that stands at a place.
  Place inside_string(Place at) const;
  /// Where a key begins, which may stand in quotes.
  Place inside_key(Place at) const;

 private:
  std::string_view line(std::size_t number) const;
  std::string_view from(Place at) const;  ///< to the end of the line

  std::string_view text_;
  std::string file_;
};

}  // namespace rattleback
