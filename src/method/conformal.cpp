// García-Naranjo & Vermeeren's integrators Φ^(ℓ) of conformally Hamiltonian systems, (4.5): the symplectic integrator
// Ψ_{h,E} of the altered Hamiltonian K_E = N (H − E), as in pthdel, with
//
//     E = 𝓔^(ℓ)(q₀, p₀; h) = H + h 𝓔₁ + … + h^ℓ 𝓔_ℓ,     K_mod(q, p; h, 𝓔) = 0                    (4.3), (4.4)
//
// instead of H(q₀, p₀). K_mod is the modified Hamiltonian of Ψ_{h,E}: it vanishes along the motion, which therefore is
// that of a conformally Hamiltonian system again, with the Hamiltonian 𝓔 and the factor N_mod = −∂K_mod/∂E (4.7), and
// preserves the measure dq∧dp/N_mod up to O(h^{ℓ+1}) (Corollary 4.3). Φ^(0) is pthdel.
//
// 𝓔 is evaluated once, at the start (section 4.4), or before every step. N_mod is positive "for sufficiently small h"
// (Theorem 4.2), as N is: where the two have different signs there is no such system, and the method does not go on.

#include <fmt/format.h>

#include <cmath>

#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/modified.hpp"

namespace rattleback {
namespace {

ImplicitSystem map_to_factor(const System& system, const Expression& factor) {
  ImplicitSystem map = map_of_node(system);
  map.give(Slot::others, {&factor, 1});
  return map;
}

/// 𝓔^(ℓ) at a state, or why there is none.
class ModifiedEnergy {
 public:
  ModifiedEnergy(const Method& method, const Problem& problem, int ell)
      : ell_(ell), modified_(method, problem),
        factor_(CompiledMap::functions(map_to_factor(problem.system, require_conformal(method).factor), problem)) {}

  ModifiedHamiltonian& hamiltonian() { return modified_; }

  std::string operator()(double& energy, std::span<const double> state, std::span<const double> velocity, double h) {
    const ConformalValues values = modified_.truncated_conformal(state, velocity, h, ell_);
    energy = values.energy.value;
    if (!std::isfinite(energy)) {
      return "the modified energy cannot be computed here: there are no steps around this state; a smaller step may "
             "help";
    }
    factor_.set(Slot::position, state);
    factor_.set(Slot::velocity, velocity);
    factor_.run();
    const double factor = factor_.outputs()[0];
    const double modified = values.factor.value;
    if (factor * modified > 0.0) return {};
    return fmt::format(
        "the modified factor up to h^{} is {:.3g} here, and N is {:.3g}: they need the same sign, which a "
        "smaller step gives them",
        ell_, modified, factor);
  }

 private:
  int ell_;
  ModifiedHamiltonian modified_;
  CompiledMap factor_;
};

}  // namespace

Method conformal(Method method, const Problem& problem, int ell, bool every_step, bool by_formulas) {
  const std::size_t entry = require_conformal(method).entry;
  if (ell < 0)
    throw MethodError("ell, the power of h after which the modified energy is truncated, must not be negative");
  if (ell == 0 && !every_step) return method;
  const auto modified = std::make_shared<ModifiedEnergy>(method, problem, ell);
  if (by_formulas) modified->hamiltonian().use_formulas(ell);
  method.adjust = [modified, entry](std::span<double> state, std::span<const double> velocity, double h) {
    return (*modified)(state[entry], state, velocity, h);
  };
  method.canonical->conformal->ell = ell;
  method.adjusts_every_step = every_step;
  method.from_two_positions.reset();
  return method;
}

}  // namespace rattleback
