#include "rattleback/method/whole_step.hpp"

#include <fmt/format.h>

#include "rattleback/expr/graph.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

Vector renamed(std::span<const Expression> symbols, const std::string& where) {
  Vector all;
  for (const Expression& s : symbols) all.push_back(Expression::symbol(fmt::format("{}({})", s.name(), where)));
  return all;
}

void replace(Substitution& substitution, std::span<const Expression> symbols, std::span<const Expression> by) {
  for (std::size_t i = 0; i < symbols.size(); ++i) substitution.insert_or_assign(symbols[i], by[i]);
}

void append(Vector& list, std::span<const Expression> more) { list.insert(list.end(), more.begin(), more.end()); }

}  // namespace

// The state between two stages is a set of unknowns of its own: each stage then depends on the one before only, and
// neither the derivatives nor the code grow with the number of stages other than linearly.
ImplicitSystem whole_step(const Method& method) {
  const ImplicitSystem& step = method.step;
  const std::size_t size = method.state_size();
  const auto state = std::span(step.data).first(size);
  const auto memory = std::span(step.data).subspan(size, method.memory);
  ImplicitSystem whole = step;
  whole.typical.clear();
  if (method.stages.size() == 1) {
    whole.outputs.resize(step.state);
    return whole;
  }
  whole = {};
  Vector memories;
  Vector next_memories;
  Vector here(state.begin(), state.end());
  for (std::size_t k = 0; k < method.stages.size(); ++k) {
    const Vector unknowns = renamed(step.unknowns, fmt::format("in stage {}", k + 1));
    const Vector own_memory = renamed(memory, fmt::format("of stage {}", k + 1));
    Substitution at_stage;
    at_stage.emplace(step_symbol(), method.stages[k] * step_symbol());
    replace(at_stage, memory, own_memory);
    append(whole.guess, substitute(step.guess, at_stage));
    replace(at_stage, step.unknowns, unknowns);
    replace(at_stage, state, here);
    append(whole.unknowns, unknowns);
    append(whole.residuals, substitute(step.residuals, at_stage));
    const Vector outputs = substitute(std::span(step.outputs).first(step.state), at_stage);
    append(memories, own_memory);
    append(next_memories, std::span(outputs).subspan(size));
    here = renamed(state, fmt::format("after stage {}", k + 1));
    append(whole.unknowns, here);
    append(whole.guess, state);
    for (std::size_t i = 0; i < size; ++i) whole.residuals.push_back(here[i] - outputs[i]);
  }
  whole.data = joined({state, memories, std::span(step.data).subspan(step.state)});
  whole.outputs = joined({here, next_memories});
  whole.state = whole.outputs.size();
  return whole;
}

ImplicitSystem whole_step_with_node(const Method& method) {
  ImplicitSystem whole = whole_step(method);
  if (!method.node) return whole;
  const ImplicitSystem& node = *method.node;
  const std::size_t size = method.state_size();
  const std::size_t n = node.outputs.size() / 2;
  const auto before = std::span(node.data).subspan(size, n);
  // Unknowns of their own again, so that the equations of the node do not depend on those of the step.
  const Vector state = renamed(std::span(whole.data).first(size), "at the node");
  const Vector unknowns = renamed(node.unknowns, "of the node");
  append(whole.unknowns, state);
  append(whole.guess, std::span(whole.data).first(size));
  for (std::size_t i = 0; i < size; ++i) whole.residuals.push_back(state[i] - whole.outputs[i]);
  append(whole.guess, node.guess);
  Substitution there;
  replace(there, std::span(node.data).first(size), state);
  replace(there, node.unknowns, unknowns);
  append(whole.unknowns, unknowns);
  append(whole.residuals, substitute(node.residuals, there));
  const Vector outputs = substitute(node.outputs, there);
  append(whole.outputs, std::span(outputs).subspan(n));
  whole.data.insert(whole.data.begin() + static_cast<std::ptrdiff_t>(whole.state), before.begin(), before.end());
  whole.state += n;
  return whole;
}

ImplicitSystem whole_start(const Method& method) {
  const ImplicitSystem& start = method.start;
  if (method.stages.size() == 1) return start;
  const std::size_t size = method.state_size();
  ImplicitSystem whole;
  whole.data = start.data;
  for (std::size_t k = 0; k < method.stages.size(); ++k) {
    const Vector unknowns = renamed(start.unknowns, fmt::format("in stage {}", k + 1));
    Substitution at_stage;
    at_stage.emplace(step_symbol(), method.stages[k] * step_symbol());
    append(whole.guess, substitute(start.guess, at_stage));
    replace(at_stage, start.unknowns, unknowns);
    append(whole.unknowns, unknowns);
    append(whole.residuals, substitute(start.residuals, at_stage));
    const Vector outputs = substitute(start.outputs, at_stage);
    append(whole.outputs, std::span(outputs).subspan(k == 0 ? 0 : size));
  }
  return whole;
}

std::vector<double> whole_start(const Method& method, const Problem& problem) {
  std::vector<double> given = problem.start.q;
  given.insert(given.end(), problem.start.v.begin(), problem.start.v.end());
  given.push_back(problem.step);
  given.insert(given.end(), problem.parameters.begin(), problem.parameters.end());
  ImplicitSystem system = whole_start(method);
  system.typical = given;
  Step map(std::move(system), 1, Backend::interpreted);
  std::vector<double> data(map.system().outputs.size());
  if (map.run(given, data) != 1) {
    throw MethodError(fmt::format("the method cannot start: {}", map.describe(map.reports()[0])));
  }
  data.insert(data.end(), given.begin() + static_cast<std::ptrdiff_t>(2 * problem.start.q.size()), given.end());
  return data;
}

}  // namespace rattleback
