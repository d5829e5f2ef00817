#pragma once

#include <unordered_set>
#include <vector>

#include "block_structure.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/kernel/implicit_system.hpp"

namespace rattleback {

/// The derivatives of the residuals with respect to the unknowns, and what follows from them.
class Slopes {
 public:
  explicit Slopes(const ImplicitSystem& system);
  Slopes(const Slopes&) = delete;
  Slopes& operator=(const Slopes&) = delete;

  /// Without idle unknowns.
  const ImplicitSystem& system() const { return system_; }
  BlockStructure structure() const;
  const std::vector<const SparseMatrix::Entry*>& row(int equation) const { return rows_[idx(equation)]; }
  const std::vector<int>& equations_with(int unknown) const { return equations_with_[idx(unknown)]; }

  /// In the unknowns of the block.
  bool is_linear(const EquationBlock& block) const;
  /// Of the equations of a block that are not linear in its unknowns, the one in which most unknowns meet: others hold
  /// an iteration earlier. Without parts whose slopes are known if there is one: these are long.
  std::size_t sharpest(const EquationBlock& block) const;

 private:
  static std::size_t idx(int i) { return static_cast<std::size_t>(i); }
  std::unordered_set<Expression> unknowns_of(const EquationBlock& block) const;

  SparseMatrix jacobian_;
  ImplicitSystem system_;
  std::vector<std::vector<const SparseMatrix::Entry*>> rows_;
  std::vector<std::vector<int>> equations_with_;
};

/// Whether an expression whose slopes are free of some symbols is still not affine in them: if a denominator depends on
/// one, as in u·u⁻¹, which is not defined at u = 0, or something that is not smooth, as in sign(u).
bool hides_symbols(const Expression& expression, const std::unordered_set<Expression>& symbols);

/// The Jacobian, with zeros where an equation depends on an unknown only by jumps.
SparseMatrix slopes_and_jumps(const ImplicitSystem& system);

}  // namespace rattleback
