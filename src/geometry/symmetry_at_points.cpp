#include "symmetry_at_points.hpp"

#include "../mech/sampling.hpp"

namespace rattleback {

std::size_t rank_of(const Eigen::MatrixXd& m) {
  return m.size() == 0
             ? 0
             : static_cast<std::size_t>(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(m).setThreshold(1e-9).rank());
}

std::vector<SymmetryAtPoint> symmetries_at_points(const System& system, std::span<const Symmetry> symmetries,
                                                  std::span<const double> parameters, const State& near) {
  std::vector<Expression> generators;
  for (const Symmetry& s : symmetries) generators = joined({generators, s.generator});
  const auto inputs = joined({system.coordinates(), system.time(), system.parameters()});
  Interpreter<double> program(make_program(inputs, generators));
  MatrixFunction constraints(system.constraint_matrix(), inputs);
  RandomPoints random;
  std::vector<SymmetryAtPoint> all;
  for (int sample = 0; sample < generic_samples; ++sample) {
    std::vector<double> point = random.near(system.space(), near.q, 1.0);
    if (system.depends_on_time()) point.push_back(near.t);
    point.insert(point.end(), parameters.begin(), parameters.end());
    const auto values = program(point);
    const Eigen::Map<const Eigen::MatrixXd> xi(values.data(), static_cast<Eigen::Index>(system.dimension()),
                                               static_cast<Eigen::Index>(symmetries.size()));
    Eigen::MatrixXd a = constraints(point);
    if (!xi.allFinite() || !a.allFinite()) continue;
    a.rowwise().normalize();
    all.push_back({xi, std::move(a)});
  }
  return all;
}

}  // namespace rattleback
