#include "rattleback/model/rotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rattleback {

Rotation::Rotation(std::string rotation_name) : name(std::move(rotation_name)), matrix(3, 3) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix(i, j) = Expression::symbol(fmt::format("{}[{},{}]", name, i + 1, j + 1));
    omega.push_back(Expression::symbol(fmt::format("{}{}{}", name, angular_velocity_suffix, i + 1)));
    freedoms.push_back(Expression::symbol(fmt::format("{}{}", name, i + 1)));
  }
}

Matrix Rotation::rate() const { return matrix * hat(omega); }

Matrix Rotation::by_quaternion() const {
  Vector symbols;
  for (const std::string& component : quaternion_names(name)) symbols.push_back(Expression::symbol(component));
  const Expression &w = symbols[0], &x = symbols[1], &y = symbols[2], &z = symbols[3];
  return {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
          {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
          {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
}

Matrix hat(const Vector& a) { return {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}; }

RotationMatrix matrix_of(const Quaternion& q) {
  const auto& [w, x, y, z] = q;
  return {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
          2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
          2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
}

// S. W. Shepperd, Quaternion from rotation matrix, Journal of Guidance and Control 1 (1978) 223–224: the largest
// component comes from a square root, the others from it.
Quaternion quaternion_of(std::span<const double> m, const Quaternion& near) {
  const double squares[] = {1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8],
                            1 - m[0] - m[4] + m[8]};
  const double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
  const double xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7];
  Quaternion q{};
  switch (std::ranges::max_element(squares) - std::begin(squares)) {
    case 0: q = {squares[0], wx, wy, wz}; break;
    case 1: q = {wx, squares[1], xy, xz}; break;
    case 2: q = {wy, xy, squares[2], yz}; break;
    default: q = {wz, xz, yz, squares[3]}; break;
  }
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  const double side = q[0] * near[0] + q[1] * near[1] + q[2] * near[2] + q[3] * near[3];
  for (double& number : q) number /= side < 0.0 ? -length : length;
  return q;
}

Quaternion quaternion_of_axis_angle(const std::array<double, 3>& turn) {
  const double angle = std::hypot(turn[0], turn[1], turn[2]);
  const double factor = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
  return {std::cos(0.5 * angle), factor * turn[0], factor * turn[1], factor * turn[2]};
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

std::vector<std::string> quaternion_names(const std::string& rotation) {
  return {rotation + ".w", rotation + ".x", rotation + ".y", rotation + ".z"};
}

void orthonormalise(std::span<double> matrix) { std::ranges::copy(matrix_of(quaternion_of(matrix)), matrix.begin()); }

std::vector<double> Space::origin() const {
  std::vector<double> q(positions(), 0.0);
  for (std::size_t k = 0; k < rotations; ++k) {
    for (const std::size_t diagonal : {0, 4, 8}) q[position_of(k) + diagonal] = 1.0;
  }
  return q;
}

std::vector<double> Space::shown(std::span<const double> q, std::span<const double> near) const {
  if (q.empty()) return {};  // a position that is not known
  std::vector<double> result(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(numbers));
  for (std::size_t k = 0; k < rotations; ++k) {
    Quaternion side{1.0, 0.0, 0.0, 0.0};
    if (!near.empty()) std::copy_n(near.begin() + static_cast<std::ptrdiff_t>(numbers + 4 * k), 4, side.begin());
    const Quaternion quaternion = quaternion_of(q.subspan(position_of(k), Rotation::positions), side);
    result.insert(result.end(), quaternion.begin(), quaternion.end());
  }
  return result;
}

std::vector<double> Space::from_shown(std::span<const double> shown) const {
  std::vector<double> q(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(numbers));
  for (std::size_t k = 0; k < rotations; ++k) {
    Quaternion quaternion{};
    std::copy_n(shown.begin() + static_cast<std::ptrdiff_t>(numbers + 4 * k), 4, quaternion.begin());
    const double length =
        std::hypot(std::hypot(quaternion[0], quaternion[1]), std::hypot(quaternion[2], quaternion[3]));
    if (length == 0.0) quaternion = {1.0, 0.0, 0.0, 0.0};
    for (double& number : quaternion) number /= length == 0.0 ? 1.0 : length;
    const RotationMatrix matrix = matrix_of(quaternion);
    q.insert(q.end(), matrix.begin(), matrix.end());
  }
  return q;
}

void Space::move(std::span<double> q, std::span<const double> by) const {
  for (std::size_t i = 0; i < numbers; ++i) q[i] += by[i];
  for (std::size_t k = 0; k < rotations; ++k) {
    const auto r = q.subspan(position_of(k), Rotation::positions);
    const double* const turn = &by[velocity_of(k)];
    const Quaternion there = product(quaternion_of(r), quaternion_of_axis_angle({turn[0], turn[1], turn[2]}));
    std::ranges::copy(matrix_of(there), r.begin());
  }
}

void Space::rates(std::span<const double> q, std::span<const double> v, std::span<double> into) const {
  std::copy_n(v.begin(), numbers, into.begin());
  for (std::size_t k = 0; k < rotations; ++k) {
    const double* const w = &v[velocity_of(k)];
    for (std::size_t row = 0; row < 3; ++row) {
      const double* const r = &q[position_of(k) + 3 * row];
      double* const rate = &into[position_of(k) + 3 * row];  // r × w
      rate[0] = r[1] * w[2] - r[2] * w[1];
      rate[1] = r[2] * w[0] - r[0] * w[2];
      rate[2] = r[0] * w[1] - r[1] * w[0];
    }
  }
}

// With the quaternion (w, u) of R₀ᵀR₁, that of the square of c(ζ), ζ = u/(1 + w).
std::vector<double> Space::increments(std::span<const double> from, std::span<const double> to) const {
  std::vector<double> by(velocities());
  for (std::size_t i = 0; i < numbers; ++i) by[i] = to[i] - from[i];
  for (std::size_t k = 0; k < rotations; ++k) {
    Quaternion back = quaternion_of(from.subspan(position_of(k), Rotation::positions));
    for (std::size_t i = 1; i < 4; ++i) back[i] = -back[i];
    const Quaternion turn = product(
        back, quaternion_of(to.subspan(position_of(k), Rotation::positions), {back[0], -back[1], -back[2], -back[3]}));
    for (std::size_t i = 0; i < 3; ++i) by[velocity_of(k) + i] = 4.0 * turn[i + 1] / (1.0 + turn[0]);
  }
  return by;
}

}  // namespace rattleback
