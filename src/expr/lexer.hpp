#pragma once

#include <string>
#include <string_view>

#include "rattleback/expr/parse.hpp"

namespace rattleback {

enum class TokenKind : unsigned char { number, name, symbol, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t begin = 0;  ///< byte offset in the text
  std::string_view text;
  double number = 0.0;
  /// True for the character c.
  bool is(char c) const { return kind == TokenKind::symbol && text.size() == 1 && text[0] == c; }
  bool is(std::string_view symbol) const { return kind == TokenKind::symbol && text == symbol; }
};

inline bool is_word_of_conditions(std::string_view word) { return word == "and" || word == "or" || word == "not"; }
/// Words of the notation that are no functions of numbers: they cannot be names.
inline bool is_reserved(std::string_view word) { return word == "if" || is_word_of_conditions(word); }

/// A word of the text as messages quote it: long ones are cut.
std::string abbreviated(std::string_view word);

/// Splits a text into tokens, one at a time, and words its errors.
class Lexer {
 public:
  /// Checks length and encoding of the whole text first.
  Lexer(std::string_view text, const ParseOptions& options);

  Token next();
  /// Reads on from a token that was read before: the body of a sum is read once for each index.
  void rewind(const Token& token) { position_ = token.begin; }

  [[noreturn]] void fail(std::size_t offset, const std::string& summary) const;
  /// An error in the text of a function that is called here.
  [[noreturn]] void fail_in_function(std::size_t offset, const std::string& function, const ParseError& error) const;

 private:
  struct Position {
    int line;
    int column;
    std::size_t line_start;  ///< byte offset
  };
  Position position_of(std::size_t offset) const;
  Token number();
  std::size_t name_length(std::size_t offset) const;
  void check_encoding() const;

  std::string_view text_;
  const ParseOptions& options_;
  std::size_t position_ = 0;
};

}  // namespace rattleback
