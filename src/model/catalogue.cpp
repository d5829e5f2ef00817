// Where models are found.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "../base/files.hpp"
#include "rattleback/base/installation.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

fs::path catalogue_directory() { return shared_data("models"); }

}  // namespace

std::vector<std::string> catalogue() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(catalogue_directory())) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Model load_model(const std::string& name_or_file, const ParameterValues& parameters, const InputTexts& inputs) {
  const fs::path given(name_or_file);
  std::error_code error;
  if (given.extension() == ".toml" || given.has_parent_path()) {
    if (!fs::exists(given, error)) {
      const auto names = catalogue();
      const bool known = std::find(names.begin(), names.end(), given.stem().string()) != names.end();
      throw FileError(fmt::format("there is no file {}; {}", name_or_file,
                                  known ? fmt::format("the catalogue has a model '{}'", given.stem().string())
                                        : "'rattleback models' lists the catalogue"));
    }
    return read_model(read_file(name_or_file), name_or_file, parameters, inputs);
  }
  const auto names = catalogue();
  if (std::find(names.begin(), names.end(), name_or_file) != names.end()) {
    const fs::path path = catalogue_directory() / (name_or_file + ".toml");
    return read_model(read_file(path.string()), path.filename().string(), parameters, inputs,
                      path.parent_path().string());
  }
  const auto meant = closest_name(name_or_file, names);
  throw ModelError(fmt::format("there is no model '{}' in the catalogue{}", name_or_file,
                               meant ? fmt::format("; did you mean '{}'?", *meant)
                                     : "; 'rattleback models' lists it, and a file is given as path/file.toml"));
}

}  // namespace rattleback
