// Invariant measures of equations that are reduced by motions of space.

#include <algorithm>
#include <cmath>

#include "../expr/determinant.hpp"
#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

constexpr int points_of_group_measure = 8;
constexpr double vertical_tolerance = 1e-9;
constexpr double closed_tolerance = 1e-6;  ///< derivatives are differences

Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Velocities u that determine the others by the constraints, and those: coordinates that turn with the group are among
/// the others, so that u is seen from the body.
struct Choice {
  std::vector<std::size_t> independent;
  std::vector<std::size_t> dependent;
};

bool turns_with(const SpaceMotions& motions, std::size_t i) {
  if (std::ranges::any_of(motions.points, [&](const auto& p) { return std::ranges::find(p, i) != p.end(); }))
    return true;
  return motions.turns == SpaceMotions::Turns::about_axis && i < motions.about_axis.size() &&
         std::ranges::any_of(motions.about_axis[i], [](double b) { return b != 0.0; });
}

Choice choose(const System& system, const SpaceMotions& motions, Eigen::MatrixXd a) {
  constexpr double preferred = 1e3;
  for (std::size_t i = 0; i < system.space().numbers; ++i) {
    if (turns_with(motions, i)) a.col(at(i)) *= preferred;
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  Choice choice;
  for (Eigen::Index k = 0; k < a.rows(); ++k)
    choice.dependent.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()[k]));
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    if (std::ranges::find(choice.dependent, i) == choice.dependent.end()) choice.independent.push_back(i);
  }
  return choice;
}

/// (q, u) ↦ v, u̇ and their slopes.
Step motion_on_constraints(const System& system, const Choice& choice) {
  const ExpressionMatrix a = dense(system.constraint_matrix());
  const ExpressionMatrix gamma = solved(columns(a, choice.dependent), columns(a, choice.independent));
  Substitution horizontal;
  for (std::size_t k = 0; k < choice.dependent.size(); ++k) {
    Expression total;
    for (std::size_t j = 0; j < choice.independent.size(); ++j)
      total -= gamma[k][j] * system.velocities()[choice.independent[j]];
    horizontal.emplace(system.velocities()[choice.dependent[k]], total);
  }
  ImplicitSystem map = accelerations(system);
  map.residuals = substitute(map.residuals, horizontal);
  map.guess = substitute(map.guess, horizontal);
  Vector outputs = substitute(system.velocities(), horizontal);
  for (const std::size_t i : choice.independent) outputs.push_back(map.unknowns[i]);
  map.outputs = outputs;
  map.data = system.coordinates();
  for (const std::size_t i : choice.independent) map.data.push_back(system.velocities()[i]);
  const std::size_t inputs = map.data.size();
  map.data = joined({map.data, system.parameters()});
  map.typical.clear();
  return Step(with_tangent_matrix(map, outputs.size(), inputs), 1, Backend::interpreted);
}

/// θ and the matrix of u ↦ q̇.
struct Divergence {
  Eigen::VectorXd theta;
  Eigen::MatrixXd velocity;
  double terms = 0.0;  ///< the largest one that θ is a sum of: what is small beside it is rounding
};

class MotionOnConstraints {
 public:
  MotionOnConstraints(const System& system, Choice choice, std::span<const double> parameters)
      : space_(system.space()), choice_(std::move(choice)), parameters_(parameters.begin(), parameters.end()),
        step_(motion_on_constraints(system, choice_)), outputs_(step_.system().outputs.size()) {}

  /// Nothing where it is not defined, or not linear in u.
  std::optional<Divergence> operator()(std::span<const double> q) {
    const std::size_t m = choice_.independent.size();
    Divergence d{Eigen::VectorXd(at(m)), Eigen::MatrixXd(at(space_.velocities()), at(m))};
    largest_term_ = 0.0;
    const auto rest = divergence(q, 0, 0.0);
    if (!rest || *rest != 0.0) return std::nullopt;
    for (std::size_t j = 0; j < m; ++j) {
      const auto twice = divergence(q, j, 2.0);
      const auto once = divergence(q, j, 1.0);
      if (!once || !twice || std::abs(*twice - 2.0 * *once) > 1e-8 * (1.0 + std::abs(*twice))) return std::nullopt;
      d.theta[at(j)] = -*once;
      for (std::size_t i = 0; i < space_.velocities(); ++i) d.velocity(at(i), at(j)) = outputs_[i];
    }
    d.terms = largest_term_;
    return d;
  }

