// A thousand particles from a box of initial conditions, and where they pass the plane x = 0 upwards.

#include <cstdio>

#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/expr/parse.hpp"
#include "rattleback/model/model.hpp"

using namespace rattleback;

int main() {
  const Model particle = load_model("quadratic-particle");
  Ensemble ensemble{particle.system, {"dla:midpoint"}, *particle.initial, 0.1};
  ensemble.time = 100.0;
  ensemble.axes = {uniform_axis({"x", "y"}, {-1.0, -1.0}, {1.0, 1.0}, 1000, {.seed = 1})};
  ensemble.formulas = {{"z'", parse("y*x'")}};  // on the constraint
  ensemble.statistics = {{"energy", parse("energy")}};
  ensemble.sections = {{"upwards", parse("x"), Section::Direction::up}};
  std::size_t crossings = 0;
  double spread = 0.0;
  for (const MemberResult& member : run_in_memory(ensemble)) {
    if (!member.failure.empty()) {
      std::printf("member %lld: %s\n", static_cast<long long>(member.member), member.failure.c_str());
      continue;
    }
    crossings += member.crossings[0].size();
    spread = std::max(spread, member.statistics[0].largest - member.statistics[0].least);
  }
  std::printf("%zu crossings; the energy of a particle varies by at most %.2g\n", crossings, spread);
}
