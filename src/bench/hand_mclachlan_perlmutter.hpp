#pragma once

// Hand-optimised step of McLachlan and Perlmutter's particles; the method and its notation are in hand_particle.hpp.
//
// q = (x, y₁…yₙ, z₁…zₙ), L = ½|q̇|² − ½(|q|² + z₁²z₂² + Σ yᵢ²zᵢ²), constraint ẋ + Σ yᵢżᵢ = 0.
//
// Unknowns are the half increments d = (q₁−q₀)/2, the midpoints are q̄ = q₀ + d. With σ = h²/4, μ = (h/2)λ,
// b = y₀ + (h/2)p_y, c = z₀ + (h/2)p_z and t the partner's z̄ (t₁ = z̄₂, t₂ = z̄₁, else 0) the equations times h/2 are
//   P ȳ = b,            P = 1 + σ(1 + z̄²),
//   T z̄ + y₀μ = c,      T = 1 + σ(1 + ȳ² + t²),      Σ ȳ d_z = 0.
// x is one more pair, with y = P = 1 and T = 1 + σ: the constraint has no other term. One vector holds all the pairs.
//
// Newton in (y, z, μ). ȳ is made to solve its row before each correction, so Δy = −(S/P)Δz, S = 2σȳz̄; there remain
//   EΔz + OΔt + y₀μ = R,   E = T − S²/P,   O = 2σz̄t,   R = c − T z̄      (2×2 in z₁, z₂, else scalar: Δz = r − Vμ),
//   Σ ȳd + mΔz = 0,        m = ȳ − (S/P)d,                             hence μ = Σ(ȳd + mr) / ΣmV.
// μ enters linearly with constant coefficients: every iteration finds it anew, without a guess.
// The new momenta follow from the equations: (h/2)p_y = y₁ − b, (h/2)p_z = z₁ − c + y₀μ.

#include <cmath>

#include "hand_particle_batch.hpp"
#include "newton_stop.hpp"

namespace hand {

/// Lane i < n is the pair (yᵢ₊₁, zᵢ₊₁), lane n is (1, x), the others are empty.
template <int n>
struct MpState {
  static_assert(2 <= n && n <= 7);
  v8d y{}, z{}, py{}, pz{};
  v8d d{}, previous{};  ///< half the last increment of z, and that of the step before

  MpState(double x, const double* y0, const double* z0, double px, const double* py0, const double* pz0) {
    for (int i = 0; i < n; ++i) y[i] = y0[i], z[i] = z0[i], py[i] = py0[i], pz[i] = pz0[i];
    y[n] = 1, z[n] = x, pz[n] = px;
  }
  double x() const { return z[n]; }
  double px() const { return pz[n]; }
};

/// 1/d to 28 bits: enough for a Jacobian, whose error multiplies a correction.
inline v8d jacobian_reciprocal(const v8d& d) {
#ifdef __AVX512F__
  const v8d r = _mm512_maskz_rcp14_pd(0xff, d);  // without g++ 12's warning about _mm512_rcp14_pd
  return r + r * (1 - d * r);
#else
  return 1 / d;
#endif
}

/// Lanes 0 and 1 exchanged, the others replaced.
inline v8d partner(const v8d& v, double others) {
  const v8d o = v8d{} + others;
  return __builtin_shufflevector(v, o, 1, 0, 8, 8, 8, 8, 8, 8);
}

inline double sum(const v8d& v) {
  const auto four = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

/// Newton from linearly extrapolated increments. After a correction below `keep` the factors are kept for the next one:
/// they are wrong by about that much. keep = 0 is Newton to the letter. Returns the number of iterations.
template <int n>
inline int mp_newton(MpState<n>& q, double h, double tolerance = 1e-8, double keep = 3e-5) {
  const double half_h = 0.5 * h, inverse_half_h = 2 / h, a = 1 + half_h * half_h;
  v8d sigma = v8d{} + half_h * half_h, p_constant = v8d{} + a;
  sigma[n] = 0, p_constant[n] = 1;
  const v8d y0 = q.y, z0 = q.z, b = y0 + half_h * q.py, c = z0 + half_h * q.pz;
  v8d d = 2 * q.d - q.previous, z = z0 + d;
  v8d sz = sigma * z, p = p_constant + sz * z, w = jacobian_reciprocal(p), y = b * w;  // w = 1/P
  v8d sw{}, m{}, inverse{}, e_partner{}, o{}, v{};                                     // sw = S/P
  double mu = 0, inverse_mv = 0;
  NewtonStop stop{tolerance};
  bool factor = true;
  int iterations = 0;
  // All is one chain of dependent operations; they are ordered so that what comes late enters last.
  while (iterations < max_iterations) {
    ++iterations;
    const v8d t = partner(z, 0), sz2 = 2 * sz, t_constant = a + (sigma * t) * t;
    const v8d big_r = (c - t_constant * z) - (sz * y) * y;
    const v8d yd = y * d;
    double mv = 1;
    if (factor) {
      const v8d e = t_constant + (y * y) * (sigma - (sz2 * sz2) * w);
      o = sz2 * t;
      e_partner = partner(e, 1);
      inverse = jacobian_reciprocal(e * e_partner - o * o);
      sw = (sz2 * w) * y;
      m = y - sw * d;
      v = e_partner * y0 - o * partner(y0, 0);
      mv = sum((m * v) * inverse);
      v *= inverse;
      inverse_mv = 1 / mv;
    }
    const v8d adjugate_r = e_partner * big_r - o * partner(big_r, 0), r = adjugate_r * inverse;
    const double numerator = sum((m * adjugate_r) * inverse + yd);
    mu = factor ? numerator / mv : numerator * inverse_mv;
    const v8d dz = r - v * mu;
    d = (d + r) - v * mu;
    z = (z + r) - v * mu;
    // y and w = 1/P to first order in dz, then a Newton step each
    y -= sw * dz;
    w -= (sz2 * w) * w * dz;
    sz = sigma * z;
    p = p_constant + sz * z;
    y += w * (b - p * y);
    w += w * (1 - p * w);
    const double correction = std::sqrt(sum(dz * dz));
    if (stop(correction, std::sqrt(sum(d * d)))) {
      break;
    }
    factor = correction > keep;
  }
  q.y = 2 * y - y0;
  q.z = z0 + 2 * d;
  q.py = inverse_half_h * (q.y - b);
  q.pz = inverse_half_h * ((q.z - c) + mu * y0);
  q.previous = q.d;
  q.d = d;
  return iterations;
}

}  // namespace hand
