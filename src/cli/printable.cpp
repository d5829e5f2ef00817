#include "printable.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

namespace rattleback::cli {
namespace {

struct Character {
  std::size_t length = 1;                   ///< in bytes
  std::optional<std::uint32_t> code_point;  ///< none if the bytes are not UTF-8
};

Character character_at(std::string_view text) {
  constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};  // by length: longer ways to write it are not valid
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80U) return {1, first};
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || length > text.size()) return {};
  std::uint32_t code = first & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[k]);
    if ((next & 0xC0U) != 0x80U) return {};
    code = code << 6U | (next & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800U && code < 0xE000U;
  if (code < least[length - 1] || code > 0x10FFFFU || is_surrogate) return {};
  return {length, code};
}

bool is_harmless(std::uint32_t c) {
  const bool control = (c < 0x20U && c != '\n') || (c >= 0x7FU && c < 0xA0U) || c == 0x2028U || c == 0x2029U;
  const bool direction =
      c == 0x061CU || c == 0x200EU || c == 0x200FU || (c >= 0x202AU && c <= 0x202EU) || (c >= 0x2066U && c <= 0x2069U);
  return !control && !direction;
}

template <class Replace>
std::string cleaned(std::string_view text, Replace&& replace) {
  std::string clean;
  while (!text.empty()) {
    const Character c = character_at(text);
    if (c.code_point && is_harmless(*c.code_point)) {
      clean += text.substr(0, c.length);
    } else {
      clean += replace(c.code_point);
    }
    text.remove_prefix(c.length);
  }
  return clean;
}

}  // namespace

std::string printable(std::string_view text) {
  return cleaned(text, [](const auto&) { return std::string("?"); });
}

void say(std::string_view text, std::FILE* to) { fmt::print(to, "{}", printable(text)); }

void say_json(std::string_view document) {
  fmt::print("{}\n", cleaned(document, [](const std::optional<std::uint32_t>& code_point) {
               return fmt::format("\\u{:04x}", code_point.value_or(0xFFFD));
             }));
}

}  // namespace rattleback::cli
