#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "json.hpp"
#include "measured.hpp"
#include "rattleback/answer/run.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

/// How often each event happened and when, and what has ended the run.
std::string text_of_events(const RunResult& result, const System& system) {
  constexpr std::size_t most_times = 5;
  const RunStatistics& s = result.statistics;
  std::string text;
  for (std::size_t k = 0; k < s.event_counts.size(); ++k) {
    std::vector<std::string> times;
    for (const EventRecord& e : s.events) {
      if (e.event == k && times.size() < most_times) times.push_back(fmt::format("{:.10g}", e.time));
    }
    const auto count = static_cast<std::size_t>(s.event_counts[k]);
    if (count > times.size() && !times.empty()) times.emplace_back("...");
    text += fmt::format("  event       {} {}\n", system.events()[k].name,
                        count == 0   ? std::string("did not happen")
                        : count == 1 ? fmt::format("happened at t = {}", times[0])
                                     : fmt::format("happened {} times, at t = {}", count, fmt::join(times, ", ")));
  }
  if (result.stopped_by) {
    text += fmt::format("  stopped     by {} at t = {:.17g}\n", system.events()[*result.stopped_by].name, result.time);
  }
  return text;
}

}  // namespace

std::string to_text(const RunAnswer& a) {
  const auto& [model, problem, steps, notes] = a.prepared;
  const System& system = problem.system;
  const RunResult& r = a.result;
  const RunStatistics& s = r.statistics;
  std::string text;
  const auto say = [&]<class... Arguments>(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
  };
  const double reached = static_cast<double>(r.steps) * problem.step;
  say("{}: {}, h = {}, {} steps to {}t = {:.10g}\n\n", model.title, a.method, problem.step, r.steps,
      r.own_time ? fmt::format("tau = {:.10g}, ", reached) : "", r.time);
  say("  ({})\n", names(system.position_names()));
  say("  q           {}\n", tuple(system.space().shown(r.node.q)));
  if (!system.rotations().empty()) say("  ({})\n", names(system.velocities()));
  say("  v           {}\n  p           {}\n", tuple(r.node.v), tuple(r.momenta));
  if (conserves_energy(system, problem.parameters, problem.start)) {
    say("  energy      {:.10g} at the start, {:.10g} at the end, largest error {:.3g} of T + |V|\n", s.initial_energy,
        s.final_energy, s.max_energy_error());
  } else {
    say("  energy      {:.10g} at the start, {:.10g} at the end\n", s.initial_energy, s.final_energy);
    say("  work        {:.10g}, done by {}; largest error of energy - work {:.3g} of T + |V|\n", s.work,
        what_does_work(system), s.max_energy_error());
  }
  if (s.impact_energy != 0.0) {
    say("  impacts     changed the energy by {:.10g}, which is not counted as an error\n", s.impact_energy);
  }
  say("{}", text_of_events(r, system));
  if (!s.midpoint_energy.empty()) {
    say("  midpoints   energy in [{:.7g}, {:.7g}]\n", s.midpoint_energy[0], s.midpoint_energy[1]);
  }
  if (!system.velocity_rows().empty()) say("  constraint  {}\n", words_of(s.constraint, "largest residual"));
  for (std::size_t k = 0; k < s.conserved_error.size(); ++k) {
    const bool begins = std::isfinite(s.initial_conserved[k]);
    say("  conserved   {}{}, {}\n", system.conserved()[k].name,
        begins ? fmt::format(" = {:.10g}", s.initial_conserved[k]) : "",
        words_of(s.relative_conserved_error(k), "largest error", " of its terms"));
  }
  std::size_t k_observed = 0;
  for (const ObservedQuantity& quantity : a.observed) {
    if (quantity.name == "events") {  // told above
      k_observed += quantity.labels.size();
      continue;
    }
    for (const std::string& label : quantity.labels) {
      say("  observed    {}, {}\n", label, words_of(s.observed[k_observed++], "largest"));
    }
  }
  if (a.exact_error) say("  exact       q differs by {:.3g} at the end\n", *a.exact_error);
  if (r.newton.mean() >= 0.005) {
    say("  newton      {:.2f} iterations each time, at most {}\n", r.newton.mean(), r.newton.max);
  }
  for (const Remark& remark : r.remarks) say("  method      {:.6g} is {}\n", remark.value, remark.text);
  say("  time        {:.3g} s, {:.3g} ns each step\n", s.seconds, nanoseconds_per_step(r));
  if (a.output) say("\nWritten to {}\n", *a.output);
  if (a.report) say("\nThe page is {}\n", *a.report);
  return text;
}

std::string to_json(const RunAnswer& a) {
  nlohmann::json document = run_json(a.result, a.prepared, a.method, a.exact_error);
  if (a.output) document["output"] = *a.output;
  if (a.report) document["report"] = *a.report;
  std::size_t k = 0;
  for (const ObservedQuantity& quantity : a.observed) {
    for (const std::string& label : quantity.labels) {
      add(document["observed"][label], "max", a.result.statistics.observed[k++]);
    }
  }
  if (!a.prepared.notes.empty()) document["notes"] = a.prepared.notes;
  return text_of(document);
}

}  // namespace rattleback::answer
