#include "rattleback/mech/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "decompositions.hpp"
#include "inertia.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "sampling.hpp"

namespace rattleback {
namespace {

/// Relative to its terms, what should be zero may be this large: numbers are typed with so many digits.
constexpr double row_rounding = 1e-12;
/// Relative to |A| |v|, in units of inertia, it may be this large: cos(pi/2) is not zero but 6e-17.
constexpr double function_rounding = 1e-15;

void require_size(std::size_t found, std::size_t wanted, const char* what) {
  if (found != wanted) throw StartError(fmt::format("{} has {} entries, expected {}", what, found, wanted));
}

std::string listed(std::span<const double> values) {
  std::vector<std::string> texts;
  for (const double x : values) texts.push_back(fmt::format("{}", x));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string named(const std::vector<Expression>& names, std::span<const double> values) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::abs(values[i]) > 1e-8) texts.push_back(fmt::format("{}: {:.4g}", names[i].name(), values[i]));
  }
  return fmt::format("({})", fmt::join(texts, ", "));
}

/// The direction v in ker A with M v orthogonal to ker A, if there is one.
std::vector<double> find_massless_direction(const Eigen::MatrixXd& m, const Eigen::MatrixXd& a) {
  const Inertia inertia(m, a);
  if (inertia.masses.size() == 0) return {};
  Eigen::Index smallest = 0;
  inertia.masses.cwiseAbs().minCoeff(&smallest);
  const double scale = std::max(inertia.masses.cwiseAbs().maxCoeff(), inertia.mass.cwiseAbs().maxCoeff());
  if (!(std::abs(inertia.masses[smallest]) <= 1e-14 * scale)) return {};
  const Eigen::VectorXd direction = (inertia.unit.asDiagonal() * inertia.directions.col(smallest)).normalized();
  return {direction.begin(), direction.end()};
}

/// The innermost part of the expressions that has no finite value.
std::string first_undefined(std::span<const Expression> expressions, std::span<const Expression> inputs,
                            std::span<const double> point) {
  const Graph graph(expressions);
  std::vector<Expression> parts;
  for (std::size_t i = 0; i < graph.size(); ++i) parts.push_back(graph[i]);
  const std::vector<double> values = evaluate_at(inputs, parts, point);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!std::isfinite(values[i])) return shortened(parts[i]);
  }
  return "the energy";
}

std::optional<State> project(const System& system, std::span<const double> parameters, const State& state) {
  Step step(projection(system), 1, Backend::interpreted);
  std::vector<double> data = joined_data(system, state, parameters);
  std::vector<double> outputs(system.coordinates().size() + system.dimension());
  if (step.run(data, outputs) != 1) return std::nullopt;
  const auto middle = outputs.begin() + static_cast<std::ptrdiff_t>(system.coordinates().size());
  return State{{outputs.begin(), middle}, {middle, outputs.end()}, state.t};
}

}  // namespace

std::vector<double> direction_without_inertia(const System& system, std::span<const double> parameters,
                                              const State& state) {
  if (static_cast<Eigen::Index>(system.dimension()) > largest_dense) return {};
  const Eigen::MatrixXd mass =
      evaluate_matrix(system.mass_matrix(), state_and_parameters(system), joined_data(system, state, parameters));
  return find_massless_direction(mass, Eigen::MatrixXd(0, mass.cols()));
}

