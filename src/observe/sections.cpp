#include "sections.hpp"

#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

ImplicitSystem momenta_of_sections(const System& system) {
  std::vector<Expression> momenta;
  for (const SymmetrySection& section : system.sections()) {
    const std::vector<Expression> field = system.field_of(section);
    Expression& momentum = momenta.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) momentum += system.momenta()[i] * field[i];
  }
  ImplicitSystem map = map_of_node(system);
  map.give(Slot::conserved, momenta);
  return map;
}

ImplicitSystem changes_of_sections(const Method& method, const System& system) {
  const std::vector<Expression> increments = increment_symbols(system);
  const std::vector<Expression> momentum = gradient(method.interval->lagrangian, increments);  // D₂L_d
  const std::vector<Expression> there = moved(system);
  Substitution at_right;
  for (std::size_t i = 0; i < system.dimension(); ++i) at_right.emplace(system.coordinates()[i], there[i]);
  std::vector<Expression> changes;
  for (const SymmetrySection& section : system.sections()) {
    Expression& change = changes.emplace_back();
    for (std::size_t a = 0; a < system.symmetries().size(); ++a) {
      const Expression& f = section.coefficients[a];
      Expression along;
      for (std::size_t i = 0; i < system.dimension(); ++i) {
        along += momentum[i] * substitute(system.symmetries()[a].generator[i], at_right);
      }
      change += (substitute(f, at_right) - f) * along;
    }
  }
  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::increments, increments);
  map.take(Slot::step, {{step_symbol()}});
  map.take(Slot::parameters, system.parameters());
  map.give(Slot::others, changes);
  return map;
}

}  // namespace

std::string why_no_changes(const Method& method) {
  if (!method.interval) return "the method has no discrete Lagrangian of the model between its nodes";
  if (method.own_time) {
    return "the nodes are equidistant in tau, and L_d of the model belongs to equal steps of t; hdel:nodes=t takes "
           "such";
  }
  if (method.stages.size() > 1) return "a composition has several stages between its nodes";
  return "";
}

void require_sections(const Problem& problem) {
  const auto broken = broken_sections(problem.system, problem.parameters, problem.start);
  if (!broken.empty()) throw MethodError(broken[0]);
}

SectionMomenta::SectionMomenta(const Problem& problem)
    : functions_(CompiledMap::functions(momenta_of_sections(problem.system), problem)) {}

std::span<const double> SectionMomenta::operator()(const State& node) {
  functions_.run(node);
  return functions_(Slot::conserved);
}

SectionChanges::SectionChanges(const Method& method, const Problem& problem)
    : functions_(CompiledMap::functions(changes_of_sections(method, problem.system), problem)) {}

std::span<const double> SectionChanges::operator()(std::span<const double> from, std::span<const double> to) {
  functions_.set(Slot::position, from);
  for (std::size_t i = 0; i < from.size(); ++i) functions_[Slot::increments][i] = to[i] - from[i];
  functions_.run();
  return functions_(Slot::others);
}

}  // namespace rattleback
