#pragma once

// Hand-optimised steps of the DLA integrator with the midpoint rule in position–momentum form,
// the yardstick for generated code. For a Lagrangian L(q,v) with constraints A(q)v = 0,
//   L_d(a,b) = h L((a+b)/2, (b−a)/h),   A_d(a,b) = A((a+b)/2)(b−a)/h,
// one step solves for q₁ and the impulse λ
//   D₁L_d(q₀,q₁) + p₀ = A(q₀)ᵀλ,   A_d(q₀,q₁) = 0,   and then p₁ = D₂L_d(q₀,q₁).
// Below, v = (q₁−q₀)/h and q̄ = (q₀+q₁)/2 = q₀ + hv/2. The momentum p₀ is determined up to A(q₀)ᵀμ only.
//
// Quadratic particle: L = ½(ẋ²+ẏ²+ż²) − (x²+y²), constraint ż − yẋ = 0, A(q) = (−y, 0, 1).
//   D₁L_d = −v − h(x̄,ȳ,0),   D₂L_d = v − h(x̄,ȳ,0).

#include <algorithm>
#include <cmath>
#include <utility>

#include "newton_stop.hpp"

namespace hand {

struct ParticleState {
  double x, y, z, px, py, pz;
};

/// All that depends on h alone. With k = 1+h²/2 the y-equation is
///   u = p_y − hy₀,   y₁ = y₀ + (h/k)u,   p_y₁ = u − hy₁.
struct ParticleConstants {
  double h, k, h_over_k, one_minus;

  explicit ParticleConstants(double step)
      : h(step), k(1 + 0.5 * step * step), h_over_k(step / k), one_minus(1 - 0.5 * step * step) {}
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
    double j[4][4] = {
        {m_xy, 0, 0, -s.y}, {0, m_xy, 0, 0}, {0, 0, inverse_h, 1}, {-y_mid * inverse_h, -0.5 * vx, inverse_h, 0}};
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

}  // namespace hand
