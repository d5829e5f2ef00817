// Explicit Runge–Kutta methods for ẏ = f(t, y), where f is given implicitly: every stage solves its own
// equations, and all stages together are one implicit system with a block-triangular structure.

#include <fmt/format.h>

#include "method_maps.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// kᵢ = f(t₀ + aᵢ h, y₀ + h aᵢ kᵢ₋₁), y₁ = y₀ + h Σ bᵢ kᵢ: the classical tableau, whose stages need only the one
/// before.
constexpr double node_of_stage[] = {0.0, 0.5, 0.5, 1.0};
constexpr double weight_of_stage[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

/// `rates` are equations for ẏ, given as `slopes`, in y, t and parameters.
ImplicitSystem runge_kutta_step(const System& system, const ImplicitSystem& rates, const Vector& y,
                                const Vector& slopes) {
  const Expression h = step_symbol();
  const std::size_t size = y.size();
  ImplicitSystem step = map_from_state(system, y);
  Vector slope(size, Expression(0.0));
  Vector increment(size, Expression(0.0));
  for (int stage = 0; stage < 4; ++stage) {
    Substitution at_stage;
    for (std::size_t i = 0; i < size; ++i) {
      at_stage.emplace(y[i], y[i] + node_of_stage[stage] * h * slope[i]);
    }
    for (const Expression& t : system.time()) at_stage.emplace(t, t + node_of_stage[stage] * h);
    for (const Expression& unknown : rates.unknowns) {
      step.unknowns.push_back(Expression::symbol(fmt::format("{} of stage {}", unknown.name(), stage + 1)));
      at_stage.emplace(unknown, step.unknowns.back());
    }
    const Vector residuals = substitute(rates.residuals, at_stage);
    step.residuals.insert(step.residuals.end(), residuals.begin(), residuals.end());
    slope = substitute(slopes, at_stage);
    for (std::size_t i = 0; i < size; ++i) increment[i] += weight_of_stage[stage] * slope[i];
  }
  step.guess.assign(step.unknowns.size(), Expression(0.0));
  Vector next = y;
  for (std::size_t i = 0; i < size; ++i) next[i] += h * increment[i];
  give_next(step, system, next);
  return step;
}

std::vector<std::string> named_by_stage(const std::vector<std::string>& equations) {
  std::vector<std::string> names;
  for (int stage = 1; stage <= 4; ++stage) {
    for (const std::string& e : equations) names.push_back(fmt::format("{} in stage {}", e, stage));
  }
  return names;
}

Method make(const System& system, ImplicitSystem step, const std::vector<std::string>& equations) {
  Method method;
  method.state.add(Slot::position, system.coordinates().size());
  method.state.add(Slot::velocity, system.dimension());
  method.start = map_from_node(system);
  method.step = std::move(step);
  method.equations = named_by_stage(equations);
  method.structure.order = 4;
  return method;
}

}  // namespace

Expression step_symbol() { return Expression::symbol("(h)"); }

Method rk4(const System& system) {
  const ImplicitSystem rates = accelerations(system);
  const Vector y = joined({system.coordinates(), system.velocities()});
  const Vector slopes = joined({position_rates(system), rates.given(Slot::acceleration)});
  Method method = make(system, runge_kutta_step(system, rates, y, slopes), names_of_accelerations(system));
  method.start.give(Slot::state, y);
  return method;
}

Method rk4_index0(const System& system) {
  const std::size_t n = system.dimension();
  const ImplicitSystem rates = index_zero_rates(system);
  const Vector y = joined({system.coordinates(), system.velocities(), multiplier_symbols(system)});
  std::vector<std::string> equations;
  const auto names = equation_names(system);
  for (std::size_t i = 0; i < n; ++i) equations.push_back(names[i]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    equations.push_back((i < n ? "the derivative of " : "the second derivative of ") +
                        (i < n ? names[i] : system.row_name(i - n)));
  }
  Method method = make(system, runge_kutta_step(system, rates, y, rates.outputs), equations);
  const ImplicitSystem motion = accelerations(system);  // λ₀ from the index-1 form
  method.start.solve_as(motion);
  method.start.give(Slot::state, joined({system.coordinates(), system.velocities(), motion.given(Slot::multipliers)}));
  method.state.add(Slot::multipliers, motion.given(Slot::multipliers).size());
  method.needs_inertia = true;  // it solves for the accelerations before the multipliers
  return method;
}

}  // namespace rattleback
