#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../model/toml_file.hpp"

namespace rattleback {

/// The file of an ensemble, and the kinds of values that its sections have.
class SpecFile : public TomlFile {
 public:
  using TomlFile::TomlFile;

  double positive(const toml::node& node, const std::string& what) const;
  std::int64_t count(const toml::node& node, const std::string& what, std::int64_t most = std::int64_t{1} << 53) const;
  /// A list of so many numbers; one number stands for all.
  std::vector<double> values(const toml::node& node, const std::string& what, std::size_t size) const;
  /// A list of texts, or one.
  std::vector<std::string> names(const toml::node& node, const std::string& what) const;
};

}  // namespace rattleback
