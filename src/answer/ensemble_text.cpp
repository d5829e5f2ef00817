#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "json.hpp"
#include "rattleback/answer/ensemble.hpp"
#include "text.hpp"

namespace rattleback::answer {
namespace {

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json first_json(const Absence& a) {
  if (a.count == 0) return {};
  return {{"member", a.member}, {"time", number(a.time)}};
}

nlohmann::json quantities_json(const EnsembleQuantities& quantities) {
  nlohmann::json document{{"histograms", nlohmann::json::array()},
                          {"volumes", nlohmann::json::array()},
                          {"undefined", nlohmann::json::array()},
                          {"unreached", nlohmann::json::array()}};
  for (const HistogramResult& h : quantities.histograms) {
    document["histograms"].push_back({{"name", h.name},
                                      {"time", number(h.time)},
                                      {"count", h.count},
                                      {"undefined", h.undefined.count},
                                      {"first_undefined", first_json(h.undefined)},
                                      {"outside", h.outside},
                                      {"mean", number(h.mean)},
                                      {"deviation", number(h.deviation)},
                                      {"least", number(h.least)},
                                      {"largest", number(h.largest)}});
  }
  for (const VolumeResult& v : quantities.volumes) {
    document["volumes"].push_back({{"name", v.name},
                                   {"time", number(v.time)},
                                   {"volume", number(v.volume)},
                                   {"count", v.count},
                                   {"undefined", v.undefined.count},
                                   {"first_undefined", first_json(v.undefined)}});
  }
  for (const auto& [kind, list] : {std::pair("statistic", &quantities.statistics_undefined),
                                   std::pair("section", &quantities.sections_undefined)}) {
    for (const NamedAbsence& a : *list) {
      if (a.absence.count == 0) continue;
      document["undefined"].push_back({{kind, a.name}, {"members", a.absence.count}, {"first", first_json(a.absence)}});
    }
  }
  for (const Absence& a : quantities.unreached) document["unreached"].push_back(a.count);
  return document;
}

/// "3 are not defined, first in member 7 at t = 0.5"; empty if all are.
std::string absence_text(const Absence& a, const char* of_several = "are", const char* of_one = "is") {
  if (a.count == 0) return {};
  return fmt::format("{} {} not defined, first in member {} at t = {:.6g}", a.count, a.count == 1 ? of_one : of_several,
                     a.member, a.time);
}

/// What there is, and in parentheses of what it is made and what is left out.
void add_histogram(std::string& out, const std::string& name, const HistogramResult& h) {
  std::vector<std::string> parts{fmt::format("{} value{}", h.count, h.count == 1 ? "" : "s")};
  if (h.undefined.count > 0) parts.push_back(absence_text(h.undefined, "more are", "more is"));
  if (h.outside > 0) parts.push_back(fmt::format("{} outside the intervals", h.outside));
  if (h.count == 0) {
    add(out, "  {}: no values{}{}\n", name, h.undefined.count > 0 ? ": " : "", absence_text(h.undefined));
  } else if (h.count == 1) {
    add(out, "  {}: {:.6g} ({})\n", name, h.mean, fmt::join(parts, "; "));
  } else {
    add(out, "  {}: mean {:.6g}, deviation {:.6g}, from {:.6g} to {:.6g} ({})\n", name, h.mean, h.deviation, h.least,
        h.largest, fmt::join(parts, "; "));
  }
}

void add_volume(std::string& out, const std::string& name, const VolumeResult& v) {
  const std::string undefined = absence_text(v.undefined);
  if (std::isfinite(v.volume)) {
    add(out, "  {}: {:.10g}{}\n", name, v.volume,
        undefined.empty() ? "" : fmt::format(" (of {} members; {})", v.count, undefined));
  } else {
    add(out, "  {}: of no members{}{}\n", name, undefined.empty() ? "" : ": ", undefined);
  }
}

void add_quantities(std::string& out, const EnsembleQuantities& quantities) {
  constexpr std::size_t most = 12;  // a page; the file has all
  const auto at = [](const auto& quantity) {
    return quantity.name + (std::isfinite(quantity.time) ? fmt::format(" at t = {:.6g}", quantity.time) : "");
  };
  for (std::size_t k = 0; k < std::min(most, quantities.histograms.size()); ++k) {
    add_histogram(out, at(quantities.histograms[k]), quantities.histograms[k]);
  }
  for (std::size_t k = 0; k < std::min(most, quantities.volumes.size()); ++k) {
    add_volume(out, at(quantities.volumes[k]), quantities.volumes[k]);
  }
}

/// What was asked for and does not exist.
void add_absences(std::string& out, const EnsembleAnswer& a) {
  const auto place = [](const Absence& absence) {
    return fmt::format("{} member{}, first in member {} at t = {:.6g}", absence.count, absence.count == 1 ? "" : "s",
                       absence.member, absence.time);
  };
  for (const NamedAbsence& s : a.quantities.statistics_undefined) {
    if (s.absence.count > 0) add(out, "  {}: not defined, so without statistics, in {}\n", s.name, place(s.absence));
  }
  for (const NamedAbsence& s : a.quantities.sections_undefined) {
    if (s.absence.count > 0) {
      add(out, "  {}: its function is not defined everywhere, so that crossings can be missing, in {}\n", s.name,
          place(s.absence));
    }
  }
  // Times do not decrease: who does not come to one does not come to the last.
  const Absence unreached = a.quantities.unreached.empty() ? Absence{} : a.quantities.unreached.back();
  if (unreached.count > 0) {
    add(out,
        "  kept times are missing in {} of the {} finished members, which end before: first in member {}, at t = "
        "{:.6g}\n",
        unreached.count, a.finished(), unreached.member, unreached.time);
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
  return text_of({{"members", plan.members}, {"steps", plan.steps}, {"varied", plan.varied}});
}

std::string to_text(const EnsembleAnswer& a) {
  constexpr double enough_steps = 1e6;  // to speak of a rate
  std::string out = fmt::format("{} of {} finished, {:.2f} s", a.finished(), a.plan.members, a.seconds);
  if (a.steps_taken > enough_steps) add(out, ", {:.3g} ns per step", a.nanoseconds_per_step());
  if (a.ranks > 1) add(out, ", {} ranks", a.ranks);
  add(out, "\n");
  add_failures(out, a);
  for (const auto& [section, count] : a.crossings) add(out, "  {}: {} crossings\n", section, count);
  for (const auto& [event, count] : a.events) add(out, "  {}: happened {} times\n", event, count);
  add_quantities(out, a.quantities);
  add_absences(out, a);
  if (a.written) add(out, "The result is {}\n", a.output);
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
  for (const auto& [event, count] : a.events) document["events"][event] = count;
  document["ranks"] = a.ranks;
  document["seconds"] = a.seconds;
  document["ns_per_step"] = number(a.nanoseconds_per_step());
  document["file"] = a.written ? nlohmann::json(a.output) : nlohmann::json();
  return text_of(document);
}

}  // namespace rattleback::answer
