#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/model/model.hpp"

namespace rattleback {

/// A formula of a model file as its author wrote it.
struct WrittenFormula {
  std::string name = {};                ///< of a definition, of constraints, of the coordinate on which a force acts
  std::string text = {};                ///< without what follows
  std::vector<std::string> where = {};  ///< local abbreviations: "v = x' + y'"
  std::string range = {};               ///< "i = 1..n", if it is repeated
  /// What it comes to by the names of definitions and inputs, W[3], wherever that is shorter than what these stand for.
  Tensor value = {};
};

/// What the file of a model says, in the words of its author.
struct WrittenModel {
  std::vector<WrittenFormula> definitions = {};
  std::optional<WrittenFormula> lagrangian = {};
  std::vector<WrittenFormula> constraints = {};
  std::vector<WrittenFormula> holonomic = {};
  std::vector<WrittenFormula> forces = {};
  /// v·L_v − L by these names, if that can be said: where all of them are of one degree in the velocities.
  std::optional<Expression> energy = {};
  /// A by these names, where that is shorter; empty if there is no text.
  std::optional<SparseMatrix> constraint_matrix = {};
};

/// Reads the text of a model once more; nothing where there is none.
WrittenModel written(const Model& model);

}  // namespace rattleback
