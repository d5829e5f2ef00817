#pragma once

// The rattleback on SO(3) × R³ by hand: the midpoint step of `dla`, as somebody writes it who has seen what the
// equations come down to.
//
// With ζ, c(ζ) and T(ζ) = (1 + |ζ|²) c(ζ) of model/space.hpp, κ = 4/h, the momenta p of the centre of mass and π of the
// rotation in space, r = d − Du/√(u·Du) the point of contact for the vertical u seen from the body, and the half
// kick p′ = p − ½hmg e₃, the step is
//
//     R₀ᵀπ − κT(ζ)Jζ = r₀ × R₀ᵀλ,     p′ − (m/h)Δx = λ,     Δx + 4R₀c(ζ)(ζ × r) = 0,     u = c(ζ)ᵀu₀.
//
// Δx and λ are explicit. What is left are three equations for ζ, which are short if they are seen from the body in the
// middle: with b = c(ζ)ᵀ(R₀ᵀπ − r₀ × R₀ᵀp′) and ρ = c(ζ)ᵀr₀,
//
//     G(ζ) = b − κ[(1 + |ζ|²)Jζ + m ρ × (ζ × r)] = 0.
//
// When ζ moves by δζ, the middle turns by η = 2(δζ − ζ × δζ)/(1 + |ζ|²), so that δζ = ½(η + ζ × η + ζ(ζ·η)), and
// vectors of space that are seen from there change by δb = b × η. Newton's method solves for η.

#include <cmath>

#include "newton_stop.hpp"

namespace hand {

struct Vec3 {
  double x, y, z;
};
inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

/// By its rows.
struct Mat3 {
  Vec3 a, b, c;
};
inline Vec3 operator*(const Mat3& m, Vec3 v) { return {dot(m.a, v), dot(m.b, v), dot(m.c, v)}; }
/// mᵀ v
inline Vec3 times_transposed(const Mat3& m, Vec3 v) { return v.x * m.a + v.y * m.b + v.z * m.c; }
inline Mat3 operator*(const Mat3& l, const Mat3& r) {
  return {times_transposed(r, l.a), times_transposed(r, l.b), times_transposed(r, l.c)};
}

/// c(ζ)
inline Mat3 half_turn(Vec3 z, double square, double inverse) {
  const double g = 2 * inverse, own = (1 - square) * inverse;
  const Vec3 gz = g * z;
  const double xy = gz.x * z.y, xz = gz.x * z.z, yz = gz.y * z.z;
  return {{own + gz.x * z.x, xy - gz.z, xz + gz.y},
          {xy + gz.z, own + gz.y * z.y, yz - gz.x},
          {xz - gz.y, yz + gz.x, own + gz.z * z.z}};
}

struct RattlebackConstants {
  double h, m, d, kappa, half_kick;
  Vec3 squares;  ///< of the semi-axes
  double i11, i22, i33, i12;

  RattlebackConstants(double step, double mass, double g, Vec3 axes, double below, double j11, double j22, double j33,
                      double j12)
      : h(step), m(mass), d(below), kappa(4 / step), half_kick(0.5 * step * mass * g),
        squares{axes.x * axes.x, axes.y * axes.y, axes.z * axes.z}, i11(j11), i22(j22), i33(j33), i12(j12) {}

  Vec3 inertia_times(Vec3 v) const { return {i11 * v.x + i12 * v.y, i12 * v.x + i22 * v.y, i33 * v.z}; }
};

struct RattlebackState {
  Vec3 x;          ///< of the centre of mass
  Mat3 r;          ///< R
  Vec3 p;          ///< its momentum
  Vec3 pi;         ///< that of the rotation, in space
  Vec3 zeta[3]{};  ///< of the last steps, the latest first

  RattlebackState(Vec3 position, const Mat3& rotation, Vec3 velocity, Vec3 omega, const RattlebackConstants& k)
      : x(position), r(rotation), p(k.m * velocity), pi(rotation * k.inertia_times(omega)) {
    for (Vec3& z : zeta) z = (0.25 * k.h) * omega;
  }

