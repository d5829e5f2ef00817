#pragma once

// The step of hand_mclachlan_perlmutter.hpp in ordinary C++: plain arrays and loops, Newton to the letter.
//
// Unknowns are the half increments d_y, d_z, d_x and μ = (h/2)λ; with the notation of that file
//   P ȳ = b,   T z̄ + y₀μ = c,   (1 + σ)x̄ + μ = x₀ + (h/2)p_x,   d_x + Σ ȳ d_z = 0.
// With R_y = b − P ȳ, R_z = c − T z̄, S = 2σȳz̄ a correction solves, for every pair,
//   PΔy + SΔz = R_y,   SΔy + TΔz + OΔt = R_z − y₀μ,   O = 2σz̄₁z̄₂ in the first two pairs, else 0.
// Eliminating Δy: DΔz + POΔt = (PR_z − SR_y) − Py₀μ, D = PT − S²; that is 2×2 in z₁, z₂, else scalar. Hence
//   Δz = r_z − v_z μ,   Δy = r_y + v_y μ,   d_x = x_free − μ/(1 + σ),
// and the linearised constraint d_x + Σ(ȳd_z + d_zΔy + ȳΔz) = 0 gives μ, which enters linearly: it needs no guess.
// No division waits for another but the last, that of μ; after a division there is as little left to do as possible.

#include <cmath>

#include "newton_stop.hpp"

namespace hand {

template <int n>
struct MpPlainState {
  static_assert(n >= 2);
  double x, y[n], z[n], px, py[n], pz[n];
  double dy[n]{}, dz[n]{}, previous_dy[n]{}, previous_dz[n]{};  ///< half the last increments, and those before

