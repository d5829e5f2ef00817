#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/method/method.hpp"

namespace rattleback {

/// The modified Hamiltonian of a method as a power series in h with formulas for its coefficients.
struct ModifiedSeries {
  std::vector<Expression> coordinates;  ///< r
  std::vector<Expression> momenta;      ///< symbols for P
  std::vector<Expression> hamiltonian;  ///< K₀, K₁, …
  /// Of altered Lagrangians: the symbol E, on which K depends, and the series of 𝓔 and N_mod, in r and P.
  std::optional<Expression> energy_symbol;
  std::vector<Expression> energy;
  std::vector<Expression> factor;
};

/// A symbol for people that is neither coordinate nor parameter of the system: the name, or the name with underscores.
Expression unused_symbol(std::string name, const System& system);

/// Up to the power `order`. Throws MethodError if the step is not that of a discrete Lagrangian, or if there is no
/// formula to start from: of compositions, of Lagrangians that are not quadratic in the velocities.
ModifiedSeries modified_series(const Method& method, int order);

}  // namespace rattleback
