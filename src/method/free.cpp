// Variational integrators for free Lagrangians, Mestdag, Bloch & Fernandez, section III: the discrete Euler–Lagrange
// equations of L̃, (6) or (7), and the modified integrator, which takes the equations of the r's and the discrete
// constraints for the s's.
//
// With X the directions in which the other coordinates move (see SteeredSystem; x = q − Y r₁, δ = Δr₁) both Lagrangians
// are sums over the coordinates of terms ± C ẋ²/(2 X ṙ₁), and their discretisation is
//
//     L_d = ½ I₁ δ²/h + Σ ± ½ C Δx²/(X_d δ) (+ ½ I₂ Δr₂²/h in (7)),
//
// X_d(r₁, δ) being the direction that the constraints under the rule leave. For rules of one node this is the paper's
// (10). For others L̃ under the rule is the same with the harmonic mean, 1/X_d = Σ ωᵢ/X(r₁ + αᵢδ), which has a pole
// wherever the values of X cancel: that is FreeMean::lagrangian. The direction has none, and motions of (6) satisfy the
// discrete constraints for every rule.
//
// L_d is singular where X_d = 0, but p = ∂L_d/∂Δx = ± C Δx/(X_d δ) is conserved. In terms of p the equations are
// regular
//
//     C Δx = ± p X_d δ,   p₁ = −D₁R_d,   p₁' = D₂R_d,   R_d = ½ I₁ δ²/h − ½ δ Σ ± (p²/C) X_d − δ Σ Y p,
//
// R_d being the discrete Routhian: one equation for δ, and the rest follows. For the continuous Routhian X δ is a total
// derivative, so that δ is constant; for the discrete one that is true up to terms proportional to C.

#include <fmt/format.h>

#include "free_motion.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "variational.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// ṙ₁ must keep its sign.
void guard_steering(Method& method, const FreeMotion& motion, bool constants_are_given) {
  Guard guard;
  guard.here = guard.ahead = motion.r1_dot() * sqrt(motion.steered.inertia) / sqrt(motion.vis_viva());
  guard.name = fmt::format("the velocity of {}, by which the free Lagrangian is divided{},", motion.r1().name(),
                           constants_are_given ? " and which small constants C do not disturb" : "");
  method.guards.push_back(std::move(guard));
}

/// A start on the discrete constraints divides by X_d where it is a mean of L̃. Later its changes of sign are counted:
/// at each of them Δx has a pole.
void watch_levers(Method& method, const FreeMotion& motion, const Substitution& first_step) {
  Substitution a_step_ahead;
  for (std::size_t i = 0; i < motion.system.dimension(); ++i) {
    const Expression& q = motion.system.coordinates()[i];
    a_step_ahead.emplace(q, q + step_symbol() * motion.system.velocities()[i]);
  }
  for (std::size_t i = 0; i < motion.moved(); ++i) {
    if (motion.direction[i] == motion.admissible[i]) continue;
    Guard guard;
    guard.here = substitute(motion.direction[i] / motion.admissible[i], first_step);
    guard.ahead = substitute(guard.here, a_step_ahead);
    guard.name = fmt::format("the mean direction of {} in an interval (start=momentum does not divide by it)",
                             motion.system.coordinates()[motion.steered.moved[i]].name());
    guard.ends = false;
    method.guards.push_back(std::move(guard));
  }
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

  const Vector constants = m.constants.empty() ? Vector{} : Vector{m.constant_of_start()};
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
  method.equations = {fmt::format("the discrete equation of motion of {}{}", m.r1().name(),
                                  options.constant ? " (solvable for small constants C)" : "")};
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
  guard_steering(method, m, options.constant.has_value());
  if (!options.from_momentum) watch_levers(method, m, first_step);

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
  method.node = node;
  if (!step.is_linear_at_nodes) {  // p₁ is a function of ṙ₁ that may have a least or largest value
    node.residuals = {m.r1_dot() - node.guess[0]};
    method.node_by_interval = {std::move(node), m.steered.steering};
  }
  std::unordered_map<Expression, Expression> first;
  for (std::size_t i = 0; i < q.size(); ++i) first.emplace(m.increments[i], h[0] * system.velocities()[i]);
  add_predictor(method, first);
  return method;
}

}  // namespace

