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

/// Σ_j ξ^j ∂_j η^i − η^j ∂_j ξ^i, and of rotations also ξ × η, the bracket of fields that are constant in the body.
std::vector<Expression> bracket(const System& system, const Symmetry& xi, const Symmetry& eta) {
  const auto along = [&](const Symmetry& s) { return position_rates(system, s.generator); };
  auto result = directional_derivative(eta.generator, system.coordinates(), along(xi));
  const auto back = directional_derivative(xi.generator, system.coordinates(), along(eta));
  const auto turned = brackets(system, xi.generator, eta.generator);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= back[i] - turned[i];
  return result;
}

/// Turns that systems with rotations often have: of space, with the rotations alone, with two coordinates whose
/// translations are symmetries, or with three that are the coordinates of a point; and of each body about its own axes.
std::vector<Symmetry> likely_turns(const System& system, const std::vector<Symmetry>& known) {
  const Space space = system.space();
  std::vector<Symmetry> turns;
  if (space.rotations == 0) return turns;
  std::vector<std::string> bodies;
  for (const Rotation& r : system.rotations()) bodies.push_back(r.name);
  const std::string all_bodies = fmt::format("{}", fmt::join(bodies, ", "));
  constexpr const char* axes[] = {"x", "y", "z"};
  const auto turn = [&](std::size_t axis, const std::vector<std::size_t>& point) {
    Vector n(3);
    n[axis] = Expression(1.0);
    Symmetry s{"", Vector(system.dimension())};
    for (std::size_t k = 0; k < space.rotations; ++k) {
      const Vector eta = transpose(system.rotations()[k].matrix) * n;
      std::ranges::copy(eta, s.generator.begin() + static_cast<std::ptrdiff_t>(space.velocity_of(k)));
    }
    Vector place(3);
    std::vector<std::string> moved;
    for (std::size_t i = 0; i < point.size(); ++i) {
      place[i] = system.coordinates()[point[i]];
      moved.push_back(place[i].name());
    }
    const Vector velocity = cross(n, place);
    for (std::size_t i = 0; i < point.size(); ++i) s.generator[point[i]] = velocity[i];
    moved.push_back(all_bodies);
    s.name = fmt::format("rotation of {} about {}", fmt::join(moved, ", "), axes[axis]);
    turns.push_back(std::move(s));
  };
  std::vector<std::size_t> translated;
  for (std::size_t i = 0; i < space.numbers; ++i) {
    const bool moves = std::ranges::any_of(known, [&](const Symmetry& s) { return s.generator[i].is_constant(1.0); });
    if (moves) translated.push_back(i);
  }
  for (std::size_t axis = 0; axis < 3; ++axis) turn(axis, {});
  if (translated.size() == 2) turn(2, translated);
  if (space.numbers == 3) {
    for (std::size_t axis = 0; axis < 3; ++axis) turn(axis, {0, 1, 2});
  }
  for (std::size_t k = 0; k < space.rotations; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      turns.push_back(
          {fmt::format("rotation of {} about its own axis {}", bodies[k], axis + 1), Vector(system.dimension())});
      turns.back().generator[space.velocity_of(k) + axis] = Expression(1.0);
    }
  }
  return turns;
}

/// Whether the last of the generators is a combination of the others with constant coefficients.
bool last_follows(const System& system, const std::vector<Symmetry>& generators, std::span<const double> parameters,
                  const State& near) {
  const auto n = static_cast<Eigen::Index>(system.dimension());
  const auto k = static_cast<Eigen::Index>(generators.size());
  if (k == 1) return false;
  Vector outputs;
  for (const Symmetry& s : generators) outputs = joined({outputs, s.generator});
  Interpreter<double> program(
      make_program(joined({system.coordinates(), system.time(), system.parameters()}), outputs));
  RandomPoints random;
  Eigen::MatrixXd columns(3 * n, k);
  for (Eigen::Index sample = 0; sample < 3; ++sample) {
    std::vector<double> point = random.near(system.space(), near.q, 1.0);
    if (system.depends_on_time()) point.push_back(near.t);
    point.insert(point.end(), parameters.begin(), parameters.end());
    const std::vector<double> values = program(point);
    columns.middleRows(sample * n, n) = Eigen::Map<const Eigen::MatrixXd>(values.data(), n, k);
  }
  if (!columns.allFinite()) return false;
  const Eigen::VectorXd last = columns.rightCols(1);
  const Eigen::MatrixXd others = columns.leftCols(k - 1);
  return (others * least_squares(others, last) - last).norm() <= sampling_error * last.norm();
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
  if (const auto broken = broken_symmetries(system, parameters, near); !broken.empty()) {
    throw GeometryError("a declared symmetry is not one: " + broken[0]);
  }
  std::vector<Symmetry> known = system.symmetries();
  const auto used = free_symbols(joined(
      {std::span(&system.lagrangian(), 1), system.velocity_rows(), system.holonomic(), system.applied_forces()}));
  for (std::size_t i = 0; i < system.space().numbers; ++i) {
    const Expression& q = system.coordinates()[i];
    if (std::find(used.begin(), used.end(), q) != used.end()) continue;
    Symmetry translation{"translation of " + q.name(), std::vector<Expression>(system.dimension())};
    translation.generator[i] = Expression(1.0);
    const bool declared = std::any_of(known.begin(), known.end(),
                                      [&](const Symmetry& s) { return s.generator == translation.generator; });
    if (!declared) known.push_back(std::move(translation));
  }
  for (const Symmetry& turn : likely_turns(system, known)) {
    if (!broken_symmetries(system, {&turn, 1}, parameters, near).empty()) continue;
    known.push_back(turn);
    if (last_follows(system, known, parameters, near)) known.pop_back();
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
  if (k == 0) return group;
  RandomPoints random;
  bool first = true;
  for (int sample = 0; sample < generic_samples; ++sample) {
    std::vector<double> point = random.near(system.space(), near, 1.0);
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
