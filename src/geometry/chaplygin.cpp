// Chaplygin reduction: which coordinates are the fibre, the reduced Lagrangian, the gyroscopic force.

#include "rattleback/geometry/chaplygin.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

#include "../mech/sampling.hpp"
#include "determinant.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;
using Indices = std::vector<std::size_t>;

constexpr double rounding = 1e-9;
constexpr double largest_defect = 1e-6;
constexpr int samples = 8;
constexpr int most_groups = 3000;  ///< that are looked at
constexpr std::size_t most_reasons = 10;

Vector pick(const Vector& from, const Indices& which) {
  Vector result;
  for (const std::size_t i : which) result.push_back(from[i]);
  return result;
}

Indices moved_coordinates(const std::vector<Symmetry>& generators, std::size_t n) {
  Indices moved;
  for (std::size_t i = 0; i < n; ++i) {
    const bool moves = std::any_of(generators.begin(), generators.end(),
                                   [&](const Symmetry& s) { return !s.generator[i].is_constant(0.0); });
    if (moves) moved.push_back(i);
  }
  return moved;
}

std::string names_of(const std::vector<Symmetry>& generators) {
  std::vector<std::string> names;
  for (const Symmetry& s : generators) names.push_back(s.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string names_of(const System& system, const Indices& which) {
  std::vector<std::string> names;
  for (const std::size_t i : which) names.push_back(system.coordinates()[i].name());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// How well the constraints can be solved for the velocities of a fibre: the smallest singular value of A_s, the rows
/// of A having length 1.
class Transversality {
 public:
  Transversality(const System& system, std::span<const double> parameters, std::span<const double> near)
      : matrix_(system.constraint_matrix(), joined({system.coordinates(), system.parameters()})) {
    RandomPoints random;
    add({near.begin(), near.end()}, parameters);
    for (int k = 0; k < samples; ++k) add(random.near(near, 1.0), parameters);
  }

  struct Quality {
    double here = 0.0;
    double around = 0.0;  ///< mean
  };
  Quality of(const Indices& fibre) const {
    Quality quality;
    for (std::size_t s = 0; s < values_.size(); ++s) {
      Eigen::MatrixXd part(values_[s].rows(), static_cast<Eigen::Index>(fibre.size()));
      for (std::size_t j = 0; j < fibre.size(); ++j)
        part.col(static_cast<Eigen::Index>(j)) = values_[s].col(static_cast<Eigen::Index>(fibre[j]));
      const double smallest = Eigen::JacobiSVD<Eigen::MatrixXd>(part).singularValues().minCoeff();
      if (s == 0 && near_is_regular_) quality.here = smallest;
      quality.around += smallest / static_cast<double>(values_.size());
    }
    return quality;
  }

 private:
  void add(std::vector<double> q, std::span<const double> parameters) {
    q.insert(q.end(), parameters.begin(), parameters.end());
    Eigen::MatrixXd a = matrix_(q);
    if (!a.allFinite() || a.rowwise().norm().minCoeff() == 0.0) return;
    if (values_.empty() && !tried_) near_is_regular_ = true;
    tried_ = true;
    a.rowwise().normalize();
    values_.push_back(a);
  }

  MatrixFunction matrix_;
  std::vector<Eigen::MatrixXd> values_;
  bool near_is_regular_ = false;
  bool tried_ = false;
};

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
  State state{random.near(near.q, 0.1), random.near(near.v, 0.1)};
  const auto values = evaluate_at(state_and_parameters(system), checked, joined_data(state, parameters));
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) return false;
  const auto k = static_cast<Eigen::Index>(c.fibre.size());
  const Eigen::Map<const Eigen::MatrixXd> xi(values.data(), k, k);
  return Eigen::FullPivLU<Eigen::MatrixXd>(xi).rank() == k && values[static_cast<std::size_t>(k * k)] != 0.0;
}

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

/// Calls use(subset) for subsets of size k of 0 … n−1, in lexicographic order, until it returns false.
template <class Use>
void for_each_subset(std::size_t n, std::size_t k, Use&& use) {
  Indices subset(k);
  std::iota(subset.begin(), subset.end(), std::size_t{0});
  for (;;) {
    if (!use(subset)) return;
    std::size_t i = k;
    while (i > 0 && subset[i - 1] == n - k + i - 1) --i;
    if (i == 0) return;
    ++subset[i - 1];
    for (std::size_t j = i; j < k; ++j) subset[j] = subset[j - 1] + 1;
  }
}

bool is_constant_in(const System& system, const Expression& e) {
  const auto symbols = free_symbols(e);
  return std::ranges::none_of(system.coordinates(),
                              [&](const Expression& q) { return std::ranges::find(symbols, q) != symbols.end(); });
}

/// At generic points; where nothing is defined that is for others to say.
bool lacks_inertia(const System& system, std::span<const double> parameters, const State& near) {
  RandomPoints random;
  int lacking = 0;
  int judged = 0;
  for (int k = 0; k < samples; ++k) {
    try {
      const State state{random.near(near.q, 0.3), std::vector<double>(near.q.size(), 0.0)};
      lacking += examine(system, parameters, state).massless_direction.empty() ? 0 : 1;
      ++judged;
    } catch (const StartError&) {  // outside the domain
    }
  }
  return judged > 0 && lacking == judged;
}

/// Conditions on the system without which nothing is looked for.
std::vector<std::string> obstacles(const System& system, std::span<const double> parameters, const State& near,
                                   bool regular) {
  std::vector<std::string> reasons;
  if (system.is_affine()) {
    reasons.emplace_back("the constraints are affine: a Chaplygin system has linear ones, A(q) v = 0");
  }
  if (!system.holonomic().empty()) {
    reasons.emplace_back("there are holonomic constraints: use coordinates in which they hold by themselves");
  }
  if (!regular) {
    reasons.emplace_back(
        "the Lagrangian is not regular: the system can move in a direction in which it has no inertia");
  }
  if (!reasons.empty() || system.velocity_rows().empty()) return reasons;
  if (system.velocity_rows().size() >= system.dimension()) {
    reasons.emplace_back("there are as many constraints as coordinates: nothing is left to move");
    return reasons;
  }
  const ConstraintReport report = examine_constraints(system, parameters, near.q);
  if (!report.judged) reasons.emplace_back("the constraints are not defined near the initial position");
  if (!report.redundant.empty()) {
    reasons.push_back(fmt::format("{} follows from those before it; remove it", system.row_name(report.redundant[0])));
  }
  return reasons;
}

}  // namespace

