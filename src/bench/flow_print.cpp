// Our flow beside heyoka: what is read.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/bench/flow_table.hpp"

namespace rattleback::bench {

double FlowEntry::reached() const {
  double least = HUGE_VAL;
  for (const PrecisionPoint& p : points) least = std::min(least, p.error);
  return least;
}

const PrecisionPoint* FlowEntry::at(double tolerance) const {
  for (const PrecisionPoint& p : points) {
    if (std::abs(p.setting / tolerance - 1.0) < 1e-6) return &p;
  }
  return nullptr;
}

std::optional<double> FlowEntry::seconds_for(double error) const {
  std::vector<PrecisionPoint> best;
  for (const PrecisionPoint& p : points) add_unless_beaten(p, best);
  return bench::seconds_for(best, error);
}

bool FlowTable::comparable(const FlowEntry& other) const {
  return entries.front().reached() <= same_end && other.reached() <= same_end;
}

namespace {

std::optional<double> quotient(const std::optional<double>& ours, const std::optional<double>& theirs) {
  return ours && theirs ? std::optional(*ours / *theirs) : std::nullopt;
}

const char* said_of_goal(bool reached) { return reached ? "ok" : "NO"; }

std::string text_of(const std::optional<double>& ratio, double goal) {
  if (!ratio) return "-";
  if (goal <= 0.0) return fmt::format("{:.2f}", *ratio);
  return fmt::format("{:.2f} (goal {:g} {})", *ratio, goal, said_of_goal(*ratio <= goal));
}

void print_tolerances(const FlowTable& t) {
  fmt::print("  {:<28}", "tolerance");
  for (const double tolerance : shown_tolerances) fmt::print(" {:>24}", fmt::format("{:.0e}", tolerance));
  fmt::print("\n");
  for (const FlowEntry& e : t.entries) {
    fmt::print("  {:<28}", e.name);
    for (const double tolerance : shown_tolerances) {
      const PrecisionPoint* const p = e.at(tolerance);
      fmt::print(" {:>24}", p != nullptr ? fmt::format("{:.4g} us, error {:.1e}", 1e6 * p->seconds, p->error) : "-");
    }
    if (!e.failure.empty()) fmt::print("  {}", e.failure);
    fmt::print("\n");
  }
}

void print_precision(const FlowTable& t) {
  fmt::print("\n  {:<28}", "error reached");
  for (const double error : compared_errors) fmt::print(" {:>10}", fmt::format("{:.0e}", error));
  fmt::print("\n");
  for (const FlowEntry& e : t.entries) {
    fmt::print("  {:<28}", e.name);
    for (const double error : compared_errors) {
      const auto seconds = e.seconds_for(error);
      fmt::print(" {:>10}", seconds ? fmt::format("{:.4g} us", 1e6 * *seconds) : "-");
    }
    fmt::print("\n");
  }
  for (const FlowEntry& e : t.entries) {
    if (e.side != Side::theirs) continue;
    fmt::print("  {:<28}", "ours / " + e.name);
    if (!t.comparable(e)) {
      fmt::print(" the ends differ, by {:.1e} and {:.1e} from the solution: nothing to compare\n",
                 t.entries.front().reached(), e.reached());
      continue;
    }
    bool all = true;
    for (const double error : compared_errors) {
      const auto ratio = t.ratio(e, error);
      all = all && (!ratio || *ratio <= e.goal);
      fmt::print(" {:>10}", ratio ? fmt::format("{:.2f}", *ratio) : "-");
    }
    fmt::print("{}\n", e.goal > 0.0 ? fmt::format("  goal {:g} {}", e.goal, said_of_goal(all)) : "");
  }
}

}  // namespace

std::optional<double> FlowTable::ratio(const FlowEntry& other, double error) const {
  if (!comparable(other)) return std::nullopt;
  return quotient(entries.front().seconds_for(error), other.seconds_for(error));
}
std::optional<double> FlowTable::build_ratio(const FlowEntry& other) const {
  return quotient(entries.front().build, other.build);
}
std::optional<double> FlowTable::batch_ratio(const FlowEntry& other) const {
  if (!comparable(other)) return std::nullopt;
  return quotient(entries.front().batch, other.batch);
}

namespace {

/// Of a coordinate, in a step or in a unit of time.
std::optional<double> seconds_of_coordinate(const FlowTable& t, std::size_t entry, bool of_step) {
  if (entry >= t.entries.size()) return std::nullopt;
  const FlowEntry& e = t.entries[entry];
  const PrecisionPoint* const p = e.at(usual_tolerance);
  if (p == nullptr || (of_step && !e.steps)) return std::nullopt;
  return p->seconds / t.coordinates / (of_step ? *e.steps : 1.0);
}

std::optional<double> growth_from_smallest(const FlowTables& tables, const FlowTable& t, std::size_t entry,
                                           bool of_step) {
  if (!t.grows) return std::nullopt;
  const auto smallest = std::ranges::find(tables.problems, true, &FlowTable::grows);
  return quotient(seconds_of_coordinate(t, entry, of_step), seconds_of_coordinate(*smallest, entry, of_step));
}

}  // namespace

std::optional<double> FlowTables::growth_of_step(const FlowTable& table, std::size_t entry) const {
  return growth_from_smallest(*this, table, entry, true);
}
std::optional<double> FlowTables::growth(const FlowTable& table, std::size_t entry) const {
  return growth_from_smallest(*this, table, entry, false);
}

void print(const FlowTables& tables) {
  fmt::print("flow: microseconds per unit of time, {}, one core\n",
             tables.heyoka.empty() ? "heyoka is not there" : "heyoka " + tables.heyoka);
  fmt::print("  errors are those of q at the end, relative to max(1, |q|); below 1 ours is faster\n");
  for (const FlowTable& t : tables.problems) {
    fmt::print("\n{}, T = {:g} (solution known to {:.0e})\n\n", t.problem, t.time, t.floor);
    print_tolerances(t);
    print_precision(t);
    fmt::print("\n");
    for (const FlowEntry& e : t.entries) {
      if (!e.build) continue;
      fmt::print("  {:<28} compiled in {:.3f} s of CPU time", e.name, *e.build);
      if (e.side == Side::theirs) {
        fmt::print(", ours / its {}", text_of(t.build_ratio(e), t.grows ? 0.0 : tables.build_goal));
      }
      fmt::print("\n");
    }
    for (const FlowEntry& e : t.entries) {
      if (!e.batch) continue;
      fmt::print("  {:<28} {} at once: {:.4g} us for one of them", e.name, flow_batch, 1e6 * *e.batch);
      if (e.side == Side::theirs) fmt::print(", ours / its {}", text_of(t.batch_ratio(e), tables.batch_goal));
      fmt::print("\n");
    }
  }
  fmt::print(
      "\ngrowth: nanoseconds per coordinate at tolerance {:.0e}, of a step and of a unit of time; relative to the "
      "smallest\n\n",
      usual_tolerance);
  for (const FlowTable& t : tables.problems) {
    if (!t.grows) continue;
    fmt::print("  {} coordinates\n", t.coordinates);
    for (std::size_t k = 0; k < t.entries.size(); ++k) {
      const FlowEntry& e = t.entries[k];
      const auto time = seconds_of_coordinate(t, k, false);
      const auto step = seconds_of_coordinate(t, k, true);
      if (!time) continue;
      const double goal = e.side == Side::our_flows ? tables.growth_goal : 0.0;
      fmt::print("    {:<28} a step {:>8}, {:<20} a unit of time {:>8.1f}, {}\n", e.name,
                 step ? fmt::format("{:.1f}", 1e9 * *step) : "-", text_of(tables.growth_of_step(t, k), goal),
                 1e9 * *time, text_of(tables.growth(t, k), 0.0));
    }
  }
}

std::vector<std::string> missed(const FlowTables& tables) {
  std::vector<std::string> all;
  const auto judge = [&](const std::string& what, const std::optional<double>& ratio, double goal) {
    if (ratio && goal > 0.0 && *ratio > goal) all.push_back(fmt::format("{}: {:.2f}, not {:g}", what, *ratio, goal));
  };
  for (const FlowTable& t : tables.problems) {
    judge(fmt::format("growth of a step of the flow to {} coordinates", t.coordinates), tables.growth_of_step(t, 0),
          tables.growth_goal);
    for (const FlowEntry& e : t.entries) {
      if (e.side != Side::theirs) continue;
      const std::string who = fmt::format("flow of {} / {}", t.problem, e.name);
      if (!t.comparable(e)) all.push_back(fmt::format("{}: the ends differ", who));
      std::optional<double> worst;
      double where = 0.0;
      for (const double error : compared_errors) {
        const auto ratio = t.ratio(e, error);
        if (ratio && (!worst || *ratio > *worst)) worst = ratio, where = error;
        if (e.goal > 0.0 && t.comparable(e) && e.seconds_for(error) && !t.entries.front().seconds_for(error)) {
          all.push_back(fmt::format("{}: an error of {:.0e} is reached by theirs alone", who, error));
        }
      }
      judge(fmt::format("{}, at an error of {:.0e}", who, where), worst, e.goal);
      if (!t.grows) judge(who + ", compiling", t.build_ratio(e), tables.build_goal);
      judge(fmt::format("{}, {} at once", who, flow_batch), t.batch_ratio(e), tables.batch_goal);
    }
  }
  return all;
}

nlohmann::json to_json(const FlowTables& tables) {
  using nlohmann::json;
  json document{{"heyoka", tables.heyoka.empty() ? json() : json(tables.heyoka)}, {"problems", json::array()}};
  for (const FlowTable& t : tables.problems) {
    json one{{"problem", t.problem}, {"time", t.time}, {"floor", t.floor}, {"entries", json::array()}};
    for (std::size_t k = 0; k < t.entries.size(); ++k) {
      const FlowEntry& e = t.entries[k];
      json entry{{"name", e.name}, {"ours", e.side != Side::theirs}, {"points", json::array()}};
      for (const PrecisionPoint& p : e.points) {
        entry["points"].push_back({{"tolerance", p.setting}, {"error", p.error}, {"seconds_per_time", p.seconds}});
      }
      if (e.build) entry["build_seconds"] = *e.build;
      if (e.batch) entry["batch_seconds_per_time"] = *e.batch;
      if (!e.failure.empty()) entry["failure"] = e.failure;
      if (e.steps) entry["steps_per_time"] = *e.steps;
      if (const auto growth = tables.growth_of_step(t, k)) entry["growth_of_step"] = *growth;
      if (const auto growth = tables.growth(t, k)) entry["growth"] = *growth;
      if (e.side == Side::theirs) {
        entry["ours_over_this"] = json::array();
        for (const double error : compared_errors) {
          if (const auto ratio = t.ratio(e, error))
            entry["ours_over_this"].push_back({{"error", error}, {"ratio", *ratio}});
        }
        if (e.goal > 0.0) entry["goal"] = e.goal;
      }
      one["entries"].push_back(std::move(entry));
    }
    document["problems"].push_back(std::move(one));
  }
  return document;
}

}  // namespace rattleback::bench
