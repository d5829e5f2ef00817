// What is left of a system with rotations when motions of space are divided out.

#include <cmath>

#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "symmetry_at_points.hpp"

namespace rattleback {
namespace {

/// Whether F·ξ is anything but 0 at random states. Forces that contain multipliers are taken to do something.
bool is_forced(const System& system, const Expression& momentum_rate, std::span<const double> parameters,
               const State& near) {
  if (system.forces_contain_multipliers()) return true;
  const auto inputs = joined({system.coordinates(), system.velocities(), system.time(), system.parameters()});
  RandomPoints random;
  for (int sample = 0; sample < generic_samples; ++sample) {
    const auto point = joined_data(system, random.near(system, near, 1.0), parameters);
    const auto value = evaluate_at(inputs, std::span(&momentum_rate, 1), point)[0];
    if (!(std::abs(value) <= sampling_error)) return true;
  }
  return false;
}

/// Of a combination of generators.
bool forces_change_momentum(const System& system, const SymmetryGroup& group, std::span<const double> coefficients,
                            std::span<const double> parameters, const State& near) {
  if (system.applied_forces().empty()) return false;
  Expression rate;
  for (std::size_t a = 0; a < coefficients.size(); ++a) {
    for (std::size_t i = 0; i < system.dimension(); ++i)
      rate += coefficients[a] * group.generators[a].generator[i] * system.applied_forces()[i];
  }
  return is_forced(system, rate, parameters, near);
}

}  // namespace

GroupReduction examine_group(const System& system, const std::vector<Symmetry>& known,
                             std::span<const double> parameters, const State& near) {
  GroupReduction report;
  report.motions = find_space_motions(system, known, parameters, near);
  report.dimension = system.dimension();
  report.admissible = system.dimension();
  const auto d = static_cast<Eigen::Index>(report.motions.group.dimension());
  Eigen::MatrixXd slips(0, d);  // A ξ at all points
  for (const SymmetryAtPoint& place : symmetries_at_points(system, report.motions.group.generators, parameters, near)) {
    const Eigen::MatrixXd slip = place.constraints * place.generators;
    const std::size_t across = rank_of(slip);
    report.admissible = system.dimension() - rank_of(place.constraints);
    report.inside_constraints = report.motions.group.dimension() - across;
    report.spans = across == rank_of(place.constraints);
    slips.conservativeResize(slips.rows() + slip.rows(), Eigen::NoChange);
    slips.bottomRows(slip.rows()) = slip;
  }
  if (slips.size() > 0) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(slips, Eigen::ComputeFullV | Eigen::ComputeThinU);
    for (Eigen::Index k = static_cast<Eigen::Index>(rank_of(slips)); k < d; ++k) {
      report.horizontal.emplace_back();
      for (Eigen::Index a = 0; a < d; ++a) report.horizontal.back().push_back(svd.matrixV()(a, k));
    }
  }
  for (const auto& coefficients : report.horizontal)
    report.forced.push_back(forces_change_momentum(system, report.motions.group, coefficients, parameters, near));
  const bool constrained = !system.velocity_rows().empty();
  for (std::size_t a = 0; !constrained && a < report.motions.group.dimension(); ++a) {
    std::vector<double> alone(report.motions.group.dimension(), 0.0);
    alone[a] = 1.0;
    report.forced.push_back(forces_change_momentum(system, report.motions.group, alone, parameters, near));
  }
  if (constrained && !report.motions.empty() && !system.depends_on_time())
    report.measure = examine_group_measure(system, report.motions, parameters, near);
  return report;
}

}  // namespace rattleback
