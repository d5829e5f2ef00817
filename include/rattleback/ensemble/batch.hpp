#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rattleback/method/method_spec.hpp"

namespace rattleback {

/// Trajectories of one problem that somebody leads together, step by step: each with its own start and its own values
/// of parameters, in the lanes of a compiled step. The pivots are those of the problem, and what a trajectory does does
/// not depend on the others.
class Batch {
 public:
  /// All members begin where the problem does. Throws MethodError for methods that are more than their maps.
  Batch(const Problem& problem, const MethodSpec& method, std::size_t members, int lanes = 8);
  Batch(Batch&&) noexcept;
  ~Batch();

  std::size_t size() const;
  /// The nodes, member by member; always in the same place.
  std::span<const double> q() const;
  std::span<const double> v() const;
  /// The values of a parameter from here on, one for each member. Momenta stay, where the method keeps them; velocities
  /// follow with the next step.
  void set(std::size_t parameter, std::span<const double> values);
  /// A member begins anew. Throws StartError for a node that no motion can start from, MethodError if the method
  /// cannot. The member stays where it is then.
  void start(std::size_t member, const State& node);
  /// A member that fails stays at its last node until it is started anew.
  void step(std::int64_t count = 1);
  /// Why members have failed; empty for those that have not.
  const std::vector<std::string>& failures() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace rattleback
