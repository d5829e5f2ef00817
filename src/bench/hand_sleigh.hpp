#pragma once

// Hand-optimised steps of the Chaplygin sleigh; the method and its notation are in hand_particle.hpp.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "newton_stop.hpp"

namespace hand {

struct SinCos {
  double sin, cos;
};

inline SinCos libm_sincos(double angle) {
  SinCos r;
  __builtin_sincos(angle, &r.sin, &r.cos);
  return r;
}

/// |r| ≤ π/4: the minimax polynomials of fdlibm in z = r², arranged for short latency.
inline SinCos kernel_sincos(double r) {
  constexpr double s1 = -1.66666666666666324348e-01, s2 = 8.33333333332248946124e-03, s3 = -1.98412698298579493134e-04,
                   s4 = 2.75573137070700676789e-06, s5 = -2.50507602534068634195e-08, s6 = 1.58969099521155010221e-10;
  constexpr double c1 = 4.16666666666666019037e-02, c2 = -1.38888888888741095749e-03, c3 = 2.48015872894767294178e-05,
                   c4 = -2.75573143513906633035e-07, c5 = 2.08757232129817482790e-09, c6 = -1.13596475577881948265e-11;
  const double z = r * r, z2 = z * z;
  const double s = (s1 + z * s2) + z2 * ((s3 + z * s4) + z2 * (s5 + z * s6));
  const double c = (c1 + z * c2) + z2 * ((c3 + z * c4) + z2 * (c5 + z * c6));
  return {r + (r * z) * s, 1 - z * (0.5 - z * c)};
}

/// Any angle: r = angle − nπ/2 with π/2 in two parts (the first subtraction is exact with a fused multiply–add),
/// then the quadrant n mod 4.
inline SinCos fast_sincos(double angle) {
  if (!(std::fabs(angle) < 1e6)) {
    return libm_sincos(angle);
  }
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1, high = 0x1.921fb54442d18p+0, low = 0x1.1a62633145c07p-54;
  constexpr double magic = 0x1.8p52;
  const double shifted = __builtin_fma(angle, two_over_pi, magic);
  const auto n = std::bit_cast<std::uint64_t>(shifted);
  const double turns = shifted - magic;
  const double r = __builtin_fma(-turns, low, __builtin_fma(-turns, high, angle));
  const SinCos k = kernel_sincos(r);
  const double s = (n & 1) != 0 ? k.cos : k.sin, c = (n & 1) != 0 ? k.sin : k.cos;
  const std::uint64_t sign_s = (n & 2) << 62, sign_c = ((n + 1) & 2) << 62;
  return {std::bit_cast<double>(std::bit_cast<std::uint64_t>(s) ^ sign_s),
          std::bit_cast<double>(std::bit_cast<std::uint64_t>(c) ^ sign_c)};
}

inline SinCos small_sincos(double r) { return std::fabs(r) < 0.78 ? kernel_sincos(r) : libm_sincos(r); }

/// sin and cos of the angle increased by e, |e| ≲ 1e-5.
inline SinCos rotate_slightly(SinCos a, double e) {
  const double head = 1 - 0.5 * e * e;
  return {a.sin * head + a.cos * e, a.cos * head - a.sin * e};
}

// ---------------------------------------------------------------------------------------------
// Chaplygin sleigh on an incline, J = I + ma²:
//   L = ½(m(ẋ²+ẏ²) + Jθ̇² + 2maθ̇(ẏ cos θ − ẋ sin θ)) − mg(y + a sin θ),   ẏ cos θ − ẋ sin θ = 0.
// With s, c = sin, cos θ̄, ω = (θ₁−θ₀)/h, N = v_y c − v_x s, T = v_x c + v_y s:
//   ∂L/∂v = (m v_x − maωs, m v_y + maωc, Jω + maN),   ∂L/∂q = (0, −mg, −ma(ωT + gc)),
//   D₁L_d = −∂L/∂v + (h/2)∂L/∂q,   D₂L_d = ∂L/∂v + (h/2)∂L/∂q.
// ---------------------------------------------------------------------------------------------

struct SleighParameters {
  double h = 0.12, m = 1, inertia = 1, a = 1, g = 0.1;
};

struct SleighState {
  double x, y, theta, px, py, ptheta;
  double dx = 0, dy = 0, dtheta = 0;  ///< previous increments
};

/// Residual of the four equations
///   r₀ = p_x − m v_x + maωs + λ sin θ₀,          r₁ = p_y − m v_y − maωc − ½hmg − λ cos θ₀,
///   r₂ = p_θ − Jω − maN − ½hma(ωT + gc),         r₃ = N
/// and its Jacobian by u = (x₁, y₁, θ₁, λ), row-major. N_θ̄ = −T and T_θ̄ = N; in ∂r₂/∂θ₁ the terms in T cancel.
/// data = x₀, y₀, θ₀, p_x, p_y, p_θ, h, m, I, a, g.
template <SinCos (*sincos)(double) = libm_sincos>
inline void sleigh_residual_jacobian(const double* __restrict u, const double* __restrict data, double* __restrict r,
                                     double* __restrict jacobian) {
  const double theta0 = data[2], h = data[6], m = data[7], a = data[9], g = data[10];
  const double ma = m * a, inertia = data[8] + ma * a, inverse_h = 1 / h, half_h = 0.5 * h;
  const double lambda = u[3];
  const SinCos start = sincos(theta0), mid = sincos(0.5 * (theta0 + u[2]));
  const double vx = (u[0] - data[0]) * inverse_h, vy = (u[1] - data[1]) * inverse_h;
  const double omega = (u[2] - theta0) * inverse_h;
  const double s = mid.sin, c = mid.cos;
  const double normal = vy * c - vx * s, tangential = vx * c + vy * s;
  const double mas = ma * s, mac = ma * c, half_omega = 0.5 * omega;

  r[0] = data[3] - m * vx + mas * omega + start.sin * lambda;
  r[1] = data[4] - m * vy - mac * omega - half_h * m * g - start.cos * lambda;
  r[2] = data[5] - inertia * omega - ma * (normal + half_h * (omega * tangential + g * c));
  r[3] = normal;

  const double m_h = m * inverse_h, mas_h = mas * inverse_h, mac_h = mac * inverse_h;
  jacobian[0] = -m_h;
  jacobian[1] = 0;
  jacobian[2] = mas_h + half_omega * mac;
  jacobian[3] = start.sin;
  jacobian[4] = 0;
  jacobian[5] = -m_h;
  jacobian[6] = half_omega * mas - mac_h;
  jacobian[7] = -start.cos;
  jacobian[8] = mas_h - half_omega * mac;
  jacobian[9] = -mac_h - half_omega * mas;
  jacobian[10] = half_h * (0.5 * ma) * (g * s - omega * normal) - inertia * inverse_h;
  jacobian[11] = 0;
  jacobian[12] = -s * inverse_h;
  jacobian[13] = c * inverse_h;
  jacobian[14] = -0.5 * tangential;
  jacobian[15] = 0;
}

/// The Newton correction after which the next would be below round-off: |Δ|² ≈ 1e-16.
constexpr double quadratic_floor = 1e-8;

/// Newton on (x₁, y₁, θ₁, λ) from the previous increment. Rows 0 and 1 give, with μ = h/m,
///   Δx = μ(r₀ + J₀₂Δθ + Δλ sin θ₀),   Δy = μ(r₁ + J₁₂Δθ − Δλ cos θ₀);
/// rows 2 and 3 are left for (Δθ, Δλ). λ enters linearly with constant coefficients: it may start from 0.
/// Returns the number of iterations, each with one sine and cosine.
template <SinCos (*sincos)(double) = fast_sincos>
inline int sleigh_newton(SleighState& state, const SleighParameters& p, double tolerance = quadratic_floor) {
  const double h = p.h, m = p.m, ma = p.m * p.a, inertia = p.inertia + ma * p.a, g = p.g;
  const double inverse_h = 1 / h, mu = h / m, half_h = 0.5 * h;
  const SinCos start = sincos(state.theta);
  const double s0 = start.sin, c0 = start.cos;
  const double py_g = state.py - half_h * m * g;
  const double j22_constant = -inertia * inverse_h, j22_factor = 0.25 * h * ma;
  double dx = state.dx, dy = state.dy, dtheta = state.dtheta, lambda = 0;
  SinCos mid{};
  NewtonStop stop{tolerance};
  double last = 0;
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    mid = sincos(state.theta + 0.5 * dtheta);
    const double s = mid.sin, c = mid.cos;
    const double vx = dx * inverse_h, vy = dy * inverse_h, omega = dtheta * inverse_h;
    const double normal = vy * c - vx * s, tangential = vx * c + vy * s;
    const double ma_omega = ma * omega;
    const double r0 = state.px - m * vx + ma_omega * s + s0 * lambda;
    const double r1 = py_g - m * vy - ma_omega * c - c0 * lambda;
    const double r2 = state.ptheta - inertia * omega - ma * normal - half_h * (ma_omega * tangential + ma * g * c);
    // (s, −c) and (c, s) are an orthonormal frame: write rows and columns in it, with α = ma/h, β = maω/2.
    //   (J₀₂, J₁₂) = α(s,−c) + β(c,s),   (J₂₀, J₂₁) = α(s,−c) − β(c,s),   (J₃₀, J₃₁) = −(s,−c)/h.
    const double alpha = ma * inverse_h, beta = 0.5 * ma_omega;
    const double rn = r0 * s - r1 * c, rt = r0 * c + r1 * s;  // residual in the frame
    const double ln = s0 * s + c0 * c, lt = s0 * c - c0 * s;  // direction of λ in the frame
    const double j22 = j22_constant + j22_factor * (g * s - omega * normal);
    const double a11 = j22 + mu * (alpha * alpha - beta * beta);
    const double a12 = mu * (alpha * ln - beta * lt);
    const double b1 = -r2 - mu * (alpha * rn - beta * rt);
    // row 3 times −m: (rn + αΔθ + lnΔλ) + ½mTΔθ = mN
    const double a21 = alpha + 0.5 * m * tangential;
    const double b2 = m * normal - rn;
    const double inverse = 1 / (a11 * ln - a12 * a21);
    const double ddtheta = (b1 * ln - a12 * b2) * inverse;
    const double dlambda = (a11 * b2 - a21 * b1) * inverse;
    const double en = mu * (rn + alpha * ddtheta + ln * dlambda), et = mu * (rt + beta * ddtheta + lt * dlambda);
    dx += en * s + et * c;
    dy += et * s - en * c;
    dtheta += ddtheta;
    lambda += dlambda;
    last = 0.5 * ddtheta;
    const double correction = std::max(std::fabs(ddtheta), std::max(std::fabs(en), std::fabs(et)));
    const double scale = std::max(std::fabs(dtheta), std::max(std::fabs(dx), std::fabs(dy)));
    if (stop(correction, scale)) {
      break;
    }
  }
  mid = std::fabs(last) < 1e-5 ? rotate_slightly(mid, last) : sincos(state.theta + 0.5 * dtheta);
  const double vx = dx * inverse_h, vy = dy * inverse_h, omega = dtheta * inverse_h;
  const double normal = vy * mid.cos - vx * mid.sin, tangential = vx * mid.cos + vy * mid.sin;
  state.px = m * vx - ma * omega * mid.sin;
  state.py = m * vy + ma * omega * mid.cos - half_h * m * g;
  state.ptheta = inertia * omega + ma * normal - half_h * ma * (omega * tangential + g * mid.cos);
  state.x += dx;
  state.y += dy;
  state.theta += dtheta;
  state.dx = dx;
  state.dy = dy;
  state.dtheta = dtheta;
  return iterations;
}

