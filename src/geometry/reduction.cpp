// Chaplygin reduction: connection, reduced Lagrangian, gyroscopic force, and the check against the full equations.

#include "reduction.hpp"
#include "../mech/decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/raise.hpp"
#include "../expr/determinant.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;
using Indices = std::vector<std::size_t>;

constexpr double smallest_radius = 1e-9;

Vector pick(const Vector& from, const Indices& which) {
  Vector result;
  for (const std::size_t i : which) result.push_back(from[i]);
  return result;
}

/// F_α = p_b [∂_α w^b − Γ^a_α ∂_a w^b − (ṙ^β ∂_β − w^a ∂_a) Γ^b_α] with w^b = Γ^b_β ṙ^β: −p_b B^b_αβ ṙ^β.
Vector gyroscopic_force(const System& system, const ChaplyginSystem& c, const Vector& fibre_momenta) {
  const Vector r = pick(system.coordinates(), c.shape);
  const Vector s = pick(system.coordinates(), c.fibre);
  const Vector r_dot = pick(system.velocities(), c.shape);
  Vector w(c.fibre.size());
  for (std::size_t b = 0; b < w.size(); ++b) {
    for (std::size_t j = 0; j < r.size(); ++j) w[b] += c.connection[b][j] * r_dot[j];
  }
  const Vector place = joined({r, s});
  Vector motion = r_dot;
  for (const Expression& x : w) motion.push_back(-x);
  Vector force(r.size());
  for (std::size_t b = 0; b < w.size(); ++b) {
    const Vector slope = gradient(w[b], place);
    const Vector change = directional_derivative(c.connection[b], place, motion);
    for (std::size_t i = 0; i < r.size(); ++i) {
      Expression curvature = slope[i] - change[i];
      for (std::size_t a = 0; a < s.size(); ++a) curvature -= c.connection[a][i] * slope[r.size() + a];
      force[i] += fibre_momenta[b] * tidy(curvature);
    }
  }
  return force;
}

/// Points of the fibre at which everything invariant may be evaluated: nowhere in particular if the group acts by
/// translations, else 0, right angles, with sines and cosines that are exact, and where the motion starts.
std::vector<Substitution> base_points(const System& system, const ChaplyginSystem& c, const State& near) {
  const bool translations = std::ranges::all_of(c.group.generators, [](const Symmetry& g) {
    return std::ranges::all_of(g.generator, [](const Expression& e) { return e.is_constant(); });
  });
  if (translations) return {{}};
  constexpr double right_angle = 0.5 * 3.14159265358979323846;
  std::vector<Substitution> points;
  for (std::size_t turned = 0; turned <= c.fibre.size(); ++turned) {
    Substitution& base = points.emplace_back();
    for (std::size_t a = 0; a < c.fibre.size(); ++a) {
      const Expression& s = system.coordinates()[c.fibre[a]];
      const bool turns = a + 1 == turned;
      base.emplace(s, Expression(turns ? right_angle : 0.0));
      if (turns) base.emplace(sin(s), Expression(1.0)), base.emplace(cos(s), Expression(0.0));
    }
  }
  Substitution& start = points.emplace_back();
  for (const std::size_t i : c.fibre) start.emplace(system.coordinates()[i], Expression(near.q[i]));
  return points;
}

/// Whether the group acts freely at a point of the fibre, the constraints can be solved there, and everything is
/// defined.
bool is_regular(const System& system, const ChaplyginSystem& c, const Substitution& base, const Vector& invariants,
                std::span<const double> parameters, const State& near) {
  Vector generators;
  for (const Symmetry& g : c.group.generators) generators = joined({generators, pick(g.generator, c.fibre)});
  const Vector checked = joined({substitute(generators, base), substitute(Vector{c.transversality}, base), invariants});
  RandomPoints random;
  const State state = random.near(system, near, 0.1);
  const auto values = evaluate_at(state_and_parameters(system), checked, joined_data(system, state, parameters));
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) return false;
  if (c.fibre.empty()) return true;
  const auto k = static_cast<Eigen::Index>(c.fibre.size());
  const Eigen::Map<const Eigen::MatrixXd> xi(values.data(), k, k);
  return Eigen::FullPivLU<Eigen::MatrixXd>(xi).rank() == k && values[static_cast<std::size_t>(k * k)] != 0.0;
}

}  // namespace

