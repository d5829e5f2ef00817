#pragma once

// The rattleback as an equation of first order, for those who want rates; the definitions are those of rattlebacks.hpp.

#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <vector>

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

  /// D
  template <class Real>
  static Vector<Real> axes() {
    constexpr double a1 = 0.2, a2 = 0.03, a3 = 0.02;
    return {static_cast<Real>(a1) * a1, static_cast<Real>(a2) * a2, static_cast<Real>(a3) * a3};
  }
  template <class In>
  static auto vertical(const In& s) {
    return Vector<std::remove_cvref_t<decltype(s[0])>>{s[9], s[10], s[11]};
  }
  /// r
  template <class Real>
  static Vector<Real> contact(const Vector<Real>& u) {
    const Vector<Real> squares = axes<Real>();
    const Real root = std::sqrt(squares[0] * u[0] * u[0] + squares[1] * u[1] * u[1] + squares[2] * u[2] * u[2]);
    return {-squares[0] * u[0] / root, -squares[1] * u[1] / root, d - squares[2] * u[2] / root};
  }
  template <class Real>
  static Vector<Real> inertia_times(const Vector<Real>& w) {
    return {i11 * w[0] + i12 * w[1], i12 * w[0] + i22 * w[1], i33 * w[2]};
  }

  /// R = rotx(tilt) roty(tilt), on the ground, turning about its third axis.
  static State start() {
    const double tilt = std::numbers::pi / 360, s = std::sin(tilt), c = std::cos(tilt);
    State state{0, 0, 0, c, 0, s, s * s, c, -s * c, -c * s, s, c * c, 0, 0, -5};
    state[2] = -dot(vertical(state), contact(vertical(state)));
    return state;
  }
  template <class In>
  static std::vector<double> position(const In& s) {
    return {&s[0], &s[0] + 12};
  }
  template <class In>
  static double energy(const In& s) {
    const Vector<double> w{s[12], s[13], s[14]}, v = cross(contact(vertical(s)), w);
    return 0.5 * (m * dot(v, v) + dot(w, inertia_times(w))) + m * g * s[2];
  }

  template <class In, class Out>
  void operator()(const In& s, Out& rate, double) const {
    using Real = std::remove_cvref_t<decltype(s[0])>;
    const Vector<Real> squares = axes<Real>(), u = vertical(s), w{s[12], s[13], s[14]};
    const Vector<Real> du = cross(u, w), r = contact(u);
    Real uu = 0, slope = 0;
    for (std::size_t i = 0; i < 3; ++i) uu += squares[i] * u[i] * u[i], slope += squares[i] * u[i] * du[i];
    const Real root = std::sqrt(uu);
    Vector<Real> dr{};
    for (std::size_t i = 0; i < 3; ++i) dr[i] = -squares[i] * (du[i] - u[i] * slope / uu) / root;
    const Vector<Real> velocity = cross(r, w), first = cross(dr, w), second = cross(w, velocity),
                       spin = cross(w, inertia_times(w));
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
