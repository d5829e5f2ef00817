#pragma once

// The equations of motion as a competent user of an ODE library writes them: in minimal coordinates, the multiplier
// eliminated by hand, states of fixed size, everything inlinable.

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace rattleback::bench {

inline void sin_cos(double angle, double& sine, double& cosine) { __builtin_sincos(angle, &sine, &cosine); }
inline void sin_cos(long double angle, long double& sine, long double& cosine) {
  __builtin_sincosl(angle, &sine, &cosine);
}

/// Quadratic particle: L = ½(ẋ²+ẏ²+ż²) − (x²+y²), ż = yẋ. The state is (x, y, z, ẋ, ẏ);
///   ẍ (1 + y²) = −2x − yẋẏ,   ÿ = −2y.
struct ParticleMotion {
  using State = std::array<double, 5>;
  static State start() { return {1, 0, 0, 0, 1}; }

  template <class In, class Out>
  void operator()(const In& s, Out& rate, double) const {
    rate[0] = s[3];
    rate[1] = s[4];
    rate[2] = s[1] * s[3];
    rate[3] = -(2 * s[0] + s[1] * (s[3] * s[4])) / (1 + s[1] * s[1]);
    rate[4] = -2 * s[1];
  }
  template <class In>
  static double energy(const In& s) {
    return 0.5 * (s[3] * s[3] * (1 + s[1] * s[1]) + s[4] * s[4]) + (s[0] * s[0] + s[1] * s[1]);
  }
  template <class In>
  static std::vector<double> position(const In& s) {
    return {s[0], s[1], s[2]};
  }

  /// ∂rateᵢ/∂sⱼ at [j][i]; entries that vanish are zero already.
  static void jacobian(const double* s, double** columns) {
    const double inverse = 1 / (1 + s[1] * s[1]), ax = -(2 * s[0] + s[1] * (s[3] * s[4])) * inverse;
    columns[3][0] = 1;
    columns[4][1] = 1;
    columns[1][2] = s[3];
    columns[3][2] = s[1];
    columns[0][3] = -2 * inverse;
    columns[1][3] = -(s[3] * s[4] + 2 * s[1] * ax) * inverse;
    columns[3][3] = -s[1] * s[4] * inverse;
    columns[4][3] = -s[1] * s[3] * inverse;
    columns[1][4] = -2;
  }
};

/// The particle with its multiplier, (q, v, λ): q̇ = v, v̇ = (−2x − yλ, −2y, λ), (1 + y²)λ = ẋẏ − 2xy (index 1).
struct ParticleWithMultiplier {
  static constexpr std::size_t size = 7;
  static void start(double* u, double* rate) {
    const double at[size] = {1, 0, 0, 0, 1, 0, 0}, rates[size] = {0, 1, 0, -2, 0, 0, 0};
    for (std::size_t i = 0; i < size; ++i) u[i] = at[i], rate[i] = rates[i];
  }
  static void residual(const double* u, const double* rate, double* r) {
    r[0] = rate[0] - u[3];
    r[1] = rate[1] - u[4];
    r[2] = rate[2] - u[5];
    r[3] = rate[3] + 2 * u[0] + u[1] * u[6];
    r[4] = rate[4] + 2 * u[1];
    r[5] = rate[5] - u[6];
    r[6] = (1 + u[1] * u[1]) * u[6] + 2 * u[0] * u[1] - u[3] * u[4];
  }
  /// ∂r/∂u + c ∂r/∂u̇
  static void jacobian(const double* u, double c, double** columns) {
    for (std::size_t i = 0; i < 6; ++i) columns[i][i] = c;
    columns[3][0] = columns[4][1] = columns[5][2] = -1;
    columns[0][3] = 2;
    columns[1][3] = u[6];
    columns[6][3] = u[1];
    columns[1][4] = 2;
    columns[6][5] = -1;
    columns[0][6] = 2 * u[1];
    columns[1][6] = 2 * (u[1] * u[6] + u[0]);
    columns[3][6] = -u[4];
    columns[4][6] = -u[3];
    columns[6][6] = 1 + u[1] * u[1];
  }
  static double energy(const double* u) {
    return 0.5 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) + (u[0] * u[0] + u[1] * u[1]);
  }
};

