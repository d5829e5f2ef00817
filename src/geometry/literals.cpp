#include "literals.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <unordered_map>

#include "rattleback/expr/graph.hpp"

namespace rattleback {
namespace {

/// 0, ±1, ±2, ±½, …: their products and quotients are exact.
bool is_power_of_two(double number) {
  int exponent = 0;
  return number == 0.0 || std::abs(std::frexp(number, &exponent)) == 0.5;
}

class Lifter {
 public:
  explicit Lifter(std::vector<Parameter>& parameters) : parameters_(parameters) {}

  Expression operator()(const Expression& root) {
    const Graph graph({&root, 1});
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (!lifted_.contains(graph[i].node())) lifted_.emplace(graph[i].node(), rebuilt(graph[i]));
    }
    return lifted_.at(root.node());
  }
  std::vector<Expression> operator()(const std::vector<Expression>& list) {
    std::vector<Expression> result;
    for (const Expression& e : list) result.push_back((*this)(e));
    return result;
  }

 private:
  Expression number(double value) {
    if (is_power_of_two(value)) return Expression(value);
    const auto [place, fresh] = symbols_.try_emplace(std::abs(value));
    if (fresh) {
      place->second = Expression::symbol(fmt::format("number({})", symbols_.size()));
      parameters_.push_back({place->second.name(), std::abs(value)});
    }
    return value < 0.0 ? -place->second : place->second;
  }

  const Expression& lifted(const Expression& e) const { return lifted_.at(e.node()); }

  Expression rebuilt(const Expression& e) {
    switch (e.kind()) {
      case Kind::constant: return number(e.value());
      case Kind::symbol: return e;
      case Kind::sum: {
        Expression total = number(e.value());
        for (const Term& t : e.operands()) total += number(t.weight) * lifted(t.expression);
        return total;
      }
      case Kind::product: {
        std::vector<Term> factors;
        for (const Term& t : e.operands()) factors.push_back({lifted(t.expression), t.weight});
        return number(e.value()) * product(factors);
      }
      case Kind::power: {
        const Expression& exponent = e.operands()[1].expression;
        return pow(lifted(e.operands()[0].expression), exponent.is_constant() ? exponent : lifted(exponent));
      }
      case Kind::function: {
        std::vector<Expression> arguments;
        for (const Term& t : e.operands()) arguments.push_back(lifted(t.expression));
        if (e.function() == Function::table) arguments[1] = e.operands()[1].expression;  // which one it is
        return call(e.function(), arguments);
      }
    }
    return e;
  }

  std::vector<Parameter>& parameters_;
  std::map<double, Expression> symbols_;
  std::unordered_map<const Node*, Expression> lifted_;
};

}  // namespace

SystemDefinition mechanics_of(const System& system) {
  SystemDefinition definition;
  definition.coordinates = system.coordinates();
  definition.parameters = system.parameter_list();
  definition.lagrangian = system.lagrangian();
  definition.constraints = system.constraints();
  definition.holonomic = system.holonomic();
  definition.applied_forces = system.applied_forces();
  return definition;
}

System with_values(const System& system, std::span<const double> parameters) {
  SystemDefinition definition = mechanics_of(system);
  for (std::size_t i = 0; i < parameters.size(); ++i) definition.parameters[i].value = parameters[i];
  return System(std::move(definition));
}

System with_literals_as_parameters(const System& system) {
  SystemDefinition definition = mechanics_of(system);
  Lifter lifted(definition.parameters);
  definition.lagrangian = lifted(definition.lagrangian);
  for (auto* list : {&definition.constraints, &definition.holonomic, &definition.applied_forces}) *list = lifted(*list);
  return System(std::move(definition));
}

}  // namespace rattleback
