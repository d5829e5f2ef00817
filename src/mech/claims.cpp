// What a definition claims, symmetries and conserved quantities, verified at random points.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "../base/not_a_number.hpp"
#include "decompositions.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"
#include "sampling.hpp"

namespace rattleback {
namespace {

constexpr double projection_rounding = 1e-12;
constexpr int points_of_claims = 20;

/// How something changes along a symmetry.
struct Change {
  std::string name;
  Expression rate;
  std::vector<Expression> terms;  ///< that the rate is a sum of
  bool everywhere;                ///< must be 0 for all velocities, not only for those that satisfy the constraints
};

/// The multipliers that applied forces contain, and how they change along a symmetry, at a point.
class MultipliersAlong {
 public:
  MultipliersAlong(const System& system, const std::vector<Expression>& direction)
      : count_(system.forces_contain_multipliers() ? system.row_count() : 0) {
    if (count_ == 0) return;
    ImplicitSystem map = map_with_multipliers(system);
    map.outputs = multiplier_symbols(system);
    solution_.emplace(with_tangent(map), 1, Backend::interpreted);
    direction_.emplace(make_program(map.data, direction));
    symbols_ = multiplier_symbols(system);
    changes_ = multiplier_symbols(system, "(change)");
    for (std::size_t k = 0; k < count_; ++k) {
      const std::string name = system.given_name(k).empty() ? symbols_[k].name() : system.given_name(k);
      names_.emplace(symbols_[k], Expression::symbol(name));
      names_.emplace(changes_[k], Expression::symbol("δ" + name));
    }
  }
  const std::vector<Expression>& symbols() const { return symbols_; }
  const std::vector<Expression>& changes() const { return changes_; }
  const Substitution& names() const { return names_; }

  /// The point with λ and δλ behind it. They are NaN where there are none.
  std::vector<double> added(std::vector<double> point) {
    if (count_ == 0) return point;
    std::vector<double> data = point;
    const std::vector<double> direction = (*direction_)(point);
    data.insert(data.end(), direction.begin(), direction.end());
    data.resize(2 * point.size());
    std::vector<double> values(2 * count_);
    if (solution_->run(data, values) != 1) values.assign(values.size(), not_a_number);
    point.insert(point.end(), values.begin(), values.end());
    return point;
  }

 private:
  std::size_t count_;
  std::vector<Expression> symbols_;
  std::vector<Expression> changes_;
  Substitution names_;  ///< for people
  std::optional<Step> solution_;
  std::optional<Interpreter<double>> direction_;
};

/// The generator and its lift to velocities: δq = ξ, δv = Dξ·v; of rotations, with ξ = η in the body, δR = R η̂ and
/// δΩ = η̇ + Ω × η.
std::vector<Expression> lifted(const System& system, const Symmetry& symmetry) {
  Vector velocities = directional_derivative(symmetry.generator, system.coordinates(), position_rates(system));
  const Vector turning = brackets(system, system.velocities(), symmetry.generator);
  for (std::size_t i = 0; i < velocities.size(); ++i) velocities[i] += turning[i];
  return joined({position_rates(system, symmetry.generator), velocities});
}

/// Of L, of the rows of the constraints, of the applied forces: a force is a covector, δF_i = −F_j ∂_iξ^j, and torques
/// also (F × η)_i.
std::vector<Change> changes_under(const System& system, const Symmetry& symmetry, const std::vector<Expression>& place,
                                  const std::vector<Expression>& direction) {
  std::vector<Vector> twist;  // ∂_iξ^j
  for (const Expression& component : symmetry.generator) twist.push_back(slopes(component, system));
  const Vector turning =
      system.applied_forces().empty() ? Vector() : brackets(system, system.applied_forces(), symmetry.generator);
  std::vector<Change> changes;
  const auto add = [&](std::string name, const Expression& f, bool everywhere) {
    Change change{std::move(name), directional_derivative({&f, 1}, place, direction)[0], {}, everywhere};
    const auto slope = gradient(f, place);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const Expression term = slope[i] * direction[i];
      if (!term.is_constant(0.0)) change.terms.push_back(term);
      // A multiplier that does not change has a rate that is a rounding error relative to itself.
      const bool is_multiplier = i >= system.coordinates().size() + system.dimension();
      if (is_multiplier && !slope[i].is_constant(0.0)) change.terms.push_back(slope[i] * place[i]);
    }
    changes.push_back(std::move(change));
  };
  add("the Lagrangian", system.lagrangian(), true);
  for (std::size_t k = 0; k < system.velocity_rows().size(); ++k)
    add(system.row_name(k), system.velocity_rows()[k], false);
  for (std::size_t i = 0; i < system.applied_forces().size(); ++i) {
    add("the applied force on " + system.freedoms()[i].name(), system.applied_forces()[i], false);
    Vector terms;
    for (std::size_t j = 0; j < twist.size(); ++j) terms.push_back(system.applied_forces()[j] * twist[j][i]);
    terms.push_back(-turning[i]);
    for (const Expression& term : terms) {
      if (term.is_constant(0.0)) continue;
      changes.back().rate += term;
      changes.back().terms.push_back(term);
    }
  }
  return changes;
}

}  // namespace

