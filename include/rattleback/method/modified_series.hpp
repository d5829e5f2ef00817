#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "rattleback/method/method.hpp"

namespace rattleback {

/// Parameters that are numbers in formulas.
using ParameterNumbers = std::unordered_map<Expression, double>;

/// The modified Hamiltonian of a method as a power series in h with formulas for its coefficients.
struct ModifiedSeries {
  std::vector<Expression> coordinates;  ///< r
  std::vector<Expression> momenta;      ///< symbols for P
  std::vector<Expression> hamiltonian;  ///< K₀, K₁, …
  /// Of altered Lagrangians: the symbol E, on which K depends, and the series of 𝓔 and N_mod, in r and P.
  std::optional<Expression> energy_symbol;
  std::vector<Expression> energy;
  std::vector<Expression> factor;
  ParameterNumbers numbers;
};

/// A symbol for people that is neither coordinate nor parameter of the system: the name, or the name with underscores.
Expression unused_symbol(std::string name, const System& system);

/// Up to the power `order`. Throws MethodError if the step is not that of a discrete Lagrangian, or if there is no
/// formula to start from: of compositions, of Lagrangians that are not quadratic in the velocities; or if formulas
/// become too large, which those with numbers for parameters do later.
ModifiedSeries modified_series(const Method& method, int order, const ParameterNumbers& numbers = {});

/// What the modified Hamiltonian says about the motion, as power series in h: entry j belongs to h^j.
struct ModifiedMotion {
  std::vector<Expression> velocities;                   ///< ṙ
  std::vector<Expression> lagrangian;                   ///< in r and ṙ, with E of altered Lagrangians fixed
  std::vector<std::vector<Expression>> position_rates;  ///< ṙ = ∂K/∂P, or N_mod ∂𝓔/∂P, in r and P
  std::vector<std::vector<Expression>> momentum_rates;  ///< Ṗ likewise
};
/// `motion` is that of CanonicalStep.
ModifiedMotion modified_motion(const ModifiedSeries& series, const System& motion);

}  // namespace rattleback
