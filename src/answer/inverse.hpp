#pragma once

// Renderings of the inverse problem, in which the answers of analyse and free_lagrangians share parts.

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "rattleback/answer/analyse.hpp"

namespace rattleback::answer {

/// "(6)", as the paper numbers it.
const char* form_number(FreeForm form);

/// The class of Mestdag, Bloch & Fernandez as it is in a system.
std::string class_text(const System& system, const SteeredSystem& steered);
nlohmann::json class_json(const System& system, const SteeredSystem& steered);

std::string inverse_problem_text(const System& system, const InverseProblem& problem);
nlohmann::json inverse_problem_json(const System& system, const InverseProblem& problem);

std::string associated_text(const System& system, const AssociatedSearch& search);
nlohmann::json associated_json(const AssociatedSearch& search);

std::string given_lagrangian_text(const GivenLagrangian& given);
nlohmann::json given_lagrangian_json(const GivenLagrangian& given);

}  // namespace rattleback::answer
