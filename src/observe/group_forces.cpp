// The reduced discrete Lagrange–d'Alembert equations (Cortés & Martínez, 32) in the purely kinematic case, TQ = D ⊕ V,
// for a group of motions of space: L_d*, F⁻ and F⁺ of the interval before a node, written for the point of the slice.
//
// If q₀ varies by e in D and q₁ stays on its orbit, D_d makes q₁ follow along the group by the v with D₁A_d e + D₂A_d v
// = 0. So D₁L_d* e = D₁L_d e + D₂L_d v, and with κ·D₂A_d ξ = D₂L_d ξ for the directions ξ of the group at q₁
//
//     F⁻(e) = −κ·D₁A_d e,     F⁺(e′) = −κ·D₂A_d e′,
//
// e′ in D being a variation of q₁. They are covectors of Q/G, given here as those of Q that vanish on the directions of
// the group, seen from the body at their end. What is left of (32) is (D₁L_d + p_k) e = 0 and (D₂L_d − p_{k+1}) e′ = 0,
// where L_d is taken in the slice and p along the trajectory: that this vanishes is Theorem 5.5.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/raise.hpp"
#include "kinds.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/space_motions.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

/// Derivatives of a function of (q₀, Δ) by its ends, in directions of motion there.
struct ByEnds {
  Vector left;
  Vector right;
};

ByEnds by_ends(const System& system, const Vector& increments, const Expression& function) {
  const Vector by_increments = gradient(function, increments);
  return {slopes(function, system) - of_left_end(system, increments, by_increments),
          of_right_end(system, increments, by_increments)};
}

Vector times_columns(const Vector& covector, const std::vector<Vector>& columns) {
  Vector values;
  for (const Vector& column : columns) values.push_back(dot(covector, column));
  return values;
}

/// The rows of A at these positions.
std::vector<Vector> rows_of_constraints(const System& system, const Substitution& there) {
  std::vector<Vector> rows(system.velocity_rows().size(), Vector(system.dimension()));
  for (const auto& e : system.constraint_matrix().entries)
    rows[static_cast<std::size_t>(e.row)][static_cast<std::size_t>(e.column)] = substitute(e.value, there);
  return rows;
}

Vector unknowns_of_group(const char* name, std::size_t count) {
  Vector symbols;
  for (std::size_t k = 0; k < count; ++k) symbols.push_back(Expression::symbol(fmt::format("{}({})", name, k + 1)));
  return symbols;
}

/// (q₀, Δ, p₀, p₁ from `others`) ↦ L_d*, F⁻, F⁺ as `others`, and the residuals of (32) as `constraints`.
ImplicitSystem map_of_group(const Method& method, const System& system, const SpaceMotions& motions) {
  const std::size_t n = system.dimension();
  const Vector increments = increment_symbols(system);
  const Vector p = momentum_symbols(system);
  Vector p_after;
  for (const Expression& symbol : p) p_after.push_back(Expression::symbol(symbol.name() + "(after)"));
  const Vector right_end = moved(system);
  const Substitution to_right = moved_there(system);

  const ByEnds lagrangian = by_ends(system, increments, method.interval->lagrangian);
  std::vector<ByEnds> discrete;
  for (const Expression& row : method.interval->constraints) discrete.push_back(by_ends(system, increments, row));
  const std::vector<Vector> rows_left = rows_of_constraints(system, {});
  const std::vector<Vector> rows_right = rows_of_constraints(system, to_right);
  std::vector<Vector> group_left;
  std::vector<Vector> group_right;
  for (const Symmetry& s : motions.group.generators) {
    group_left.push_back(s.generator);
    group_right.push_back(substitute(s.generator, to_right));
  }

  const std::size_t m = discrete.size();
  const Vector kappa = unknowns_of_group("κ", m);
  const Vector mu_left = unknowns_of_group("μ⁻", m);
  const Vector mu_right = unknowns_of_group("μ⁺", m);
  const Vector nu = unknowns_of_group("ν", m);
  const Vector nu_right = unknowns_of_group("ν⁺", m);
  Vector adjoint = -lagrangian.right;
  Vector minus(n);
  Vector plus(n);
  for (std::size_t k = 0; k < m; ++k) {
    adjoint = adjoint + kappa[k] * discrete[k].right;
    minus = minus - kappa[k] * discrete[k].left + mu_left[k] * rows_left[k];
    plus = plus - kappa[k] * discrete[k].right + mu_right[k] * rows_right[k];
  }
  // Momenta along the trajectory, seen from the frame at q₀: what they miss counts on D, modulo Aᵀ.
  const Matrix frame = motions.frame(system, system.coordinates());
  const Vector here = motions.turned_back(frame, in_body(system, p, system.coordinates()));
  const Vector after = motions.turned_back(frame, in_body(system, p_after, right_end));
  const Vector seen = unknowns_of_group("p̂", n);
  const Vector seen_after = unknowns_of_group("p̂⁺", n);
  Vector missed = lagrangian.left + seen;
  Vector missed_after = lagrangian.right - seen_after;
  for (std::size_t k = 0; k < m; ++k) {
    missed = missed + nu[k] * rows_left[k];
    missed_after = missed_after + nu_right[k] * rows_right[k];
  }

  const Vector place = motions.slice(system);
  const Vector turned = motions.turned_back(frame, increments);
  Substitution slice;
  for (std::size_t i = 0; i < place.size(); ++i) slice.emplace(system.coordinates()[i], place[i]);
  for (std::size_t i = 0; i < n; ++i) {
    slice.emplace(increments[i], turned[i]);
    slice.emplace(seen[i], here[i]);
    slice.emplace(seen_after[i], after[i]);
  }

  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::increments, increments);
  map.take(Slot::momentum, p);
  map.take(Slot::others, p_after);
  map.take(Slot::time, system.time());
  map.take(Slot::step, {{step_symbol()}});
  map.take(Slot::parameters, system.parameters());
  map.unknowns = joined({kappa, mu_left, mu_right, nu, nu_right});
  map.guess.assign(map.unknowns.size(), Expression(0.0));
  map.residuals = substitute(
      joined({times_columns(adjoint, group_right), times_columns(minus, group_left), times_columns(plus, group_right),
              times_columns(missed, rows_left), times_columns(missed_after, rows_right)}),
      slice);
  map.give(Slot::others, substitute(joined({Vector{method.interval->lagrangian}, minus, plus}), slice));
  map.give(Slot::constraints, substitute(joined({missed, missed_after}), slice));
  return map;
}

