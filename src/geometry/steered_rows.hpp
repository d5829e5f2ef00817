#pragma once

// The constraints of a system that one coordinate steers (see SteeredSystem), row by row.

#include "../expr/determinant.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// A vector divided by the factors that all its entries have.
std::vector<Expression> without_common_factors(const std::vector<Expression>& x);

/// The constraints by rows, without factors that all entries of a row have. `zero` has the parameters that are absent.
ExpressionMatrix simple_rows(const System& system, const Substitution& zero);

/// Coordinates that move by themselves: no constraint ties them to others, but for r₁.
struct SteeredPiece {
  std::vector<std::size_t> columns;  ///< ascending
  std::vector<std::size_t> rows;

  /// In how many directions these coordinates can move.
  std::size_t freedom() const { return columns.size() - rows.size(); }
};

/// The pieces of the coordinates other than r₁. Rows that mix several pieces are replaced by combinations that do not,
/// where there are such. Coordinates that cannot move at all are counted to the first piece that can. Empty if there
/// are more conditions than velocities somewhere.
std::vector<SteeredPiece> steered_pieces(ExpressionMatrix& rows, std::size_t steering);

}  // namespace rattleback
