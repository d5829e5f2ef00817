// A particle in a bowl that may only move so that z' = y x': 1250 steps of the DLA integrator.

#include <cstdio>

#include "examples/dla_midpoint.hpp"
#include "rattleback/kernel/step.hpp"

using namespace rattleback;

int main() {
  const examples::MechanicalModel particle{
      {"x", "y", "z"}, "0.5*(x'^2 + y'^2 + z'^2) - (x^2 + y^2)", {"z' - y*x'"}, {}};
  Step step(examples::dla_midpoint(particle));               // derives, compiles
  std::vector<double> data{1, 0, 0, 0, 1, 0, 0, 0, 0, 0.2};  // q, p, guess, h
  std::vector<double> next(9);
  step.run(data, next, 1250);
  std::printf("q(250) = (%.6f, %.6f, %.6f)\n", data[0], data[1], data[2]);
}
