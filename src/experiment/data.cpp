// How the tables of an experiment are made: each kind by a function of its own (kinds_of_data.hpp).

#include "data.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "ensemble_table.hpp"
#include "kinds_of_data.hpp"
#include "rattleback/mech/diagnosis.hpp"

namespace rattleback {
namespace {

/// Positions as people give them.
std::vector<double> from_quaternions(const System& system, const std::vector<double>& shown, const char* what) {
  const Space space = system.space();
  if (space.rotations == 0) return shown;
  if (shown.size() != space.shown_positions()) {
    throw StartError(fmt::format("{} has {} numbers, expected {}: one for each of {}", what, shown.size(),
                                 space.shown_positions(), fmt::join(system.position_names(), ", ")));
  }
  return space.from_shown(shown);
}

Data make(const Making& m, const TrajectoryRecipe& t) { return make_trajectory(m, t); }
Data make(const Making& m, const ConvergenceRecipe& c) { return make_convergence(m, c); }
Data make(const Making& m, const CloudRecipe& c) { return make_cloud(m, c); }
Data make(const Making& m, const ModifiedRecipe& r) { return make_modified(m, r); }
Data make(const Making& m, const InverseRecipe& r) { return make_inverse(m, r); }
Data make(const Making& m, const EnsembleRecipe&) { return make_ensemble(m.recipe, m.interrupt); }

}  // namespace

std::string place_of(const DataRecipe& recipe, const std::string& name, std::string_view ending) {
  return name.ends_with(ending) ? (std::filesystem::path(recipe.folder) / name).string() : name;
}

Problem problem_of(const DataRecipe& recipe, const Model& model) {
  const System& system = model.system;
  const auto& start = recipe.start ? recipe.start : model.initial;
  if (!start) throw StartError(fmt::format("{} has no initial values; give q0 and v0", recipe.model));
  Problem problem{system, system.parameter_values(), *start, recipe.step, recipe.second_position};
  if (recipe.start) problem.start.q = from_quaternions(system, recipe.start->q, "q0");
  if (recipe.second_position) problem.second_position = from_quaternions(system, *recipe.second_position, "q1");
  if (recipe.t0) problem.start.t = *recipe.t0;
  require_regular_start(system, problem.parameters, problem.start);
  return problem;
}

Filling::Filling(const Making& what)
    : making(what), data{what.recipe, model_of(what.recipe), {}, {}}, nominal(problem_of(what.recipe, *data.model)) {}

Model model_of(const DataRecipe& recipe) {
  if (std::holds_alternative<EnsembleRecipe>(recipe.kind)) return ensemble_of(recipe).model;
  return load_model(place_of(recipe, recipe.model, ".toml"), recipe.parameters, recipe.inputs);
}

Data make_data(const DataRecipe& recipe, const std::function<const Table&(const std::string&)>& find,
               const std::atomic<bool>* interrupt) {
  Data data = std::visit([&](const auto& kind) { return make({recipe, find, interrupt}, kind); }, recipe.kind);
  keep_working();
  return data;
}

}  // namespace rattleback
