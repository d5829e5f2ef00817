#pragma once

#include <atomic>
#include <functional>

#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

/// The model that a recipe names, with its parameters.
Model model_of(const DataRecipe& recipe);

/// Makes a table by its recipe; `find` gives the trajectories that were made before it.
Data make_data(const DataRecipe& recipe, const std::function<const Table&(const std::string&)>& find,
               const std::atomic<bool>* interrupt);

}  // namespace rattleback
