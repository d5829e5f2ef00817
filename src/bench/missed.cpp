// Which goals are missed.

#include <cmath>

#include "src/bench/tables.hpp"

namespace rattleback::bench {

std::vector<std::string> missed(const CostTable& table) {
  std::vector<std::string> all;
  for (const CostColumn& c : table.columns) {
    for (const auto& [what, compared] : {std::pair{"", c.theirs_over_ours()}, {" by 'run'", c.theirs_over_run}}) {
      if (!compared && *what != '\0') continue;  // no map holds the bound
      const double ratio = compared ? compared->ratio : 0.0;
      if (ratio >= c.goal) continue;
      all.push_back(fmt::format("cost within {:.0e}{}: {:.2f} times cheaper, not {:g}", c.bound, what, ratio, c.goal));
    }
  }
  return all;
}

std::vector<std::string> missed(const std::vector<StepGroup>& groups) {
  std::vector<std::string> all;
  for (const StepGroup& g : groups) {
    for (const StepRow& r : g.rows) {
      const double ratio = r.ours_over_theirs.ratio;
      if (r.goal <= 0.0 || ratio <= r.goal) continue;
      all.push_back(fmt::format("step of {}, {}: {:.2f}, not {:.2f}", g.problem, r.against, ratio, r.goal));
    }
    if (g.build && *g.build > g.build_goal) {
      all.push_back(fmt::format("{}: derived and compiled in {:.3f} s, not {}", g.problem, *g.build, g.build_goal));
    }
  }
  return all;
}

std::vector<std::string> missed(const RunTable& table) {
  std::vector<std::string> all;
  for (const RunRow& r : table.rows) {
    if (r.goal <= 0.0 || r.run_over_step.ratio <= r.goal) continue;
    all.push_back(fmt::format("run of {}: {:.2f} of the bare step, not {:.2f}", r.what, r.run_over_step.ratio, r.goal));
  }
  return all;
}

std::optional<double> throughput_ratio(const ThroughputTable& table, const std::string& row, const std::string& other) {
  const auto shortest = [&](const std::string& name) {
    double best = HUGE_VAL;
    for (const ThroughputRow& r : table.rows) {
      if (r.available && r.name.starts_with(name)) best = std::min(best, r.step);
    }
    return best;
  };
  const double ours = shortest(row);
  const double theirs = shortest(other);
  if (std::isinf(ours) || std::isinf(theirs)) return std::nullopt;
  return theirs / ours;
}

std::vector<std::string> missed(const ThroughputTable& table) {
  std::vector<std::string> all;
  for (const auto& [other, goal] : throughput_goals) {
    const auto ratio = throughput_ratio(table, "ours: ensemble", other);
    if (ratio && *ratio < goal) all.push_back(fmt::format("throughput of {}: {:.2f}, not {:.2f}", other, *ratio, goal));
  }
  return all;
}

std::vector<std::string> missed(const ScalingTable& table) {
  std::vector<std::string> all;
  for (const ScalingRow& r : table.rows) {
    if (!r.available || r.goal <= 0.0 || r.speedup >= r.goal) continue;
    all.push_back(fmt::format("{} {}: {:.2f} times the throughput of one, not {:.2f}", r.count,
                              r.ranks ? "ranks" : "threads", r.speedup, r.goal));
  }
  return all;
}

std::vector<std::string> missed(const GrowthTable& table) {
  if (table.rows.empty() || table.rows.back().relative <= table.goal) return {};
  return {fmt::format("growth up to n = {}: {:.2f}, not {:g}", table.rows.back().n, table.rows.back().relative,
                      table.goal)};
}

}  // namespace rattleback::bench
