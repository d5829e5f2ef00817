// Which goals are missed.

#include "src/bench/tables.hpp"

namespace rattleback::bench {

std::vector<std::string> missed(const CostTable& table) {
  std::vector<std::string> all;
  for (const CostColumn& c : table.columns) {
    if (c.theirs_over_ours && c.theirs_over_ours->ratio >= c.goal) continue;
    const double ratio = c.theirs_over_ours ? c.theirs_over_ours->ratio : 0.0;
    all.push_back(fmt::format("cost within {:.0e}: {:.2f} times cheaper, not {:g}", c.bound, ratio, c.goal));
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
  }
  return all;
}

std::vector<std::string> missed(const GrowthTable& table) {
  if (table.rows.empty() || table.rows.back().relative <= table.goal) return {};
  return {fmt::format("growth up to n = {}: {:.2f}, not {:g}", table.rows.back().n, table.rows.back().relative,
                      table.goal)};
}

}  // namespace rattleback::bench