class GroupForcesObserver final : public Observer {
 public:
  /// The residual of (32) alone, or L_d* and the forces.
  GroupForcesObserver(ObservedQuantity quantity, const Method& method, const Problem& problem,
                      const SpaceMotions& motions, bool residual)
      : Observer(std::move(quantity)), space_(problem.system.space()),
        map_(map_of_group(method, problem.system, motions), problem), residual_(residual),
        first_(first_step_of_method(problem)) {}

  void observe(const Stepper& stepper, std::span<double> values) override {
    const std::vector<double>& q = stepper.node().q;
    const auto state = stepper.state();
    const std::vector<double> momenta(state.begin() + static_cast<std::ptrdiff_t>(q.size()),
                                      state.begin() + static_cast<std::ptrdiff_t>(q.size() + space_.velocities()));
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    if (!before_.empty()) {
      map_.set(Slot::position, before_);
      map_.set(Slot::increments, space_.increments(before_, q));
      map_.set(Slot::momentum, momenta_before_);
      map_.set(Slot::others, momenta);
      map_.set_time(time_before_);
      if (map_.run()) write(values);
    }
    before_ = q;
    momenta_before_ = momenta;
    time_before_ = stepper.node().t;
  }
  std::int64_t first_node() const override { return first_; }
  void reset() override { before_.clear(); }
  std::string why_undefined() const override { return "the discrete constraints cannot be solved for the group"; }

 private:
  void write(std::span<double> values) {
    if (!residual_) {
      std::ranges::copy(map_(Slot::others), values.begin());
      return;
    }
    values[0] = 0.0;
    for (const double missed : map_(Slot::constraints)) raise(values[0], std::abs(missed));
  }

  Space space_;
  CompiledMap map_;
  bool residual_;
  std::int64_t first_;
  std::vector<double> before_;
  std::vector<double> momenta_before_;
  double time_before_ = 0.0;
};

/// Motions of space of a kinematic system.
SpaceMotions require_kinematic(const Problem& problem) {
  const System& system = problem.system;
  SpaceMotions motions = find_space_motions(system, known_symmetries(system, problem.parameters, problem.start),
                                            problem.parameters, problem.start);
  const std::size_t rows = system.velocity_rows().size();
  if (!system.holonomic().empty()) throw MethodError("holonomic constraints are not reduced");
  if (rows == 0) throw MethodError("this system has no constraints to reduce by");
  if (motions.group.dimension() != rows) {
    throw MethodError(fmt::format(
        "L_d*, F- and F+ belong to the purely kinematic case, as many constraints as the group of motions of "
        "space has dimensions, and there are {} and {}",
        rows, motions.group.dimension()));
  }
  return motions;
}

}  // namespace

std::unique_ptr<Observer> make_group_forces_observer(const Method& method, const Problem& problem) {
  ObservedQuantity quantity{"reduced-forces", {"reduced_lagrangian"}};
  for (const char* force : {"force_minus_", "force_plus_"}) {
    for (const Expression& freedom : problem.system.freedoms()) quantity.labels.push_back(force + freedom.name());
  }
  return std::make_unique<GroupForcesObserver>(std::move(quantity), method, problem, require_kinematic(problem), false);
}

std::unique_ptr<Observer> make_group_equation_observer(const Method& method, const Problem& problem) {
  return std::make_unique<GroupForcesObserver>(ObservedQuantity{"reduced-equation", {"reduced_equation"}}, method,
                                               problem, require_kinematic(problem), true);
}

}  // namespace rattleback
