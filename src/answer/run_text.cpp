#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "measured.hpp"
#include "rattleback/answer/run.hpp"
#include "text.hpp"

namespace rattleback::answer {

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
  say("  ({})\n", names(system.coordinates()));
  say("  q           {}\n  v           {}\n  p           {}\n", tuple(r.node.q), tuple(r.node.v), tuple(r.momenta));
  say("  energy      {:.10g} at the start, {:.10g} at the end, largest error {:.3g} of max(1, |E|){}\n",
      s.initial_energy, s.final_energy, s.max_energy_error,
      system.is_affine()          ? " (affine constraints do work)"
      : system.conserves_energy() ? ""
                                  : " (applied forces do work)");
  if (!s.midpoint_energy.empty()) {
    say("  midpoints   energy in [{:.7g}, {:.7g}]\n", s.midpoint_energy[0], s.midpoint_energy[1]);
  }
  if (!system.velocity_rows().empty()) say("  constraint  largest residual {:.3g}\n", s.max_constraint);
  for (std::size_t k = 0; k < s.max_conserved_error.size(); ++k) {
    say("  conserved   {} = {:.10g}, largest error {:.3g}\n", system.conserved()[k].name, s.initial_conserved[k],
        s.max_conserved_error[k]);
  }
  std::size_t k_observed = 0;
  for (const ObservedQuantity& quantity : a.observed) {
    for (const std::string& label : quantity.labels) {
      const double largest = s.max_observed[k_observed++];
      say("  observed    {}, {}\n", label,
          std::isnan(largest) ? std::string("nothing to see") : fmt::format("largest {:.3g}", largest));
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
      document["observed"][label] = {{"max", a.result.statistics.max_observed[k++]}};
    }
  }
  if (!a.prepared.notes.empty()) document["notes"] = a.prepared.notes;
  return document.dump(2);
}

}  // namespace rattleback::answer