 private:
  std::optional<double> divergence(std::span<const double> q, std::size_t which, double length) {
    const std::size_t n = space_.velocities();
    const std::size_t m = choice_.independent.size();
    std::vector<double> data(q.begin(), q.end());
    data.resize(q.size() + m, 0.0);
    data[q.size() + which] = length;
    data.insert(data.end(), parameters_.begin(), parameters_.end());
    if (step_.run(data, outputs_) != 1) return std::nullopt;
    const std::size_t inputs = q.size() + m;
    const auto slope = [&](std::size_t output, std::size_t input) { return outputs_[n + m + output * inputs + input]; };
    double trace = 0.0;
    double terms = 0.0;
    const auto add = [&](double term) {
      trace += term;
      terms = std::max(terms, std::abs(term));
    };
    std::vector<double> direction(n, 0.0);
    std::vector<double> rates(q.size());
    for (std::size_t i = 0; i < n; ++i) {
      direction[i] = 1.0;
      space_.rates(q, direction, rates);
      direction[i] = 0.0;
      for (std::size_t c = 0; c < q.size(); ++c) add(slope(i, c) * rates[c]);
    }
    for (std::size_t j = 0; j < m; ++j) add(slope(n + j, q.size() + j));
    if (!std::isfinite(terms)) return std::nullopt;
    largest_term_ = std::max(largest_term_, terms);
    return std::abs(trace) <= 1e-12 * terms ? 0.0 : trace;
  }

  Space space_;
  Choice choice_;
  std::vector<double> parameters_;
  Step step_;
  std::vector<double> outputs_;
  double largest_term_ = 0.0;
};

/// β, and how far it is from what it must be, relative to θ. It is determined on D + V alone; across them it is 0.
struct Form {
  Eigen::VectorXd beta;
  double defect = 0.0;
  double terms = 0.0;
  Eigen::MatrixXd reached = {};  ///< the projector onto D + V
  Eigen::Index rank = 0;         ///< of D + V
};

Eigen::MatrixXd projector_onto_rows(const Eigen::MatrixXd& rows, Eigen::Index& rank) {
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeThinV | Eigen::ComputeThinU);
  svd.setThreshold(1e-9);
  rank = svd.rank();
  const Eigen::MatrixXd basis = svd.matrixV().leftCols(rank);
  return basis * basis.transpose();
}

Form form_of(const Divergence& d, const Eigen::MatrixXd& group) {
  Eigen::MatrixXd rows(d.velocity.cols() + group.cols(), d.velocity.rows());
  rows << d.velocity.transpose(), group.transpose();
  Eigen::VectorXd values = Eigen::VectorXd::Zero(rows.rows());
  values.head(d.theta.size()) = d.theta;
  Form form{least_squares(rows, values)};
  form.terms = d.terms;
  form.reached = projector_onto_rows(rows, form.rank);
  const double size = d.theta.norm();
  form.defect = size <= 1e-10 * d.terms ? 0.0 : (rows * form.beta - values).norm() / size;
  return form;
}

void raise_to(Certificate& c, double residual, std::span<const double> q) {
  ++c.points;
  if (!c.worst.empty() && residual <= c.residual) return;
  c.residual = residual;
  c.worst.assign(q.begin(), q.end());
}

/// [e_i, e_j] of directions of motion: those of a rotation have e_k, cyclic.
Eigen::VectorXd bracket(const Space& space, std::size_t i, std::size_t j) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(at(space.velocities()));
  if (i < space.numbers || j < space.numbers || (i - space.numbers) / 3 != (j - space.numbers) / 3) return result;
  const std::size_t first = space.numbers + (i - space.numbers) / 3 * 3;
  const std::size_t a = i - first, b = j - first;
  if (b == (a + 1) % 3) result[at(first + (a + 2) % 3)] = 1.0;
  if (a == (b + 1) % 3) result[at(first + (b + 2) % 3)] = -1.0;
  return result;
}