ChaplyginSystem reduce(const System& system, SymmetryGroup group, Indices fibre, std::span<const double> parameters,
                       const State& near) {
  ChaplyginSystem c{{}, std::move(fibre), std::move(group), {}, Expression(1.0), system};
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    if (std::find(c.fibre.begin(), c.fibre.end(), i) == c.fibre.end()) c.shape.push_back(i);
  }
  if (!c.fibre.empty()) {
    const ExpressionMatrix a = dense(system.constraint_matrix());
    const ExpressionMatrix on_fibre = columns(a, c.fibre);
    c.transversality = determinant(on_fibre);
    c.connection = solved(on_fibre, columns(a, c.shape));
  }
  Substitution horizontal;
  const Vector s_dot = c.fibre_velocities(system);
  for (std::size_t a = 0; a < s_dot.size(); ++a) horizontal.emplace(system.velocities()[c.fibre[a]], s_dot[a]);
  Vector fibre_momenta;
  for (const std::size_t i : c.fibre) fibre_momenta.push_back(tidy(substitute(system.momenta()[i], horizontal)));
  Vector invariants = gyroscopic_force(system, c, fibre_momenta);  // on the constraints, functions of r and ṙ
  if (!system.applied_forces().empty()) {
    for (std::size_t i = 0; i < c.shape.size(); ++i) {
      invariants[i] += system.applied_forces()[c.shape[i]];
      for (std::size_t b = 0; b < c.fibre.size(); ++b) {
        invariants[i] -= c.connection[b][i] * system.applied_forces()[c.fibre[b]];
      }
    }
  }
  invariants.push_back(system.lagrangian());
  for (Expression& e : invariants) e = tidy(substitute(e, horizontal));
  Vector force;
  for (const Substitution& base : base_points(system, c, near)) {
    try {
      force = substitute(invariants, base);
      if (is_regular(system, c, base, force, parameters, near)) break;
    } catch (const ExpressionError&) {  // not defined there
    }
  }
  for (Expression& e : force) e = tidy(e);
  const Expression lagrangian = force.back();
  force.pop_back();
  SystemDefinition definition;
  definition.coordinates = pick(system.coordinates(), c.shape);
  definition.lagrangian = lagrangian;
  definition.parameters = system.parameter_list();
  const bool vanishes = std::all_of(force.begin(), force.end(), [](const Expression& f) { return f.is_constant(0.0); });
  if (!vanishes) definition.applied_forces = std::move(force);
  c.reduced = System(std::move(definition));
  return c;
}

std::vector<Expression> ChaplyginSystem::fibre_velocities(const System& system) const {
  Vector result;
  for (std::size_t a = 0; a < fibre.size(); ++a) {
    Expression total;
    for (std::size_t i = 0; i < shape.size(); ++i) total -= connection[a][i] * system.velocities()[shape[i]];
    result.push_back(total);
  }
  return result;
}

double reduction_defect(const System& system, const ChaplyginSystem& c, std::span<const double> parameters,
                        const State& near) {
  const System& reduced = c.reduced;
  Step full(accelerations(system), 1, Backend::interpreted);
  Step small(accelerations(reduced), 1, Backend::interpreted);
  Interpreter<double> lift(make_program(state_and_parameters(system), c.fibre_velocities(system)));
  std::vector<double> full_outputs(full.system().outputs.size());
  std::vector<double> small_outputs(small.system().outputs.size());
  RandomPoints random;
  double worst = 0.0;
  bool compared = false;
  // The domain of a model may be small.
  for (double radius = 0.7; !compared && radius > smallest_radius; radius /= 100.0) {
    for (int sample = 0; sample < generic_samples; ++sample) {
      State state{random.near(near.q, radius), random.near(std::vector<double>(near.q.size(), 0.0), 1.0), near.t};
      std::vector<double> data = joined_data(system, state, parameters);
      const std::vector<double> s_dot = lift(data);
      for (std::size_t a = 0; a < s_dot.size(); ++a) data[system.dimension() + c.fibre[a]] = s_dot[a];
      std::vector<double> small_data;
      for (const std::size_t i : c.shape) small_data.push_back(state.q[i]);
      for (const std::size_t i : c.shape) small_data.push_back(state.v[i]);
      if (reduced.depends_on_time()) small_data.push_back(state.t);
      small_data.insert(small_data.end(), parameters.begin(), parameters.end());
      if (full.run(data, full_outputs) != 1 || small.run(small_data, small_outputs) != 1) continue;
      double size = 0.0;
      double difference = 0.0;
      for (std::size_t i = 0; i < c.shape.size(); ++i) {
        size = std::max(size, std::abs(full_outputs[c.shape[i]]));
        raise(difference, std::abs(full_outputs[c.shape[i]] - small_outputs[i]));
      }
      const double defect = difference / std::max(1.0, size);
      raise(worst, defect);
      compared = true;
    }
  }
  return compared ? worst : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace rattleback
