#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rattleback/flow/run.hpp"

namespace rattleback::bench {

/// A run as a user asks for it: energy, constraints and conserved quantities are watched at every node.
class UserRun {
 public:
  UserRun(const std::string& method, const Problem& problem);

  /// From the start again. A sample is recorded every so many steps, if somebody wants it.
  void operator()(std::int64_t steps, std::int64_t every, Recorder* recorder = nullptr);

 private:
  Problem problem_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<double> start_;
};

}  // namespace rattleback::bench
