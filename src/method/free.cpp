// Variational integrators for free Lagrangians, Mestdag, Bloch & Fernandez, section III: the discrete Euler–Lagrange
// equations of L̃, (6) or (7), and the modified integrator, which takes the equations of the r's and the discrete
// constraints for the s's.
//
// With X the direction in which the other coordinates move (see SteeredSystem; x = q − Y r₁, δ = Δr₁) both Lagrangians
// are sums over the coordinates of terms ± C ẋ²/(2 X ṙ₁), and their discretisation is
//
//     L_d = ½ I₁ δ²/h + Σ ± ½ C Δx²/(X_d δ) (+ ½ I₂ Δr₂²/h in (7)),
//
// X_d(r₁, δ) being the direction that the constraints under the rule leave. For rules of one node this is the paper's
// (10). For others a sum of values of 1/X would have a pole wherever the values of X cancel; X_d has none, and motions
// of (6) satisfy the discrete constraints for every rule.
//
// L_d is singular where X_d = 0, but p = ∂L_d/∂Δx = ± C Δx/(X_d δ) is conserved. In terms of p the equations are
// regular
//
//     C Δx = ± p X_d δ,   p₁ = −D₁R_d,   p₁' = D₂R_d,   R_d = ½ I₁ δ²/h − ½ δ Σ ± (p²/C) X_d − δ Σ Y p,
//
// R_d being the discrete Routhian: one equation for δ, and the rest follows. For the continuous Routhian X δ is a total
// derivative, so that δ is constant; for the discrete one that is true up to terms proportional to C.

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/steered.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "variational.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// L̃ and its discretisation, with symbols for momenta and increments.
struct FreeMotion {
  const System& system;
  SteeredSystem steered;
  FreeForm form;
  Vector weights;     ///< ± C, one for each of `moved`; the mass where a coordinate keeps its kinetic energy
  Vector p;           ///< symbols, one for each coordinate
  Vector increments;  ///< likewise
  Vector direction;   ///< X_d
  Vector constants;   ///< symbols of numbers that belong to the start, or none

  const Expression& r1() const { return system.coordinates()[steered.steering]; }
  const Expression& r1_dot() const { return system.velocities()[steered.steering]; }
  const Expression& delta() const { return increments[steered.steering]; }
  const Expression& p1() const { return p[steered.steering]; }
  const Expression& momentum(std::size_t i) const { return p[steered.moved[i]]; }
  std::size_t moved() const { return steered.moved.size(); }
  bool kinetic(std::size_t i) const { return keeps_kinetic_energy(steered, form, i); }

  /// Σ ½ p²/(± C) X + Y p: what is added to p₁ to give I₁ ṙ₁. `x` is X, or X_d.
  Expression carried(const Vector& x) const {
    Expression total;
    for (std::size_t i = 0; i < moved(); ++i) {
      total += steered.shear[i] * momentum(i);
      if (!kinetic(i)) total += 0.5 * sq(momentum(i)) * x[i] / weights[i];
    }
    return total;
  }
  Expression routhian() const {
    return 0.5 * steered.inertia * sq(delta()) / step_symbol() - delta() * carried(direction);
  }
  Expression right() const { return derivative(routhian(), delta()); }
  Expression change() const { return derivative(routhian(), r1()); }

  /// Momenta of the moved coordinates for a motion in the direction X with the speed u (κ = u/ṙ₁), or X_d and the
  /// increments.
  Substitution momenta_for(const Expression& ratio, const Expression& speed, const Vector& x) const {
    Substitution momenta;
    for (std::size_t i = 0; i < moved(); ++i) {
      momenta.emplace(momentum(i), kinetic(i) ? weights[i] * x[i] * speed : weights[i] * ratio);
    }
    return momenta;
  }

