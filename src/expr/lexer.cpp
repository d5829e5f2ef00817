#include "lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace rattleback {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< 0: not UTF-8
};

/// The character at an offset; overlong forms, surrogates and values past U+10FFFF are not UTF-8.
CodePoint decode(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(offset);
  if (first < 0x80U) return {first, 1};
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || offset + length > text.size()) return {};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[offset + i])) return {};
    value = (value << 6U) | (byte(offset + i) & 0x3FU);
  }
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10FFFFU || (value >= 0xD800U && value <= 0xDFFFU)) return {};
  return {value, length};
}

std::ptrdiff_t characters(std::string_view s) {
  return std::count_if(s.begin(), s.end(), [](char c) { return !is_continuation(c); });
}

/// Greek letters and subscript digits may stand in names, so that a model can be written as in a paper.
bool is_name_character(std::uint32_t c) { return (c >= 0x370U && c <= 0x3FFU) || (c >= 0x2080U && c <= 0x2089U); }

const char* advice_for(std::uint32_t c) {
  switch (c) {
    case 0xB7:
    case 0xD7:
    case 0x2219:
    case 0x22C5: return "; write * for a product";
    case 0xF7:
    case 0x2215: return "; write / for a quotient";
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212: return "; write - for a difference";
    case 0xB2: return "; write ^2 for a square";
    case 0xB3: return "; write ^3 for a cube";
    case 0x221A: return "; write sqrt(...) for a root";
    case 0x2019:
    case 0x2032: return "; write ' for a velocity";
    case '{':
    case '}': return "; group with ( and )";
    case '.': return "; the velocity of x is written x'";
    case '?': return "; write if(condition, a, b)";
    case '&': return "; write and between conditions";
    case '|': return "; write or between conditions, and abs(...) for an absolute value";
    case '!': return "; write not before a condition";
    case 0x2264: return "; write <=";
    case 0x2265: return "; write >=";
    default: return "";
  }
}

}  // namespace

std::string abbreviated(std::string_view word) {
  constexpr std::size_t longest = 60;
  if (word.size() <= longest) return std::string(word);
  std::size_t end = longest;
  while (end > 0 && is_continuation(word[end])) --end;
  return std::string(word.substr(0, end)) + "...";
}

Lexer::Lexer(std::string_view text, const ParseOptions& options) : text_(text), options_(options) {
  if (text.size() > max_expression_length) {
    fail(0, fmt::format("the expression is {} bytes long, the limit is {}; split it into several", text.size(),
                        max_expression_length));
  }
  check_encoding();
}

void Lexer::check_encoding() const {
  for (std::size_t i = 0; i < text_.size();) {
    const CodePoint c = decode(text_, i);
    if (c.length == 0) {
      fail(i, fmt::format("byte 0x{:02X} is not UTF-8; save the file as UTF-8", static_cast<unsigned char>(text_[i])));
    }
    i += c.length;
  }
}

Lexer::Position Lexer::position_of(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  const auto newlines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = newlines == 0 ? 0 : before.rfind('\n') + 1;
  return {options_.line + static_cast<int>(newlines),
          static_cast<int>(characters(before.substr(line_start))) + (newlines == 0 ? options_.column : 1), line_start};
}

void Lexer::fail_in_function(std::size_t offset, const std::string& function, const ParseError& error) const {
  const auto [line, column, line_start] = position_of(std::min(offset, text_.size()));
  throw ParseError(
      fmt::format("{}\n  in {}, which is called at {}:{}:{}", error.what(), function, options_.source, line, column),
      error.summary(), line, column);
}

