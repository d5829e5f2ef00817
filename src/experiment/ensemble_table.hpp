#pragma once

#include <atomic>

#include "rattleback/ensemble/ensemble_file.hpp"
#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

/// The ensemble of a recipe that has one.
EnsembleFile ensemble_of(const DataRecipe& recipe);

/// Its members as a table.
Data make_ensemble(const DataRecipe& recipe, const std::atomic<bool>* interrupt);

}  // namespace rattleback