  MpPlainState(double x0, const double* y0, const double* z0, double px0, const double* py0, const double* pz0)
      : x(x0), px(px0) {
    for (int i = 0; i < n; ++i) y[i] = y0[i], z[i] = z0[i], py[i] = py0[i], pz[i] = pz0[i];
  }
};

/// In pairs, not one after the other: a short chain of additions.
template <int n>
inline double pairwise_sum(const double* v) {
  if constexpr (n < 2) {
    return n == 0 ? 0 : v[0];
  } else {
    return pairwise_sum<n / 2>(v) + pairwise_sum<n - n / 2>(v + n / 2);
  }
}

/// Newton from linearly extrapolated increments (quadratic extrapolation saves no iteration). Returns their number.
/// The first two pairs, which are coupled, are apart everywhere; the loops over the others are left to the vectoriser,
/// which g++ would forestall by unrolling.
template <int n>
inline int mp_newton_plain(MpPlainState<n>& q, double h, double tolerance = 1e-13) {
  const double half_h = 0.5 * h, inverse_half_h = 2 / h, sigma = half_h * half_h, two_sigma = 2 * sigma, a = 1 + sigma,
               inverse_a = 1 / a;
  double b[n], c[n], dy[n], dz[n];
  const auto begin = [&](int i) {
    b[i] = q.y[i] + half_h * q.py[i];
    c[i] = q.z[i] + half_h * q.pz[i];
    dy[i] = 2 * q.dy[i] - q.previous_dy[i];
    dz[i] = 2 * q.dz[i] - q.previous_dz[i];
  };
  begin(0), begin(1);
#pragma GCC unroll 1
  for (int i = 2; i < n; ++i) begin(i);
  const double cx = q.x + half_h * q.px, x_free = inverse_a * cx - q.x;
  double dx = 0, mu = 0;
  NewtonStop stop{tolerance};
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    double rz[n], vz[n], ry[n], vy[n], constraint[n], slope[n], square[n], size[n];

    const double y0 = q.y[0] + dy[0], y1 = q.y[1] + dy[1], z0 = q.z[0] + dz[0], z1 = q.z[1] + dz[1];
    const double p0 = a + (sigma * z0) * z0, p1 = a + (sigma * z1) * z1;
    const double t0 = p1 + (sigma * y0) * y0, t1 = p0 + (sigma * y1) * y1;  // P₂ = 1 + σ(1 + z̄₂²) is part of T₁
    const double s0 = (two_sigma * z0) * y0, s1 = (two_sigma * z1) * y1;
    const double o = (two_sigma * z0) * z1, o0 = p0 * o, o1 = p1 * o;
    const double det0 = p0 * t0 - s0 * s0, det1 = p1 * t1 - s1 * s1, inverse01 = 1 / (det0 * det1 - o0 * o1);
    const double w0 = 1 / p0, w1 = 1 / p1, sw0 = s0 * w0, sw1 = s1 * w1;
    const double residual_y0 = b[0] - p0 * y0, residual_y1 = b[1] - p1 * y1;
    const double g0 = p0 * (c[0] - t0 * z0) - s0 * residual_y0, g1 = p1 * (c[1] - t1 * z1) - s1 * residual_y1;
    const double f0 = p0 * q.y[0], f1 = p1 * q.y[1];
    const double gz0 = det1 * g0 - o0 * g1, gz1 = det0 * g1 - o1 * g0;
    const double fz0 = det1 * f0 - o0 * f1, fz1 = det0 * f1 - o1 * f0;
    const double m0 = y0 - sw0 * dz[0], m1 = y1 - sw1 * dz[1];
    const double gy0 = residual_y0 * w0, gy1 = residual_y1 * w1;
    const double constraint01 = dz[0] * (y0 + gy0) + dz[1] * (y1 + gy1) + x_free;
    const double numerator01 = constraint01 + inverse01 * (m0 * gz0 + m1 * gz1);
    const double denominator01 = inverse_a + inverse01 * (m0 * fz0 + m1 * fz1);
    rz[0] = gz0 * inverse01, vz[0] = fz0 * inverse01, ry[0] = gy0 - sw0 * rz[0], vy[0] = sw0 * vz[0];
    rz[1] = gz1 * inverse01, vz[1] = fz1 * inverse01, ry[1] = gy1 - sw1 * rz[1], vy[1] = sw1 * vz[1];
#pragma GCC unroll 1
    for (int i = 2; i < n; ++i) {
      const double y = q.y[i] + dy[i], z = q.z[i] + dz[i];
      const double p = a + (sigma * z) * z, t = a + (sigma * y) * y, s = (two_sigma * z) * y;
      const double inverse = 1 / (p * t - s * s);
      const double residual_y = b[i] - p * y, residual_z = c[i] - t * z;
      const double gz = p * residual_z - s * residual_y, gy = t * residual_y - s * residual_z;
      const double fz = p * q.y[i], fy = s * q.y[i];
      constraint[i] = y * dz[i] + (y * gz + dz[i] * gy) * inverse;
      slope[i] = (y * fz - dz[i] * fy) * inverse;
      rz[i] = gz * inverse, vz[i] = fz * inverse, ry[i] = gy * inverse, vy[i] = fy * inverse;
    }

    mu = (numerator01 + pairwise_sum<n - 2>(constraint + 2)) / (denominator01 + pairwise_sum<n - 2>(slope + 2));
    const double new_dx = x_free - inverse_a * mu, ddx = new_dx - dx;
    dx = new_dx;
    const auto correct = [&](int i) {
      const double ddz = rz[i] - vz[i] * mu, ddy = ry[i] + vy[i] * mu;
      dz[i] += ddz;
      dy[i] += ddy;
      square[i] = ddz * ddz + ddy * ddy;
      size[i] = dz[i] * dz[i] + dy[i] * dy[i];
    };
    correct(0), correct(1);
#pragma GCC unroll 1
    for (int i = 2; i < n; ++i) correct(i);
    const double correction = std::sqrt(ddx * ddx + ((square[0] + square[1]) + pairwise_sum<n - 2>(square + 2)));
    const double scale = std::sqrt(dx * dx + ((size[0] + size[1]) + pairwise_sum<n - 2>(size + 2)));
    if (stop(correction, scale)) {
      break;
    }
  }

  const auto finish = [&](int i) {
    const double y1 = q.y[i] + 2 * dy[i], z1 = q.z[i] + 2 * dz[i];
    q.py[i] = inverse_half_h * (y1 - b[i]);
    q.pz[i] = inverse_half_h * ((z1 - c[i]) + mu * q.y[i]);
    q.y[i] = y1;
    q.z[i] = z1;
    q.previous_dy[i] = q.dy[i];
    q.previous_dz[i] = q.dz[i];
    q.dy[i] = dy[i];
    q.dz[i] = dz[i];
  };
  finish(0), finish(1);
#pragma GCC unroll 1
  for (int i = 2; i < n; ++i) finish(i);
  const double x1 = q.x + 2 * dx;
  q.px = inverse_half_h * ((x1 - cx) + mu);
  q.x = x1;
  return iterations;
}

}  // namespace hand
