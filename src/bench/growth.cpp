// The cost of a step with the size of the system.

#include "src/bench/ours.hpp"
#include "src/bench/tables.hpp"

namespace rattleback::bench {

GrowthTable growth(const Session& session) {
  GrowthTable table;
  for (const int n : {6, 12, 25, 50, 100, 200, 500}) {
    session.progress(fmt::format("McLachlan and Perlmutter, n = {}", n));
    Problem problem = oscillators(n, 0.1);
    if (n == 6) {  // as the others
      for (std::size_t i = 0; i < problem.start.q.size(); ++i) {
        problem.start.q[i] = i == 0 ? 1.0 : 0.0;
        problem.start.v[i] = i == 0 ? 0.0 : i <= 6 && i % 2 == 0 ? -1.0 : 1.0;
      }
    }
    std::unique_ptr<Trajectories> ours;
    const double build = benchmark::seconds([&] { ours = std::make_unique<Trajectories>("dla:midpoint", problem); });
    constexpr std::int64_t steps = 200;
    std::vector<double> times;
    ours->run(steps);
    for (double total = 0.0; total < 1.0 || times.size() < 8; total += times.back() * steps) {
      times.push_back(benchmark::seconds([&] { ours->run(steps); }) / steps);
    }
    std::sort(times.begin(), times.end());
    GrowthRow row{n,   times.front(), times[times.size() / 4], times[3 * times.size() / 4],
                  0.0, 1.0,           ours->iterations(),      build};
    row.per_coordinate = row.step / (2.0 * n + 1.0);
    if (!table.rows.empty()) row.relative = row.per_coordinate / table.rows.front().per_coordinate;
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace rattleback::bench
