// Eight sleighs that start in different directions, 1000 steps each, and what to do when one fails.

#include <cstdio>
#include <vector>

#include "rattleback/kernel/step.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/model/model.hpp"

using namespace rattleback;

int main() {
  const Model sleigh = load_model("chaplygin-sleigh");
  const ImplicitSystem system = make_method("dla:midpoint", sleigh.system).step;
  Step step(system, 8);  // eight trajectories
  std::vector<double> data(8 * system.data.size()), outputs(8 * system.outputs.size());
  std::vector<double> start(system.state, 0.0);  // q, p, and what the next step is guessed from: all at rest
  start.push_back(0.12);
  for (const double parameter : sleigh.system.parameter_values()) start.push_back(parameter);
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
