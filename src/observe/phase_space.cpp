#include "phase_space.hpp"

#include <fmt/format.h>

#include <cmath>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/geometry/multiplier.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

Vector entries(const SparseMatrix& m) {
  Vector all(static_cast<std::size_t>(m.rows * m.columns));
  for (const auto& e : m.entries) all[static_cast<std::size_t>(e.row * m.columns + e.column)] = e.value;
  return all;
}

}  // namespace

PhaseSpace::PhaseSpace(const Problem& problem) : n_(problem.system.dimension()) {
  const System& system = problem.system;
  ChaplyginSearch search = find_chaplygin(system, problem.parameters, problem.start);
  if (!search.found) {
    throw MethodError(fmt::format("an invariant measure is looked for on the space of a Chaplygin system, and {}",
                                  search.reasons.at(0)));
  }
  const ChaplyginSystem& c = *search.found;
  const GyroscopicStructure g = examine_gyroscopic(system, c, problem.parameters, problem.start);
  if (!g.has_measure() || !g.measure) {
    throw MethodError(fmt::format("the system has no invariant measure that is known: {}",
                                  g.applies ? "the one-form it would follow from is not closed" : g.reason));
  }
  shape_ = c.shape;
  hamiltonizable_ = g.is_hamiltonizable() && g.multiplier.has_value();
  const Expression factor = hamiltonizable_ ? g.multiplier->exponential : Expression(1.0);
  const Expression density = hamiltonizable_ ? 1.0 / factor : g.measure->exponential;
  Vector p;
  for (const Expression& m : c.reduced.momenta()) p.push_back(factor * m);
  for (const Expression& r : c.reduced.coordinates()) names_.push_back(r.name());
  for (const Expression& r : c.reduced.coordinates()) names_.push_back("p_" + r.name());

  // v as a function of q and ṙ
  Vector velocities = system.velocities();
  const Vector fibre = c.fibre_velocities(system);
  for (std::size_t a = 0; a < fibre.size(); ++a) velocities[c.fibre[a]] = fibre[a];
  Vector r_dot;
  for (const std::size_t i : shape_) r_dot.push_back(system.velocities()[i]);

  const Vector& r = c.reduced.coordinates();
  ImplicitSystem place = map_of_node(system);
  place.give(Slot::momentum, p);
  place.give(Slot::others,
             joined({Vector{density}, entries(jacobian(p, joined({system.coordinates(), system.velocities()}))),
                     entries(jacobian(velocities, joined({r, r_dot})))}));
  place_ = CompiledMap::functions(place, problem);

  require_regular(problem, c.fibre);

  ImplicitSystem solve;
  Vector given;
  for (std::size_t i = 0; i < p.size(); ++i) {
    given.push_back(Expression::symbol("P(" + r[i].name() + ")"));
    solve.residuals.push_back(p[i] - given[i]);
    solve.guess.push_back(Expression::symbol(r_dot[i].name() + "(near)"));
  }
  solve.unknowns = r_dot;
  solve.take(Slot::momentum, given);
  solve.take(Slot::others, solve.guess);
  solve.take(Slot::position, system.coordinates());
  solve.take(Slot::parameters, system.parameters());
  solve.give(Slot::velocity, velocities);
  velocity_.emplace(std::move(solve), problem, Backend::interpreted);
}

/// The connection or the density may have poles and zeros.
void PhaseSpace::require_regular(const Problem& problem, const std::vector<std::size_t>& fibre) {
  const Place start = at(problem.start);
  if (!start.lift.allFinite()) {
    std::vector<std::string> names;
    for (const std::size_t i : fibre) names.push_back(problem.system.velocities()[i].name());
    throw MethodError(
        fmt::format("there is no invariant measure at the start: the constraints do not determine ({}) by the other "
                    "velocities there; begin elsewhere (`q0`)",
                    fmt::join(names, ", ")));
  }
  if (!start.derivative.allFinite() || !std::isfinite(start.density) || start.density == 0.0) {
    throw MethodError("the density of the invariant measure is zero or infinite at the start; begin elsewhere (`q0`)");
  }
}

PhaseSpace::Place PhaseSpace::at(const State& node) {
  const std::size_t m = shape_.size();
  place_->run(node);
  const std::span<const double> momenta = (*place_)(Slot::momentum);
  const std::span<const double> values = (*place_)(Slot::others);
  Place place;
  for (const std::size_t i : shape_) place.point.push_back(node.q[i]);
  place.point.insert(place.point.end(), momenta.begin(), momenta.end());
  place.density = values[0];
  const auto rows = static_cast<Eigen::Index>(m);
  const auto n = static_cast<Eigen::Index>(n_);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  place.derivative = Eigen::MatrixXd::Zero(2 * rows, 2 * n);
  place.lift = Eigen::MatrixXd::Zero(2 * n, 2 * rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto k = static_cast<Eigen::Index>(shape_[static_cast<std::size_t>(i)]);
    place.derivative(i, k) = 1.0;
    place.lift(k, i) = 1.0;
  }
  place.derivative.bottomRows(rows) = Eigen::Map<const RowMajor>(values.data() + 1, rows, 2 * n);
  place.lift.bottomRows(n) = Eigen::Map<const RowMajor>(values.data() + 1 + m * 2 * n_, n, 2 * rows);
  return place;
}

std::optional<State> PhaseSpace::node(std::span<const double> point, const State& near) {
  const std::size_t m = shape_.size();
  State node = near;
  for (std::size_t i = 0; i < m; ++i) node.q[shape_[i]] = point[i];
  velocity_->set(Slot::momentum, point.subspan(m));
  for (std::size_t i = 0; i < m; ++i) (*velocity_)[Slot::others][i] = near.v[shape_[i]];
  velocity_->set(Slot::position, node.q);
  if (!velocity_->run()) return std::nullopt;
  node.v.assign(velocity_->outputs().begin(), velocity_->outputs().end());
  return node;
}

}  // namespace rattleback
