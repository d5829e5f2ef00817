#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/experiment/table.hpp"

namespace rattleback::answer {

/// One trajectory.
struct RunRequest {
  ProblemRequest problem = {};
  std::string method = "reference";  ///< with options after colons
  std::int64_t every = 1;            ///< every how many steps a sample is recorded
  /// What to watch besides energy, constraints and conserved quantities (observe/observers.hpp).
  std::vector<std::string> observe = {};
  /// A file for the samples, .h5, .hdf5 or .csv. It replaces the result of a run that is finished, and nothing else.
  std::optional<std::string> output = {};
  bool resume = false;      ///< continues the interrupted run that is in the file
  bool force = false;       ///< starts anew, and replaces whatever is in the files
  std::size_t samples = 0;  ///< how many samples the answer may have; of more, every third, ninth, … is kept
  std::optional<std::string> report = {};  ///< a page with figures, .html
  std::string command = {};                ///< how the page says that it was made
};

struct RunAnswer {
  PreparedProblem prepared;  ///< its notes are those of the whole run
  std::string method;
  RunResult result;                             ///< the outcome, the last node, what was measured at all nodes
  std::vector<ObservedQuantity> observed = {};  ///< their labels, in the order of result.statistics.observed
  /// Largest difference of the last positions from the exact solution, over the coordinates for which the model has
  /// one.
  std::optional<double> exact_error = {};
  std::int64_t every = 1;      ///< of the request
  std::string stop_when = {};  ///< likewise
  Table samples = {};          ///< time, q, v, p, multipliers, energy, …, under the names that result files have
  std::optional<std::string> output = {};
  std::optional<std::string> report = {};
};

/// Integrates. Throws errors of kind `request` before anything is written, and FileError.
RunAnswer run(const RunRequest& request, const Hooks& hooks = {});

std::string to_text(const RunAnswer& answer);
std::string to_json(const RunAnswer& answer);
/// A run that failed or was interrupted.
std::optional<Error> complaint(const RunAnswer& answer);

/// Of the computing time of a run.
double nanoseconds_per_step(const RunResult& result);

}  // namespace rattleback::answer
