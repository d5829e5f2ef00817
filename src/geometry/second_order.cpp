#include "rattleback/geometry/second_order.hpp"

#include "../expr/determinant.hpp"

namespace rattleback {

using Vector = std::vector<Expression>;

Vector SecondOrderSystem::inputs() const { return joined({coordinates, velocities, parameters}); }

Vector SecondOrderSystem::rates(const Vector& functions) const {
  return directional_derivative(functions, joined({coordinates, velocities}), joined({velocities, accelerations}));
}

// M a = L_q − L_vq v + F
SecondOrderSystem second_order(const System& system) {
  SecondOrderSystem equations{system.coordinates(), system.velocities(), system.parameters(), {}};
  const Vector drift = directional_derivative(system.momenta(), system.coordinates(), system.velocities());
  ExpressionMatrix right;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    const Expression applied = system.applied_forces().empty() ? Expression(0.0) : system.applied_forces()[i];
    right.push_back({system.forces()[i] - drift[i] + applied});
  }
  for (const Vector& row : solved(dense(system.mass_matrix()), right)) equations.accelerations.push_back(row[0]);
  return equations;
}

}  // namespace rattleback
