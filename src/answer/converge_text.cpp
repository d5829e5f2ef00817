#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "json.hpp"
#include "rattleback/answer/converge.hpp"

namespace rattleback::answer {
namespace {

/// The slope of the error between two points.
std::string slope(const ConvergencePoint* last, const ConvergencePoint& p) {
  if (last == nullptr || last->error == 0.0 || p.error == 0.0) return "";
  return fmt::format("{:.2f}", std::log(p.error / last->error) / std::log(p.step / last->step));
}

std::string table(const Convergence& c) {
  std::string text = fmt::format("\n{}\n  {:>10}  {:>9}  {:>11}  {:>6}  {:>12}  {:>7}  {:>11}\n", c.method, "h",
                                 "steps", "error", "order", "energy error", "newton", "ms");
  const ConvergencePoint* last = nullptr;
  for (const ConvergencePoint& p : c.points) {
    if (p.outcome == RunOutcome::failed) {
      text += fmt::format("  {:>10.5g}  {:>9}  failed\n", p.step, p.steps);
      last = nullptr;
      continue;
    }
    text += fmt::format("  {:>10.5g}  {:>9}  {:>11.3e}  {:>6}  {:>12.3e}  {:>7}  {:>11.4g}{}\n", p.step, p.steps,
                        p.error, slope(last, p), p.energy_error, p.newton > 0.0 ? fmt::format("{:.2f}", p.newton) : "-",
                        1e3 * p.seconds, p.fitted ? " *" : "");
    last = &p;
  }
  return text + fmt::format("  order {}{}\n",
                            c.measured_order ? fmt::format("{:.3f} (over the steps marked *)", *c.measured_order)
                                             : "not measurable: fewer than three errors are above round-off",
                            c.expected_order ? fmt::format(", {} expected", *c.expected_order) : "");
}

nlohmann::json document_of(const Convergence& c) {
  nlohmann::json entry{{"method", c.method}, {"points", nlohmann::json::array()}};
  entry["order"] = c.measured_order ? nlohmann::json(*c.measured_order) : nlohmann::json();
  entry["expected_order"] = c.expected_order ? nlohmann::json(*c.expected_order) : nlohmann::json();
  for (const ConvergencePoint& p : c.points) {
    entry["points"].push_back({{"step", p.step},
                               {"steps", p.steps},
                               {"outcome", outcome_name(p.outcome)},
                               {"error", p.error},
                               {"energy_error", p.energy_error},
                               {"newton", p.newton},
                               {"seconds", p.seconds},
                               {"fitted", p.fitted}});
  }
  return entry;
}

}  // namespace

std::string to_text(const ConvergeAnswer& a) {
  std::string text =
      fmt::format("{}: errors at t = {:.10g} against the reference, largest difference of the positions\n",
                  a.prepared.model.title, a.prepared.problem.step);
  for (const Convergence& c : a.methods) text += table(c);
  if (a.report) text += fmt::format("\nThe page is {}\n", *a.report);
  return text;
}

std::string to_json(const ConvergeAnswer& a) {
  nlohmann::json document{{"model", a.prepared.model.name},
                          {"time", a.prepared.problem.step},
                          {"reference", {{"q", a.reference.q}, {"v", a.reference.v}}},
                          {"methods", nlohmann::json::array()}};
  for (const Convergence& c : a.methods) document["methods"].push_back(document_of(c));
  if (!a.prepared.notes.empty()) document["notes"] = a.prepared.notes;
  if (a.report) document["report"] = *a.report;
  if (a.interrupted) document["interrupted"] = true;
  return text_of(document);
}

}  // namespace rattleback::answer