void Lexer::fail(std::size_t offset, const std::string& summary) const {
  offset = std::min(offset, text_.size());
  const auto [line, column, line_start] = position_of(offset);

  // A long line is shown around the error.
  constexpr std::size_t window = 60;
  std::size_t shown_from = offset - std::min(offset - line_start, window);
  while (shown_from < offset && is_continuation(text_[shown_from])) ++shown_from;
  std::size_t shown_to = std::min(text_.find('\n', offset), text_.size());
  if (shown_to > offset && text_[shown_to - 1] == '\r') --shown_to;
  if (shown_to > offset + window) {
    shown_to = offset + window;
    for (int i = 0; i < 3 && is_continuation(text_[shown_to]); ++i) --shown_to;
  }
  std::string excerpt;
  for (std::size_t i = shown_from; i < shown_to;) {  // what() is always one line of UTF-8 for a terminal
    const CodePoint c = decode(text_, i);
    const bool control = c.value < 0x20U || (c.value >= 0x7FU && c.value < 0xA0U);
    if (c.value == '\t') {
      excerpt += ' ';
    } else if (c.length == 0 || control) {
      excerpt += '?';
    } else {
      excerpt += text_.substr(i, c.length);
    }
    i += std::max<std::size_t>(c.length, 1);
  }
  const auto indent = static_cast<std::size_t>(characters(text_.substr(shown_from, offset - shown_from)));
  throw ParseError(fmt::format("{}:{}:{}: {}\n  {}\n  {}^", options_.source, line, column, summary, excerpt,
                               std::string(indent, ' ')),
                   summary, line, column);
}

std::size_t Lexer::name_length(std::size_t offset) const {
  std::size_t i = offset;
  while (i < text_.size()) {
    const CodePoint c = decode(text_, i);
    const bool ascii_letter = c.length == 1 && is_letter(text_[i]);
    const bool ascii_digit = c.length == 1 && is_digit(text_[i]) && i > offset;
    if (!ascii_letter && !ascii_digit && !is_name_character(c.value)) break;
    i += c.length;
  }
  return i - offset;
}

Token Lexer::number() {
  std::size_t end = position_;
  const auto digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  digits();
  const bool range = text_.substr(end, 2) == "..";  // the 1 of 1..n is a number, not "1."
  if (end < text_.size() && text_[end] == '.' && !range) {
    ++end;
    digits();
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
    if (exponent < text_.size() && is_digit(text_[exponent])) {
      end = exponent;
      digits();
    }
  }
  Token token{TokenKind::number, position_, text_.substr(position_, end - position_), 0.0};
  const auto [stop, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.number);
  const std::string shown = abbreviated(token.text);
  if (error == std::errc::result_out_of_range) {
    fail(position_, fmt::format("the number {} is outside the range of double precision (1e-308 to 1e308)", shown));
  }
  if (error != std::errc() || stop != token.text.data() + token.text.size()) {
    fail(position_, fmt::format("'{}' is not a number", shown));
  }
  position_ = end;
  return token;
}

Token Lexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  if (position_ == text_.size()) return {TokenKind::end, position_, {}, 0.0};
  const char c = text_[position_];
  const bool decimal = c == '.' && position_ + 1 < text_.size() && is_digit(text_[position_ + 1]);
  if (is_digit(c) || decimal) return number();
  Token token{TokenKind::symbol, position_, {}, 0.0};
  const bool prime =  // y[i]', (x + y)'
      c == '\'' && position_ > 0 && std::string_view("])'").find(text_[position_ - 1]) != std::string_view::npos;
  if (std::size_t length = name_length(position_); length > 0) {
    token.kind = TokenKind::name;
    if (position_ + length < text_.size() && text_[position_ + length] == '.') {  // R.omega, R.omega3, R.w
      const std::size_t part = name_length(position_ + length + 1);
      const bool is_velocity = text_.substr(position_ + length + 1, part) == "dot";  // of other languages
      if (part > 0 && !is_velocity) length += 1 + part;
    }
    while (position_ + length < text_.size() && text_[position_ + length] == '\'') ++length;
    token.text = text_.substr(position_, length);
  } else if (const std::string_view pair = text_.substr(position_, 2); pair == ".." || pair == "<=" || pair == ">=") {
    token.text = pair;
  } else if (std::string_view("+-*/^(),=;[]<>").find(c) != std::string_view::npos || prime) {
    token.text = text_.substr(position_, 1);
    if (c == '*' && position_ + 1 < text_.size() && text_[position_ + 1] == '*') {
      fail(position_, "'**' is not an operator; write ^ for a power");
    }
  } else {
    const CodePoint unknown = decode(text_, position_);
    const bool printable = unknown.value > 0x20U && (unknown.value < 0x7FU || unknown.value >= 0xA0U);
    const std::string shown = printable ? fmt::format("'{}'", text_.substr(position_, unknown.length))
                                        : fmt::format("U+{:04X}", unknown.value);
    fail(position_, fmt::format("unexpected character {}{}", shown, advice_for(unknown.value)));
  }
  position_ += token.text.size();
  return token;
}

}  // namespace rattleback