  /// Momenta of an interval between two positions: κ δ is the part of Δx that lies in the direction X_d, so that slips
  /// of the second position are not carried on, and zeros of X_d do not matter.
  Substitution momenta_between() const {
    const Expression h = step_symbol();
    const auto shift = [&](std::size_t i) { return increments[steered.moved[i]] - steered.shear[i] * delta(); };
    Expression advance;  // ⟨X_d, M Δx⟩
    for (const auto& e : system.mass_matrix().entries) {
      const auto row = std::ranges::find(steered.moved, static_cast<std::size_t>(e.row));
      const auto column = std::ranges::find(steered.moved, static_cast<std::size_t>(e.column));
      if (row == steered.moved.end() || column == steered.moved.end()) continue;
      advance += direction[static_cast<std::size_t>(row - steered.moved.begin())] * e.value *
                 shift(static_cast<std::size_t>(column - steered.moved.begin()));
    }
    return momenta_for(advance / delta(), advance / h, direction);
  }
};

/// The constraints under the rule, by rows: without the factors and parameters that do not matter to them.
std::vector<Vector> discrete_rows(const System& system, const SteeredSystem& steered, const Rule& rule) {
  std::vector<Vector> rows;
  for (const Vector& row : steered.rows) rows.push_back(discretise(row, system, rule));
  return rows;
}

/// X under the rule.
Vector discrete_direction(const System& system, const SteeredSystem& steered, const Rule& rule) {
  if (rule.nodes.size() == 1) return discretise(steered.direction, system, rule);
  return steered_direction(system, steered, discrete_rows(system, steered, rule));
}

/// The constants C unless others are given, relative to a number c that belongs to the start: with c = |ṙ₁|³/2T the
/// terms of L̃ that C multiplies are at most a thousandth of ½ I₁ ṙ₁² along the motion. What C is does not matter to the
/// continuous motion; the discrete one departs from it in proportion to C.
constexpr double relative_constant = 1e-3;

/// 2T
Expression vis_viva(const System& system) {
  Expression total;
  for (const auto& e : system.mass_matrix().entries) {
    total += e.value * system.velocities()[static_cast<std::size_t>(e.row)] *
             system.velocities()[static_cast<std::size_t>(e.column)];
  }
  return total;
}

Expression constant_of_start(const System& system, const SteeredSystem& s) {
  const Expression& rate = system.velocities()[s.steering];
  return sq(rate) * sqrt(sq(rate)) / vis_viva(system);
}

FreeMotion make_motion(const System& system, const SteeredSystem& steered, const Rule& rule, const FreeOptions& options,
                       const char* method) {
  const bool constant = steered.density_is_constant;
  if (options.form == 7 && !constant) {
    throw MethodError(
        fmt::format("{}: the Lagrangian (7) needs a constant N, and here it depends on {}; form=6 does not", method,
                    system.coordinates()[steered.steering].name()));
  }
  const FreeForm form = options.form == 6 || !constant ? FreeForm::both_scaled : FreeForm::constant_density;
  FreeMotion motion{system, steered, form, {}, momentum_symbols(system), increment_symbols(system), {}, {}};
  if (!options.constant) motion.constants.push_back(Expression::symbol("C(0)"));
  for (std::size_t i = 0; i < motion.moved(); ++i) {
    if (motion.kinetic(i)) {
      motion.weights.push_back(motion.steered.masses[i]);
    } else {
      const SteeredSystem& s = motion.steered;
      motion.weights.push_back(
          free_sign(i) * (options.constant ? Expression(*options.constant)
                                           : relative_constant * s.inertia * sqrt(s.masses[i]) * motion.constants[0]));
    }
  }
  motion.direction = discrete_direction(system, motion.steered, rule);
  return motion;
}

/// Which Lagrangian it is, with which constants.
std::vector<StartRemark> remarks(const FreeMotion& m) {
  Substitution start;
  if (!m.constants.empty()) start.emplace(m.constants[0], constant_of_start(m.system, m.steered));
  std::vector<StartRemark> list;
  for (std::size_t i = 0; i < m.moved(); ++i) {
    if (m.kinetic(i)) continue;
    const std::string name = "C_" + m.system.coordinates()[m.steered.moved[i]].name();
    list.push_back({name, substitute(free_sign(i) * m.weights[i], start),
                    fmt::format("the constant {} of the free Lagrangian ({})", name, static_cast<int>(m.form))});
  }
  return list;
}

