// The tables as people read them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/bench/our_flow.hpp"
#include "src/bench/tables.hpp"

namespace rattleback::bench {
namespace {

const char* verdict(bool reached) { return reached ? "ok" : "NO"; }

std::string text(const CostEntry& entry, const CostOptions& options) {
  const SearchResult& r = entry.result;
  switch (r.end) {
    case SearchEnd::found:
    case SearchEnd::found_in_haste:
      return fmt::format("{:.0f} ({} {:.2g}){}", 1e9 * r.seconds,
                         entry.setting == Contestant::Setting::step ? "h" : "tol", r.setting,
                         r.end == SearchEnd::found ? "" : "*");
    case SearchEnd::too_dear: return "> 20 x";
    case SearchEnd::out_of_time: return fmt::format("not within {:.0f} s", options.seconds);
    case SearchEnd::never: return "never";
  }
  return "";
}

std::string short_time(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} us", 1e6 * seconds) : fmt::format("{:.2f} ms", 1e3 * seconds);
}

}  // namespace

void print(const CostTable& table) {
  fmt::print("cost: quadratic particle, energy held within a bound (relative to max(1, |E0|)) up to T = {:g}\n",
             table.options.time);
  fmt::print("  nanoseconds per unit of time with the cheapest setting that was seen to hold, one core\n\n  {:<30}",
             "");
  for (const CostColumn& c : table.columns) fmt::print(" {:>22}", fmt::format("{:.0e}", c.bound));
  fmt::print("\n");
  if (table.columns.empty()) return;
  bool in_haste = false;
  for (std::size_t k = 0; k < table.columns.front().entries.size(); ++k) {
    fmt::print("  {:<30}", table.columns.front().entries[k].name);
    for (const CostColumn& c : table.columns) {
      if (k >= c.entries.size()) continue;
      const bool best = k == c.best_of_maps || k == c.best_of_flows || k == c.best_of_theirs;
      in_haste = in_haste || c.entries[k].result.end == SearchEnd::found_in_haste;
      fmt::print(" {:>22}", text(c.entries[k], table.options) + (best ? " <" : "  "));
    }
    fmt::print("\n");
  }
  const auto row = [&](const std::string& name, std::optional<Comparison> CostColumn::* compared) {
    fmt::print("\n  {:<30}", name);
    for (const CostColumn& c : table.columns) {
      const auto& ratio = c.*compared;
      fmt::print(" {:>22}",
                 ratio ? fmt::format("{:.2f} [{:.2f}, {:.2f}]  ", ratio->ratio, ratio->low, ratio->high) : "-  ");
    }
  };
  row("best of theirs / best of dla", &CostColumn::theirs_over_maps);
  row(fmt::format("best of theirs / {}", our_flow), &CostColumn::theirs_over_flows);
  row("best of theirs / 'run'", &CostColumn::theirs_over_run);
  fmt::print("\n  {:<30}", "goal");
  for (const CostColumn& c : table.columns) {
    const auto ratio = c.theirs_over_ours();
    const bool reached = ratio && ratio->ratio >= c.goal;
    fmt::print(" {:>22}", fmt::format("{:g} {}  ", c.goal, verdict(reached)));
  }
  fmt::print(
      "\n\n  h: step, tol: tolerance, <: best of its side; \"> 20 x\": dearer than 20 times the best of its side\n");
  if (in_haste) {
    fmt::print("  *: the search ended after {:.0f} s, a cheaper setting may hold\n", table.options.seconds);
  }
}

