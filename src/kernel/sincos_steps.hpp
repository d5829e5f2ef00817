#pragma once

// Sine and cosine as a sequence of operations, for whoever has arithmetic: generated code and the interpreter then have
// the same bits.

#include <span>
#include <utility>

namespace rattleback {

/// Arguments up to this size are in the range of sincos_steps.
inline constexpr double inline_sincos_range = 1048576.0;  // 2²⁰

namespace sincos {

// Minimax coefficients on [−π/4, π/4] of (sin r − r)/r³ and (cos r − 1 + r²/2)/r⁴ in r²: those of
// fdlibm (Sun Microsystems, 1993).
inline constexpr double sine_coefficients[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                                               -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                                               -2.50507602534068634195e-08, 1.58969099521155010221e-10};
inline constexpr double cosine_coefficients[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                                 2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                                 2.08757232129817482790e-09, -1.13596475577881948265e-11};

// π/2 = first + second + third. The first has 33 bits, so that k·first is exact for |k| < 2²⁰.
inline constexpr double half_pi_first = 0x1.921fb544p+0;
inline constexpr double half_pi_second = 0x1.0b4611a626331p-34;
inline constexpr double half_pi_third = 0x1.1701b839a2520p-88;
inline constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
/// Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
inline constexpr double rounding_shift = 0x1.8p+52;

/// c₀ + c₁z + … + c₅z⁵ by Estrin's scheme: a third of the latency of Horner's.
template <class A, class Number>
[[gnu::always_inline]] inline Number polynomial(A& a, Number z, Number z2, std::span<const double, 6> c) {
  const Number z4 = a.multiply(z2, z2);
  const Number low = a.fma(z, a.number(c[1]), a.number(c[0]));
  const Number middle = a.fma(z, a.number(c[3]), a.number(c[2]));
  const Number high = a.fma(z, a.number(c[5]), a.number(c[4]));
  return a.fma(z4, high, a.fma(z2, middle, low));
}

}  // namespace sincos

/// Sine and cosine, within 2 ulp for |x| ≤ 2²⁰, garbage beyond. The arithmetic chooses by the low bits of a number
/// which of two is the sine, and with which signs.
template <class A, class Number>
[[gnu::always_inline]] inline std::pair<Number, Number> sincos_steps(A& a, Number x) {
  using namespace sincos;
  // x = k·π/2 + r with |r| ≤ π/4.
  const Number shifted = a.fma(x, a.number(two_over_pi), a.number(rounding_shift));
  const Number k = a.subtract(shifted, a.number(rounding_shift));
  const Number minus_k = a.negate(k);
  Number r = a.fma(minus_k, a.number(half_pi_first), x);
  r = a.fma(minus_k, a.number(half_pi_second), r);
  r = a.fma(minus_k, a.number(half_pi_third), r);

  const Number z = a.multiply(r, r);
  const Number z2 = a.multiply(z, z);
  const Number sine = a.fma(a.multiply(r, z), polynomial(a, z, z2, sine_coefficients), r);
  // cos r = w + (e + z²Q) with w = 1 − z/2 rounded and e what the rounding lost.
  const Number w = a.fma(z, a.number(-0.5), a.number(1.0));
  const Number e = a.fma(z, a.number(-0.5), a.subtract(a.number(1.0), w));
  const Number cosine = a.add(w, a.fma(z2, polynomial(a, z, z2, cosine_coefficients), e));
  return a.in_quadrant(shifted, sine, cosine);
}

}  // namespace rattleback
