#include "rattleback/geometry/inverse_problem.hpp"

#include <fmt/format.h>

#include "literals.hpp"
#include "rattleback/kernel/step.hpp"
#include "reduction.hpp"

namespace rattleback {
namespace {

/// Coordinates up to which the system's own Lagrangian is compared with its motion: the comparison is dense.
constexpr std::size_t largest_own = 100;

std::string listed(const std::vector<Expression>& symbols) {
  std::vector<std::string> names;
  for (const Expression& s : symbols) names.push_back(s.name());
  return fmt::format("({})", fmt::join(names, ", "));
}

/// The equations of a system without constraints, if they can be written down; `shown` is the same system in the words
/// of the model.
Variationality examine(const System& system, const System& shown, std::string name, const State& near) {
  Variationality entry{std::move(name), {}, {}};
  try {
    entry.equations = second_order(shown);
    entry.report = examine_helmholtz(second_order(system), system.parameter_values(), near);
  } catch (const ExpressionError& error) {
    entry.report.reason = error.what();
  }
  return entry;
}

/// The system with the constants of a free Lagrangian among its parameters.
System with_parameters_of(const System& system, const System& free) {
  SystemDefinition definition = mechanics_of(system);
  definition.parameters = free.parameter_list();
  return System(std::move(definition));
}

FreeVerdict examine_free(const System& system, const SteeredSystem& s, FreeForm form, const State& near) {
  FreeLagrangian lagrangian = free_lagrangian(system, s, form);
  SecondOrderSystem equations = associated_system(system, s, Associated::by_each);
  equations.parameters = lagrangian.system.parameters();
  const std::vector<double>& values = lagrangian.system.parameter_values();
  const Certificate same = compare_equations(lagrangian.system.lagrangian(), equations, values, near);
  const LagrangianReport motion =
      examine_lagrangian(with_parameters_of(system, lagrangian.system), lagrangian.system.lagrangian(), values, near);
  return {form, std::move(lagrangian), same, motion.motion, motion.regular};
}

}  // namespace

InverseProblem examine_inverse_problem(const System& given, const ChaplyginSystem* chaplygin,
                                       std::span<const double> parameters, const State& near) {
  InverseProblem result;
  result.steered = find_steered(given, parameters, near);
  if (given.depends_on_time() || !given.rotations().empty()) return result;  // what follows is about q̈ = f(q, q̇)
  const System system = with_literals_as_parameters(with_values(given, parameters));
  if (system.velocity_rows().empty()) {
    if (!system.applied_forces().empty())
      result.systems.push_back(examine(system, given, "the equations of motion", near));
    return result;
  }
  if (given.dimension() <= largest_own) {
    try {
      result.own = compare_motions(given, given.lagrangian(), parameters, near);
    } catch (const StructureError&) {  // its equations do not determine the accelerations
    }
  }
  if (chaplygin != nullptr && chaplygin->shape.size() > 1 && !chaplygin->reduced.applied_forces().empty()) {
    State shape;
    for (const std::size_t i : chaplygin->shape) {
      shape.q.push_back(near.q[i]);
      shape.v.push_back(near.v[i]);
    }
    const std::string name =
        fmt::format("the reduced equations of {}, in the time t", listed(chaplygin->reduced.coordinates()));
    const System reduced = reduce(system, chaplygin->group, chaplygin->fibre, system.parameter_values(), near).reduced;
    result.systems.push_back(examine(reduced, chaplygin->reduced, name, shape));
  }
  const SteeredSearch search = find_steered(system, system.parameter_values(), near);
  if (!search.found || !result.steered.found) return result;
  const SteeredSystem& s = *search.found;
  for (const Associated which : {Associated::by_base, Associated::by_each}) {
    const char* number = which == Associated::by_base ? "(4)" : s.potential_is_constant ? "(5)" : "(14)";
    SecondOrderSystem equations = associated_system(system, s, which);
    HelmholtzReport report = examine_helmholtz(equations, system.parameter_values(), near);
    // What is shown is in the words of the model.
    result.systems.push_back({fmt::format("the associated system {}", number),
                              associated_system(given, *result.steered.found, which), std::move(report)});
  }
  if (!s.potential_is_constant) return result;
  for (const FreeForm form : {FreeForm::both_scaled, FreeForm::constant_density}) {
    if (form == FreeForm::constant_density && !result.steered.found->density_is_constant) continue;
    result.free.push_back(examine_free(with_values(given, parameters), *result.steered.found, form, near));
  }
  return result;
}

}  // namespace rattleback
