#pragma once

// Hand-optimised steps of the DLA integrator with the midpoint rule in position–momentum form,
// the yardstick for generated code. For a Lagrangian L(q,v) with constraints A(q)v = 0,
//   L_d(a,b) = h L((a+b)/2, (b−a)/h),   A_d(a,b) = A((a+b)/2)(b−a)/h,
// one step solves for q₁ and the impulse λ
//   D₁L_d(q₀,q₁) + p₀ = A(q₀)ᵀλ,   A_d(q₀,q₁) = 0,   and then p₁ = D₂L_d(q₀,q₁).
// Below, v = (q₁−q₀)/h and q̄ = (q₀+q₁)/2 = q₀ + hv/2. The momentum p₀ is determined up to A(q₀)ᵀμ only.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace hand {

typedef double v4d __attribute__((vector_size(32)));
typedef double v8d __attribute__((vector_size(64)));

// ---------------------------------------------------------------------------------------------
// Quadratic particle: L = ½(ẋ²+ẏ²+ż²) − (x²+y²), constraint ż − yẋ = 0, A(q) = (−y, 0, 1).
//   D₁L_d = −v − h(x̄,ȳ,0),   D₂L_d = v − h(x̄,ȳ,0).
// ---------------------------------------------------------------------------------------------

struct ParticleState {
  double x, y, z, px, py, pz;
};

/// All that depends on h alone. With k = 1+h²/2 the y-equation is a product of shears, so of determinant 1 whatever
/// the round-off in h/k:
///   u = p_y − hy₀,   y₁ = y₀ + (h/k)u,   p_y₁ = u − hy₁;
/// the vectors hold the powers (c_j, s_j; −2s_j, c_j) of this map, with κ = c₁ = (1−h²/2)/k, s₁ = h/k.
struct ParticleConstants {
  double h, k, h_over_k, one_minus;
  v4d y_from_y[2], y_from_p[2];    ///< y_{i+j}   = y_from_y[j] y_i + y_from_p[j] p_i,       j = 0…7
  v4d y1_from_y[2], y1_from_p[2];  ///< y_{i+j+1} = y1_from_y[j] y_i + y1_from_p[j] p_i

  explicit ParticleConstants(double step)
      : h(step), k(1 + 0.5 * step * step), h_over_k(step / k), one_minus(1 - 0.5 * step * step) {
    const long double lh = step, lk = 1 + lh * lh / 2, c1 = (1 - lh * lh / 2) / lk, s1 = lh / lk;
    long double c = 1, s = 0;
    for (int j = 0; j < 8; ++j) {
      y_from_y[j / 4][j % 4] = static_cast<double>(c);
      y_from_p[j / 4][j % 4] = static_cast<double>(s);
      const long double next = c * c1 - 2 * s * s1;
      s = c * s1 + s * c1;
      c = next;
      y1_from_y[j / 4][j % 4] = static_cast<double>(c);
      y1_from_p[j / 4][j % 4] = static_cast<double>(s);
    }
  }
};

/// The y-equation decouples and is linear; then with λ = p_z − v_z and v_z = ȳv_x
///   v_x (k + y₀ȳ) = p_x + y₀p_z − hx₀.
/// The divisor depends on y only: the division is not on the chain of x from step to step.
inline void particle_closed_form(ParticleState& state, const ParticleConstants& c) {
  const double y0 = state.y, x0 = state.x;
  const double u = state.py - c.h * y0;
  const double y1 = y0 + c.h_over_k * u;
  const double y_mid = 0.5 * (y0 + y1);
  const double inverse = 1 / (c.k + y0 * y_mid);
  const double vx = (state.px + y0 * state.pz) * inverse - x0 * (c.h * inverse);
  const double vz = y_mid * vx;
  state.py = u - c.h * y1;
  state.y = y1;
  state.x = x0 + c.h * vx;
  state.z += c.h * vz;
  state.px = c.one_minus * vx - c.h * x0;
  state.pz = vz;
}

inline void particle_closed_form(ParticleState& state, double h) { particle_closed_form(state, ParticleConstants(h)); }