  /// R nearly a rotation: R (3 − RᵀR)/2.
  static Mat3 orthonormal(const Mat3& r) {
    const double xx = 1.5 - 0.5 * (r.a.x * r.a.x + r.b.x * r.b.x + r.c.x * r.c.x);
    const double yy = 1.5 - 0.5 * (r.a.y * r.a.y + r.b.y * r.b.y + r.c.y * r.c.y);
    const double zz = 1.5 - 0.5 * (r.a.z * r.a.z + r.b.z * r.b.z + r.c.z * r.c.z);
    const double xy = -0.5 * (r.a.x * r.a.y + r.b.x * r.b.y + r.c.x * r.c.y);
    const double xz = -0.5 * (r.a.x * r.a.z + r.b.x * r.b.z + r.c.x * r.c.z);
    const double yz = -0.5 * (r.a.y * r.a.z + r.b.y * r.b.z + r.c.y * r.c.z);
    return r * Mat3{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  }
};

/// Newton from quadratically extrapolated increments. Returns the number of iterations.
inline int rattleback_newton(RattlebackState& s, const RattlebackConstants& k, double tolerance = 1e-13) {
  const Vec3 kicked{s.p.x, s.p.y, s.p.z - k.half_kick};
  const Vec3 u0 = s.r.c;
  const Vec3 du0{k.squares.x * u0.x, k.squares.y * u0.y, k.squares.z * u0.z};
  const double inverse0 = 1 / std::sqrt(dot(u0, du0));
  const Vec3 r0{-inverse0 * du0.x, -inverse0 * du0.y, k.d - inverse0 * du0.z};
  const Vec3 b0 = times_transposed(s.r, s.pi) - cross(r0, times_transposed(s.r, kicked));

  Vec3 zeta = 3 * (s.zeta[0] - s.zeta[1]) + s.zeta[2];
  NewtonStop stop{tolerance};
  int iterations = 0;
  while (iterations < max_iterations) {
    ++iterations;
    const double square = dot(zeta, zeta), one = 1 + square;
    const Mat3 c = half_turn(zeta, square, 1 / one);
    const Vec3 u = times_transposed(c, u0), b = times_transposed(c, b0), rho = times_transposed(c, r0);
    const Vec3 du{k.squares.x * u.x, k.squares.y * u.y, k.squares.z * u.z};
    const double inverse = 1 / std::sqrt(dot(u, du));
    const Vec3 e = inverse * du;  // −Du/√(u·Du)
    const Vec3 r{-e.x, -e.y, k.d - e.z};
    const Vec3 jz = k.inertia_times(zeta);
    const double rho_r = dot(rho, r), rho_z = dot(rho, zeta);
    const Vec3 kr = k.m * r;
    const Vec3 g = b - k.kappa * (one * jz + (k.m * rho_r) * zeta - rho_z * kr);

    // δr = −(D − eeᵀ)/√(u·Du) (u × η) = S η
    const Vec3 sq = inverse * k.squares, ie = inverse * e;
    const Vec3 n = cross(e, u);  // e·(u × η) = n·η
    // rows of S: −(sq_i (u×η)_i − ie_i n·η)
    const Mat3 slope{{ie.x * n.x, sq.x * u.z + ie.x * n.y, -sq.x * u.y + ie.x * n.z},
                     {-sq.y * u.z + ie.y * n.x, ie.y * n.y, sq.y * u.x + ie.y * n.z},
                     {sq.z * u.y + ie.z * n.x, -sq.z * u.x + ie.z * n.y, ie.z * n.z}};
    // with δζ = Bη, B = ½(1 + ζ̂ + ζζᵀ): the derivative of one·Jζ + m(ρ·r)ζ − m(ρ·ζ)r
    const double hx = 0.5 * zeta.x, hy = 0.5 * zeta.y, hz = 0.5 * zeta.z;
    const Mat3 step{{0.5 + hx * zeta.x, hx * zeta.y - hz, hx * zeta.z + hy},
                    {hx * zeta.y + hz, 0.5 + hy * zeta.y, hy * zeta.z - hx},
                    {hx * zeta.z - hy, hy * zeta.z + hx, 0.5 + hz * zeta.z}};
    const Vec3 by_square = one * zeta;  // δ(1 + |ζ|²) = 2ζ·Bη = (1 + |ζ|²) ζ·η
    // δρ·r = (ρ × η)·r = (r × ρ)·η, δρ·ζ = (ζ × ρ)·η
    const Vec3 by_rho_r = k.m * (cross(r, rho) + times_transposed(slope, rho));
    const Vec3 by_rho_z = cross(zeta, rho) + times_transposed(step, rho);
    const double mr = k.m * rho_r, mz = k.m * rho_z;
    const double d11 = one * k.i11 + mr, d22 = one * k.i22 + mr, d33 = one * k.i33 + mr, d12 = one * k.i12;
    const Vec3 row_x =
        (d11 * step.a + d12 * step.b) + jz.x * by_square + zeta.x * by_rho_r - kr.x * by_rho_z - mz * slope.a;
    const Vec3 row_y =
        (d12 * step.a + d22 * step.b) + jz.y * by_square + zeta.y * by_rho_r - kr.y * by_rho_z - mz * slope.b;
    const Vec3 row_z = d33 * step.c + jz.z * by_square + zeta.z * by_rho_r - kr.z * by_rho_z - mz * slope.c;
    // δG = b × η − κ(…): rows of the matrix whose product with η has to be G
    const Vec3 m_x = k.kappa * row_x - Vec3{0, -b.z, b.y};
    const Vec3 m_y = k.kappa * row_y - Vec3{b.z, 0, -b.x};
    const Vec3 m_z = k.kappa * row_z - Vec3{-b.y, b.x, 0};
    const Vec3 yz = cross(m_y, m_z), zx = cross(m_z, m_x), xy = cross(m_x, m_y);
    const double inverse_determinant = 1 / dot(m_x, yz);
    const Vec3 eta = inverse_determinant * (g.x * yz + g.y * zx + g.z * xy);
    const Vec3 change = step * eta;
    zeta = zeta + change;
    if (stop(std::sqrt(dot(change, change)), std::sqrt(dot(zeta, zeta)))) break;
  }

  const double square = dot(zeta, zeta), inverse_one = 1 / (1 + square);
  const Mat3 c = half_turn(zeta, square, inverse_one);
  const Vec3 u = times_transposed(c, u0);
  const Vec3 du{k.squares.x * u.x, k.squares.y * u.y, k.squares.z * u.z};
  const double inverse = 1 / std::sqrt(dot(u, du));
  const Vec3 r{-inverse * du.x, -inverse * du.y, k.d - inverse * du.z};
  const Mat3 middle = s.r * c;
  const Vec3 dx = -4.0 * (middle * cross(zeta, r));
  const Vec3 lambda = kicked - (k.m / k.h) * dx;
  s.pi = s.pi - s.r * cross(r0, times_transposed(s.r, lambda));
  s.p = s.p - lambda;
  s.p.z -= 2 * k.half_kick;
  s.x = s.x + dx;
  s.r = RattlebackState::orthonormal(middle * c);
  s.zeta[2] = s.zeta[1];
  s.zeta[1] = s.zeta[0];
  s.zeta[0] = zeta;
  return iterations;
}

}  // namespace hand
