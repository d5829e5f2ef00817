#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rattleback/answer/ensemble.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json quantities_json(const EnsembleQuantities& quantities) {
  nlohmann::json document{{"histograms", nlohmann::json::array()}, {"volumes", nlohmann::json::array()}};
  for (const HistogramResult& h : quantities.histograms) {
    document["histograms"].push_back({{"name", h.name},
                                      {"time", number(h.time)},
                                      {"count", h.count},
                                      {"mean", number(h.mean)},
                                      {"deviation", number(h.deviation)},
                                      {"least", number(h.least)},
                                      {"largest", number(h.largest)}});
  }
  for (const VolumeResult& v : quantities.volumes) {
    document["volumes"].push_back({{"name", v.name}, {"time", number(v.time)}, {"volume", number(v.volume)}});
  }
  return document;
}

void add_quantities(std::string& out, const EnsembleQuantities& quantities) {
  constexpr std::size_t most = 12;  // a page; the file has all
  const auto at = [](double time) { return std::isfinite(time) ? fmt::format(" at t = {:.6g}", time) : ""; };
  for (std::size_t k = 0; k < std::min(most, quantities.histograms.size()); ++k) {
    const HistogramResult& h = quantities.histograms[k];
    add(out, "  {}{}: mean {:.6g}, deviation {:.6g}, from {:.6g} to {:.6g} ({} values)\n", h.name, at(h.time), h.mean,
        h.deviation, h.least, h.largest, h.count);
  }
  for (std::size_t k = 0; k < std::min(most, quantities.volumes.size()); ++k) {
    const VolumeResult& v = quantities.volumes[k];
    add(out, "  {}{}: {:.10g}\n", v.name, at(v.time), v.volume);
  }
}

void add_failures(std::string& out, const EnsembleAnswer& a) {
  constexpr std::size_t most = 5;
  if (a.failed == 0) return;
  add(out, "{} failed:\n", a.failed);
  const std::size_t shown = std::min(most, a.failures.size());
  bool against_constraints = false;
  for (std::size_t k = 0; k < shown; ++k) {
    add(out, "  {}\n", a.failures[k]);
    against_constraints = against_constraints || a.failures[k].find("violate the constraints") != std::string::npos;
  }
  if (a.failed > static_cast<std::int64_t>(shown)) add(out, "  ...\n");
  if (against_constraints)
    add(out, "  project = true moves starts onto the constraints; formulas in [start] can put them there\n");
}

}  // namespace

std::string to_text(const EnsemblePlan& plan) {
  std::string out = fmt::format("{} member{} of {}, {}, {:.6g} steps in all", plan.members,
                                plan.members == 1 ? "" : "s", plan.model, fmt::join(plan.methods, ", "), plan.steps);
  if (!plan.varied.empty()) add(out, "; varied: {}", fmt::join(plan.varied, ", "));
  return out + '\n';
}

std::string to_json(const EnsemblePlan& plan) {
  return nlohmann::json{{"members", plan.members}, {"steps", plan.steps}, {"varied", plan.varied}}.dump(2);
}

std::string to_text(const EnsembleAnswer& a) {
  constexpr double enough_steps = 1e6;  // to speak of a rate
  std::string out = fmt::format("{} of {} finished, {:.2f} s", a.finished(), a.plan.members, a.seconds);
  if (a.steps_taken > enough_steps) add(out, ", {:.3g} ns per step", a.nanoseconds_per_step());
  if (a.ranks > 1) add(out, ", {} ranks", a.ranks);
  add(out, "\n");
  add_failures(out, a);
  for (const auto& [section, count] : a.crossings) add(out, "  {}: {} crossings\n", section, count);
  add_quantities(out, a.quantities);
  add(out, "The result is {}\n", a.output);
  return out;
}

std::string to_json(const EnsembleAnswer& a) {
  nlohmann::json document = quantities_json(a.quantities);
  document["model"] = a.plan.model;
  document["methods"] = a.plan.methods;
  document["members"] = a.plan.members;
  document["finished"] = a.finished();
  document["failed"] = a.failed;
  document["failures"] = a.failures;
  document["steps"] = static_cast<std::int64_t>(a.steps_taken);
  for (const auto& [section, count] : a.crossings) document["crossings"][section] = count;
  document["ranks"] = a.ranks;
  document["seconds"] = a.seconds;
  document["ns_per_step"] = number(a.nanoseconds_per_step());
  document["file"] = a.output;
  return document.dump(2);
}

}  // namespace rattleback::answer
