#pragma once

#include "rattleback/model/model.hpp"

namespace rattleback::answer {

/// About it a system is looked at: the initial state of its model, or zeros.
inline State state_to_look_at(const Model& model) {
  if (model.initial) return *model.initial;
  return {model.system.space().origin(), std::vector<double>(model.system.dimension(), 0.0)};
}

}  // namespace rattleback::answer
