#pragma once

#include <span>
#include <vector>

#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/kernel/step.hpp"

namespace rattleback {

/// Damped Newton iteration on all equations of a block at once, row-scaled, with partial pivoting. It knows why it
/// fails. Slower than generated code, and independent of how many lanes the failed step was part of.
class PivotedNewton {
 public:
  explicit PivotedNewton(const ImplicitSystem& system);

  /// Fills the outputs if it converges; writes outcome, equation and residual into the report and
  /// adds to its iterations. Allocates nothing for up to 256 unknowns.
  void solve(std::span<const double> data, std::span<double> outputs, LaneReport& report);

 private:
  /// Residuals, magnitudes and Jacobian at unknowns_; false if one of them is not finite.
  bool evaluate(LaneReport& report);
  /// The sizes of rows, of unknowns, and of what their rounding errors are relative to, from the last evaluation.
  void find_scales();
  /// The largest residual relative to its terms.
  double worst_residual(LaneReport& report) const;
  /// Factorises the Jacobian of the last evaluation; false if it is singular.
  bool factorise(LaneReport& report);
  /// −J⁻¹ r with the factors at hand and the residuals of the last evaluation.
  void newton_correction(std::vector<double>& correction) const;
  /// Largest component relative to the size of its unknown.
  double scaled_size(const std::vector<double>& correction) const;
  void iterate(LaneReport& report);

  std::size_t size_;
  std::vector<std::pair<std::size_t, std::size_t>> entries_;  ///< (row, column) of the Jacobian's nonzeros
  Interpreter<double> guess_;
  Interpreter<double> equations_;  ///< (data, unknowns) → residuals, magnitudes, Jacobian
  Interpreter<double> outputs_;
  std::vector<double> arguments_;  ///< data, then unknowns
  std::span<double> unknowns_;
  std::vector<double> values_;  ///< residuals, magnitudes, Jacobian entries
  std::vector<double> previous_;
  std::vector<double> correction_;
  std::vector<double> next_correction_;
  std::vector<double> unknown_scale_;
  std::vector<double> previous_scale_;
  std::vector<double>
      noise_;  ///< Σⱼ |Jᵢⱼ| scaleⱼ: what the rounding errors of the unknowns are relative to, in each equation
  std::vector<double> matrix_;
  std::vector<double> terms_;  ///< sums of what each of its entries is a sum of, in absolute value
  std::vector<double> row_scale_;
  std::vector<double> column_scale_;
  std::vector<std::size_t> order_;
};

}  // namespace rattleback