// One unknown is enough. N = 0 gives v = T(c, s); the component of the first two equations along
// (cos θ₀, sin θ₀) is free of λ. With δ = (θ₁−θ₀)/2, S, C = sin, cos δ, P = p_x cos θ₀ + (p_y − ½hmg) sin θ₀:
//   mTC = maωS + P,   ω = 2δ/h,   and the third equation times C becomes
//   G(δ) = C·B(δ) + aPδ + κδ²S = 0,   B = αδ − p_θ + γ cos(θ₀+δ),   α = 2J/h, γ = ½hmag, κ = 2ma²/h,
//   G′ = −S·B + C·(α − γ sin(θ₀+δ)) + aP + κδ(2S + δC).
// The Taylor polynomial of G at 0,
//   G(0) = γc₀ − p_θ,  G′(0) = α − γs₀ + aP,  G″(0) = p_θ − 2γc₀,  G‴(0) = 6κ − 3α + 4γs₀,
// gives the start to O(δ⁵) when p_θ = O(δ), without a sine or cosine and without a previous increment.
struct SleighConstants {
  double h, m, a, ma, alpha, gamma, kappa, third, inverse_m, two_over_h, half_hmg, inertia;

  explicit SleighConstants(const SleighParameters& p)
      : h(p.h), m(p.m), a(p.a), ma(p.m * p.a), alpha(2 * (p.inertia + p.m * p.a * p.a) / p.h),
        gamma(0.5 * p.h * p.m * p.a * p.g), kappa(2 * p.m * p.a * p.a / p.h), third(6 * kappa - 3 * alpha),
        inverse_m(1 / p.m), two_over_h(2 / p.h), half_hmg(0.5 * p.h * p.m * p.g), inertia(p.inertia + p.m * p.a * p.a) {
  }
};

