// The C++ side of python_door.py: the same calls without Python, in CPU seconds.   door_benchmark step|batch|fit

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "rattleback/answer/run.hpp"
#include "rattleback/answer/simulation.hpp"

namespace {

using namespace rattleback;

/// The least CPU time of a few calls.
template <class Call>
double seconds(Call&& call) {
  double best = 1e9;
  for (int k = 0; k < 3; ++k) {
    const std::clock_t begin = std::clock();
    call();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

double single_steps(int count) {
  answer::Simulation sim({.problem = {.model = "quadratic-particle", .step = 0.1}, .method = "dla"});
  return seconds([&] {
    for (int k = 0; k < count; ++k) sim.step();
  });
}

double batch_with_inputs(std::size_t members, int steps) {
  answer::BatchSimulation batch({.problem = {.model = "chaplygin-sleigh", .step = 0.05},
                                 .method = "dla",
                                 .n = static_cast<std::int64_t>(members)});
  std::vector<double> a(members);
  for (std::size_t i = 0; i < members; ++i) {
    a[i] = 0.2 + 0.8 * static_cast<double>(i) / static_cast<double>(members - 1);
  }
  return seconds([&] {
    for (int k = 0; k < steps; ++k) {
      batch.set("a", a);
      batch.step();
    }
  });
}

double fit(int runs) {
  return seconds([&] {
    for (int k = 0; k < runs; ++k) {
      answer::RunRequest request{.problem = {.model = "chaplygin-sleigh",
                                             .parameters = {{"m", 1 + 0.01 * k}, {"a", 0.5 + 0.002 * k}},
                                             .step = 0.05,
                                             .time = 10.0},
                                 .method = "dla"};
      request.samples = TableRecorder::no_limit;
      answer::run(request);
    }
  });
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "step") fmt::print("{:.12f}\n", single_steps(1'000'000) / 1e6);
  if (what == "batch") fmt::print("{:.6f}\n", batch_with_inputs(4096, 1000));
  if (what == "fit") fmt::print("{:.6f}\n", fit(89));
}
