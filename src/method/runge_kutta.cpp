// Explicit Runge–Kutta methods for ẏ = f(y), where f is given implicitly: every stage solves its own
// equations, and all stages together are one implicit system with a block-triangular structure.

#include <fmt/format.h>

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

/// kᵢ = f(y₀ + h aᵢ kᵢ₋₁), y₁ = y₀ + h Σ bᵢ kᵢ: the classical tableau, whose stages need only the one before.
constexpr double node_of_stage[] = {0.0, 0.5, 0.5, 1.0};
constexpr double weight_of_stage[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

/// `rates` maps (y, parameters) to ẏ; the first `size` data are y.
ImplicitSystem runge_kutta_step(const ImplicitSystem& rates, std::size_t size) {
  const Expression h = step_symbol();
  ImplicitSystem step;
  step.state = size;
  step.data.assign(rates.data.begin(), rates.data.begin() + static_cast<std::ptrdiff_t>(size));
  step.data.push_back(h);
  step.data.insert(step.data.end(), rates.data.begin() + static_cast<std::ptrdiff_t>(size), rates.data.end());
  Vector slope(size, Expression(0.0));
  Vector increment(size, Expression(0.0));
  for (int stage = 0; stage < 4; ++stage) {
    Substitution at_stage;
    for (std::size_t i = 0; i < size; ++i) {
      at_stage.emplace(rates.data[i], rates.data[i] + node_of_stage[stage] * h * slope[i]);
    }
    for (const Expression& unknown : rates.unknowns) {
      step.unknowns.push_back(Expression::symbol(fmt::format("{} of stage {}", unknown.name(), stage + 1)));
      at_stage.emplace(unknown, step.unknowns.back());
    }
    const Vector residuals = substitute(rates.residuals, at_stage);
    step.residuals.insert(step.residuals.end(), residuals.begin(), residuals.end());
    slope = substitute(rates.outputs, at_stage);
    for (std::size_t i = 0; i < size; ++i) increment[i] += weight_of_stage[stage] * slope[i];
  }
  step.guess.assign(step.unknowns.size(), Expression(0.0));
  for (std::size_t i = 0; i < size; ++i) step.outputs.push_back(rates.data[i] + h * increment[i]);
  return step;
}

/// The first outputs of a map, as functions of the same data and the step size.
ImplicitSystem with_step_size(ImplicitSystem map, std::size_t state_size) {
  map.data.insert(map.data.begin() + static_cast<std::ptrdiff_t>(state_size), step_symbol());
  return map;
}

std::vector<std::string> named_by_stage(const std::vector<std::string>& equations) {
  std::vector<std::string> names;
  for (int stage = 1; stage <= 4; ++stage) {
    for (const std::string& e : equations) names.push_back(fmt::format("{} in stage {}", e, stage));
  }
  return names;
}

Vector positions_and_velocities(const System& system) {
  Vector result = system.coordinates();
  result.insert(result.end(), system.velocities().begin(), system.velocities().end());
  return result;
}

Method make(ImplicitSystem start, ImplicitSystem step, const std::vector<std::string>& equations) {
  Method method;
  method.start = std::move(start);
  method.step = std::move(step);
  method.equations = named_by_stage(equations);
  method.structure.order = 4;
  return method;
}

}  // namespace

Expression step_symbol() { return Expression::symbol("(h)"); }

Method rk4(const System& system) {
  const std::size_t size = 2 * system.dimension();
  ImplicitSystem rates = accelerations(system);
  rates.outputs.resize(system.dimension());
  rates.outputs.insert(rates.outputs.begin(), system.velocities().begin(), system.velocities().end());
  ImplicitSystem identity;
  identity.data = state_and_parameters(system);
  identity.outputs = positions_and_velocities(system);
  return make(with_step_size(identity, size), runge_kutta_step(rates, size), equation_names(system));
}

Method rk4_index0(const System& system) {
  const std::size_t n = system.dimension();
  const ImplicitSystem rates = index_zero_rates(system);
  const std::size_t size = rates.outputs.size();
  ImplicitSystem start = accelerations(system);  // λ₀ from the index-1 form
  start.outputs.erase(start.outputs.begin(), start.outputs.begin() + static_cast<std::ptrdiff_t>(n));
  const Vector first = positions_and_velocities(system);
  start.outputs.insert(start.outputs.begin(), first.begin(), first.end());
  std::vector<std::string> equations;
  const auto names = equation_names(system);
  for (std::size_t i = 0; i < n; ++i) equations.push_back(names[i]);
  for (std::size_t i = 0; i < names.size(); ++i) {
    equations.push_back((i < n ? "the derivative of " : "the second derivative of ") +
                        (i < n ? names[i] : system.row_name(i - n)));
  }
  Method method = make(with_step_size(start, 2 * n), runge_kutta_step(rates, size), equations);
  method.needs_inertia = true;  // it solves for the accelerations before the multipliers
  return method;
}

}  // namespace rattleback
