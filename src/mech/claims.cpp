// What a definition claims, symmetries and conserved quantities, verified at random points.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "rattleback/expr/print.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "sampling.hpp"

namespace rattleback {
namespace {

constexpr double rounding = 1e-9;  ///< relative; sampled quantities are either this small or not small at all
constexpr int samples = 20;

}  // namespace

std::vector<std::string> broken_symmetries(const System& system, std::span<const double> parameters,
                                           const State& near) {
  std::vector<std::string> broken;
  const auto inputs = state_and_parameters(system);
  std::vector<Expression> place = system.coordinates();
  place.insert(place.end(), system.velocities().begin(), system.velocities().end());
  MatrixFunction matrix(system.constraint_matrix(), inputs);
  Interpreter<double> affine(make_program(inputs, system.affine_part()));
  for (const Symmetry& symmetry : system.symmetries()) {
    // The generator and its lift to velocities: δq = ξ, δv = Dξ·v.
    std::vector<Expression> direction = symmetry.generator;
    const auto lift = directional_derivative(symmetry.generator, system.coordinates(), system.velocities());
    direction.insert(direction.end(), lift.begin(), lift.end());
    std::vector<Expression> functions{system.lagrangian()};
    functions.insert(functions.end(), system.velocity_rows().begin(), system.velocity_rows().end());
    const auto changes = directional_derivative(functions, place, direction);
    const SparseMatrix slopes = jacobian(functions, place);
    std::vector<Expression> outputs = changes;  // and the terms they are sums of
    for (const auto& e : slopes.entries) outputs.push_back(e.value * direction[static_cast<std::size_t>(e.column)]);
    Interpreter<double> program(make_program(inputs, outputs));
    std::vector<bool> found(functions.size(), false);
    RandomPoints random;
    for (int sample = 0; sample < samples; ++sample) {
      State state{random.near(near.q, 1.0), random.near(near.v, 1.0)};
      std::vector<double> point = joined_data(state, parameters);
      // The constraints need to be invariant only for velocities that satisfy them.
      const Eigen::MatrixXd a = matrix(point);
      const std::vector<double> b = affine(point);
      if (!a.allFinite()) continue;
      Eigen::Map<Eigen::VectorXd> v(point.data() + system.dimension(), static_cast<Eigen::Index>(system.dimension()));
      const std::vector<double> free = program(point);
      if (a.rows() > 0) {
        v -= a.completeOrthogonalDecomposition().solve(a * v + Eigen::Map<const Eigen::VectorXd>(b.data(), a.rows()));
      }
      const std::vector<double> admissible = program(point);
      std::vector<double> sizes(functions.size(), 0.0);
      for (std::size_t e = 0; e < slopes.entries.size(); ++e) {
        const auto k = static_cast<std::size_t>(slopes.entries[e].row);
        sizes[k] += std::abs((k == 0 ? free : admissible)[functions.size() + e]);
      }
      for (std::size_t k = 0; k < functions.size(); ++k) {
        const double change = k == 0 ? free[k] : admissible[k];
        if (found[k] || !std::isfinite(change) || std::abs(change) <= rounding * sizes[k]) continue;
        found[k] = true;
        broken.push_back(fmt::format("{} is not invariant under {}: its rate of change {} is {:.3g} at a random point",
                                     k == 0 ? "the Lagrangian" : system.row_name(k - 1), symmetry.name,
                                     shortened(changes[k], 70), change));
      }
    }
  }
  return broken;
}

std::vector<std::string> broken_conservation(const System& system, std::span<const double> parameters,
                                             const State& near) {
  std::vector<std::string> broken;
  if (system.conserved().empty()) return broken;
  const std::size_t n = system.dimension();
  // dC/dt = C_q·v + C_v·a: v and a, then the gradients.
  ImplicitSystem motion = accelerations(system);
  std::vector<Expression> rates = system.velocities();
  rates.insert(rates.end(), motion.unknowns.begin(), motion.unknowns.begin() + static_cast<std::ptrdiff_t>(n));
  std::vector<Expression> place = system.coordinates();
  place.insert(place.end(), system.velocities().begin(), system.velocities().end());
  motion.outputs = rates;
  for (const NamedExpression& c : system.conserved()) {
    const auto slope = gradient(c.expression, place);
    motion.outputs.insert(motion.outputs.end(), slope.begin(), slope.end());
  }
  Step change(std::move(motion), 1, Backend::interpreted);
  Step admissible(projection(system), 1, Backend::interpreted);
  std::vector<double> values(change.system().outputs.size());
  std::vector<bool> found(system.conserved().size(), false);
  RandomPoints random;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<double> point = joined_data({random.near(near.q, 0.5), random.near(near.v, 0.5)}, parameters);
    std::vector<double> state(2 * n);
    if (admissible.run(point, state) != 1) continue;
    std::copy(state.begin(), state.end(), point.begin());
    if (change.run(point, values) != 1) continue;
    // An acceleration that vanishes because forces balance has rounding errors relative to the others.
    const auto largest = [&](std::size_t first) {
      double size = 0.0;
      for (std::size_t i = first; i < first + n; ++i) size = std::max(size, std::abs(values[i]));
      return size;
    };
    const double noise[] = {1e-5 * largest(0), 1e-5 * largest(n)};
    for (std::size_t k = 0; k < found.size(); ++k) {
      double rate = 0.0;
      double size = 0.0;
      for (std::size_t i = 0; i < 2 * n; ++i) {
        const double slope = values[2 * n * (k + 1) + i];
        rate += slope * values[i];
        size += std::abs(slope) * std::max(std::abs(values[i]), noise[i / n]);
      }
      if (found[k] || !(std::abs(rate) > rounding * size)) continue;
      found[k] = true;
      broken.push_back(
          fmt::format("{} is not conserved: its rate of change is {:.3g}, a sum of terms of size {:.3g}, at a random "
                      "admissible state",
                      system.conserved()[k].name, rate, size));
    }
  }
  return broken;
}

}  // namespace rattleback
