// Which coordinates are the fibre of a Chaplygin system.

#include "rattleback/geometry/chaplygin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../expr/determinant.hpp"
#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "reduction.hpp"

namespace rattleback {
namespace {

using Indices = std::vector<std::size_t>;

constexpr double largest_defect = 1e-6;
constexpr int most_groups = 3000;  ///< that are looked at
constexpr std::size_t most_reasons = 10;

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
    for (int k = 0; k < generic_samples; ++k) add(random.near(near, 1.0), parameters);
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

/// A group that may be divided out.
struct Candidate {
  SymmetryGroup group;
  Indices fibre;
  std::size_t declared = 0;  ///< how many of its generators the model declares
  bool everywhere = false;   ///< the constraints can be solved for the fibre wherever it is
  Transversality::Quality quality;

  bool is_good_here() const { return quality.here > 1e-3; }
  double size() const { return is_good_here() ? quality.here : quality.around; }
  auto rank() const { return std::tuple(declared, everywhere, is_good_here()); }
  /// A little better is not better: the first of equals is kept.
  bool is_better_than(const Candidate& other) const {
    return rank() > other.rank() || (rank() == other.rank() && size() > 1.01 * other.size());
  }
};

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
  for (int k = 0; k < generic_samples; ++k) {
    try {
      const State state{random.near(near.q, 0.3), std::vector<double>(near.q.size(), 0.0), near.t};
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
  const auto in_rows = free_symbols(system.velocity_rows());
  if (system.depends_on_time() && std::ranges::find(in_rows, time_symbol()) != in_rows.end()) {
    reasons.emplace_back("the constraints depend on time: a Chaplygin system has a connection that stays the same");
  }
  if (!system.holonomic().empty()) {
    reasons.emplace_back("there are holonomic constraints: use coordinates in which they hold by themselves");
  }
  if (system.forces_contain_multipliers()) {
    reasons.emplace_back("applied forces contain multipliers of constraints, which a reduced system does not have");
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
  const ConstraintReport report = examine_constraints(system, parameters, near);
  if (!report.judged) reasons.emplace_back("the constraints are not defined near the initial position");
  if (!report.redundant.empty()) {
    reasons.push_back(fmt::format("{} follows from those before it; remove it", system.row_name(report.redundant[0])));
  }
  return reasons;
}

}  // namespace

ChaplyginSearch find_chaplygin(const System& system, std::span<const double> parameters, const State& near) {
  ChaplyginSearch search;
  if (!system.rotations().empty()) {
    search.reasons.push_back(fmt::format(
        "{} is a rotation, and a fibre and a shape are made of coordinates that are numbers: rdla is on Q/G, "
        "methods that need a multiplier or a formula for the reduced Lagrangian want a model with angles",
        system.rotations()[0].name));
    return search;
  }
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
          "({}) moves {} coordinates, {}, but has dimension {}: choose coordinates of which it moves only so many",
          names_of(generators), candidate.fibre.size(), names_of(system, candidate.fibre), k));
      return ++looked_at < most_groups;
    }
    std::string reason;
    auto group = make_group(system, generators, parameters, near.q, &reason);
    candidate.quality = transversality.of(candidate.fibre);
    if (!group) {
      search.reasons.push_back(fmt::format("({}): {}", names_of(generators), reason));
    } else if (candidate.quality.around <= sampling_error) {
      search.reasons.push_back(
          fmt::format("({}) has directions inside the constraints: they cannot be solved for the velocities of {}",
                      names_of(generators), names_of(system, candidate.fibre)));
    } else {
      candidate.group = std::move(*group);
      candidate.everywhere = k <= 8 && is_constant_in(system, determinant(columns(a, candidate.fibre)));
      if (!best || candidate.is_better_than(*best)) best = std::move(candidate);
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
  if (const double defect = reduction_defect(system, *search.found, parameters, near); !(defect <= largest_defect)) {
    search.found.reset();
    search.reasons.push_back(
        std::isnan(defect)
            ? "the reduced equations could not be compared with the full ones: they have no solution at random states"
            : fmt::format("the reduced equations differ from the full ones by {:.1e}: something is singular here",
                          defect));
  }
  return search;
}

}  // namespace rattleback