/// How far brackets of fields in D + V are from D + V: with its projector P, fields P e_i have the brackets
/// P_i(P) e_j − P_j(P) e_i and those of directions that do not commute.
double defect_of_reach(const Space& space, const Form& here, const std::vector<Eigen::MatrixXd>& slopes) {
  const std::size_t n = slopes.size();
  const Eigen::MatrixXd& p = here.reached;
  const auto along = [&](std::size_t i) {
    Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(at(n), at(n));
    for (std::size_t k = 0; k < n; ++k) slope += p(at(k), at(i)) * slopes[k];
    return slope;
  };
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Eigen::VectorXd field = along(i).col(at(j)) - along(j).col(at(i));
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t l = 0; l < n; ++l) field += p(at(k), at(i)) * p(at(l), at(j)) * bracket(space, k, l);
      }
      largest = std::max(largest, (field - p * field).cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

GroupMeasure measure_on(const System& system, const SpaceMotions& motions, std::span<const double> parameters,
                        const State& near) {
  GroupMeasure report;
  if (system.is_affine() || !system.applied_forces().empty()) {
    report.reason = system.is_affine() ? "affine constraints are not treated" : "applied forces are not treated";
    return report;
  }
  const Space space = system.space();
  const auto inputs = joined({system.coordinates(), system.parameters()});
  MatrixFunction constraints(system.constraint_matrix(), inputs);
  Interpreter<double> holonomic(make_program(inputs, system.holonomic()));
  RandomPoints random;
  const auto with_parameters = [&](std::vector<double> q) {
    q.insert(q.end(), parameters.begin(), parameters.end());
    return q;
  };
  // Newton's iteration towards g = 0, whose slopes are the last rows of the constraints.
  const auto allowed = [&](std::vector<double> q) {
    for (int k = 0; k < 20 && !system.holonomic().empty(); ++k) {
      const auto values = holonomic(with_parameters(q));
      const Eigen::Map<const Eigen::VectorXd> g(values.data(), at(values.size()));
      const Eigen::VectorXd by = -least_squares(constraints(with_parameters(q)).bottomRows(g.size()), g);
      space.move(q, std::span(by.data(), space.velocities()));
      if (by.norm() < 1e-14) break;
    }
    return q;
  };
  const Eigen::MatrixXd a = constraints(with_parameters(allowed(random.near(space, near.q, 0.3))));
  if (!a.allFinite() || !dependent_rows(a).empty()) {
    report.reason = "the constraints are not defined, or not independent, near the initial position";
    return report;
  }
  Choice choice = choose(system, motions, a);
  if (choice.independent.empty()) {
    report.reason = "the constraints leave no motion";
    return report;
  }
  if (std::ranges::any_of(choice.independent, [&](std::size_t i) { return turns_with(motions, i); })) {
    report.reason = "the constraints do not determine the velocities of all coordinates that turn with the group";
    return report;
  }
  MotionOnConstraints motion(system, std::move(choice), parameters);
  Vector generators;
  for (const Symmetry& s : motions.group.generators) generators = joined({generators, s.generator});
  Interpreter<double> group_program(make_program(inputs, generators));
  const auto form = [&](const std::vector<double>& q) -> std::optional<Form> {
    const auto d = motion(q);
    if (!d) return std::nullopt;
    const auto values = group_program(with_parameters(q));
    const Eigen::MatrixXd group =
        Eigen::Map<const Eigen::MatrixXd>(values.data(), at(space.velocities()), at(motions.group.dimension()));
    return form_of(*d, group);
  };
  report.vertical = {true, 0.0, vertical_tolerance, 0, {}};
  report.closed = {true, 0.0, closed_tolerance, 0, {}};
  Certificate reached{true, 0.0, closed_tolerance, 0, {}};
  const std::size_t n = space.velocities();
  for (int sample = 0; sample < points_of_group_measure; ++sample) {
    const std::vector<double> q = allowed(random.near(space, near.q, 0.7));
    const auto here = form(q);
    if (!here) continue;
    raise_to(report.vertical, here->defect, q);
    // dβ(e_i, e_j) = e_i(β_j) − e_j(β_i) − β·[e_i, e_j], by central differences
    Eigen::MatrixXd slopes(at(n), at(n));
    std::vector<Eigen::MatrixXd> turned(n);  // slopes of the projector onto D + V
    bool defined = true;
    std::vector<double> by(n, 0.0);
    for (std::size_t i = 0; defined && i < n; ++i) {
      constexpr double small = 1e-5;
      const auto moved = [&](double length) {
        std::vector<double> there = q;
        by[i] = length;
        space.move(there, by);
        by[i] = 0.0;
        return form(there);
      };
      const auto right = moved(small);
      const auto left = moved(-small);
      defined = right && left;
      if (!defined) continue;
      slopes.row(at(i)) = (right->beta - left->beta).transpose() / (2.0 * small);
      turned[i] = (right->reached - left->reached) / (2.0 * small);
    }
    if (!defined) continue;
    report.kept = n - static_cast<std::size_t>(here->rank);
    if (report.kept > 0) raise_to(reached, defect_of_reach(space, *here, turned), q);
    Eigen::MatrixXd rotation = slopes - slopes.transpose();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) rotation(at(i), at(j)) -= here->beta.dot(bracket(space, i, j));
    }
    rotation = here->reached * rotation * here->reached;
    if (!rotation.allFinite()) continue;
    const double scale = slopes.cwiseAbs().maxCoeff() + here->beta.norm() + here->terms + 1e-300;
    raise_to(report.closed, rotation.cwiseAbs().maxCoeff() / scale, q);
  }
  if (reached.points > 0 && reached.residual > closed_tolerance) {
    report.reason =
        "the constraints and the group do not lead in all directions, but brackets of theirs lead further: where a "
        "density would be determined is not known";
    return report;
  }
  report.decided = report.vertical.points > 0 && report.closed.points > 0;
  if (!report.decided) {
    report.reason =
        "the reduced equations are not defined at the random points, or their divergence is not linear in "
        "the velocities";
  }
  report.vertical.holds = report.vertical.residual <= report.vertical.tolerance;
  report.closed.holds = report.closed.residual <= report.closed.tolerance;
  return report;
}

GroupMeasure undecided(const Error& why) {
  GroupMeasure report;
  report.reason = why.what();
  return report;
}

}  // namespace

GroupMeasure examine_group_measure(const System& system, const SpaceMotions& motions,
                                   std::span<const double> parameters, const State& near) {
  try {
    return measure_on(system, motions, parameters, near);
  } catch (const StructureError& error) {  // a Lagrangian that is not regular
    return undecided(error);
  } catch (const ExpressionError& error) {  // constraints that cannot be solved
    return undecided(error);
  }
}

}  // namespace rattleback
