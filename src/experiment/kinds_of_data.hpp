#pragma once

#include <atomic>
#include <functional>

#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

/// What a table is made of.
struct Making {
  const DataRecipe& recipe;
  const std::function<const Table&(const std::string&)>& find;  ///< trajectories that were made before
  const std::atomic<bool>* interrupt;
};

Data make_trajectory(const Making& making, const TrajectoryRecipe& t);
Data make_convergence(const Making& making, const ConvergenceRecipe& c);
Data make_cloud(const Making& making, const CloudRecipe& c);
Data make_modified(const Making& making, const ModifiedRecipe& m);
Data make_inverse(const Making& making, const InverseRecipe& inverse);

/// A file that a recipe names, if the name ends like that.
std::string place_of(const DataRecipe& recipe, const std::string& name, std::string_view ending);

/// The start that a recipe gives, or that of its model.
Problem problem_of(const DataRecipe& recipe, const Model& model);

/// A table that is filled, of a kind that is about one problem.
struct Filling {
  explicit Filling(const Making& what);

  const Making& making;
  Data data;
  Problem nominal;  ///< of the recipe
};

}  // namespace rattleback
