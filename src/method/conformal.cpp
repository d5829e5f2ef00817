// García-Naranjo & Vermeeren's integrators Φ^(ℓ) of conformally Hamiltonian systems, (4.5): the symplectic integrator
// Ψ_{h,E} of the altered Hamiltonian K_E = N (H − E), as in pthdel, with
//
//     E = 𝓔^(ℓ)(q₀, p₀; h) = H + h 𝓔₁ + … + h^ℓ 𝓔_ℓ,     K_mod(q, p; h, 𝓔) = 0                    (4.3), (4.4)
//
// instead of H(q₀, p₀). K_mod is the modified Hamiltonian of Ψ_{h,E}: it vanishes along the motion, which therefore is
// that of a conformally Hamiltonian system again, with the Hamiltonian 𝓔 and the factor N_mod = −∂K_mod/∂E (4.7), and
// preserves the measure dq∧dp/N_mod up to O(h^{ℓ+1}) (Corollary 4.3). Φ^(0) is pthdel.
//
// 𝓔 is evaluated once, at the start (section 4.4), or before every step.

#include <cmath>

#include "rattleback/method/modified.hpp"

namespace rattleback {

Method conformal(Method method, const Problem& problem, int ell, bool every_step) {
  const std::size_t entry = require_conformal(method).entry;
  if (ell < 0)
    throw MethodError("ell, the power of h after which the modified energy is truncated, must not be negative");
  if (ell == 0 && !every_step) return method;
  const auto modified = std::make_shared<ModifiedHamiltonian>(method, problem);
  if (every_step) modified->use_formulas(ell);  // worth while where there are many points
  method.adjust = [modified, entry, ell](std::span<double> state, std::span<const double> velocity, double h) {
    state[entry] = modified->truncated_conformal(state, velocity, h, ell).energy.value;
    return std::isfinite(state[entry]);
  };
  method.canonical->conformal->ell = ell;
  method.adjusts_every_step = every_step;
  method.from_two_positions.reset();
  return method;
}

}  // namespace rattleback
