#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rattleback/experiment/experiment.hpp"

namespace rattleback::test {

/// Something that could have been done wrong in Rattleback or in its data, done on purpose to an experiment.
struct Mistake {
  std::string name;
  std::function<void(Experiment&)> make;
};

const std::vector<Mistake>& mistakes();

}  // namespace rattleback::test