void print(const std::vector<PrecisionTable>& tables) {
  constexpr double errors[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
  for (const PrecisionTable& t : tables) {
    fmt::print("precision: {}, time to reach an error of q at T = {:g} (solution known to {:.0e})\n\n  {:<30}",
               t.problem, t.time, t.floor, "");
    for (const double error : errors) fmt::print(" {:>10}", fmt::format("{:.0e}", error));
    fmt::print("\n");
    std::vector<double> best[3];  // of each side
    for (auto& b : best) b.assign(std::size(errors), HUGE_VAL);
    for (const PrecisionEntry& e : t.entries) {
      fmt::print("  {:<30}", e.name);
      auto& best_of_side = best[static_cast<int>(e.side)];
      for (std::size_t k = 0; k < std::size(errors); ++k) {
        const auto seconds = seconds_for(e.points, errors[k]);
        if (seconds) best_of_side[k] = std::min(best_of_side[k], *seconds);
        fmt::print(" {:>10}", seconds ? short_time(*seconds) : "-");
      }
      fmt::print("\n");
    }
    const auto& theirs = best[static_cast<int>(Side::theirs)];
    const auto row = [&](const std::string& name, auto&& ours) {
      fmt::print("\n  {:<30}", name);
      for (std::size_t k = 0; k < std::size(errors); ++k) {
        const double seconds = ours(k);
        const bool known = theirs[k] < HUGE_VAL && seconds < HUGE_VAL;
        fmt::print(" {:>10}", known ? fmt::format("{:.2f}", theirs[k] / seconds) : "-");
      }
    };
    const auto& maps = best[static_cast<int>(Side::our_maps)];
    const auto& flows = best[static_cast<int>(Side::our_flows)];
    row("best of theirs / best of dla", [&](std::size_t k) { return maps[k]; });
    row(fmt::format("best of theirs / {}", our_flow), [&](std::size_t k) { return flows[k]; });
    row("best of theirs / best of ours", [&](std::size_t k) { return std::min(maps[k], flows[k]); });
    fmt::print("\n\n");
  }
}

void print(const std::vector<StepGroup>& groups) {
  fmt::print("step: one step of ours / one step of theirs [quartiles of neighbours]; below 1 ours is faster\n");
  for (const StepGroup& g : groups) {
    fmt::print("\n  {} ({:.2f} Newton iterations)\n", g.problem, g.iterations);
    for (const StepRow& r : g.rows) {
      const Comparison& c = r.ours_over_theirs;
      fmt::print("    {:<42} {:6.2f}  [{:.2f}, {:.2f}]  {:<13}  ({:.1f} ns : {:.1f} ns)\n", r.against, c.ratio, c.low,
                 c.high, r.goal > 0.0 ? fmt::format("goal {:.2f} {}", r.goal, verdict(c.ratio <= r.goal)) : "",
                 1e9 * c.ours, 1e9 * c.theirs);
    }
    if (g.build) {
      fmt::print("    derived and compiled in {:.3f} s of CPU time, goal {} {}\n", *g.build, g.build_goal,
                 verdict(*g.build <= g.build_goal));
    }
  }
}

void print(const ThroughputTable& table) {
  fmt::print("throughput: {} quadratic particles, {} steps each, one core\n", table.trajectories, table.steps);
  fmt::print("  peak of the core: {:.1f} thousand million operations in a second ({})\n\n", 1e-9 * table.peak,
             table.peak_width);
  fmt::print("  {:<52} {:>9}  {:>14}  {:>13}  {:>7}\n", "", "ns a step", "quartiles", "steps in a s", "of peak");
  for (const ThroughputRow& r : table.rows) {
    if (!r.available) {
      fmt::print("  {}\n", r.name);
      continue;
    }
    fmt::print("  {:<52} {:>9.3f}  {:>14}  {:>13.3g}  {:>5.1f} %\n", r.name, 1e9 * r.step,
               fmt::format("[{:.3f}, {:.3f}]", 1e9 * r.low, 1e9 * r.high), 1.0 / r.step, 100.0 * r.of_peak);
  }
  fmt::print(
      "\n  of peak: {} operations of the shortest form of the step known, a fused multiply-add counted as two,\n"
      "  a division as one, for every row\n",
      table.operations);
  for (const auto& [other, goal] : throughput_goals) {
    const auto ratio = throughput_ratio(table, "ours: ensemble", other);
    if (!ratio) continue;
    fmt::print("  ensemble / {:<22} {:.2f}  goal {:.2f} {}\n", other, *ratio, goal, *ratio >= goal ? "ok" : "NO");
  }
}

void print(const RunTable& table) {
  fmt::print("run: a run that watches every node and keeps the last, against the bare compiled step\n\n");
  for (const RunRow& r : table.rows) benchmark::print(r.what, r.run_over_step, r.goal);
  fmt::print("\n  every node to a file, quadratic particle, dla\n");
  for (const OutputRow& r : table.outputs) {
    fmt::print("  {:<4} {:>8.1f} MB/s, {:>9.0f} nodes a second\n", r.format, 1e-6 * r.bytes_per_second,
               r.rows_per_second);
  }
}

void print(const ScalingTable& table) {
  fmt::print("scaling: an ensemble of {} quadratic particles, {} steps each, 16 lanes, {} cores\n\n",
             table.trajectories, table.steps, table.cores);
  fmt::print("  {:<12} {:>9}  {:>16}  {:>8}\n", "", "ns a step", "quartiles", "speed-up");
  for (const ScalingRow& r : table.rows) {
    const std::string name = fmt::format("{} {}{}", r.count, r.ranks ? "rank" : "thread", r.count == 1 ? "" : "s");
    if (!r.available) {
      fmt::print("  {:<12} not measured: mpirun is not there, or does not run\n", name);
      continue;
    }
    fmt::print("  {:<12} {:>9.3f}  {:>16}  {:>8.2f}  {}\n", name, 1e9 * r.step,
               fmt::format("[{:.3f}, {:.3f}]", 1e9 * r.low, 1e9 * r.high), r.speedup,
               r.goal > 0.0 ? fmt::format("goal {:.2f} {}", r.goal, r.speedup >= r.goal ? "ok" : "NO") : "");
  }
}

void print(const GrowthTable& table) {
  fmt::print("growth: McLachlan and Perlmutter's particles, dla:midpoint, h = 0.1, one trajectory\n\n");
  fmt::print("  {:>4} {:>12}  {:>20} {:>20} {:>9} {:>11} {:>9}\n", "n", "ns a step", "quartiles", "ns a coordinate",
             "relative", "iterations", "build");
  for (const GrowthRow& r : table.rows) {
    fmt::print("  {:>4} {:>12.1f}  {:>20} {:>20.2f} {:>9.2f} {:>11.2f} {:>7.2f} s\n", r.n, 1e9 * r.step,
               fmt::format("[{:.1f}, {:.1f}]", 1e9 * r.low, 1e9 * r.high), 1e9 * r.per_coordinate, r.relative,
               r.iterations, r.build);
  }
  if (!table.rows.empty()) {
    const GrowthRow& last = table.rows.back();
    fmt::print("\n  goal: at most {:g} at n = {} {}\n", table.goal, last.n, verdict(last.relative <= table.goal));
  }
}

}  // namespace rattleback::bench
