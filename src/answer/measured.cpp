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
  const auto is_impact = [](const EventRecord& e) { return !e.after.empty(); };
  if (std::ranges::any_of(result.statistics.events, is_impact)) return std::nullopt;  // it is about the motion without
  const std::vector<double> exact = exact_position(system, problem.parameters, problem.start, result.time);
  double error = 0.0;
  for (std::size_t i = 0; i < system.coordinates().size(); ++i) {
    if (!system.exact()[i]) continue;
    if (!std::isfinite(exact[i])) return std::nullopt;  // the formula is not made for this start
    raise(error, std::abs(result.node.q[i] - exact[i]));
  }
  return error;
}

nlohmann::json events_json(const std::vector<EventRecord>& events, const std::vector<std::int64_t>& counts,
                           const System& system) {
  nlohmann::json document{{"list", nlohmann::json::array()}};
  for (std::size_t k = 0; k < counts.size(); ++k) document["counts"][system.events()[k].name] = counts[k];
  std::vector<std::int64_t> numbers(system.events().size());
  for (const EventRecord& e : events) {
    nlohmann::json entry{
        {"event", system.events()[e.event].name},       {"number", ++numbers[e.event]},        {"time", e.time},
        {"direction", e.rising ? "rising" : "falling"}, {"q", system.space().shown(e.node.q)}, {"v", e.node.v}};
    if (!e.after.empty()) entry["v_after"] = e.after;
    document["list"].push_back(std::move(entry));
  }
  return document;
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
      {"q", prepared.problem.system.space().shown(result.node.q)},
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
  if (!s.event_counts.empty()) document["events"] = events_json(s.events, s.event_counts, prepared.problem.system);
  if (s.impact_energy != 0.0) document["energy"]["impacts"] = s.impact_energy;
  if (result.stopped_by) document["stopped_by"] = prepared.problem.system.events()[*result.stopped_by].name;
  if (error) document["exact"] = {{"error", *error}};
  return document;
}

}  // namespace rattleback::answer
