#pragma once

#include "rattleback/experiment/table.hpp"
#include "rattleback/flow/convergence.hpp"
#include "rattleback/model/model.hpp"
#include "rattleback/report/report.hpp"

namespace rattleback::report {

/// A trajectory for a report; its table was filled by a TableRecorder.
struct MethodRun {
  std::string method;
  Table table;
  RunResult result;
};

/// Rows that a report of a run keeps, whatever the number of steps.
inline constexpr std::size_t most_rows = 8192;

/// Trajectories of a model under one or several methods: positions, energy, constraints, conserved and observed
/// quantities over time, differences from the reference if it is one of them, and the motion if the model has a
/// picture.
ExperimentEntry of_runs(const Model& model, const Problem& problem, const std::vector<MethodRun>& runs,
                        const std::vector<ObservedQuantity>& observed);

/// Errors over steps, and over computing time.
ExperimentEntry of_convergence(const Model& model, double time, const std::vector<Convergence>& methods);

}  // namespace rattleback::report
