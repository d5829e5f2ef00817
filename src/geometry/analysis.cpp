#include "rattleback/geometry/analysis.hpp"

#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"

namespace rattleback {

SymmetryReport examine_symmetry(const System& system, std::span<const double> parameters, const State& near) {
  SymmetryReport report;
  report.known = known_symmetries(system, parameters, near);
  const auto n = static_cast<Eigen::Index>(system.dimension());
  const auto d = static_cast<Eigen::Index>(report.known.size());
  std::vector<Expression> generators;
  for (const Symmetry& s : report.known) generators = joined({generators, s.generator});
  const auto inputs = joined({system.coordinates(), system.time(), system.parameters()});
  Interpreter<double> program(make_program(inputs, generators));
  MatrixFunction constraints(system.constraint_matrix(), inputs);
  RandomPoints random;
  for (int sample = 0; sample < 8; ++sample) {
    std::vector<double> point = random.near(system.space(), near.q, 1.0);
    if (system.depends_on_time()) point.push_back(near.t);
    point.insert(point.end(), parameters.begin(), parameters.end());
    const auto values = program(point);
    const Eigen::Map<const Eigen::MatrixXd> xi(values.data(), n, d);
    Eigen::MatrixXd a = constraints(point);
    if (!xi.allFinite() || !a.allFinite()) continue;
    a.rowwise().normalize();  // rows may be in different units
    const auto rank = [](const Eigen::MatrixXd& m) {
      return m.size() == 0
                 ? 0
                 : static_cast<std::size_t>(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(m).setThreshold(1e-9).rank());
    };
    report.dimension = std::max(report.dimension, rank(xi));
    const std::size_t across = rank(a * xi);
    report.inside_constraints = rank(xi) - across;
    report.spans = across == rank(a);
  }
  return report;
}

Analysis analyse(const System& system, std::span<const double> parameters, const State& near) {
  Analysis analysis;
  if (!system.velocity_rows().empty()) analysis.constraints = examine_constraints(system, parameters, near);
  analysis.symmetry = examine_symmetry(system, parameters, near);
  if (!system.rotations().empty())
    analysis.group = examine_group(system, analysis.symmetry.known, parameters, near);
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
