#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../model/toml_file.hpp"
#include "rattleback/expr/definitions.hpp"

namespace rattleback {

/// The file of an ensemble, and the kinds of values that its sections have.
class SpecFile : public TomlFile {
 public:
  using TomlFile::TomlFile;

  /// Formulas may use the definitions of a model, which must live as long as they are read.
  void use(const Definitions& definitions) { definitions_ = &definitions; }
  ParseOptions options_at(const toml::node& node) const {
    ParseOptions options = TomlFile::options_at(node);
    options.definitions = definitions_;
    return options;
  }

  double positive(const toml::node& node, const std::string& what) const;
  std::int64_t count(const toml::node& node, const std::string& what, std::int64_t most = std::int64_t{1} << 53) const;
  /// A list of so many numbers; one number stands for all.
  std::vector<double> values(const toml::node& node, const std::string& what, std::size_t size) const;
  /// A list of texts, or one.
  std::vector<std::string> names(const toml::node& node, const std::string& what) const;

 private:
  const Definitions* definitions_ = nullptr;
};

}  // namespace rattleback
