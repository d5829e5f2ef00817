#pragma once

#include <vector>

namespace rattleback {

/// Equations and unknowns that have to be solved together.
struct EquationBlock {
  std::vector<int> equations;
  std::vector<int> unknowns;
};

/// Which unknowns occur in which equation.
using Incidence = std::vector<std::vector<int>>;

struct BlockStructure {
  /// In an order in which each block contains only its own unknowns and those of earlier blocks.
  std::vector<EquationBlock> blocks;
  /// Equations that no unknown is left for, and unknowns that no equation is left for. Empty unless
  /// the system is structurally singular; then there are no blocks.
  std::vector<int> unmatched_equations;
  std::vector<int> unmatched_unknowns;
};

/// The block-triangular form: a maximum matching of equations and unknowns, then the strongly
/// connected components of the graph it directs (Duff & Reid, An implementation of Tarjan's
/// algorithm for the block triangularization of a matrix, ACM TOMS 4, 1978).
BlockStructure block_triangular_form(const Incidence& incidence, int unknowns);

}  // namespace rattleback
