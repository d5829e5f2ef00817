#pragma once

#include <optional>
#include <string>

#include "rattleback/method/whole_step.hpp"

namespace rattleback {

/// The node (q, v) that belongs to the state of a method.
class NodeSolver {
 public:
  NodeSolver(const Method& method, const MethodMaps& maps, const Problem& problem);

  void surround(const Problem& problem);

  /// `node` is the one before, and becomes that of the state at t. False if there is none, see failure(): it stays
  /// then.
  bool operator()(std::span<const double> state, double t, State& node);

  const std::string& failure() const { return failure_; }
  /// How many nodes have the velocity of the interval that leads to them, because none has their momentum.
  double by_interval() const { return by_interval_; }
  void set_by_interval(double count) { by_interval_ = count; }

 private:
  bool solve(std::span<const double> state, double t, const State& before);

  const Layout layout_;  ///< of the state
  double step_;
  std::optional<CompiledMap> map_;
  std::optional<CompiledMap> interval_map_;
  std::size_t velocity_ = 0;  ///< that is solved for, where there is such a map
  std::vector<double> guess_;
  const CompiledMap* used_ = nullptr;
  double by_interval_ = 0.0;
  std::string failure_;
};

}  // namespace rattleback