/// Chaplygin sleigh on an incline with m = I = a = 1, g = 0.1, J = I + ma². The state is (x, y, θ, u, ω), u the speed
/// along the blade; u̇ = aω² − g sin θ,   Jω̇ = −ma(uω + g cos θ).
struct SleighMotion {
  using State = std::array<double, 5>;
  static constexpr double m = 1, inertia = 1, a = 1, g = 0.1, total = inertia + m * a * a, beta = m * a / total;
  static State start() { return {1, 0, 0, 0, 0}; }

  template <class In, class Out>
  void operator()(const In& s, Out& rate, double) const {
    auto sin = s[2], cos = s[2];
    sin_cos(s[2], sin, cos);
    rate[0] = s[3] * cos;
    rate[1] = s[3] * sin;
    rate[2] = s[4];
    rate[3] = a * (s[4] * s[4]) - g * sin;
    rate[4] = -beta * (s[3] * s[4] + g * cos);
  }
  template <class In>
  static double energy(const In& s) {
    return 0.5 * (m * (s[3] * s[3]) + total * (s[4] * s[4])) + m * g * (s[1] + a * std::sin(s[2]));
  }
  template <class In>
  static std::vector<double> position(const In& s) {
    return {s[0], s[1], s[2]};
  }
  static void jacobian(const double* s, double** columns) {
    const double sin = std::sin(s[2]), cos = std::cos(s[2]);
    columns[2][0] = -s[3] * sin;
    columns[3][0] = cos;
    columns[2][1] = s[3] * cos;
    columns[3][1] = sin;
    columns[4][2] = 1;
    columns[2][3] = -g * cos;
    columns[4][3] = 2 * a * s[4];
    columns[2][4] = beta * g * sin;
    columns[3][4] = -beta * s[4];
    columns[4][4] = -beta * s[3];
  }
};

/// The sleigh with its multiplier, (x, y, θ, v_x, v_y, ω, λ). With w = ωT + g cos θ, T = v_x cos θ + v_y sin θ:
///   ω̇ = −βw,   λ = (mI/J)w,   v̇ = (aω̇ sin θ + aω² cos θ − λ sin θ/m, −aω̇ cos θ + aω² sin θ − g + λ cos θ/m).
struct SleighWithMultiplier {
  static constexpr std::size_t size = 7;
  static constexpr double m = SleighMotion::m, a = SleighMotion::a, g = SleighMotion::g, beta = SleighMotion::beta,
                          kappa = m * SleighMotion::inertia / SleighMotion::total;
  static void start(double* u, double* rate) {
    for (std::size_t i = 0; i < size; ++i) u[i] = rate[i] = 0;
    u[0] = 1;
    u[6] = kappa * g;
    rate[4] = a * beta * g - g + kappa * g / m;
    rate[5] = -beta * g;
  }
  static void residual(const double* u, const double* rate, double* r) {
    double s = 0, c = 0;
    sin_cos(u[2], s, c);
    const double omega = u[5], w = omega * (u[3] * c + u[4] * s) + g * c, spin = -beta * w;
    const double normal = a * spin - u[6] / m, centripetal = a * (omega * omega);
    r[0] = rate[0] - u[3];
    r[1] = rate[1] - u[4];
    r[2] = rate[2] - omega;
    r[3] = rate[3] - (normal * s + centripetal * c);
    r[4] = rate[4] - (centripetal * s - normal * c - g);
    r[5] = rate[5] - spin;
    r[6] = u[6] - kappa * w;
  }
  static void jacobian(const double* u, double c_rate, double** columns) {
    double s = 0, c = 0;
    sin_cos(u[2], s, c);
    const double omega = u[5], t = u[3] * c + u[4] * s;
    const double normal = -a * beta * (omega * t + g * c) - u[6] / m, centripetal = a * (omega * omega);
    const double w[6] = {0, 0, omega * (u[4] * c - u[3] * s) - g * s, omega * c, omega * s, t};  // ∂w/∂u
    for (std::size_t i = 0; i < 6; ++i) columns[i][i] = c_rate;
    columns[3][0] = columns[4][1] = columns[5][2] = -1;
    for (std::size_t j = 2; j < 6; ++j) {
      columns[j][3] += a * beta * s * w[j];
      columns[j][4] += -a * beta * c * w[j];
      columns[j][5] += beta * w[j];
      columns[j][6] = -kappa * w[j];
    }
    columns[2][3] += centripetal * s - normal * c;
    columns[2][4] += -centripetal * c - normal * s;
    columns[5][3] += -2 * a * omega * c;
    columns[5][4] += -2 * a * omega * s;
    columns[6][3] = s / m;
    columns[6][4] = -c / m;
    columns[6][6] = 1;
  }
  static double energy(const double* u) {
    const double s = std::sin(u[2]), c = std::cos(u[2]);
    return 0.5 * (m * (u[3] * u[3] + u[4] * u[4]) + SleighMotion::total * u[5] * u[5]) +
           m * a * u[5] * (u[4] * c - u[3] * s) + m * g * (u[1] + a * s);
  }
};