std::vector<std::string> broken_symmetries(const System& system, std::span<const double> parameters,
                                           const State& near) {
  return broken_symmetries(system, system.symmetries(), parameters, near);
}

std::vector<std::string> broken_symmetries(const System& system, std::span<const Symmetry> symmetries,
                                           std::span<const double> parameters, const State& near) {
  std::vector<std::string> broken;
  const auto inputs = state_and_parameters(system);
  MatrixFunction matrix(system.constraint_matrix(), inputs);
  Interpreter<double> affine(make_program(inputs, system.affine_part()));
  for (const Symmetry& symmetry : symmetries) {
    const std::vector<Expression> along = lifted(system, symmetry);
    MultipliersAlong multipliers(system, along);
    const std::vector<Change> changes =
        changes_under(system, symmetry, joined({system.coordinates(), system.velocities(), multipliers.symbols()}),
                      joined({along, multipliers.changes()}));
    std::vector<Expression> outputs;
    for (const Change& c : changes) outputs = joined({outputs, std::span(&c.rate, 1), c.terms});
    Interpreter<double> program(make_program(joined({inputs, multipliers.symbols(), multipliers.changes()}), outputs));
    std::vector<bool> found(changes.size(), false);
    RandomPoints random;
    for (int sample = 0; sample < points_of_claims; ++sample) {
      std::vector<double> point = joined_data(system, random.near(system, near, 1.0), parameters);
      const Eigen::MatrixXd a = matrix(point);
      const std::vector<double> b = affine(point);
      if (!a.allFinite()) continue;
      Eigen::Map<Eigen::VectorXd> v(point.data() + system.coordinates().size(),
                                    static_cast<Eigen::Index>(system.dimension()));
      const std::vector<double> free = program(multipliers.added(point));
      if (a.rows() > 0) {
        v -= least_squares(a, a * v + Eigen::Map<const Eigen::VectorXd>(b.data(), a.rows()));
      }
      const std::vector<double> admissible = program(multipliers.added(point));
      std::size_t next = 0;
      for (std::size_t k = 0; k < changes.size(); ++k) {
        const double change = (changes[k].everywhere ? free : admissible)[next++];
        double allowed = 0.0;
        for (std::size_t t = 0; t < changes[k].terms.size(); ++t, ++next) {
          // An admissible velocity is one up to the rounding of the velocity it was projected from.
          allowed += sampling_error * std::abs((changes[k].everywhere ? free : admissible)[next]) +
                     projection_rounding * std::abs(free[next]);
        }
        if (found[k] || !(std::abs(change) > allowed)) continue;
        found[k] = true;
        broken.push_back(fmt::format("{} is not invariant under {}: its rate of change {} is {:.3g} at a random point",
                                     changes[k].name, symmetry.name,
                                     shortened(substitute(changes[k].rate, multipliers.names()), 70), change));
      }
    }
  }
  return broken;
}

std::vector<std::string> broken_sections(const System& system, std::span<const double> parameters, const State& near) {
  std::vector<std::string> broken;
  if (system.sections().empty() || system.velocity_rows().empty()) return broken;
  const std::size_t rows = system.velocity_rows().size();
  std::vector<std::vector<Expression>> terms;  // of A ξ̃, row by row
  std::vector<Expression> outputs;
  for (const SymmetrySection& section : system.sections()) {
    terms.resize(terms.size() + rows);
    for (const auto& e : system.constraint_matrix().entries) {
      for (std::size_t a = 0; a < section.coefficients.size(); ++a) {
        const Expression term =
            e.value * section.coefficients[a] * system.symmetries()[a].generator[static_cast<std::size_t>(e.column)];
        if (!term.is_constant(0.0)) terms[terms.size() - rows + static_cast<std::size_t>(e.row)].push_back(term);
      }
    }
  }
  for (const std::vector<Expression>& list : terms) outputs = joined({outputs, list});
  Interpreter<double> program(make_program(state_and_parameters(system), outputs));
  Step admissible(projection(system), 1, Backend::interpreted);
  std::vector<bool> found(terms.size(), false);
  RandomPoints random;
  for (int sample = 0; sample < points_of_claims; ++sample) {
    std::vector<double> point = joined_data(system, random.near(system, near, 1.0), parameters);
    std::vector<double> state(system.coordinates().size() + system.dimension());
    if (admissible.run(point, state) != 1) continue;  // to positions that satisfy holonomic constraints
    std::copy(state.begin(), state.end(), point.begin());
    const std::vector<double> values = program(point);
    std::size_t next = 0;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      double slip = 0.0;
      double size = 0.0;
      for (std::size_t t = 0; t < terms[k].size(); ++t, ++next) {
        slip += values[next];
        size += std::abs(values[next]);
      }
      if (found[k] || !std::isfinite(slip) || std::abs(slip) <= sampling_error * size) continue;
      found[k] = true;
      broken.push_back(fmt::format("the section {} does not move along {}: it gives {:.3g} at a random point",
                                   system.sections()[k / rows].name, system.row_name_with_text(k % rows), slip));
    }
  }
  return broken;
}

