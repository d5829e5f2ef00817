#include "rattleback/method/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expr/graph.hpp"
#include "rattleback/method/method.hpp"
#include "rattleback/model/space.hpp"

namespace rattleback {

Rule alpha(double position) { return {{{1.0, position}}, TurnRate::quarter}; }
Rule sym(double position) { return {{{0.5, position}, {0.5, 1.0 - position}}, TurnRate::quarter}; }
Rule midpoint() { return alpha(0.5); }
Rule trapezoidal() { return sym(0.0); }

namespace {

constexpr double rounding = 1e-12;

double weight_at(const Rule& rule, double position) {
  double total = 0.0;
  for (const auto& node : rule.nodes) {
    if (std::abs(node.position - position) < rounding) total += node.weight;
  }
  return total;
}

}  // namespace

bool Rule::is_symmetric() const {
  return std::ranges::all_of(nodes, [&](const Node& node) {
    return std::abs(weight_at(*this, node.position) - weight_at(*this, 1.0 - node.position)) < rounding;
  });
}

int Rule::order() const {
  double total = 0.0;
  double mean = 0.0;
  for (const auto& [weight, position] : nodes) {
    total += weight;
    mean += weight * position;
  }
  if (!(std::abs(total - 1.0) < rounding)) {
    throw MethodError(fmt::format("the weights of a rule must add up to 1, found {}", total));
  }
  return std::abs(mean - 0.5) < rounding ? 2 : 1;
}

std::vector<Expression> increment_symbols(const System& system) {
  std::vector<Expression> result;
  for (const Expression& q : system.freedoms()) result.push_back(Expression::symbol("Δ(" + q.name() + ")"));
  return result;
}

std::vector<Expression> moved(const System& system, double fraction) {
  return moved_by(system, increment_symbols(system), fraction);
}

Substitution moved_there(const System& system, double fraction) {
  const std::vector<Expression> q = moved(system, fraction);
  Substitution there;
  for (std::size_t i = 0; i < q.size(); ++i) there.emplace(system.coordinates()[i], q[i]);
  for (const Expression& t : system.time()) there.emplace(t, t + fraction * step_symbol());
  return there;
}

std::vector<Expression> discretise(std::span<const Expression> functions, const System& system, const Rule& rule) {
  const std::vector<Expression> rates = rates_of_step(system, increment_symbols(system), rule.turn);
  std::vector<Expression> result(functions.size());
  for (const auto& [weight, position] : rule.nodes) {
    Substitution at_node = moved_there(system, position);
    for (std::size_t i = 0; i < system.dimension(); ++i) {
      at_node.emplace(system.velocities()[i], rates[i] / step_symbol());
    }
    const std::vector<Expression> values = substitute(functions, at_node);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] += weight * values[k];
  }
  return result;
}

Expression discretise(const Expression& function, const System& system, const Rule& rule) {
  return discretise(std::span(&function, 1), system, rule)[0];
}

Expression discrete_lagrangian(const System& system, const Rule& rule) {
  return step_symbol() * discretise(system.lagrangian(), system, rule);
}

}  // namespace rattleback
