#include "rattleback/geometry/analysis.hpp"

#include <algorithm>

#include "symmetry_at_points.hpp"

namespace rattleback {

SymmetryReport examine_symmetry(const System& system, std::span<const double> parameters, const State& near) {
  SymmetryReport report;
  report.known = known_symmetries(system, parameters, near);
  for (const SymmetryAtPoint& place : symmetries_at_points(system, report.known, parameters, near)) {
    const std::size_t dimension = rank_of(place.generators);
    const std::size_t across = rank_of(place.constraints * place.generators);
    report.dimension = std::max(report.dimension, dimension);
    report.inside_constraints = dimension - across;
    report.spans = across == rank_of(place.constraints);
  }
  return report;
}

Analysis analyse(const System& system, std::span<const double> parameters, const State& near) {
  Analysis analysis;
  if (!system.velocity_rows().empty()) analysis.constraints = examine_constraints(system, parameters, near);
  analysis.symmetry = examine_symmetry(system, parameters, near);
  if (!system.rotations().empty()) analysis.group = examine_group(system, analysis.symmetry.known, parameters, near);
  analysis.search = find_chaplygin(system, parameters, near);
  if (analysis.search.found) {
    analysis.reduction_defect = reduction_defect(system, *analysis.search.found, parameters, near);
    analysis.gyroscopic = examine_gyroscopic(system, *analysis.search.found, parameters, near);
  }
  const bool sound = !system.depends_on_time() && analysis.constraints && analysis.constraints->judged &&
                     analysis.constraints->redundant.empty() && analysis.search.regular;
  if (sound && !analysis.group && analysis.symmetry.inside_constraints > 0) {
    analysis.reduced_measure = examine_reduced_measure(system, parameters, near);
  }
  const ChaplyginSystem* const chaplygin = analysis.search.found ? &*analysis.search.found : nullptr;
  analysis.inverse_problem = examine_inverse_problem(system, chaplygin, parameters, near);
  return analysis;
}

}  // namespace rattleback
