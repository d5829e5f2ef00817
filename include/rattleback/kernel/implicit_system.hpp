#pragma once

#include <span>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/expression.hpp"
#include "rattleback/kernel/layout.hpp"

namespace rattleback {

/// Where Newton's method stops. What is left of the equations then enters the next step: by default only rounding
/// errors do.
struct IterationEnd {
  double tolerance = 0.0;  ///< where every residual is at most this, or a rounding error of its terms
  int iterations = 0;      ///< if it is not 0: after exactly so many, whatever the residuals are
  friend bool operator==(const IterationEnd&, const IterationEnd&) = default;
};

/// Equations that define a map: for given data d, solve r(u, d) = 0 for u, return outputs o(u, d).
/// Every implicit integrator is one of these.
struct ImplicitSystem {
  std::vector<Expression> data;           ///< symbols
  std::vector<Expression> unknowns;       ///< symbols
  std::vector<Expression> residuals;      ///< as many as unknowns, in unknowns and data
  std::vector<Expression> guess;          ///< where the iteration starts, one for each unknown, in data
  std::vector<Expression> outputs;        ///< in unknowns and data
  std::vector<KnownSlopes> known_slopes;  ///< of parts of the residuals: Newton's method has less to compute
  IterationEnd end;

  /// The first `state` outputs are the new values of the first `state` data: repeated application
  /// is a trajectory. Other data are parameters.
  std::size_t state = 0;

  /// Typical values of the data, which decide between pivots that cost the same; may be empty.
  std::vector<double> typical;

  /// What data and outputs are, where they were added by the functions below.
  Layout data_layout;
  Layout output_layout;

  void take(Slot slot, std::span<const Expression> symbols);
  void give(Slot slot, std::span<const Expression> values);
  /// A slot of data behind another one.
  void take_after(Slot before, Slot slot, std::span<const Expression> symbols);
  /// A slot of outputs behind another one.
  void give_after(Slot before, Slot slot, std::span<const Expression> values);
  /// Has the unknowns, equations and guesses of another one, and stops iterating where it does.
  void solve_as(const ImplicitSystem& other);
  /// The same equations; gives nothing yet, and keeps no state.
  ImplicitSystem without_outputs() const;
  /// What is in a slot of the outputs.
  std::span<const Expression> given(Slot slot) const { return output_layout.of(outputs, slot); }
};

/// Equations that can never determine the unknowns, whatever the numbers are.
class StructureError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// The unknowns whose guess matters: those that an iteration is needed for. In increasing order.
std::vector<std::size_t> iterated_unknowns(const ImplicitSystem& system);

/// The system together with the derivative of its outputs in the direction of new data δd, by
/// implicit differentiation: unknowns (u, δu), data (d, δd), residuals (r, r_u δu + r_d δd), outputs
/// (o, o_u δu + o_d δd). Linear in δu, so it costs one more linear solve.
ImplicitSystem with_tangent(const ImplicitSystem& system);

/// The system together with the matrix ∂o_i/∂d_j of its first `rows` outputs and first `columns`
/// data, appended to the outputs row by row. One factorisation serves all columns.
ImplicitSystem with_tangent_matrix(const ImplicitSystem& system, std::size_t rows, std::size_t columns);

}  // namespace rattleback
