// Symmetries: which there are, and what group they form.

#include <fmt/format.h>

#include <algorithm>

#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/geometry/chaplygin.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

/// Σ_j ξ^j ∂_j η^i − η^j ∂_j ξ^i
std::vector<Expression> bracket(const System& system, const Symmetry& xi, const Symmetry& eta) {
  auto result = directional_derivative(eta.generator, system.coordinates(), xi.generator);
  const auto back = directional_derivative(xi.generator, system.coordinates(), eta.generator);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= back[i];
  return result;
}

std::string combination(const std::vector<Symmetry>& generators, const Eigen::VectorXd& coefficients) {
  std::vector<std::string> terms;
  for (std::size_t a = 0; a < generators.size(); ++a) {
    const double c = coefficients[static_cast<Eigen::Index>(a)];
    if (std::abs(c) > 1e-8) terms.push_back(fmt::format("{:.4g} * ({})", c, generators[a].name));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

/// Generators as columns.
Eigen::MatrixXd as_columns(const std::vector<double>& values, std::size_t n, std::size_t k) {
  return Eigen::Map<const Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(k));
}

}  // namespace

bool SymmetryGroup::is_abelian() const {
  return std::all_of(structure_constants.begin(), structure_constants.end(), [](double c) { return c == 0.0; });
}

std::vector<Symmetry> known_symmetries(const System& system, std::span<const double> parameters, const State& near) {
  require_numbers(system, "the search for symmetries");
  if (const auto broken = broken_symmetries(system, parameters, near); !broken.empty()) {
    throw GeometryError("a declared symmetry is not one: " + broken[0]);
  }
  std::vector<Symmetry> known = system.symmetries();
  const auto used = free_symbols(joined(
      {std::span(&system.lagrangian(), 1), system.velocity_rows(), system.holonomic(), system.applied_forces()}));
  for (std::size_t i = 0; i < system.dimension(); ++i) {
    const Expression& q = system.coordinates()[i];
    if (std::find(used.begin(), used.end(), q) != used.end()) continue;
    Symmetry translation{"translation of " + q.name(), std::vector<Expression>(system.dimension())};
    translation.generator[i] = Expression(1.0);
    const bool declared = std::any_of(known.begin(), known.end(),
                                      [&](const Symmetry& s) { return s.generator == translation.generator; });
    if (!declared) known.push_back(std::move(translation));
  }
  return known;
}

std::optional<SymmetryGroup> make_group(const System& system, std::vector<Symmetry> generators,
                                        std::span<const double> parameters, std::span<const double> near,
                                        std::string* reason) {
  const std::size_t n = system.dimension();
  const std::size_t k = generators.size();
  const auto say = [&](const std::string& text) {
    if (reason != nullptr) *reason = text;
  };
  std::vector<Expression> outputs;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Symmetry& s : generators) outputs = joined({outputs, s.generator});
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a + 1; b < k; ++b) {
      pairs.emplace_back(a, b);
      outputs = joined({outputs, bracket(system, generators[a], generators[b])});
    }
  }
  Interpreter<double> program(make_program(joined({system.coordinates(), system.parameters()}), outputs));
  SymmetryGroup group{std::move(generators), std::vector<double>(k * k * k, 0.0)};
  RandomPoints random;
  bool first = true;
  for (int sample = 0; sample < generic_samples; ++sample) {
    std::vector<double> point = random.near(near, 1.0);
    point.insert(point.end(), parameters.begin(), parameters.end());
    const std::vector<double> values = program(point);
    if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) continue;
    const Eigen::MatrixXd xi = as_columns(values, n, k);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(xi, Eigen::ComputeFullV | Eigen::ComputeThinU);
    if (svd.singularValues().minCoeff() <= sampling_error * svd.singularValues().maxCoeff()) {
      say(fmt::format("the group does not act freely: {} = 0 at a random point",
                      combination(group.generators, svd.matrixV().col(xi.cols() - 1))));
      return std::nullopt;
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const Eigen::Map<const Eigen::VectorXd> commutator(values.data() + n * (k + p), xi.rows());
      const Eigen::VectorXd c = least_squares(xi, commutator);
      const auto [a, b] = pairs[p];
      const double size = commutator.norm() + xi.norm();
      bool constant = (xi * c - commutator).norm() <= sampling_error * size;
      for (std::size_t i = 0; constant && i < k; ++i) {
        double rounded = c[static_cast<Eigen::Index>(i)];
        if (std::abs(rounded - std::round(rounded)) < sampling_error) rounded = std::round(rounded) + 0.0;
        double& known = group.structure_constants[(a * k + b) * k + i];
        constant = first || std::abs(rounded - known) <= sampling_error * (1.0 + std::abs(known));
        if (first) {
          known = rounded;
          group.structure_constants[(b * k + a) * k + i] = 0.0 - rounded;
        }
      }
      if (!constant) {
        say(
            fmt::format("the generators form no group: the bracket of {} and {} is not a combination of the generators "
                        "with constant coefficients",
                        group.generators[a].name, group.generators[b].name));
        return std::nullopt;
      }
    }
    first = false;
  }
  if (first) {
    say("the generators are not defined at the random points about the initial position");
    return std::nullopt;
  }
  return group;
}

}  // namespace rattleback
