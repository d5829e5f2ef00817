#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "../model/toml_file.hpp"
#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

/// The file of an experiment as far as it says how tables are made, [common] and [data.NAME], which its other parts
/// refer to.
class DataSections : public TomlFile {
 public:
  using TomlFile::TomlFile;

 protected:
  /// The files that it names are in the folder.
  void read_data(const std::string& folder);
  const std::vector<DataRecipe>& data() const { return data_; }
  void require_data(const toml::node& node, const std::string& name) const;
  const DataRecipe& require_trajectory(const toml::node& node, const std::string& name) const;

  std::string text_or(const toml::table& table, const char* key, const std::string& otherwise) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? otherwise : text_of(*node, key);
  }
  template <class E>
  E choice_or(const toml::table& table, const char* key, E otherwise) const {
    const toml::node* node = table.get(key);
    return node == nullptr ? otherwise : choice<E>(*node, key);
  }
  std::vector<std::string> texts(const toml::node& node, const std::string& what) const;
  std::int64_t integer(const toml::node& node, const std::string& what, std::int64_t least, std::int64_t most) const;

 private:
  class Section;
  std::vector<double> numbers(const toml::node& node, const std::string& what) const;
  double positive(const toml::node& node, const std::string& what) const;

  std::vector<DataRecipe> data_;
};

}  // namespace rattleback
