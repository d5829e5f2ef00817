#include "rattleback/mech/exact.hpp"

#include <limits>

#include "rattleback/expr/graph.hpp"

namespace rattleback {

std::vector<double> exact_position(const System& system, std::span<const double> parameters, const State& start,
                                   double time) {
  std::vector<double> position(system.dimension(), std::numeric_limits<double>::quiet_NaN());
  if (system.exact().empty()) return position;
  if (system.depends_on_time() && start.t != 0.0) return position;  // formulas are made for starts at t = 0
  std::unordered_map<Expression, double> values{{time_symbol(), time - start.t}};
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    values[system.coordinates()[i]] = start.q[i];
    values[system.velocities()[i]] = start.v[i];
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) values[system.parameters()[i]] = parameters[i];
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (system.exact()[i]) position[i] = evaluate(*system.exact()[i], values);
  }
  return position;
}

}  // namespace rattleback
