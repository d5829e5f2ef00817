#pragma once

// The rattleback as an equation of first order, for those who want rates; the definitions are those of rattlebacks.hpp.

#include <array>
#include <cmath>

namespace rattleback::bench {

/// The state is (x, R, ω): the centre of mass, the rows of the rotation, the angular velocity seen from the body. With
/// the vertical u seen from the body, r = d e₃ − Du/√(u·Du) from the centre of mass to the point of contact, whose
/// velocity vanishes, ẋ = R(r × ω), and from the balance of momenta, the force of contact eliminated,
///   (J + m(r²1 − r rᵀ)) ω̇ = −ω × Jω + m r × (ṙ × ω + ω × (r × ω) + g u).
struct RattlebackMotion {
  static constexpr double m = 1, g = 9.81, d = 0.01, i11 = 2e-4, i22 = 1.6e-3, i33 = 1.7e-3, i12 = -2e-5;

  template <class Real>
  using Vector = std::array<Real, 3>;
  using State = std::array<double, 15>;

  template <class Real>
  static Vector<Real> cross(const Vector<Real>& a, const Vector<Real>& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  template <class Real>
  static Real dot(const Vector<Real>& a, const Vector<Real>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }

  template <class Real>
  void operator()(const std::array<Real, 15>& s, std::array<Real, 15>& rate, double) const {
    constexpr double a1 = 0.2, a2 = 0.03, a3 = 0.02;
    const Vector<Real> squares{static_cast<Real>(a1) * a1, static_cast<Real>(a2) * a2, static_cast<Real>(a3) * a3};
    const Vector<Real> u{s[9], s[10], s[11]}, w{s[12], s[13], s[14]};
    const Vector<Real> du = cross(u, w);
    Real uu = 0, slope = 0;
    for (std::size_t i = 0; i < 3; ++i) uu += squares[i] * u[i] * u[i], slope += squares[i] * u[i] * du[i];
    const Real root = std::sqrt(uu);
    Vector<Real> r{0, 0, static_cast<Real>(d)}, dr{};
    for (std::size_t i = 0; i < 3; ++i) {
      r[i] -= squares[i] * u[i] / root;
      dr[i] = -squares[i] * (du[i] - u[i] * slope / uu) / root;
    }
    const Vector<Real> jw{i11 * w[0] + i12 * w[1], i12 * w[0] + i22 * w[1], i33 * w[2]};
    const Vector<Real> velocity = cross(r, w), first = cross(dr, w), second = cross(w, velocity), spin = cross(w, jw);
    Vector<Real> pull{};
    for (std::size_t i = 0; i < 3; ++i) pull[i] = m * (first[i] + second[i] + g * u[i]);
    Vector<Real> torque = cross(r, pull);
    for (std::size_t i = 0; i < 3; ++i) torque[i] -= spin[i];
    const Real rr = dot(r, r);
    std::array<Vector<Real>, 3> inertia{Vector<Real>{i11, i12, 0}, {i12, i22, 0}, {0, 0, i33}};
    for (std::size_t i = 0; i < 3; ++i) {
      inertia[i][i] += m * rr;
      for (std::size_t j = 0; j < 3; ++j) inertia[i][j] -= m * r[i] * r[j];
    }
    // By Cramer's rule.
    const Vector<Real> c0 = cross(inertia[1], inertia[2]), c1 = cross(inertia[2], inertia[0]),
                       c2 = cross(inertia[0], inertia[1]);
    const Real determinant = dot(inertia[0], c0);
    for (std::size_t row = 0; row < 3; ++row) {
      const Vector<Real> axis{s[3 + 3 * row], s[4 + 3 * row], s[5 + 3 * row]};
      rate[row] = dot(axis, velocity);
      const Vector<Real> turning = cross(axis, w);
      for (std::size_t i = 0; i < 3; ++i) rate[3 + 3 * row + i] = turning[i];
      rate[12 + row] = (c0[row] * torque[0] + c1[row] * torque[1] + c2[row] * torque[2]) / determinant;
    }
  }
};

}  // namespace rattleback::bench