/// McLachlan and Perlmutter's particles: L = ½|q̇|² − ½(|q|² + z₁²z₂² + Σ yᵢ²zᵢ²), ẋ = −Σ yᵢżᵢ. The state is
/// (x, y, z, ẏ, ż); with U = ∂V/∂z, λ (1 + |y|²) = x + y·U − ẏ·ż,   ÿᵢ = −yᵢ(1 + zᵢ²),   z̈ᵢ = −Uᵢ + λyᵢ.
template <std::size_t n>
struct OscillatorMotion {
  using State = std::array<double, 4 * n + 1>;

  template <class In, class Out>
  void operator()(const In& s, Out& rate, double) const {
    const auto* y = &s[1];
    const auto* z = y + n;
    const auto* vy = z + n;
    const auto* vz = vy + n;
    auto* ry = &rate[1];
    auto* rz = ry + n;
    auto* ay = rz + n;
    auto* az = ay + n;
    using Real = std::remove_cvref_t<decltype(s[0])>;
    Real dx = 0, norm = 1, sum = s[0];
    const Real pair = z[0] * z[1];
    for (std::size_t i = 0; i < n; ++i) {
      ry[i] = vy[i];
      rz[i] = vz[i];
      ay[i] = -y[i] * (1 + z[i] * z[i]);
      az[i] = -z[i] * (1 + y[i] * y[i]);
    }
    az[0] -= pair * z[1];
    az[1] -= pair * z[0];
    for (std::size_t i = 0; i < n; ++i) {
      dx -= y[i] * vz[i];
      norm += y[i] * y[i];
      sum -= y[i] * az[i] + vy[i] * vz[i];
    }
    const Real lambda = sum / norm;
    for (std::size_t i = 0; i < n; ++i) az[i] += lambda * y[i];
    rate[0] = dx;
  }
  template <class In>
  static double energy(const In& s) {
    const double *y = &s[1], *z = y + n, *vy = z + n, *vz = vy + n;
    double dx = 0, twice = s[0] * s[0] + z[0] * z[0] * z[1] * z[1];
    for (std::size_t i = 0; i < n; ++i) {
      dx -= y[i] * vz[i];
      twice += vy[i] * vy[i] + vz[i] * vz[i] + y[i] * y[i] + z[i] * z[i] + y[i] * y[i] * z[i] * z[i];
    }
    return 0.5 * (twice + dx * dx);
  }
};

/// Six pairs, from the start of Evensberget's section 3.2.
struct SixOscillators : OscillatorMotion<6> {
  static State start() { return {1, 0, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 0, 1, 0, -1, 1, 0, -1, 0, 1, -1, 1, 1, 1}; }
  template <class In>
  static std::vector<double> position(const In& s) {
    return {&s[0], &s[0] + 13};
  }
};

}  // namespace rattleback::bench
