#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/model/written.hpp"

namespace rattleback::answer {

/// A model, what follows from it, and what may be wrong with it.
struct ShowRequest {
  ModelSource model = {};
  ParameterValues parameters = {};  ///< values that replace those of the model
};

struct ShowAnswer {
  Model model;
  WrittenModel written = {};                         ///< in the words of its author
  std::optional<ConstraintReport> constraints = {};  ///< if there are any
  std::optional<ConstraintReport::RankDrop> rank_drop = {};
  std::string start_error = {};                     ///< why no motion can start in the initial state; empty if one can
  std::vector<std::string> broken_symmetries = {};  ///< declared symmetries that are none, each in words
  std::vector<std::string> broken_sections = {};    ///< declared sections that leave the constraints, each in words
  std::vector<std::string> not_conserved = {};      ///< declared conserved quantities that change, each in words
  std::vector<std::string> findings = {};           ///< all that was found, in words
  std::vector<std::string> problems = {};           ///< all that is wrong, in words
};

ShowAnswer show(const ShowRequest& request, const Hooks& hooks = {});

std::string to_text(const ShowAnswer& answer);
std::string to_json(const ShowAnswer& answer);
/// The formulas, as an align* environment.
std::string to_latex(const ShowAnswer& answer);

}  // namespace rattleback::answer