struct SleighIncrement {
  double delta, tangential;  ///< δ and T
  SinCos half;               ///< S and C
  SinCos mid;                ///< sin and cos of θ₀+δ
  int iterations;            ///< evaluations of G
};

inline SleighIncrement sleigh_solve(SinCos start, double big_p, double ptheta, const SleighConstants& k) {
  const double s0 = start.sin, c0 = start.cos;
  const double ap = k.a * big_p, gc = k.gamma * c0, gs = k.gamma * s0;
  const double inverse0 = 1 / (k.alpha - gs + ap);
  const double t = (ptheta - gc) * inverse0;
  const double half_second = (0.5 * ptheta - gc) * inverse0, sixth_third = (k.third + 4 * gs) * (1.0 / 6) * inverse0;
  // δ = t − (½G″t² + ⅙G‴t³)/G′ + higher terms of the inverse series: 2(½G″t/G′)² t
  const double e1 = half_second * t, e2 = sixth_third * t * t;
  double delta = t - t * (e1 + e2) + t * ((e1 + e2) * (2 * e1 + 3 * e2));
  int iterations = 0;
  while (true) {
    ++iterations;
    const SinCos sc = small_sincos(delta);
    const double sin_mid = s0 * sc.cos + c0 * sc.sin, cos_mid = c0 * sc.cos - s0 * sc.sin;
    const double inverse_cos = 1 / sc.cos;
    const double b = k.alpha * delta - ptheta + k.gamma * cos_mid;
    const double kd = k.kappa * delta;
    const double value = sc.cos * b + (ap * delta + kd * delta * sc.sin);
    const double slope =
        sc.cos * (k.alpha - k.gamma * sin_mid) - sc.sin * b + (ap + kd * (2 * sc.sin + delta * sc.cos));
    const double e = -value / slope;
    delta += e;
    if (std::fabs(e) <= quadratic_floor || iterations == max_iterations) {
      // sines and cosines to first order in e ≤ 1e-8, e²/2 is below round-off; likewise 1/C
      const SinCos half{sc.sin + sc.cos * e, sc.cos - sc.sin * e};
      const SinCos mid{sin_mid + cos_mid * e, cos_mid - sin_mid * e};
      const double inverse = inverse_cos + inverse_cos * (inverse_cos * (sc.sin * e));
      const double aw = k.a * k.two_over_h * delta;
      return {delta, (aw * half.sin + big_p * k.inverse_m) * inverse, half, mid, iterations};
    }
  }
}

/// A step by Newton in δ alone. Returns the number of iterations.
template <SinCos (*sincos)(double) = fast_sincos>
inline int sleigh_newton_best(SleighState& state, const SleighConstants& k) {
  const SinCos start = sincos(state.theta);
  const double big_p = state.px * start.cos + (state.py - k.half_hmg) * start.sin;
  const SleighIncrement d = sleigh_solve(start, big_p, state.ptheta, k);
  const double omega = k.two_over_h * d.delta, ma_omega = k.ma * omega, mt = k.m * d.tangential;
  state.px = mt * d.mid.cos - ma_omega * d.mid.sin;
  state.py = mt * d.mid.sin + ma_omega * d.mid.cos - k.half_hmg;
  state.ptheta = k.inertia * omega - (k.ma * d.tangential * d.delta + k.gamma * d.mid.cos);
  const double ht = k.h * d.tangential;
  state.dx = ht * d.mid.cos;
  state.dy = ht * d.mid.sin;
  state.dtheta = 2 * d.delta;
  state.x += state.dx;
  state.y += state.dy;
  state.theta += state.dtheta;
  return d.iterations;
}

}  // namespace hand