/// ṙ₁ must keep its sign.
void guard_steering(Method& method, const FreeMotion& motion, bool constants_are_given) {
  const System& system = motion.system;
  Guard guard;
  guard.here = guard.ahead = motion.r1_dot() * sqrt(motion.steered.inertia) / sqrt(vis_viva(system));
  guard.name = fmt::format("the velocity of {}, by which the free Lagrangian is divided{},", motion.r1().name(),
                           constants_are_given ? " and which small constants C do not disturb" : "");
  method.guards.push_back(std::move(guard));
}

/// And so must the coefficient of its unknown in an equation of r₁, relative to I₁, as a function of (q, v).
void guard_coefficient(Method& method, const FreeMotion& motion, const Expression& coefficient) {
  const System& system = motion.system;
  const Expression h = step_symbol();
  Guard guard;
  guard.here = coefficient;
  // Solutions disappear in pairs, before the coefficient vanishes: it is looked at from a distance.
  Substitution ahead;
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    ahead.emplace(system.coordinates()[i], system.coordinates()[i] + 2.0 * h * system.velocities()[i]);
  }
  guard.ahead = substitute(coefficient, ahead);
  guard.name = fmt::format(
      "the coefficient of the unknown in an equation of {} (1 for constants C that are small for this step)",
      motion.r1().name());
  method.guards.push_back(std::move(guard));
}

/// What both methods have in common. The state is (q, momenta that are kept); `left` and `right` are p₁ at the two ends
/// of an interval, in q, δ and the momenta that are kept.
struct FreeStep {
  std::vector<std::size_t> kept;  ///< which momenta
  Expression left;
  Expression right;
  Expression change;
  Vector shifts;            ///< Δx of the moved coordinates, in q, δ and kept momenta
  Substitution start;       ///< kept momenta but p₁, in (q, v)
  Substitution two_points;  ///< the same, in (q, Δ)
  Expression p1_of_motion;  ///< L̃_ṙ₁ in (q, v)
  Expression node;          ///< p₁ as a function of ṙ₁, q and kept momenta
  bool is_linear_at_nodes = true;
  Vector velocities;  ///< ẋ of the moved coordinates, likewise
};

