#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "rattleback/expr/matrix.hpp"

namespace rattleback {

/// A coordinate that is a rotation R ∈ SO(3), which takes vectors of the body to vectors of space. Its position is the
/// matrix, nine numbers; its velocity is the angular velocity in the body, Ω = (RᵀṘ)^∨, three. Variations are δR = R η̂,
/// so that functions of R have three slopes, momenta and torques three components, all seen from the body
/// (left-trivialised).
struct Rotation {
  explicit Rotation(std::string rotation_name);

  std::string name;
  Matrix matrix;        ///< the symbols R[1,1], R[1,2], …
  Vector omega;         ///< the symbols R.omega1, R.omega2, R.omega3
  Vector freedoms;      ///< names for what belongs to each of the three directions: R1, R2, R3
  Matrix rate() const;  ///< Ṙ = R Ω̂
  /// The matrix in the symbols R.w, R.x, R.y, R.z that results have.
  Matrix by_quaternion() const;

  static constexpr std::size_t positions = 9;
  static constexpr std::size_t velocities = 3;
};

/// â, the matrix with â b = a × b.
Matrix hat(const Vector& a);

using Quaternion = std::array<double, 4>;      ///< (w, x, y, z), of length 1: the rotation by 2 acos w about (x, y, z)
using RotationMatrix = std::array<double, 9>;  ///< row by row

RotationMatrix matrix_of(const Quaternion& q);
/// That of the two with w ≥ 0, or with the same hemisphere as `near`.
Quaternion quaternion_of(std::span<const double> matrix, const Quaternion& near = {1.0, 0.0, 0.0, 0.0});
/// The rotation by the length of a vector about its direction.
Quaternion quaternion_of_axis_angle(const std::array<double, 3>& turn);
/// The product a b: first b, then a.
Quaternion product(const Quaternion& a, const Quaternion& b);
/// What the components of the quaternion of a rotation are called: R.w, R.x, R.y, R.z.
std::vector<std::string> quaternion_names(const std::string& rotation);
/// The rotation nearest to a matrix that is nearly one.
void orthonormalise(std::span<double> matrix);

/// How many numbers positions and velocities are made of, and what one does with them. Numbers come first, then
/// rotations.
struct Space {
  std::size_t numbers = 0;
  std::size_t rotations = 0;

  std::size_t positions() const { return numbers + Rotation::positions * rotations; }
  std::size_t velocities() const { return numbers + Rotation::velocities * rotations; }
  /// Where the rotation k stands.
  std::size_t position_of(std::size_t k) const { return numbers + Rotation::positions * k; }
  std::size_t velocity_of(std::size_t k) const { return numbers + Rotation::velocities * k; }

  /// Zeros, and rotations by nothing.
  std::vector<double> origin() const;
  /// Positions as people see them, with quaternions in the place of matrices, and back: of any length but zero, which
  /// is the identity. `near` is a position as people see it, with quaternions on the same side.
  std::size_t shown_positions() const { return numbers + 4 * rotations; }
  std::vector<double> shown(std::span<const double> q, std::span<const double> near = {}) const;
  std::vector<double> from_shown(std::span<const double> shown) const;
  /// q moved by displacements, as if they were velocities for a unit of time.
  void move(std::span<double> q, std::span<const double> by) const;
  /// q̇ at (q, v).
  void rates(std::span<const double> q, std::span<const double> v, std::span<double> into) const;
  /// The increments Δ (model/space.hpp) that lead from one position to another.
  std::vector<double> increments(std::span<const double> from, std::span<const double> to) const;
};

}  // namespace rattleback
