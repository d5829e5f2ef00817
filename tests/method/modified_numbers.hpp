#pragma once

// modified_numbers.json and gv_appendix.json: modified Hamiltonians by an independent program (modified_numbers.py),
// the systems they belong to, and their points as states of our methods.

#include <fstream>
#include <nlohmann/json.hpp>

#include "rattleback/expr/parse.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/method/modified.hpp"
#include "tests/places.hpp"
#include "trajectory.hpp"

namespace rattleback::test {

inline nlohmann::json json_beside_tests(const std::string& name) {
  std::ifstream file(test::source_file("tests/method/" + name));
  return nlohmann::json::parse(file);
}

inline const nlohmann::json& modified_numbers() {
  static const nlohmann::json all = json_beside_tests("modified_numbers.json");
  return all;
}

/// The entry, which is a text.
inline double number(const nlohmann::json& record, const std::string& key) {
  return std::stod(record.at(key).get<std::string>());
}

inline Problem written_problem(const std::vector<std::string>& coordinates, const std::string& lagrangian,
                               const std::vector<std::string>& constraints, State start, double step) {
  SystemDefinition definition;
  for (const std::string& name : coordinates) definition.coordinates.push_back(Expression::symbol(name));
  definition.lagrangian = parse(lagrangian);
  for (const std::string& c : constraints) definition.constraints.push_back(parse(c));
  return {System(std::move(definition)), {}, std::move(start), step};
}

/// The systems of the records, by their names.
inline Problem recorded_problem(const std::string& system, double step = 0.25) {
  if (system == "harmonic") return problem_of("harmonic-particle", step);
  if (system == "free") return problem_of("free-particle", step);
  if (system == "knife edge, incline") return problem_of(load_model("knife-edge-incline", {{"alpha", 0.1}}), step);
  if (system == "sinusoidal, potential") {
    return written_problem({"x", "y", "z"}, "(x'^2 + y'^2 + z'^2)/2 - cos(x) - y^2/2", {"z' + sin(x)*y'"},
                           {{0.25, 0, 0}, {1, 1, -std::sin(0.25)}}, step);
  }
  if (system == "pendulum") return written_problem({"th"}, "th'^2/2 + cos(th)", {}, {{1}, {0.5}}, step);
  if (system == "kepler") {
    return written_problem({"x", "y"}, "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)", {}, {{0.8, 0}, {0, 1.2}}, step);
  }
  throw std::invalid_argument(system);
}

/// "alpha(0.3)" of a record is alpha=0.3.
inline std::string rule_name(const nlohmann::json& record) {
  std::string rule = record.at("rule").get<std::string>();
  if (const std::size_t open = rule.find('('); open != std::string::npos) {
    rule.pop_back();
    rule[open] = '=';
  }
  return rule;
}

/// v of the node, to look for solutions near it.
inline std::vector<double> velocity_at(const Method& method, const Problem& problem, std::span<const double> state) {
  const std::size_t n = problem.system.dimension();
  std::vector<double> data(state.begin(), state.end());
  data.resize(data.size() + n, 0.0);
  data.push_back(problem.step);
  data.insert(data.end(), problem.parameters.begin(), problem.parameters.end());
  const std::vector<double> node = interpret_step<double>(*method.node, data);
  return {node.begin() + static_cast<std::ptrdiff_t>(n), node.end()};
}

/// A state of the method: r and P (and E) as given, other coordinates 0.
inline std::vector<double> state_of(const Method& method, std::span<const double> r, std::span<const double> p,
                                    double energy = 0.0) {
  const CanonicalStep& c = require_canonical(method);
  std::vector<double> state(method.state_size(), 0.0);
  for (std::size_t i = 0; i < r.size(); ++i) {
    state[c.positions[i]] = r[i];
    state[c.momenta[i]] = p[i];
  }
  if (c.conformal) state[c.conformal->entry] = energy;
  return state;
}

/// The point of a record.
inline std::vector<double> recorded_state(const Method& method, const Problem& problem, const nlohmann::json& record) {
  std::vector<double> r;
  std::vector<double> p;
  for (const std::size_t i : require_canonical(method).positions) {
    const std::string& name = problem.system.coordinates()[i].name();
    r.push_back(number(record, name));
    p.push_back(number(record, record.contains("p" + name) ? "p" + name : "p_" + name));
  }
  return state_of(method, r, p, record.contains("E") ? number(record, "E") : 0.0);
}

/// What a MethodError says, or nothing.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const MethodError& error) {
    return error.what();
  }
  return "";
}

}  // namespace rattleback::test
