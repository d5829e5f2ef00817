#pragma once

#include <map>
#include <stdexcept>
#include <vector>

#include "builder.hpp"
#include "step_program.hpp"

namespace rattleback {

/// A sparse linear system whose numbers are values of a builder: rows[i][j] is the coefficient of
/// unknown j in equation i.
struct SymbolicLinearSystem {
  std::vector<std::map<int, Value>> rows;
  std::vector<Value> right_hand_side;
  std::vector<double> units = {};  ///< of the unknowns, in which entries of a row are compared; empty: 1
  /// Whether it is one of Newton's corrections: each waits for the one before, and errs by less than it corrects.
  bool is_iterated = false;
};

/// constant + Σ coefficients[j]·xⱼ of the solution x.
struct AffineForm {
  std::map<int, Value> coefficients;
  Value constant = 0;
};

/// An equation that is a combination of others, whatever the numbers are.
class LinearlyDependent : public std::runtime_error {
 public:
  explicit LinearlyDependent(int row) : std::runtime_error("linearly dependent equations"), row_(row) {}
  int row() const noexcept { return row_; }

 private:
  int row_;
};

/// Emits Gaussian elimination and back substitution as straight-line code.
/// The order of pivots is fixed here, once: small fill first (Markowitz), with a handicap for entries
/// that change from step to step; among those of equal fill constants before parameters before the
/// rest, larger ones before smaller. Entries that are small at the builder's sample points come last.
/// Whether the order was good for the numbers at hand is checked at run time by the residual.
///
/// Rows that other rows were subtracted from need this check; back substitution satisfies the others to rounding,
/// whatever the pivots were. For some of them it follows from the growth of a few entries (row_terms.hpp), which is
/// cheaper to look at than the residual.
struct EliminationResult {
  std::vector<Value> solution;
  std::vector<int> updated_rows;  ///< whose residual has to be looked at
  std::vector<int> implied_rows;  ///< whose residual is small if all these have grown little
  std::vector<GrowthCheck> growth;
  std::vector<Value> late_reciprocals;  ///< of pivots that change from step to step; finite if none of them vanishes
  std::vector<Value> pivots;            ///< to be divided by
  std::vector<Value> forms;             ///< values of the affine forms

  friend bool operator==(const EliminationResult&, const EliminationResult&) = default;
};
/// The forms go through the elimination too, as far as its pivots are constants or parameters: at
/// best each ends as a multiple of the last unknown plus what is known before it, ready one operation
/// after it.
EliminationResult eliminate(Builder& builder, SymbolicLinearSystem system, std::vector<AffineForm> forms = {});

}  // namespace rattleback
