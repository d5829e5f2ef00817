#pragma once

// The inverse problem in the answers of `analyse` and `show`.

#include <nlohmann/json_fwd.hpp>

#include "rattleback/geometry/inverse_problem.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback::cli {

void print_inverse_problem(const System& system, const InverseProblem& problem);
nlohmann::json inverse_problem_json(const System& system, const InverseProblem& problem);

/// A Lagrangian that somebody wrote down, as a function on the states of a model. Throws Failure for a text that is
/// none.
Expression parse_lagrangian(const std::string& text, const System& system);

/// True if it is a free Lagrangian of the system.
bool print_given_lagrangian(const System& system, const InverseProblem& problem, const Expression& lagrangian,
                            const LagrangianReport& report, const State& near);
nlohmann::json given_lagrangian_json(const System& system, const InverseProblem& problem, const Expression& lagrangian,
                                     const LagrangianReport& report, const State& near);

/// `show --free`: Lagrangians, Hamiltonians and constraints in T*Q.
void print_free_lagrangians(const Model& model);
void print_free_lagrangians_as_latex(const Model& model);
nlohmann::json free_lagrangians_json(const Model& model);

}  // namespace rattleback::cli
