#include "spec_file.hpp"

#include <fmt/format.h>

#include <cmath>

namespace rattleback {

double SpecFile::positive(const toml::node& node, const std::string& what) const {
  const double result = value(node, what);
  if (!(result > 0.0)) fail(node, fmt::format("{} must be positive, found {}", what, result));
  return result;
}

std::int64_t SpecFile::count(const toml::node& node, const std::string& what, std::int64_t most) const {
  const double result = value(node, what);
  if (result != std::floor(result) || result < 1.0 || result > static_cast<double>(most)) {
    fail(node, fmt::format("{} must be an integer from 1 to {}, found {}", what, most, result));
  }
  return static_cast<std::int64_t>(result);
}

std::vector<double> SpecFile::values(const toml::node& node, const std::string& what, std::size_t size) const {
  if (!node.is_array()) return std::vector<double>(size, value(node, what));
  std::vector<double> list;
  for (const toml::node& entry : array_of(node, what)) list.push_back(value(entry, what));
  if (list.size() != size) fail(node, fmt::format("{} has {} numbers, expected {}", what, list.size(), size));
  return list;
}

std::vector<std::string> SpecFile::names(const toml::node& node, const std::string& what) const {
  if (!node.is_array()) return {text_of(node, what)};
  std::vector<std::string> list;
  for (const toml::node& entry : array_of(node, what)) list.push_back(text_of(entry, what));
  if (list.empty()) fail(node, fmt::format("{} is empty", what));
  return list;
}

}  // namespace rattleback