Method free_lagrange(const System& system, const SteeredSystem& steered, const Rule& rule, const FreeOptions& options) {
  const FreeMotion m = FreeMotion::make(system, steered, rule, options, "free");
  const Expression h = step_symbol();
  const Vector speed = m.steered.speeds(system);
  FreeStep step;
  for (std::size_t i = 0; i < system.dimension(); ++i) step.kept.push_back(i);
  step.right = m.right();
  step.change = m.change();
  step.left = step.right - step.change;
  // Where r₂ advances by h ṙ₂ (7), the ratio κ = Δx/(X_d δ) of the discrete constraint is that of r₂.
  Vector ratio = scaled(speed, 1.0 / m.r1_dot());
  for (std::size_t i = 0; i < m.moved(); ++i) {
    if (m.form != FreeForm::constant_density || options.from_momentum || !m.steered.is_base(i)) continue;
    const Expression first = substitute(m.admissible[i], {{m.delta(), h * m.r1_dot()}});
    Expression& kappa = ratio[m.steered.branch[i]];
    kappa = system.velocities()[m.steered.moved[i]] - m.steered.shear[i] * m.r1_dot();
    kappa /= first * m.r1_dot();
  }
  step.start = m.momenta_at_start(ratio, speed, options);
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
  method.remarks = m.remarks();
  // L_d by the momenta: ± ½ C Δx²/(X_d δ) = ½ p Δx, and so is a kinetic energy.
  Expression action = 0.5 * m.steered.inertia * sq(m.delta()) / h;
  for (std::size_t i = 0; i < m.moved(); ++i) {
    action += 0.5 * m.momentum(i) * (m.increments[m.steered.moved[i]] - m.steered.shear[i] * m.delta());
  }
  const std::size_t n = system.dimension();
  method.canonical = CanonicalStep{action, entries_from(0, n), entries_from(n, n), {}, {}};
  const bool keeps_constraints = m.form == FreeForm::both_scaled && m.keeps_direction();
  method.structure = {rule.order(),
                      keeps_constraints ? Structure::Constraint::between_nodes : Structure::Constraint::drifts,
                      rule.is_symmetric(), true, false};
  return method;
}

// The momenta of the s's are those of the discrete constraint, p = ± C κ with κ δ X_d = Δx; r₂ tells κ, and r₃ that of
// its direction.
Method free_modified(const System& system, const SteeredSystem& steered, const Rule& rule, const FreeOptions& options) {
  const FreeMotion m = FreeMotion::make(system, steered, rule, options, "free-modified");
  const Expression h = step_symbol();
  const Vector speed = m.steered.speeds(system);
  const bool scaled_r2 = m.form == FreeForm::both_scaled;
  FreeStep step;
  step.kept = {m.steered.steering};
  Vector ratio;    // κ
  Vector advance;  // κ δ: δ/δ would be lost where a linear equation is evaluated at δ = 0
  Vector u;        // by the momenta at a node
  Vector ratio_at_node;
  for (std::size_t i = 0; i < m.moved(); ++i) {
    if (!m.steered.is_base(i)) continue;
    step.kept.push_back(m.steered.moved[i]);
    const Expression& p2 = m.momentum(i);
    const Expression uniform = h * p2 / (m.weights[i] * m.admissible[i]);
    ratio.push_back(scaled_r2 ? p2 / (m.weights[i] * m.lever(i)) : uniform / m.delta());
    advance.push_back(scaled_r2 ? ratio.back() * m.delta() : uniform);
    u.push_back(scaled_r2 ? p2 * m.r1_dot() / m.weights[i] : p2 / (m.weights[i] * m.steered.direction[i]));
    ratio_at_node.push_back(scaled_r2 ? p2 / m.weights[i] : u.back() / m.r1_dot());
  }
  const auto without_bases = [&](Substitution momenta) {
    for (std::size_t i = 0; i < m.moved(); ++i) {
      if (m.steered.is_base(i)) momenta.erase(m.momentum(i));
    }
    return momenta;
  };
  const Substitution on_constraint = without_bases(m.momenta_of_interval(ratio, scaled(advance, 1.0 / h)));
  step.right = substitute(m.right(), on_constraint);
  step.change = substitute(m.change(), on_constraint);
  step.left = step.right - step.change;
  const Vector kappa = scaled(speed, 1.0 / m.r1_dot());
  const Substitution start = m.momenta_at_start(kappa, speed, options);
  const Substitution between = m.momenta_between();
  for (std::size_t i = 0; i < m.moved(); ++i) {
    step.shifts.push_back(advance[m.steered.branch[i]] * m.admissible[i]);
    step.velocities.push_back(m.steered.direction[i] * u[m.steered.branch[i]]);
    if (!m.steered.is_base(i)) continue;
    step.start.emplace(m.momentum(i), start.at(m.momentum(i)));
    step.two_points.emplace(m.momentum(i), between.at(m.momentum(i)));
  }
  const Expression carried = m.carried(m.steered.direction);
  step.p1_of_motion = m.steered.inertia * m.r1_dot() - substitute(carried, m.momenta_at_node(kappa, speed));
  step.node = m.steered.inertia * m.r1_dot() - substitute(carried, without_bases(m.momenta_at_node(ratio_at_node, u)));
  step.is_linear_at_nodes = scaled_r2;
  Method method = assemble(m, step, rule, options);
  method.remarks = m.remarks();
  method.structure = {rule.order(), Structure::Constraint::between_nodes, rule.is_symmetric(),
                      scaled_r2 && m.keeps_direction(), false};
  return method;
}

}  // namespace rattleback
