// Reading TOML with errors that help.

#define TOML_IMPLEMENTATION
#include "toml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

constexpr std::size_t max_file_size = 1U << 22;

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::string: return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "true or false";
    default: return "a date or time";
  }
}

Place place_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }
Place place_of(const toml::node& node) { return place_of(node.source()); }

/// What people mean whose file is not TOML.
std::string advice_for(std::string_view description) {
  const auto mentions = [&](std::string_view word) { return description.find(word) != std::string_view::npos; };
  if (mentions("saw '''")) return "; a velocity stands in double quotes, as \"x'\"";
  if (mentions("UTF-8") || mentions("utf-8")) return "; save the file as UTF-8";
  if (mentions("control characters other than TAB") || mentions("end-of-file"))
    return "; is the closing quote missing?";
  if (mentions("parsing floating-point") || mentions("determine value type") || mentions("parsing integer") ||
      mentions("expected a comment or whitespace") || mentions("could not determine")) {
    return "; an expression stands in quotes";
  }
  return "";
}

}  // namespace

TomlFile::TomlFile(std::string_view text, const std::string& file) : source_(text, file) {
  if (text.size() > max_file_size) {
    throw ModelError(fmt::format("{}: the file has {} bytes, the limit is {}", file, text.size(), max_file_size));
  }
  try {
    root_ = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    source_.fail(place_of(error.source()), std::string(error.description()) + advice_for(error.description()));
  }
}

void TomlFile::fail(const toml::node& node, const std::string& summary) const { source_.fail(place_of(node), summary); }

void TomlFile::check_keys(const toml::table& table, const std::vector<std::string>& known,
                          const std::string& what) const {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto meant = closest_name(name, known);
    source_.fail(place_of(key.source()), fmt::format("unknown key '{}' in {}; {}", name, what,
                                                     meant ? fmt::format("did you mean '{}'?", *meant)
                                                           : fmt::format("the keys are {}", fmt::join(known, ", "))));
  }
}

const std::string& TomlFile::text_of(const toml::node& node, const std::string& what) const {
  if (const auto* text = node.as_string()) {
    const auto control = [](char c) {
      return (static_cast<unsigned char>(c) < 0x20U && c != '\n' && c != '\t' && c != '\r') || c == 0x7F;
    };
    if (std::any_of(text->get().begin(), text->get().end(), control)) {
      fail(node, fmt::format("{} contains a control character; remove it", what));
    }
    return text->get();
  }
  fail(node, fmt::format("{} must be a text in quotes, found {}", what, type_name(node)));
}

const toml::array& TomlFile::array_of(const toml::node& node, const std::string& what) const {
  if (const auto* array = node.as_array()) return *array;
  fail(node, fmt::format("{} must be a list in brackets, found {}", what, type_name(node)));
}

const toml::table& TomlFile::table_of(const toml::node& node, const std::string& what, const std::string& form) const {
  if (const auto* entries = node.as_table()) return *entries;
  fail(node, fmt::format("{} must be a table, {}, found {}", what, form, type_name(node)));
}

double TomlFile::number(const toml::node& node, const std::string& what) const {
  double value = 0.0;
  if (const auto* integer = node.as_integer()) {
    value = static_cast<double>(integer->get());
  } else if (const auto* floating = node.as_floating_point()) {
    value = floating->get();
  } else {
    fail(node, fmt::format("{} must be a number, found {}", what, type_name(node)));
  }
  if (!std::isfinite(value)) fail(node, fmt::format("{} is {}; it must be a finite number", what, value));
  return value;
}

double TomlFile::value(const toml::node& node, const std::string& what) const {
  if (!node.is_string()) return number(node, what);
  ParseOptions options = options_at(node);
  options.names.emplace();
  options.unknown_advice = "; it must be a number";
  const double value = parsed([&] { return evaluate(parse(text_of(node, what), options), {}); });
  if (!std::isfinite(value)) fail(node, fmt::format("{} is {}; it must be a finite number", what, value));
  return value;
}

bool TomlFile::flag(const toml::node& node, const std::string& what) const {
  if (const auto* value = node.as_boolean()) return value->get();
  fail(node, fmt::format("{} must be true or false, found {}", what, type_name(node)));
}

const toml::node& TomlFile::required(const toml::table& table, const char* key, const std::string& what) const {
  if (const toml::node* node = table.get(key)) return *node;
  fail(table, fmt::format("{} needs the key {}", what, key));
}

std::string TomlFile::text_value(const char* key) const {
  const toml::node* node = root_.get(key);
  return node == nullptr ? "" : text_of(*node, key);
}

const toml::table* TomlFile::table(const char* key) const {
  const toml::node* node = root_.get(key);
  return node == nullptr ? nullptr : &table_of(*node, key, fmt::format("written as a section [{}]", key));
}

ParseOptions TomlFile::options_at(const toml::node& node) const {
  const Place inside = source_.inside_string(place_of(node));
  ParseOptions options;
  options.source = source_.file();
  options.line = static_cast<int>(inside.line);
  options.column = static_cast<int>(inside.column);
  return options;
}

ParseOptions TomlFile::options_at_key(const toml::table& table, const std::string& key) const {
  ParseOptions options;
  options.source = source_.file();
  for (const auto& [found, node] : table) {
    if (found.str() != key) continue;
    const Place place = source_.inside_key(place_of(found.source()));
    options.line = static_cast<int>(place.line);
    options.column = static_cast<int>(place.column);
  }
  return options;
}

std::vector<std::pair<std::string, const toml::node*>> TomlFile::in_order(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(key.str(), &node);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const auto x = a.second->source().begin;
    const auto y = b.second->source().begin;
    return std::pair(x.line, x.column) < std::pair(y.line, y.column);
  });
  return entries;
}

}  // namespace rattleback
