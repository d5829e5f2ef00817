#pragma once

// What is said of a single trajectory, by itself or among others.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "rattleback/answer/problem.hpp"
#include "rattleback/flow/run.hpp"

namespace rattleback::answer {

/// Largest difference between the node of a result and the exact solution, over the coordinates for which the model has
/// one.
std::optional<double> exact_error(const RunResult& result, const Problem& problem);

/// Events that happened, in their order, and how many of each.
nlohmann::json events_json(const std::vector<EventRecord>& events, const std::vector<std::int64_t>& counts,
                           const System& system);

/// The numbers of a run with the keys that are promised to stay.
nlohmann::json run_json(const RunResult& result, const PreparedProblem& prepared, const std::string& method,
                        const std::optional<double>& error);

}  // namespace rattleback::answer
