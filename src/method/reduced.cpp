#include "reduced.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// w as velocities of the whole system: v_r / speed.
Substitution shape_velocities(const System& system, const ChaplyginSystem& c, const ShapeStep& shape) {
  Substitution w;
  for (std::size_t i = 0; i < c.shape.size(); ++i) {
    w.emplace(shape.system.velocities()[i], tidy(system.velocities()[c.shape[i]] / shape.speed));
  }
  return w;
}

}  // namespace

std::vector<Expression> shape_momenta(const System& shape) {
  Vector p;
  for (const Expression& r : shape.coordinates()) p.push_back(Expression::symbol("P(" + r.name() + ")"));
  return p;
}

ShapeStep shape_step(System shape, const Interval& interval) {
  const Vector p = shape_momenta(shape);
  ShapeStep step{std::move(shape), Expression(1.0), interval.increments, interval.left, interval.right, {}, {}};
  for (std::size_t i = 0; i < p.size(); ++i) step.next.push_back(p[i] + interval.change[i]);
  return step;
}

Method reduced_method(const System& system, const ChaplyginSystem& c, const Rule& rule, const ShapeStep& shape) {
  const std::size_t n = system.dimension();
  const Vector& q = system.coordinates();
  const Vector p = shape_momenta(shape.system);
  const Vector increments = increment_symbols(system);
  const auto& parameters = shape.system.parameters();
  const Vector constants(parameters.end() - static_cast<std::ptrdiff_t>(shape.constants.size()), parameters.end());
  const Vector next_q = moved(system);
  Substitution first_constants;
  for (std::size_t i = 0; i < constants.size(); ++i) first_constants.emplace(constants[i], shape.constants[i]);
  const auto at_start = [&](const Vector& f) { return substitute(f, first_constants); };

  Method method;
  method.state.add(Slot::position, n);
  method.state.add(Slot::momentum, p.size());
  method.state.add(Slot::constants, constants.size());
  method.momentum_of = c.shape;
  method.start = map_from_node(system);
  const Substitution w = shape_velocities(system, c, shape);
  method.start.give(Slot::state, joined({q, at_start(substitute(shape.system.momenta(), w)), shape.constants}));
  method.from_two_positions = map_from_two_positions(system);
  method.from_two_positions->give(Slot::state, joined({next_q, at_start(shape.right), shape.constants}));

  method.step = map_from_state(system, joined({q, p, constants}));
  method.step.unknowns = increments;
  method.step.guess.assign(n, Expression(0.0));
  for (std::size_t i = 0; i < p.size(); ++i) {
    method.step.residuals.push_back(p[i] - shape.left[i]);
    method.equations.push_back("the reduced discrete equation of motion of " + shape.system.coordinates()[i].name());
  }
  const Vector rows = discrete_constraints(system, rule);
  method.step.residuals = joined({method.step.residuals, rows});
  for (std::size_t k = 0; k < rows.size(); ++k) method.equations.push_back("the discrete " + system.row_name(k));
  give_next(method.step, system, joined({next_q, shape.next, constants}));
  method.step.give(Slot::increments, increments);

  // w from P, then v = (speed·w, −Γ speed·w)
  ImplicitSystem node = map_to_node(system, joined({q, p, constants}));
  const Vector before = velocities_before(system);
  node.unknowns = shape.system.velocities();
  Vector velocities(n);
  Substitution lifted;
  for (std::size_t i = 0; i < p.size(); ++i) {
    node.residuals.push_back(shape.system.momenta()[i] - p[i]);
    node.guess.push_back(before[c.shape[i]] / shape.speed);
    const Expression v = shape.speed * shape.system.velocities()[i];
    velocities[c.shape[i]] = v;
    lifted.emplace(system.velocities()[c.shape[i]], v);
  }
  const Vector fibre = substitute(c.fibre_velocities(system), lifted);
  for (std::size_t a = 0; a < fibre.size(); ++a) velocities[c.fibre[a]] = fibre[a];
  node.give(Slot::position, q);
  node.give(Slot::velocity, velocities);
  method.node = std::move(node);

  if (shape.discrete_lagrangian) {
    method.canonical = CanonicalStep{*shape.discrete_lagrangian, c.shape, entries_from(n, p.size()), shape.system, {}};
  }
  method.interval = interval_functions(system, rule);
  method.structure = {rule.order(), Structure::Constraint::between_nodes, rule.is_symmetric(), true, false};
  std::unordered_map<Expression, Expression> first;
  for (std::size_t i = 0; i < n; ++i) first.emplace(increments[i], step_symbol() * system.velocities()[i] / shape.pace);
  add_predictor(method, first);
  return method;
}

namespace {

/// A function of q, where it is and a step ahead along the velocity.
Guard make_guard(const System& system, const ShapeStep& shape, const Expression& function) {
  const Expression h = step_symbol();
  std::vector<Expression> increments;
  for (const Expression& v : system.velocities()) increments.push_back(h * v / shape.pace);
  Substitution ahead;
  for (std::size_t i = 0; i < increments.size(); ++i)
    ahead.emplace(system.coordinates()[i], system.coordinates()[i] + increments[i]);
  Guard guard;
  guard.here = function;
  guard.ahead = substitute(function, ahead);
  guard.speed = shape.pace;
  guard.change = directional_derivative({&function, 1}, system.coordinates(), increments)[0] / function;
  return guard;
}

}  // namespace

void guard_transversality(Method& method, const System& system, const ChaplyginSystem& c, const ShapeStep& shape,
                          bool ends) {
  const auto symbols = free_symbols(c.transversality);
  const auto occurs = [&](const Expression& q) { return std::ranges::find(symbols, q) != symbols.end(); };
  if (std::ranges::none_of(system.coordinates(), occurs)) return;
  Expression lengths(1.0);  // of the rows, so that units do not matter
  std::vector<Expression> squares(system.velocity_rows().size());
  for (const auto& e : system.constraint_matrix().entries) squares[static_cast<std::size_t>(e.row)] += sq(e.value);
  for (const Expression& s : squares) lengths *= sqrt(s);
  Guard guard = make_guard(system, shape, c.transversality / lengths);
  guard.change = Expression(0.0);
  guard.name = fmt::format("{}, by which the constraints are solved for the fibre,", shortened(c.transversality, 60));
  guard.ends = ends;
  method.guards.push_back(std::move(guard));
}

void guard_multiplier(Method& method, const System& system, const Hamiltonization& h, const ShapeStep& shape,
                      bool through) {
  Guard guard = make_guard(system, shape, h.multiplier.exponential);
  guard.error = h.multiplier.error;
  guard.name = fmt::format("the multiplier N = {}", shortened(h.multiplier.exponential, 60));
  guard.ends = !through;
  guard.count = "multiplier_crossings";
  method.guards.push_back(std::move(guard));
  guard_transversality(method, system, h.chaplygin, shape, /*ends=*/!through);
}

}  // namespace rattleback
