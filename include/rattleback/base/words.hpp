#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rattleback {

/// What files and documents write for a value of an enumeration.
template <class E>
struct Word {
  E value;
  std::string_view text;
};

/// All of them, beside each enumeration that has words:
///
///     template <>
///     inline constexpr auto words<Scale> = std::to_array<Word<Scale>>({{Scale::linear, "linear"}, …});
template <class E>
inline constexpr std::nullptr_t words = nullptr;

template <class E>
constexpr std::string_view word_of(E value) {
  for (const Word<E>& w : words<E>) {
    if (w.value == value) return w.text;
  }
  return {};
}

template <class E>
constexpr std::optional<E> from_word(std::string_view text) {
  for (const Word<E>& w : words<E>) {
    if (w.text == text) return w.value;
  }
  return std::nullopt;
}

/// For messages: "line, path or space".
template <class E>
std::string alternatives(std::string_view last = " or ") {
  std::string list;
  for (std::size_t k = 0; k < words<E>.size(); ++k) {
    if (k > 0) list += k + 1 == words<E>.size() ? last : ", ";
    list += words<E>[k].text;
  }
  return list;
}

}  // namespace rattleback