std::vector<Expression> ChaplyginSystem::fibre_velocities(const System& system) const {
  Vector result;
  for (std::size_t a = 0; a < fibre.size(); ++a) {
    Expression total;
    for (std::size_t i = 0; i < shape.size(); ++i) total -= connection[a][i] * system.velocities()[shape[i]];
    result.push_back(total);
  }
  return result;
}

ChaplyginSearch find_chaplygin(const System& system, std::span<const double> parameters, const State& near) {
  ChaplyginSearch search;
  search.regular = !lacks_inertia(system, parameters, near);
  search.reasons = obstacles(system, parameters, near, search.regular);
  std::vector<Symmetry> known = known_symmetries(system, parameters, near);
  if (!system.symmetries().empty()) {
    std::string reason;
    if (!make_group(system, system.symmetries(), parameters, near.q, &reason)) throw GeometryError(reason);
  }
  if (!search.reasons.empty()) return search;
  const std::size_t k = system.velocity_rows().size();
  if (k == 0) {
    search.found = reduce(system, {}, {}, parameters, near);
    return search;
  }
  if (known.size() < k) {
    search.reasons.push_back(
        known.empty()
            ? "no symmetry is known: every coordinate occurs in the Lagrangian or in the constraints, and [symmetry] "
              "declares none"
            : fmt::format("{} constraint{} need{} a group of as many dimensions, and {} {} known: {}", k,
                          k == 1 ? "" : "s", k == 1 ? "s" : "", known.size(),
                          known.size() == 1 ? "symmetry is" : "symmetries are", names_of(known)));
    return search;
  }

  // Symmetries that move nothing the constraints speak of can be in no fibre.
  const auto& entries = system.constraint_matrix().entries;
  const auto is_free = [&](const Symmetry& s) {
    return std::ranges::none_of(
        entries, [&](const auto& e) { return !s.generator[static_cast<std::size_t>(e.column)].is_constant(0.0); });
  };
  const std::size_t all_declared = system.symmetries().size();
  const auto declared =
      all_declared - static_cast<std::size_t>(std::count_if(
                         known.begin(), known.begin() + static_cast<std::ptrdiff_t>(all_declared), is_free));
  std::erase_if(known, is_free);
  if (known.size() < k) {
    search.reasons.push_back(fmt::format("only {} of the symmetries move what the constraints speak of", known.size()));
    return search;
  }

  struct Candidate {
    SymmetryGroup group;
    Indices fibre;
    std::size_t declared = 0;
    bool everywhere = false;  ///< the constraints can be solved for the fibre wherever it is
    Transversality::Quality quality;
  };
  const ExpressionMatrix a = dense(system.constraint_matrix());
  std::optional<Candidate> best;
  const Transversality transversality(system, parameters, near.q);
  int looked_at = 0;
  for_each_subset(known.size(), k, [&](const Indices& subset) {
    std::vector<Symmetry> generators;
    for (const std::size_t i : subset) generators.push_back(known[i]);
    Candidate candidate;
    candidate.fibre = moved_coordinates(generators, system.dimension());
    candidate.declared =
        static_cast<std::size_t>(std::count_if(subset.begin(), subset.end(), [&](auto i) { return i < declared; }));
    if (candidate.fibre.size() != k) {
      search.reasons.push_back(fmt::format(
          "({}) moves {} coordinates, {}, and not as many as its dimension {}: "
          "coordinates are needed of which {} are invariant",
          names_of(generators), candidate.fibre.size(), names_of(system, candidate.fibre), k, system.dimension() - k));
      return ++looked_at < most_groups;
    }
    std::string reason;
    auto group = make_group(system, generators, parameters, near.q, &reason);
    candidate.quality = transversality.of(candidate.fibre);
    if (!group) {
      search.reasons.push_back(fmt::format("({}): {}", names_of(generators), reason));
    } else if (candidate.quality.around <= rounding) {
      search.reasons.push_back(
          fmt::format("({}) has directions inside the constraints: they cannot be solved for the velocities of {}",
                      names_of(generators), names_of(system, candidate.fibre)));
    } else {
      candidate.group = std::move(*group);
      candidate.everywhere = k <= 8 && is_constant_in(system, determinant(columns(a, candidate.fibre)));
      const auto rank = [](const Candidate& c) {
        const bool here = c.quality.here > 1e-3;
        return std::tuple(c.declared, c.everywhere, here, here ? c.quality.here : c.quality.around);
      };
      const auto head = [&](const Candidate& c) {
        return std::tuple(std::get<0>(rank(c)), std::get<1>(rank(c)), std::get<2>(rank(c)));
      };
      // A little better is not better: the first of equals is kept.
      const bool better =
          !best || head(candidate) > head(*best) ||
          (head(candidate) == head(*best) && std::get<3>(rank(candidate)) > 1.01 * std::get<3>(rank(*best)));
      if (better) best = std::move(candidate);
    }
    return ++looked_at < most_groups;
  });
  if (!best) {
    const std::size_t all = search.reasons.size();
    if (all > most_reasons) {
      search.reasons.resize(most_reasons);
      search.reasons.push_back(fmt::format("and {} further groups{}; [symmetry] can name the right one",
                                           all - most_reasons,
                                           looked_at == most_groups ? ", where the search stopped" : ""));
    }
    return search;
  }
  if (!system.applied_forces().empty() && !best->group.is_abelian()) {
    search.reasons.emplace_back("applied forces are reduced for abelian groups only");
    return search;
  }
  search.reasons.clear();
  try {
    search.found = reduce(system, std::move(best->group), std::move(best->fibre), parameters, near);
  } catch (const ExpressionError& error) {
    search.reasons.push_back(fmt::format("the reduced system cannot be written down: {}", error.what()));
    return search;
  }
  if (const double defect = reduction_defect(system, *search.found, parameters, near); defect > largest_defect) {
    search.found.reset();
    search.reasons.push_back(
        fmt::format("the reduced equations differ from the full ones by {:.1e}: something is singular here", defect));
  }
  return search;
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
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (int sample = 0; sample < samples; ++sample) {
    State state{random.near(near.q, 0.7), random.near(std::vector<double>(near.q.size(), 0.0), 1.0)};
    std::vector<double> data = joined_data(state, parameters);
    const std::vector<double> s_dot = lift(data);
    for (std::size_t a = 0; a < s_dot.size(); ++a) data[system.dimension() + c.fibre[a]] = s_dot[a];
    std::vector<double> small_data;
    for (const std::size_t i : c.shape) small_data.push_back(state.q[i]);
    for (const std::size_t i : c.shape) small_data.push_back(state.v[i]);
    small_data.insert(small_data.end(), parameters.begin(), parameters.end());
    if (full.run(data, full_outputs) != 1 || small.run(small_data, small_outputs) != 1) continue;
    double size = 0.0;
    double difference = 0.0;
    for (std::size_t i = 0; i < c.shape.size(); ++i) {
      size = std::max(size, std::abs(full_outputs[c.shape[i]]));
      difference = std::max(difference, std::abs(full_outputs[c.shape[i]] - small_outputs[i]));
    }
    const double defect = difference / std::max(1.0, size);
    if (!(defect <= worst)) worst = defect;
  }
  return worst;
}

}  // namespace rattleback
