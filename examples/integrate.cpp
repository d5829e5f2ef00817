// A particle in a bowl that may only move so that z' = y x': a system, a trajectory, and how good it is.

#include <cstdio>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/reference.hpp"

using namespace rattleback;

int main() {
  const auto [x, y, z] = coordinates("x", "y", "z");
  const System particle{
      {x, y, z}, 0.5 * (sq(dot(x)) + sq(dot(y)) + sq(dot(z))) - (sq(x) + sq(y)), {dot(z) - y * dot(x)}};
  const char* const method = "dla:midpoint:order=8";
  const Trajectory path = integrate(particle, method, {.q = {1, 0, 0}, .v = {0, 1, 0}, .step = 0.2, .steps = 1250});
  const State& end = path.nodes.back();
  std::printf("%s: q(250) = (%.6f, %.6f, %.6f), energy error %.1e\n", method, end.q[0], end.q[1], end.q[2],
              path.result.statistics.max_energy_error());
  ReferenceFlow reference({particle, {}, {{1, 0, 0}, {0, 1, 0}}, 0.2});
  const State exact = reference.at(250.0);
  std::printf("reference: q(250) = (%.6f, %.6f, %.6f)\n", exact.q[0], exact.q[1], exact.q[2]);
}
