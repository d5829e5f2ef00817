#pragma once

#include <set>
#include <string>

#include "rattleback/experiment/experiment.hpp"

namespace rattleback {

/// What a claim is made of, by name: through values, and without what its data are compared with.
struct Needs {
  std::set<std::string> data;
  std::set<std::string> values;

  void merge(Needs&& others) {
    data.merge(others.data);
    values.merge(others.values);
  }
};

Needs needs_of(const Claim& claim, const Experiment& experiment);

}  // namespace rattleback
