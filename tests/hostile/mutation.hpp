#pragma once

// Files as no friend would write them: made from good ones by small changes.

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rattleback::test {

/// Changes texts at random. The same seed and the same text give the same changes.
class Mutation {
 public:
  /// Pieces of other texts may come into a text.
  Mutation(std::uint64_t seed, std::vector<std::string> others) : random_(seed), others_(std::move(others)) {}

  std::string operator()(std::string text) {
    const std::size_t changes = 1 + below(3);
    for (std::size_t k = 0; k < changes; ++k) change(text);
    return text;
  }
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(random_() % bound); }

 private:
  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(16)) {
      case 0: text.insert(at, 1, static_cast<char>(below(256))); break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.erase(at, below(text.size())); break;
      case 3: text.insert(at, std::string(piece(pick(others_)))); break;
      case 4: text.insert(at, std::string(piece(text))); break;
      case 5: text.insert(at, words[below(words.size())]); break;
      default: replace_number(text, at); break;
    }
  }

  /// The first number after a place gives way to one that was not thought of.
  void replace_number(std::string& text, std::size_t at) {
    constexpr std::string_view digits = "0123456789";
    const std::size_t begin = text.find_first_of(digits, at);
    if (begin == std::string::npos) return;
    const std::size_t end = text.find_first_not_of("0123456789.e", begin);
    text.replace(begin, (end == std::string::npos ? text.size() : end) - begin, numbers[below(numbers.size())]);
  }

  /// A line, or a few characters.
  std::string_view piece(std::string_view text) {
    if (text.empty()) return text;
    const std::size_t at = below(text.size());
    if (below(2) == 0) return text.substr(at, 1 + below(30));
    const std::size_t begin = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
    return text.substr(begin, text.find('\n', at) - begin + 1);
  }
  std::string_view pick(const std::vector<std::string>& list) {
    return list.empty() ? std::string_view() : std::string_view(list[below(list.size())]);
  }

  static constexpr std::array<const char*, 18> numbers = {
      "0",     "-1",    "1e308", "1e-308", "5e-324", "nan",  "inf",  "-inf", "9223372036854775807",
      "1e400", "1e-12", "1e12",  "0.0",    "-0.0",   "1000", "\"\"", "[]",   "\"1/0\""};
  static constexpr std::array<const char*, 16> words = {
      "\xff", "\xe2\x80\xae", "\xc2\x9b", "\0",     "\r", "\"\"\"", "[",       "]", "{",
      "}",    "= ",           "'",        "*1e308", "/0", "^(1/3)", "sqrt(-1)"};

  std::mt19937_64 random_;
  std::vector<std::string> others_;
};

/// What belongs to our tools and not into a sentence for users, unless the users have written it. Empty if there is
/// none.
inline std::string internal_wording(std::string_view message, std::string_view written = {}) {
  for (const char* word : {"std::",  "bad_alloc",        "exception", "CV_",   "H5F",          "H5D",
                           "H5P",    "HDF5 gave up",     "Eigen",     "json.", "basic_string", "filesystem error",
                           "what()", "terminate called", "Assertion", "Qhull", "QH6",          "stoi",
                           "stod",   "vector::",         "map::at",   "()",    "bad_variant",  "{:",
                           "(null)"}) {
    const bool theirs = written.find(word) != std::string_view::npos;
    if (!theirs && message.find(word) != std::string_view::npos) return word;
  }
  return "";
}

}  // namespace rattleback::test