/// n steps of one trajectory. With N = p_x + yp_z − hx, X = 2hx and σ = y₀+y₁ = 2ȳ a step is
///   N₁ = G N − X,   X₁ = X + H N,   z₁ = z + Z N,
///   G = (2−3h²+y₁σ)/D,   H = 4h²/D,   Z = hσ/D,   D = 2k + y₀σ,
/// one fused multiply–add of latency per step; the coefficients of eight steps come from (y, p_y) at once
/// (in 256 bits: 512-bit instructions would take a port from the scalar chain).
/// If `positions` is given, q_1 … q_n are written there, three doubles each.
inline void particle_closed_form_trajectory(ParticleState& state, const ParticleConstants& c, std::size_t steps,
                                            double* positions = nullptr) {
  if (steps > 8) {
    const std::size_t blocks = (steps - 1) / 8;  // at least one ordinary step remains: it makes p = D₂L_d
    const double h = c.h, two_k = 2 * c.k, g0 = 2 - 3 * h * h, four_h2 = 4 * h * h, to_x = 1 / (2 * h);
    double y = state.y, py = state.py, z = state.z, big_x = 2 * h * state.x;
    double n = state.px + y * state.pz - h * state.x;
    alignas(64) double g[8], hx[8], hz[8], ys[8];
    for (std::size_t block = 0; block < blocks; ++block) {
      v4d y1{};
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        const v4d y0 = c.y_from_y[i] * y + c.y_from_p[i] * py;
        y1 = c.y1_from_y[i] * y + c.y1_from_p[i] * py;
        const v4d sum = y0 + y1;
        const v4d inverse = 1 / (two_k + y0 * sum);
        *reinterpret_cast<v4d*>(g + 4 * i) = (g0 + y1 * sum) * inverse;
        *reinterpret_cast<v4d*>(hx + 4 * i) = four_h2 * inverse;
        *reinterpret_cast<v4d*>(hz + 4 * i) = (h * sum) * inverse;
        if (positions != nullptr) {
          *reinterpret_cast<v4d*>(ys + 4 * i) = y1;
        }
      }
      py = c.y1_from_y[1][3] * py - 2 * c.y1_from_p[1][3] * y;
      y = y1[3];
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j) {
        z += hz[j] * n;
        const double next = g[j] * n - big_x;
        big_x += hx[j] * n;
        n = next;
        if (positions != nullptr) {
          positions[0] = to_x * big_x;
          positions[1] = ys[j];
          positions[2] = z;
          positions += 3;
        }
      }
    }
    const double x = to_x * big_x;
    state = {x, y, z, n + h * x, py, 0};  // the representative of p with p_z = 0
    steps -= 8 * blocks;
  }
  for (; steps > 0; --steps) {
    particle_closed_form(state, c);
    if (positions != nullptr) {
      positions[0] = state.x;
      positions[1] = state.y;
      positions[2] = state.z;
      positions += 3;
    }
  }
}

/// 1/d to the last bit or two: 14 bits, doubled twice by r ← r + r(1−dr).
inline v8d reciprocal(const v8d& d) {
#ifdef __AVX512F__
  v8d r = _mm512_rcp14_pd(d);
  r = r + r * (1 - d * r);
  r = r + r * (1 - d * r);
  return r;
#else
  return 1 / d;
#endif
}

/// W trajectories, structure of arrays.
template <int W>
struct alignas(64) ParticleBatch {
  static_assert(W % 8 == 0);
  v8d x[W / 8], y[W / 8], z[W / 8], px[W / 8], py[W / 8], pz[W / 8];

  void set(int lane, const ParticleState& s) {
    const int i = lane / 8, j = lane % 8;
    x[i][j] = s.x, y[i][j] = s.y, z[i][j] = s.z, px[i][j] = s.px, py[i][j] = s.py, pz[i][j] = s.pz;
  }
  ParticleState get(int lane) const {
    const int i = lane / 8, j = lane % 8;
    return {x[i][j], y[i][j], z[i][j], px[i][j], py[i][j], pz[i][j]};
  }
};

/// particle_closed_form in every lane.
template <int W>
inline void particle_closed_form_batch(ParticleBatch<W>& s, const ParticleConstants& c) {
#pragma GCC unroll 8
  for (int i = 0; i < W / 8; ++i) {
    const v8d y0 = s.y[i], x0 = s.x[i];
    const v8d u = s.py[i] - c.h * y0;
    const v8d y1 = y0 + c.h_over_k * u;
    const v8d sum = y0 + y1;
    const v8d inverse = reciprocal(2 * c.k + y0 * sum);  // ½/(k + y₀ȳ)
    v8d half_vx = s.px[i] + y0 * s.pz[i];
    if constexpr (W == 8) {
      half_vx = half_vx * inverse - x0 * (c.h * inverse);  // one operation more, but a shorter chain
    } else {
      half_vx = (half_vx - c.h * x0) * inverse;
    }
    const v8d vz = sum * half_vx;
    s.py[i] = u - c.h * y1;
    s.y[i] = y1;
    s.x[i] = x0 + (2 * c.h) * half_vx;
    s.z[i] += c.h * vz;
    s.px[i] = (2 * c.one_minus) * half_vx - c.h * x0;
    s.pz[i] = vz;
  }
}