std::vector<std::string> broken_conservation(const System& system, std::span<const double> parameters,
                                             const State& near) {
  std::vector<std::string> broken;
  if (system.conserved().empty()) return broken;
  const std::size_t n = system.dimension();
  const std::size_t positions = system.coordinates().size();
  // dC/dt = C_q·q̇ + C_v·a + C_t: q̇, a and 1, then the gradients.
  ImplicitSystem motion = accelerations(system);
  const std::vector<Expression> place = joined({system.coordinates(), system.velocities(), system.time()});
  motion.outputs = joined({position_rates(system), std::span(motion.unknowns).first(n)});
  motion.outputs.resize(place.size(), Expression(1.0));
  for (const NamedExpression& c : system.conserved()) {
    const auto slope = gradient(c.expression, place);
    motion.outputs.insert(motion.outputs.end(), slope.begin(), slope.end());
  }
  Step change(std::move(motion), 1, Backend::interpreted);
  Step admissible(projection(system), 1, Backend::interpreted);
  std::vector<double> values(change.system().outputs.size());
  std::vector<bool> found(system.conserved().size(), false);
  RandomPoints random;
  for (int sample = 0; sample < points_of_claims; ++sample) {
    std::vector<double> point = joined_data(system, random.near(system, near, 0.5), parameters);
    std::vector<double> state(positions + n);
    if (admissible.run(point, state) != 1) continue;
    std::copy(state.begin(), state.end(), point.begin());
    if (change.run(point, values) != 1) continue;
    // An acceleration that vanishes because forces balance has rounding errors relative to the others.
    const auto largest = [&](std::size_t first, std::size_t count) {
      double size = 0.0;
      for (std::size_t i = first; i < first + count; ++i) size = std::max(size, std::abs(values[i]));
      return size;
    };
    const double noise[] = {1e-5 * largest(0, positions), 1e-5 * largest(positions, n), 0.0};
    for (std::size_t k = 0; k < found.size(); ++k) {
      double rate = 0.0;
      double size = 0.0;
      for (std::size_t i = 0; i < place.size(); ++i) {
        const double slope = values[place.size() * (k + 1) + i];
        rate += slope * values[i];
        size += std::abs(slope) * std::max(std::abs(values[i]), noise[i < positions ? 0 : i < positions + n ? 1 : 2]);
      }
      if (found[k] || !(std::abs(rate) > sampling_error * size)) continue;
      found[k] = true;
      broken.push_back(
          fmt::format("{} is not conserved: its rate of change is {:.3g}, a sum of terms of size {:.3g}, at a random "
                      "admissible state",
                      system.conserved()[k].name, rate, size));
    }
  }
  return broken;
}

bool conserves_energy(const System& system, std::span<const double> parameters, const State& near) {
  if (system.conserves_energy()) return true;
  if (system.is_affine() || system.depends_on_time()) return false;
  const std::size_t n = system.dimension();
  const std::size_t positions = system.coordinates().size();
  ImplicitSystem map = map_with_multipliers(system);
  map.outputs = system.applied_forces();
  Step forces(std::move(map), 1, Backend::interpreted);
  std::vector<double> force(n);
  Step admissible(projection(system), 1, Backend::interpreted);
  RandomPoints random;
  bool judged = false;
  for (int sample = 0; sample < points_of_claims; ++sample) {
    std::vector<double> point = joined_data(random.near(system, near, 0.5), parameters);
    std::vector<double> state(positions + n);
    if (admissible.run(point, state) != 1) continue;
    std::copy(state.begin(), state.end(), point.begin());
    if (forces.run(point, force) != 1) continue;
    double power = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      power += force[i] * state[positions + i];
      size += std::abs(force[i] * state[positions + i]);
    }
    if (!std::isfinite(size)) continue;
    if (std::abs(power) > sampling_error * size) return false;
    judged = true;
  }
  return judged;
}

}  // namespace rattleback
