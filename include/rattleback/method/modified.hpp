#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rattleback/method/method.hpp"

namespace rattleback {

/// A number, and the difference between the last two approximations of it.
struct Estimate {
  double value = 0.0;
  double error = 0.0;
};

/// What a conformally Hamiltonian system becomes by discretisation (García-Naranjo & Vermeeren, Definition 4.1, (4.7)).
struct ConformalValues {
  Estimate energy;  ///< 𝓔, where K_mod(r, P; h, 𝓔) = 0
  Estimate factor;  ///< N_mod = −∂K_mod/∂E there
};

/// The modified Hamiltonian of a method, from orbits of its step: of any variational method without constraints and
/// applied forces, on any system, to any order.
///
/// States are those of the method; velocities are those of the node, and only tell where solutions may be looked for.
/// Where there are no steps the results are NaN.
class ModifiedHamiltonian {
 public:
  enum class Digits : std::uint8_t {
    native,    ///< double precision, compiled
    extended,  ///< quadruple precision, some hundred times slower
  };

  /// Throws MethodError if the step is not that of a discrete Lagrangian.
  ModifiedHamiltonian(const Method& method, const Problem& problem, Digits digits = Digits::native);
  ~ModifiedHamiltonian();

  /// K_mod at a state, with as many points as the relative tolerance takes, and not more than help.
  Estimate value(std::span<const double> state, std::span<const double> velocity, double h);
  /// 𝓔 and N_mod likewise, of altered Lagrangians; the E of the state does not matter.
  ConformalValues conformal(std::span<const double> state, std::span<const double> velocity, double h);
  /// How many points the last of these used.
  int points() const { return points_; }
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }

  // Series in h truncated after the power `ell`: extrapolated from orbits with much smaller steps, in extended
  // precision; or from formulas.

  /// For many points: derives and compiles formulas for truncations after `ell`, if there are such. What takes
  /// milliseconds at a point then takes about as long as a step.
  bool use_formulas(int ell, bool with_modified_equation = false);
  Estimate truncated(std::span<const double> state, std::span<const double> velocity, double h, int ell);
  ConformalValues truncated_conformal(std::span<const double> state, std::span<const double> velocity, double h,
                                      int ell);
  /// The derivatives of 𝓔^(ℓ) with respect to the state, 0 for the entry of E.
  std::vector<double> energy_gradient(std::span<const double> state, std::span<const double> velocity, double h,
                                      int ell);
  /// (ṙ, Ṗ) of the truncated modified equation of Φ^(ℓ): the conformally Hamiltonian system with the energy 𝓔^(ℓ) and the
  /// factor −∂K^(ℓ)/∂E at E = 𝓔^(ℓ) (García-Naranjo & Vermeeren, (4.8) and (4.9)).
  std::vector<double> modified_equation(std::span<const double> state, std::span<const double> velocity, double h,
                                        int ell);

 private:
  struct Engines;
  std::unique_ptr<Engines> engines_;
  double tolerance_ = 1e-13;
  int points_ = 0;
};

/// Throws MethodError if the step of the method is not that of a discrete Lagrangian.
const CanonicalStep& require_canonical(const Method& method);
/// Nor if it is not that of an altered Lagrangian.
const CanonicalStep::Conformal& require_conformal(const Method& method);

}  // namespace rattleback
