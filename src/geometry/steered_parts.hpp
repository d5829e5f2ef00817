#pragma once

// The parts of a system that one coordinate steers (see SteeredSystem): directions, what r₁ carries along, and which
// coordinates are r₂, r₃, …

#include <optional>

#include "along_steering.hpp"
#include "steered_rows.hpp"

namespace rattleback {

/// What is known while a system is recognised.
struct SteeredParts {
  ExpressionMatrix masses;
  ExpressionMatrix rows;
  std::vector<SteeredPiece> pieces;
  std::size_t steering;
};

/// A quadratic form.
Expression pairing(const ExpressionMatrix& matrix, const std::vector<Expression>& x, const std::vector<Expression>& y);

/// The direction of length 1 that rows leave to the columns of a piece.
std::vector<Expression> unit_kernel(const ExpressionMatrix& masses, const ExpressionMatrix& rows,
                                    const SteeredPiece& piece);

/// Y on a piece, in the order of its columns: A Y = 0, ⟨X, M Y⟩ = 0, Y_{r₁} = 1, if it is constant. Where one of its
/// entries is zero it is found without dividing by more than the constraints do.
std::optional<std::vector<Expression>> find_shear(const SteeredParts& parts, const SteeredPiece& piece,
                                                  const std::vector<Expression>& direction, const AlongSteering& along);

/// Whether ⟨X_a, M X_b⟩ and ⟨X_a, M X_b'⟩ vanish: otherwise u_a changes as X_b turns.
bool is_orthogonal(const SteeredParts& parts, const std::vector<std::vector<Expression>>& directions,
                   const Expression& r1, const AlongSteering& along);

/// r₂, or r₃, …, of a piece: N constant if possible, or at least without zeros; then the choice for which the A_β are
/// shortest.
struct BaseChoice {
  std::size_t at = 0;  ///< in the piece
  bool varies = true;  ///< N
};

BaseChoice choose_base(const std::vector<Expression>& direction, const Expression& r1, const AlongSteering& along);

}  // namespace rattleback
