// Asking as the command line does: a request, an answer with everything in it, and how to show it.

#include <cstdio>

#include "rattleback/answer/compare.hpp"
#include "rattleback/answer/run.hpp"

using namespace rattleback;

int main() try {
  const answer::RunAnswer first = answer::run({.problem = {.model = "chaplygin-sleigh"}});
  std::printf("%s\n", to_text(first).c_str());

  const answer::RunAnswer sleigh = answer::run(
      {.problem = {.model = "chaplygin-sleigh", .parameters = {{"a", 0.3}}}, .method = "dla:order=4", .samples = 1000});
  std::printf("x(%g) = %.6f, energy error %.1e, %zu samples\n", sleigh.result.time, sleigh.result.node.q[0],
              sleigh.result.statistics.max_energy_error(), sleigh.samples.rows());

  const answer::CompareAnswer table = answer::compare({.problem = {.model = "quadratic-particle", .time = 20.0}});
  std::printf("\n%s", to_text(table).c_str());
  if (const auto error = complaint(table)) std::printf("%s\n", error->what());

  answer::run({.problem = {.model = "quadratic-particle", .step = -0.1}});
} catch (const Error& error) {
  std::printf("\n%s\n", error.what());  // `step` must be positive, found -0.1
}
