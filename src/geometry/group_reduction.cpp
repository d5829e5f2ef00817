// What is left of a system with rotations when motions of space are divided out.

#include <algorithm>

#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/geometry/analysis.hpp"

namespace rattleback {
namespace {

std::size_t rank_of(const Eigen::MatrixXd& m) {
  return m.size() == 0
             ? 0
             : static_cast<std::size_t>(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(m).setThreshold(1e-9).rank());
}

}  // namespace

GroupReduction examine_group(const System& system, const std::vector<Symmetry>& known,
                             std::span<const double> parameters, const State& near) {
  GroupReduction report;
  report.motions = find_space_motions(system, known, parameters, near);
  report.dimension = system.dimension();
  report.admissible = system.dimension();
  const auto n = static_cast<Eigen::Index>(system.dimension());
  const auto d = static_cast<Eigen::Index>(report.motions.group.dimension());
  std::vector<Expression> generators;
  for (const Symmetry& s : report.motions.group.generators) generators = joined({generators, s.generator});
  const auto inputs = joined({system.coordinates(), system.time(), system.parameters()});
  Interpreter<double> program(make_program(inputs, generators));
  MatrixFunction constraints(system.constraint_matrix(), inputs);
  RandomPoints random;
  Eigen::MatrixXd slips(0, d);  // A ξ at all points
  for (int sample = 0; sample < generic_samples; ++sample) {
    std::vector<double> point = random.near(system.space(), near.q, 1.0);
    if (system.depends_on_time()) point.push_back(near.t);
    point.insert(point.end(), parameters.begin(), parameters.end());
    const auto values = program(point);
    const Eigen::Map<const Eigen::MatrixXd> xi(values.data(), n, d);
    Eigen::MatrixXd a = constraints(point);
    if (!xi.allFinite() || !a.allFinite()) continue;
    a.rowwise().normalize();  // rows may be in different units
    const Eigen::MatrixXd slip = a * xi;
    const std::size_t across = rank_of(slip);
    report.admissible = system.dimension() - rank_of(a);
    report.inside_constraints = report.motions.group.dimension() - across;
    report.spans = across == rank_of(a);
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
  const bool constrained = !system.velocity_rows().empty();
  if (constrained && !report.motions.empty() && !system.depends_on_time())
    report.measure = examine_group_measure(system, report.motions, parameters, near);
  return report;
}

}  // namespace rattleback
