#include "source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/model/model.hpp"

namespace rattleback {

void SourceText::fail(Place place, const std::string& summary) const {
  std::string_view shown = line(place.line);
  if (!shown.empty() && shown.back() == '\r') shown.remove_suffix(1);
  std::string clean;
  constexpr std::size_t longest = 200;
  for (const char c : shown.substr(0, longest)) clean += c == '\t' ? ' ' : c;
  throw ModelError(fmt::format(
      "{}:{}:{}: {}{}", file_, place.line, place.column, summary,
      place.column > longest
          ? ""
          : fmt::format("\n  {}\n  {}^", clean, std::string(std::max<std::size_t>(place.column, 1) - 1, ' '))));
}

std::string_view SourceText::from(Place at) const {
  std::string_view rest = line(at.line);
  std::size_t offset = 0;
  for (std::size_t character = 1; character < at.column && offset < rest.size(); ++character) {
    for (++offset; offset < rest.size() && (static_cast<unsigned char>(rest[offset]) & 0xC0U) == 0x80U;) ++offset;
  }
  rest.remove_prefix(std::min(offset, rest.size()));
  return rest;
}

Place SourceText::inside_key(Place at) const {
  const std::string_view rest = from(at);
  return {at.line, at.column + (rest.starts_with('"') || rest.starts_with('\'') ? 1 : 0)};
}

Place SourceText::inside_string(Place at) const {
  std::string_view rest = from(at);
  if (!rest.starts_with("\"\"\"") && !rest.starts_with("'''")) return {at.line, at.column + 1};
  rest.remove_prefix(3);
  if (rest.empty() || rest == "\r") return {at.line + 1, 1};
  return {at.line, at.column + 3};
}

std::string_view SourceText::line(std::size_t number) const {
  std::string_view rest = text_;
  for (; number > 1; --number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find('\n'));
}

}  // namespace rattleback