/// The same, `steps` times. In the variables N, X, σ, D of particle_closed_form_trajectory, u = p_y − hy and ζ = z/h,
///   y₁ = y₀ + (h/k)u,  u₁ = u − 2hy₁,  M = N/D,  N₁ = (2−3h²+y₁σ)M − X,  X₁ = X + 4h²M,  ζ₁ = ζ + σM.
template <int W>
inline void particle_closed_form_batch(ParticleBatch<W>& s, const ParticleConstants& c, std::size_t steps) {
  if (steps == 0) {
    return;
  }
  constexpr int blocks = W / 8;
  const double h = c.h, two_k = 2 * c.k, g0 = 2 - 3 * h * h, four_h2 = 4 * h * h, h_over_k = c.h_over_k, two_h = 2 * h;
  v8d y[blocks], u[blocks], n[blocks], x[blocks], z[blocks];
#pragma GCC unroll 8
  for (int i = 0; i < blocks; ++i) {
    y[i] = s.y[i];
    u[i] = s.py[i] - h * y[i];
    n[i] = s.px[i] + y[i] * s.pz[i] - h * s.x[i];
    x[i] = two_h * s.x[i];
    z[i] = s.z[i] / h;
  }
  for (; steps > 1; --steps) {
#pragma GCC unroll 8
    for (int i = 0; i < blocks; ++i) {
      const v8d y1 = y[i] + h_over_k * u[i];
      const v8d sum = y[i] + y1;
      const v8d m = n[i] * reciprocal(two_k + y[i] * sum);
      u[i] -= two_h * y1;
      y[i] = y1;
      n[i] = (g0 + y1 * sum) * m - x[i];
      x[i] += four_h2 * m;
      z[i] += sum * m;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < blocks; ++i) {
    s.y[i] = y[i];
    s.py[i] = u[i] + h * y[i];
    s.x[i] = x[i] / two_h;
    s.z[i] = h * z[i];
    s.px[i] = n[i] + h * s.x[i];  // the representative of p with p_z = 0
    s.pz[i] = v8d{};
  }
  particle_closed_form_batch(s, c);
}

/// Increment d = q₁−q₀ and impulse to start Newton from: v = p − Aᵀμ with Av = 0, d = hv, λ = μ.
struct ParticleUnknowns {
  double dx, dy, dz, lambda;
};

inline ParticleUnknowns particle_guess(const ParticleState& s, double h) {
  const double mu = (s.pz - s.y * s.px) / (1 + s.y * s.y);
  return {h * (s.px + s.y * mu), h * s.py, h * (s.pz - mu), mu};
}

/// p₁ = D₂L_d and q₁ = q₀+d.
inline void particle_advance(ParticleState& s, const ParticleUnknowns& u, double h, double inverse_h) {
  s.px = u.dx * inverse_h - h * (s.x + 0.5 * u.dx);
  s.py = u.dy * inverse_h - h * (s.y + 0.5 * u.dy);
  s.pz = u.dz * inverse_h;
  s.x += u.dx;
  s.y += u.dy;
  s.z += u.dz;
}

/// Newton stops after a correction Δ with |Δ| ≤ tolerance (1+|u|), or when Δ no longer shrinks (round-off).
struct NewtonStop {
  double tolerance, previous = HUGE_VAL;

  bool operator()(double correction, double scale) {
    if (correction <= tolerance * (1 + scale) || (correction >= 0.5 * previous && correction < 1e-8 * (1 + scale))) {
      return true;
    }
    previous = correction;
    return false;
  }
};

constexpr int max_iterations = 50;

/// Newton on (v, λ), v = d/h. With the residuals r = D₁L_d + p₀ − A(q₀)ᵀλ and ρ = A_d, M = diag(k, k, 1), k = 1+h²/2,
/// and B = ∂A_d/∂v = (−ȳ, −hv_x/2, 1),
///   M Δv + A(q₀)ᵀ Δλ = r,  B Δv = −ρ   ⟹   (B M⁻¹ A(q₀)ᵀ) Δλ = B M⁻¹ r + ρ,   Δv = M⁻¹(r − A(q₀)ᵀΔλ),
/// the Schur complement being 1 + ȳy₀/k. Returns the number of iterations.
inline int particle_schur_newton(ParticleState& s, double h, double tolerance = 1e-13) {
  const double half_h = 0.5 * h, half_h2 = half_h * h, k = 1 + half_h2, w = 1 / k;
  const double y0 = s.y, wy0 = w * y0;
  const double base_x = s.px - h * s.x, base_y = s.py - h * y0;
  double lambda = (s.pz - y0 * s.px) / (1 + y0 * y0);  // p − Aᵀλ is admissible: the start
  double vx = s.px + y0 * lambda, vy = s.py, vz = s.pz - lambda;
  NewtonStop stop{tolerance};
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    const double y_mid = y0 + half_h * vy;
    const double rx = base_x + y0 * lambda - vx - half_h2 * vx;
    const double ry = base_y - vy - half_h2 * vy;
    const double rz = s.pz - vz - lambda;
    const double rho = vz - y_mid * vx;
    const double inverse = 1 / (k + y_mid * y0);
    const double dlambda = (k * (rz + rho) - y_mid * rx - half_h * vx * ry) * inverse;
    const double dvx = w * rx + wy0 * dlambda, dvy = w * ry, dvz = rz - dlambda;
    vx += dvx;
    vy += dvy;
    vz += dvz;
    lambda += dlambda;
    const double correction =
        std::max(std::max(std::fabs(dvx), std::fabs(dvy)), std::max(std::fabs(dvz), std::fabs(dlambda)));
    const double scale = std::max(std::max(std::fabs(vx), std::fabs(vy)), std::max(std::fabs(vz), std::fabs(lambda)));
    if (stop(correction, scale)) {
      break;
    }
  }
  s.px = vx - h * (s.x + half_h * vx);
  s.py = vy - h * (y0 + half_h * vy);
  s.pz = vz;
  s.x += h * vx;
  s.y += h * vy;
  s.z += h * vz;
  return iterations;
}

