#pragma once

#include <span>
#include <vector>

#include "pivoted_newton.hpp"

namespace rattleback {

/// The careful way to solve an implicit system, for the steps that the generated code gives up: its blocks in
/// their order, each by damped Newton iteration with pivoting. Block by block, because the unknowns of a later block
/// have no meaningful size before the earlier ones are known: the third stage of a Runge–Kutta method started from
/// rest, for example.
class CarefulSolver {
 public:
  explicit CarefulSolver(const ImplicitSystem& system);

  /// Fills the outputs if it converges; writes outcome, equation and residual into the report and adds to its
  /// iterations those of the block that needed most. Allocates nothing for blocks of up to 256 unknowns.
  void solve(std::span<const double> data, std::span<double> outputs, LaneReport& report);

 private:
  struct Block {
    std::vector<std::size_t> inputs;    ///< what its equations contain, as positions among data and unknowns
    std::vector<std::size_t> unknowns;  ///< positions of its unknowns there
    std::vector<int> equations;
    PivotedNewton newton;
    std::vector<double> data;
    std::vector<double> solution;
  };

  std::vector<Block> blocks_;
  Interpreter<double> outputs_;
  std::vector<double> arguments_;  ///< data, then unknowns
};

}  // namespace rattleback
