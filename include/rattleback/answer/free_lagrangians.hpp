#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/geometry/steered.hpp"

namespace rattleback::answer {

/// Which Lagrangians without constraints are known to describe the motion of a model?
struct FreeLagrangiansRequest {
  ModelSource model;
  ParameterValues parameters = {};  ///< values that replace those of the model
};

/// With their Hamiltonians and the image of the constraints.
struct FreeLagrangiansAnswer {
  struct Entry {
    FreeForm form;
    FreeLagrangian lagrangian;
  };
  Model model;
  std::optional<SteeredSystem> steered;  ///< the class they are known for
  std::vector<Entry> list;
  std::string reason;  ///< why there are none
};

FreeLagrangiansAnswer free_lagrangians(const FreeLagrangiansRequest& request, const Hooks& hooks = {});

/// The answer is no: there are none.
std::optional<Error> complaint(const FreeLagrangiansAnswer& answer);

std::string to_text(const FreeLagrangiansAnswer& answer);
std::string to_json(const FreeLagrangiansAnswer& answer);
std::string to_latex(const FreeLagrangiansAnswer& answer);

}  // namespace rattleback::answer