/// Solves J x = b in place by Gaussian elimination with partial pivoting; b becomes x.
inline void solve_dense_4x4(double (&j)[4][4], double (&b)[4]) {
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    int pivot = k;
    double largest = std::fabs(j[k][k]);
#pragma GCC unroll 4
    for (int i = k + 1; i < 4; ++i) {
      if (std::fabs(j[i][k]) > largest) {
        largest = std::fabs(j[i][k]);
        pivot = i;
      }
    }
    if (pivot != k) {
#pragma GCC unroll 4
      for (int l = 0; l < 4; ++l) {
        std::swap(j[k][l], j[pivot][l]);
      }
      std::swap(b[k], b[pivot]);
    }
    const double inverse = 1 / j[k][k];
    j[k][k] = inverse;
#pragma GCC unroll 4
    for (int i = k + 1; i < 4; ++i) {
      const double factor = j[i][k] * inverse;
#pragma GCC unroll 4
      for (int l = k + 1; l < 4; ++l) {
        j[i][l] -= factor * j[k][l];
      }
      b[i] -= factor * b[k];
    }
  }
#pragma GCC unroll 4
  for (int k = 3; k >= 0; --k) {
    double sum = b[k];
#pragma GCC unroll 4
    for (int l = k + 1; l < 4; ++l) {
      sum -= j[k][l] * b[l];
    }
    b[k] = sum * j[k][k];
  }
}

/// The same Newton iteration with the Jacobian as a dense matrix.
inline int particle_dense_newton(ParticleState& s, double h, double tolerance = 1e-13) {
  const double inverse_h = 1 / h;
  const double m_xy = inverse_h + 0.5 * h;
  ParticleUnknowns u = particle_guess(s, h);
  NewtonStop stop{tolerance};
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    const double vx = u.dx * inverse_h, vy = u.dy * inverse_h, vz = u.dz * inverse_h;
    const double y_mid = s.y + 0.5 * u.dy;
    double j[4][4] = {{m_xy, 0, 0, -s.y},
                      {0, m_xy, 0, 0},
                      {0, 0, inverse_h, 1},
                      {-y_mid * inverse_h, -0.5 * vx, inverse_h, 0}};
    double b[4] = {s.px - vx - h * (s.x + 0.5 * u.dx) + s.y * u.lambda, s.py - vy - h * y_mid, s.pz - vz - u.lambda,
                   y_mid * vx - vz};
    solve_dense_4x4(j, b);
    u.dx += b[0];
    u.dy += b[1];
    u.dz += b[2];
    u.lambda += b[3];
    const double correction =
        std::max(std::max(std::fabs(b[0]), std::fabs(b[1])), std::max(std::fabs(b[2]), std::fabs(b[3])));
    const double scale =
        std::max(std::max(std::fabs(u.dx), std::fabs(u.dy)), std::max(std::fabs(u.dz), std::fabs(u.lambda)));
    if (stop(correction, scale)) {
      break;
    }
  }
  particle_advance(s, u, h, inverse_h);
  return iterations;
}

