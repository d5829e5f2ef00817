#pragma once

#include <cstddef>
#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// An event that happened.
struct EventRecord {
  std::size_t event = 0;  ///< which one of the system
  double time = 0.0;
  bool rising = false;
  State node = {};                 ///< there; before an impact
  std::vector<double> after = {};  ///< the velocities after an impact; empty if it was none
};

}  // namespace rattleback