Method assemble(const FreeMotion& m, const FreeStep& step, const Rule& rule, const FreeOptions& options) {
  const System& system = m.system;
  const Vector& q = system.coordinates();
  const Vector h{step_symbol()};
  Vector kept;
  for (const std::size_t i : step.kept) kept.push_back(m.p[i]);
  const Vector next_q = moved(system);
  const auto kept_values = [&](const Substitution& momenta, const Expression& p1) {
    Vector list;
    for (const Expression& p : kept) list.push_back(p == m.p1() ? p1 : substitute(p, momenta));
    return list;
  };

  const Vector constants = m.constants.empty() ? Vector{} : Vector{constant_of_start(system, m.steered)};
  Substitution at_start;
  for (std::size_t i = 0; i < constants.size(); ++i) at_start.emplace(m.constants[i], constants[i]);
  const auto start_values = [&](const Vector& f) { return substitute(f, at_start); };

  Method method;
  // As the paper starts: r₁ advances by h ṙ₁ in the first step, and the rest follows by the constraint.
  Substitution first_step = step.start;
  first_step.emplace(m.delta(), h[0] * m.r1_dot());
  const Expression p1 = options.from_momentum ? step.p1_of_motion : substitute(step.left, first_step);
  method.state.add(Slot::position, q.size());
  method.state.add(Slot::momentum, kept.size());
  method.state.add(Slot::constants, constants.size());
  method.momentum_of = step.kept;
  method.start = map_from_node(system);
  method.start.give(Slot::state, joined({q, start_values(kept_values(step.start, p1)), constants}));
  method.from_two_positions = map_from_two_positions(system);
  method.from_two_positions->give(
      Slot::state,
      joined({next_q, start_values(kept_values(step.two_points, substitute(step.right, step.two_points))), constants}));

  method.step = map_from_state(system, joined({q, kept, m.constants}));
  method.step.unknowns = m.increments;
  method.step.guess.assign(q.size(), Expression(0.0));
  method.step.residuals = {m.p1() - step.left};
  method.equations = {"the discrete equation of motion of " + m.r1().name()};
  for (std::size_t i = 0; i < m.moved(); ++i) {
    const std::size_t at = m.steered.moved[i];
    method.step.residuals.push_back(m.increments[at] - m.steered.shear[i] * m.delta() - step.shifts[i]);
    method.equations.push_back("the discrete equation of motion of " + q[at].name());
  }
  Vector next_kept;
  for (const Expression& p : kept) next_kept.push_back(p == m.p1() ? p + step.change : p);
  method.step.give(Slot::state, joined({next_q, next_kept, m.constants}));
  method.step.give(Slot::increments, m.increments);

  method.interval = interval_functions(system, rule);
  const std::vector<Vector> rows = discrete_rows(system, m.steered, rule);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Expression& constraint = method.interval->constraints[k] = Expression(0.0);
    for (std::size_t i = 0; i < q.size(); ++i) constraint += rows[k][i] * m.increments[i] / h[0];
  }
  const auto coefficient = [&](const Expression& equation, const Expression& unknown, const Expression& scale) {
    return substitute(substitute(derivative(equation, unknown) * scale / m.steered.inertia, first_step), at_start);
  };
  guard_steering(method, m, options.constant.has_value());
  guard_coefficient(method, m, coefficient(step.left, m.delta(), h[0]));
  if (!step.is_linear_at_nodes) guard_coefficient(method, m, coefficient(step.node, m.r1_dot(), Expression(1.0)));

  // (q, kept momenta, velocity before) ↦ (q, v)
  ImplicitSystem node = map_to_node(system, joined({q, kept, m.constants}));
  node.unknowns = {m.r1_dot()};
  node.guess = {velocities_before(system)[m.steered.steering]};
  node.residuals = {step.node - m.p1()};
  Vector velocities(q.size());
  velocities[m.steered.steering] = m.r1_dot();
  for (std::size_t i = 0; i < m.moved(); ++i) {
    velocities[m.steered.moved[i]] = step.velocities[i] + m.steered.shear[i] * m.r1_dot();
  }
  node.give(Slot::position, q);
  node.give(Slot::velocity, velocities);
  method.node = std::move(node);
  std::unordered_map<Expression, Expression> first;
  for (std::size_t i = 0; i < q.size(); ++i) first.emplace(m.increments[i], h[0] * system.velocities()[i]);
  add_predictor(method, first);
  return method;
}

}  // namespace

