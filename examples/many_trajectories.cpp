// Eight sleighs that start in different directions, 1000 steps each, and what to do when one fails.

#include <cstdio>
#include <vector>

#include "examples/dla_midpoint.hpp"
#include "rattleback/kernel/step.hpp"

using namespace rattleback;

int main() {
  const ImplicitSystem system = examples::dla_midpoint(examples::chaplygin_sleigh());
  Step step(system, 8);  // eight trajectories
  std::vector<double> data(8 * system.data.size()), outputs(8 * system.outputs.size());
  const double start[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.12, 1, 1, 1, 0.1};  // q, p, guess, h, m, I, a, g
  for (std::size_t i = 0; i < system.data.size(); ++i) {
    for (std::size_t lane = 0; lane < 8; ++lane) data[i * 8 + lane] = start[i];
  }
  for (std::size_t lane = 0; lane < 8; ++lane) data[2 * 8 + lane] = 0.1 * static_cast<double>(lane);  // theta
  if (step.run(data, outputs, 1000) < 1000) {
    for (const LaneReport& report : step.reports()) {
      if (report.outcome != Outcome::converged) std::puts(step.describe(report).c_str());
    }
    return 1;
  }
  for (std::size_t lane = 0; lane < 8; ++lane) std::printf("%.6f %.6f\n", data[lane], data[8 + lane]);
}
