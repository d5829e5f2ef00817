#pragma once

#include <optional>

#include "rattleback/geometry/multiplier.hpp"
#include "rattleback/geometry/steered.hpp"
#include "rattleback/mech/problem.hpp"

namespace rattleback {

/// A Chaplygin system with a multiplier N.
struct Hamiltonization {
  ChaplyginSystem chaplygin;
  Potential multiplier;
};

/// The geometry that methods are derived from, found near the start of a problem when it is first asked for. Methods of
/// one problem share it, whatever their step. Each function throws MethodError where there is no such structure;
/// `method` is for its message.
class Geometry {
 public:
  explicit Geometry(const Problem& problem);

  const ChaplyginSystem& chaplygin(const char* method);
  const Hamiltonization& hamiltonization(const char* method);
  /// With a free Lagrangian.
  const SteeredSystem& steered(const char* method);

 private:
  System system_;
  std::vector<double> parameters_;
  State near_;
  std::optional<ChaplyginSystem> chaplygin_;
  std::optional<Hamiltonization> hamiltonization_;
  std::optional<SteeredSystem> steered_;
};

}  // namespace rattleback