Method free_lagrange(const System& system, const SteeredSystem& steered, const Rule& rule, const FreeOptions& options) {
  const FreeMotion m = make_motion(system, steered, rule, options, "free");
  const Expression h = step_symbol();
  const Expression speed = m.steered.speed(system);
  FreeStep step;
  for (std::size_t i = 0; i < system.dimension(); ++i) step.kept.push_back(i);
  step.right = m.right();
  step.change = m.change();
  step.left = step.right - step.change;
  // Where r₂ advances by h ṙ₂ (7), the ratio κ = Δx/(X_d δ) of the discrete constraint is that of r₂.
  Expression ratio = speed / m.r1_dot();
  if (m.form == FreeForm::constant_density && !options.from_momentum) {
    const Expression first = substitute(m.direction[0], {{m.delta(), h * m.r1_dot()}});
    ratio = system.velocities()[m.steered.moved[0]] - m.steered.shear[0] * m.r1_dot();
    ratio /= first * m.r1_dot();
  }
  step.start = m.momenta_for(ratio, speed, m.steered.direction);
  for (std::size_t i = 0; i < m.moved(); ++i) {
    const Expression& p = m.momentum(i);
    step.shifts.push_back(m.kinetic(i) ? h * p / m.weights[i] : p * m.direction[i] * m.delta() / m.weights[i]);
    step.velocities.push_back(m.kinetic(i) ? p / m.weights[i] : p * m.steered.direction[i] * m.r1_dot() / m.weights[i]);
  }
  step.two_points = m.momenta_between();
  const Expression carried = m.carried(m.steered.direction);
  step.p1_of_motion = m.steered.inertia * m.r1_dot() - substitute(carried, step.start);
  step.node = m.steered.inertia * m.r1_dot() - carried;
  Method method = assemble(m, step, rule, options);
  method.remarks = remarks(m);
  // L_d by the momenta: ± ½ C Δx²/(X_d δ) = ½ p Δx, and so is a kinetic energy.
  Expression action = 0.5 * m.steered.inertia * sq(m.delta()) / h;
  for (std::size_t i = 0; i < m.moved(); ++i) {
    action += 0.5 * m.momentum(i) * (m.increments[m.steered.moved[i]] - m.steered.shear[i] * m.delta());
  }
  const std::size_t n = system.dimension();
  method.canonical = CanonicalStep{action, entries_from(0, n), entries_from(n, n), {}, {}};
  const bool keeps_constraints = m.form == FreeForm::both_scaled;
  method.structure = {rule.order(),
                      keeps_constraints ? Structure::Constraint::between_nodes : Structure::Constraint::drifts,
                      rule.is_symmetric(), true, false};
  return method;
}

// The momenta of the s's are those of the discrete constraint, p = ± C κ with κ δ X_d = Δx; r₂ tells κ.
Method free_modified(const System& system, const SteeredSystem& steered, const Rule& rule, const FreeOptions& options) {
  const FreeMotion m = make_motion(system, steered, rule, options, "free-modified");
  const Expression h = step_symbol();
  const Expression speed = m.steered.speed(system);
  const bool scaled = m.form == FreeForm::both_scaled;
  const Expression& p2 = m.momentum(0);
  const std::size_t base = m.steered.moved[0];
  FreeStep step;
  step.kept = {m.steered.steering, base};
  const Expression advance = scaled ? p2 * m.delta() / m.weights[0] : h * p2 / (m.weights[0] * m.direction[0]);  // κ δ
  // κ itself: δ/δ would be lost where a linear equation is evaluated at δ = 0.
  const auto ratio = [&](const Expression& of_speed) { return scaled ? p2 / m.weights[0] : of_speed; };
  Substitution on_constraint = m.momenta_for(ratio(advance / m.delta()), advance / h, m.direction);
  on_constraint.erase(p2);
  step.right = substitute(m.right(), on_constraint);
  step.change = substitute(m.change(), on_constraint);
  step.left = step.right - step.change;
  for (std::size_t i = 0; i < m.moved(); ++i) step.shifts.push_back(advance * m.direction[i]);
  const Substitution all = m.momenta_for(speed / m.r1_dot(), speed, m.steered.direction);
  step.start.emplace(p2, all.at(p2));
  step.two_points.emplace(p2, m.momenta_between().at(p2));
  const Expression carried = m.carried(m.steered.direction);
  step.p1_of_motion = m.steered.inertia * m.r1_dot() - substitute(carried, all);
  const Expression u = scaled ? p2 * m.r1_dot() / m.weights[0] : p2 / (m.weights[0] * m.steered.direction[0]);
  for (const Expression& x : m.steered.direction) step.velocities.push_back(x * u);
  Substitution at_node = m.momenta_for(ratio(u / m.r1_dot()), u, m.steered.direction);
  at_node.erase(p2);
  step.node = m.steered.inertia * m.r1_dot() - substitute(carried, at_node);
  step.is_linear_at_nodes = scaled;
  Method method = assemble(m, step, rule, options);
  method.remarks = remarks(m);
  method.structure = {rule.order(), Structure::Constraint::between_nodes, rule.is_symmetric(), scaled, false};
  return method;
}

}  // namespace rattleback
