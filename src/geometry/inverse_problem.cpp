#include "rattleback/geometry/inverse_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rattleback {
namespace {

std::string listed(const std::vector<Expression>& symbols) {
  std::vector<std::string> names;
  for (const Expression& s : symbols) names.push_back(s.name());
  return fmt::format("({})", fmt::join(names, ", "));
}

/// The equations of a system without constraints, if they can be written down.
void examine(const System& system, std::string name, std::span<const double> parameters, const State& near,
             std::vector<Variationality>& list) {
  Variationality entry{std::move(name), {}, {}};
  try {
    entry.equations = second_order(system);
    entry.report = examine_helmholtz(entry.equations, parameters, near);
  } catch (const ExpressionError& error) {
    entry.report.reason = error.what();
  }
  list.push_back(std::move(entry));
}

}  // namespace

InverseProblem examine_inverse_problem(const System& system, const ChaplyginSystem* chaplygin,
                                       std::span<const double> parameters, const State& near) {
  InverseProblem result;
  result.steered = find_steered(system, parameters, near);
  if (system.velocity_rows().empty()) {
    if (!system.applied_forces().empty()) {
      examine(system, "the equations of motion", parameters, near, result.systems);
    }
    return result;
  }
  if (chaplygin != nullptr && chaplygin->shape.size() > 1 && !chaplygin->reduced.applied_forces().empty()) {
    State shape;
    for (const std::size_t i : chaplygin->shape) {
      shape.q.push_back(near.q[i]);
      shape.v.push_back(near.v[i]);
    }
    examine(chaplygin->reduced,
            fmt::format("the reduced equations of {}, in the time t", listed(chaplygin->reduced.coordinates())),
            parameters, shape, result.systems);
  }
  if (!result.steered.found) return result;
  const SteeredSystem& s = *result.steered.found;
  for (const Associated which : {Associated::by_base, Associated::by_each}) {
    const char* number = which == Associated::by_base ? "(4)" : s.potential_is_constant ? "(5)" : "(14)";
    SecondOrderSystem equations = associated_system(system, s, which);
    HelmholtzReport report = examine_helmholtz(equations, parameters, near);
    result.systems.push_back(
        {fmt::format("the associated system {}", number), std::move(equations), std::move(report)});
  }
  if (!s.potential_is_constant) return result;
  for (const FreeForm form : {FreeForm::both_scaled, FreeForm::constant_density}) {
    if (form == FreeForm::constant_density && !s.density_is_constant) continue;
    FreeLagrangian lagrangian = free_lagrangian(system, s, form);
    SecondOrderSystem equations = result.systems.back().equations;
    equations.parameters = lagrangian.system.parameters();
    std::vector<double> values(parameters.begin(), parameters.end());
    values.resize(equations.parameters.size(), 1.0);  // the constants C
    const Certificate same = compare_equations(lagrangian.system.lagrangian(), equations, values, near);
    result.free.push_back({form, std::move(lagrangian), same});
  }
  return result;
}

}  // namespace rattleback