PointReport examine(const System& system, std::span<const double> parameters, const State& state) {
  const std::size_t n = system.dimension();
  require_size(state.q.size(), system.coordinates().size(), "the initial position");
  require_size(state.v.size(), n, "the initial velocity");
  require_size(parameters.size(), system.parameters().size(), "the list of parameters");
  const auto inputs = state_and_parameters(system);
  const std::vector<double> point = joined_data(system, state, parameters);

  std::vector<Expression> checked = observables(system).outputs;
  checked.resize(checked.size() - system.conserved().size());  // these may be undefined where the motion is not
  for (const auto* list : {&system.momenta(), &system.forces()})
    checked.insert(checked.end(), list->begin(), list->end());
  const std::vector<double> values = evaluate_at(inputs, checked, point);
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
    throw StartError(
        fmt::format("the initial state is outside the domain of the model: {} is not finite there; change the "
                    "initial data or the parameters",
                    first_undefined(checked, inputs, point)));
  }
  const Eigen::MatrixXd a = evaluate_matrix(system.constraint_matrix(), inputs, point);
  PointReport report;
  report.dependent = a.rows() > 0 ? dependent_rows(a) : std::vector<std::size_t>{};
  report.rank = static_cast<std::size_t>(a.rows()) - report.dependent.size();
  if (static_cast<Eigen::Index>(n) <= largest_dense && report.dependent.empty()) {
    report.massless_direction = find_massless_direction(evaluate_matrix(system.mass_matrix(), inputs, point), a);
  }
  const std::size_t rows = system.velocity_rows().size();
  const std::vector<double> affine = evaluate_at(inputs, system.affine_part(), point);
  const Eigen::VectorXd unit = units_of_coordinates(system, point);
  Eigen::VectorXd q = Eigen::VectorXd::Ones(unit.size());  // of rotations: one radian
  std::copy_n(state.q.begin(), system.space().numbers, q.begin());
  q = q.cwiseQuotient(unit);
  const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(state.v.data(), unit.size()).cwiseQuotient(unit);
  const Eigen::MatrixXd sizes = (a * unit.asDiagonal()).cwiseAbs();
  for (std::size_t k = 0; k < rows; ++k) {
    const auto row = sizes.row(static_cast<Eigen::Index>(k));
    report.velocity_residuals.push_back(values[1 + k]);
    report.velocity_scales.push_back(row.dot(v.cwiseAbs()) + std::abs(affine[k]));
    const double allowed = row_rounding * report.velocity_scales[k] + function_rounding * row.norm() * v.norm();
    report.velocity_violated.push_back(std::abs(values[1 + k]) > allowed);
  }
  for (std::size_t k = 0; k < system.holonomic().size(); ++k) {
    const auto normal = sizes.row(static_cast<Eigen::Index>(system.constraints().size() + k));
    report.holonomic_residuals.push_back(values[1 + rows + k]);
    const double scale = normal.dot(q.cwiseAbs()) + normal.norm() * q.cwiseAbs().maxCoeff();
    report.holonomic_violated.push_back(std::abs(values[1 + rows + k]) > row_rounding * scale);
  }
  const auto violated = [](const std::vector<bool>& list) {
    return std::find(list.begin(), list.end(), true) != list.end();
  };
  report.consistent = !violated(report.velocity_violated) && !violated(report.holonomic_violated);
  if (!report.consistent && report.dependent.empty()) report.projected = project(system, parameters, state);
  return report;
}

void require_regular_start(const System& system, std::span<const double> parameters, const State& state) {
  const PointReport report = examine(system, parameters, state);
  if (!report.dependent.empty()) {
    const ConstraintReport everywhere = examine_constraints(system, parameters, state);
    const std::size_t row = report.dependent[0];
    const bool redundant =
        std::find(everywhere.redundant.begin(), everywhere.redundant.end(), row) != everywhere.redundant.end();
    const bool contradicts = std::find(everywhere.contradictory.begin(), everywhere.contradictory.end(), row) !=
                             everywhere.contradictory.end();
    if (contradicts) {
      throw StartError(
          fmt::format("{} contradicts the constraints before it: no velocity satisfies them all; remove one",
                      system.row_name_with_text(row)));
    }
    throw StartError(
        redundant
            ? fmt::format("{} is redundant: it follows from the constraints before it, everywhere; remove it",
                          system.row_name_with_text(row))
            : fmt::format(
                  "the constraints have rank {} at q = {} and {} elsewhere: {} {} there; start from another position",
                  report.rank, listed(state.q), everywhere.generic_rank, system.row_name_with_text(row),
                  row == 0 ? "vanishes" : "depends on those before it"));
  }
  if (!report.massless_direction.empty()) {
    throw StartError(fmt::format(
        "the Lagrangian is not regular: the system can move in the direction {} and has no inertia in it; give these "
        "coordinates a kinetic energy (is a mass or a moment of inertia zero?) or constrain them",
        named(system.freedoms(), report.massless_direction)));
  }
  if (report.consistent) return;
  std::string message = "the initial data violate the constraints:";
  for (std::size_t k = 0; k < report.holonomic_residuals.size(); ++k) {
    if (!report.holonomic_violated[k]) continue;
    message += fmt::format("\n  {}: the position gives {:.6g}",
                           system.row_name_with_text(system.constraints().size() + k), report.holonomic_residuals[k]);
  }
  for (std::size_t k = 0; k < report.velocity_residuals.size(); ++k) {
    if (!report.velocity_violated[k]) continue;
    message += fmt::format("\n  {}: the velocity gives {:.6g}, a sum of terms of size {:.6g}",
                           system.row_name_with_text(k), report.velocity_residuals[k], report.velocity_scales[k]);
  }
  if (report.projected) {
    message += "\nThe nearest consistent state is";
    if (!system.holonomic().empty()) message += fmt::format("\n  q = {}", listed(report.projected->q));
    message += fmt::format("\n  v = {}", listed(report.projected->v));
  } else {
    message += "\nNo consistent state was found near it.";
  }
  throw InconsistentStart(message);
}

}  // namespace rattleback
