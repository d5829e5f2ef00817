#include "measured.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../base/raise.hpp"
#include "json.hpp"
#include "rattleback/answer/run.hpp"
#include "rattleback/mech/exact.hpp"

namespace rattleback::answer {

double nanoseconds_per_step(const RunResult& result) {
  return 1e9 * result.statistics.seconds / static_cast<double>(std::max<std::int64_t>(result.steps, 1));
}

std::optional<double> exact_error(const RunResult& result, const Problem& problem) {
  const System& system = problem.system;
  if (system.exact().empty()) return std::nullopt;
  const std::vector<double> exact = exact_position(system, problem.parameters, problem.start, result.time);
  double error = 0.0;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    if (!system.exact()[i]) continue;
    if (!std::isfinite(exact[i])) return std::nullopt;  // the formula is not made for this start
    raise(error, std::abs(result.node.q[i] - exact[i]));
  }
  return error;
}

nlohmann::json run_json(const RunResult& result, const PreparedProblem& prepared, const std::string& method,
                        const std::optional<double>& error) {
  const RunStatistics& s = result.statistics;
  nlohmann::json document{
      {"model", prepared.model.name},
      {"method", method},
      {"step", prepared.problem.step},
      {"steps", result.steps},
      {"time", result.time},
      {"q", result.node.q},
      {"v", result.node.v},
      {"p", result.momenta},
      {"energy", {{"initial", s.initial_energy}, {"final", s.final_energy}, {"scale", s.energy_scale}}},
      {"newton", {{"mean", result.newton.mean()}, {"max", result.newton.max}}},
      {"seconds", s.seconds},
      {"ns_per_step", nanoseconds_per_step(result)},
      {"outcome", outcome_name(result.outcome)}};
  if (!result.failure.empty()) document["failure"] = result.failure;
  if (!prepared.problem.system.conserves_energy()) document["energy"]["work"] = s.work;
  add(document["energy"], "max_error", s.relative_energy_error());
  add(document["constraint"], "max", s.constraint);
  for (std::size_t k = 0; k < s.conserved_error.size(); ++k) {
    nlohmann::json& entry = document["conserved"][prepared.problem.system.conserved()[k].name];
    entry = {{"initial", s.initial_conserved[k]}, {"scale", s.conserved_scale[k]}};
    add(entry, "max_error", s.relative_conserved_error(k));
  }
  if (!s.midpoint_energy.empty()) {
    document["energy"]["midpoints"] = {{"min", s.midpoint_energy[0]}, {"max", s.midpoint_energy[1]}};
  }
  for (const Remark& remark : result.remarks) document["remarks"][remark.name] = remark.value;
  if (error) document["exact"] = {{"error", *error}};
  return document;
}

}  // namespace rattleback::answer
