#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rattleback::answer {

/// A model of the catalogue in short.
struct ModelSummary {
  std::string name;
  std::string title;
  std::string description;
  std::string source;
  std::size_t coordinates = 0;
  std::size_t constraints = 0;
  std::size_t holonomic = 0;
  bool affine = false;
  bool exact = false;  ///< it has exact solutions
};

struct ModelsAnswer {
  std::vector<ModelSummary> models;
};

/// The catalogue.
ModelsAnswer models();

std::string to_text(const ModelsAnswer& answer);
std::string to_json(const ModelsAnswer& answer);

}  // namespace rattleback::answer
