#include "second_position.hpp"

#include <fmt/format.h>

#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/diagnosis.hpp"

namespace rattleback {
namespace {

void check(const Problem& problem) {
  const std::size_t n = problem.system.coordinates().size();
  const std::vector<double>& q = *problem.second_position;
  if (q.size() != n) throw MethodError(fmt::format("the second position has {} entries, expected {}", q.size(), n));
  const State there{q, problem.start.v, problem.start.t + problem.step};  // Lagrangians need not be defined at rest
  const PointReport report = [&] {
    try {
      return examine(problem.system, problem.parameters, there);
    } catch (const StartError& error) {
      throw MethodError(fmt::format("the second position (`q1`) cannot be one: {}", error.what()));
    }
  }();
  for (std::size_t k = 0; k < report.holonomic_violated.size(); ++k) {
    if (!report.holonomic_violated[k]) continue;
    throw MethodError(fmt::format("the second position (`q1`) violates {}: it gives {:.3g}",
                                  problem.system.row_name_with_text(problem.system.constraints().size() + k),
                                  report.holonomic_residuals[k]));
  }
}

}  // namespace

SecondPosition::SecondPosition(const Method& method, const Problem& problem) {
  if (!method.from_two_positions) throw MethodError("this method cannot start from two positions");
  check(problem);
  increments = problem.system.space().increments(problem.start.q, *problem.second_position);
  CompiledMap map(*method.from_two_positions, problem, Backend::interpreted);
  map.set(Slot::increments, increments);
  if (!map.run()) throw MethodError(fmt::format("the method cannot start from these positions: {}", map.failure()));
  state.assign(map(Slot::state).begin(), map(Slot::state).end());
}

}  // namespace rattleback