// ---------------------------------------------------------------------------------------------
// Sine and cosine.
// ---------------------------------------------------------------------------------------------

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
  constexpr double s1 = -1.66666666666666324348e-01, s2 = 8.33333333332248946124e-03,
                   s3 = -1.98412698298579493134e-04, s4 = 2.75573137070700676789e-06,
                   s5 = -2.50507602534068634195e-08, s6 = 1.58969099521155010221e-10;
  constexpr double c1 = 4.16666666666666019037e-02, c2 = -1.38888888888741095749e-03,
                   c3 = 2.48015872894767294178e-05, c4 = -2.75573143513906633035e-07,
                   c5 = 2.08757232129817482790e-09, c6 = -1.13596475577881948265e-11;
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
inline void sleigh_residual_jacobian(const double* __restrict u, const double* __restrict data,
                                     double* __restrict r, double* __restrict jacobian) {
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
  double h, m, a, ma, alpha, gamma, kappa, third, inverse_m, two_over_h, half_hmg, inertia, gh;

  explicit SleighConstants(const SleighParameters& p)
      : h(p.h),
        m(p.m),
        a(p.a),
        ma(p.m * p.a),
        alpha(2 * (p.inertia + p.m * p.a * p.a) / p.h),
        gamma(0.5 * p.h * p.m * p.a * p.g),
        kappa(2 * p.m * p.a * p.a / p.h),
        third(6 * kappa - 3 * alpha),
        inverse_m(1 / p.m),
        two_over_h(2 / p.h),
        half_hmg(0.5 * p.h * p.m * p.g),
        inertia(p.inertia + p.m * p.a * p.a),
        gh(p.g * p.h) {}
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

inline int sleigh_newton_best(SleighState& state, const SleighParameters& p) {
  return sleigh_newton_best(state, SleighConstants(p));
}

/// n steps, q_1 … q_n written to `positions` if given (three doubles each). The state between steps is
/// (x, y, θ, sin θ, cos θ, P, p_θ):  sin θ₁, cos θ₁ by rotating θ₀+δ by δ once more, and
///   P₁ = m(TC + aωS − gh sin θ₁).
/// Every 32 steps sine and cosine are computed afresh. Returns the total number of iterations.
inline std::size_t sleigh_trajectory(SleighState& state, const SleighConstants& k, std::size_t steps,
                                     double* positions = nullptr) {
  if (steps == 0) {
    return 0;
  }
  std::size_t iterations = 0;
  double x = state.x, y = state.y, theta = state.theta, ptheta = state.ptheta;
  SinCos start = fast_sincos(theta);
  double big_p = state.px * start.cos + (state.py - k.half_hmg) * start.sin;
  SleighIncrement d{};
  for (std::size_t i = 1; i <= steps; ++i) {
    d = sleigh_solve(start, big_p, ptheta, k);
    iterations += static_cast<std::size_t>(d.iterations);
    const double omega = k.two_over_h * d.delta;
    start = {d.mid.sin * d.half.cos + d.mid.cos * d.half.sin, d.mid.cos * d.half.cos - d.mid.sin * d.half.sin};
    theta += 2 * d.delta;
    if (i % 32 == 0) {
      start = fast_sincos(theta);
    }
    big_p = k.m * (d.tangential * d.half.cos + k.a * omega * d.half.sin - k.gh * start.sin);
    ptheta = k.inertia * omega - (k.ma * d.tangential * d.delta + k.gamma * d.mid.cos);
    const double ht = k.h * d.tangential;
    x += ht * d.mid.cos;
    y += ht * d.mid.sin;
    if (positions != nullptr) {
      positions[0] = x;
      positions[1] = y;
      positions[2] = theta;
      positions += 3;
    }
  }
  const double ma_omega = k.ma * k.two_over_h * d.delta, mt = k.m * d.tangential, ht = k.h * d.tangential;
  state = {x, y, theta, mt * d.mid.cos - ma_omega * d.mid.sin, mt * d.mid.sin + ma_omega * d.mid.cos - k.half_hmg,
           ptheta, ht * d.mid.cos, ht * d.mid.sin, 2 * d.delta};
  return iterations;
}

}  // namespace hand
