#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// A way to write a rotation R in numbers that have names. Starts, ensembles and command lines know a rotation by these
/// numbers; results have the quaternion.
struct AttitudeForm {
  enum class Kind : std::uint8_t {
    quaternion,  ///< R.w, R.x, R.y, R.z, of any length but zero
    matrix,      ///< R[1,1], R[1,2], …
    turn,        ///< R.turn1, R.turn2, R.turn3: a vector along the axis, as long as the angle
    euler        ///< R.zxy1, R.zxy2, R.zxy3: angles of rotz(a)*rotx(b)*roty(c), and so for the other orders
  };
  Kind kind = Kind::quaternion;
  std::string_view order = {};  ///< of Euler angles

  std::vector<std::string> names(const std::string& rotation) const;
  /// Numbers without the others say nothing.
  bool needs_all() const { return kind == Kind::quaternion || kind == Kind::matrix; }
  std::vector<double> numbers_of(std::span<const double> matrix) const;
  /// Throws ModelError where the numbers are those of no rotation.
  RotationMatrix matrix_of(std::span<const double> numbers) const;

  bool operator==(const AttitudeForm&) const = default;
};

/// All forms, that of results first.
std::span<const AttitudeForm> attitude_forms();

/// A number of a form of one of the rotations of a system.
struct AttitudeNumber {
  std::size_t rotation = 0;
  AttitudeForm form;
  std::size_t index = 0;
};

/// What a name stands for, if it is the name of such a number.
std::optional<AttitudeNumber> attitude_number(const System& system, std::string_view name);
/// All such names, those of the forms one after the other.
std::vector<std::string> attitude_names(const System& system);

/// rotz(a)*rotx(b)*roty(c) for "zxy": each about an axis of the body as those before have left it. Any number of axes.
Quaternion quaternion_of_angles(std::string_view order, std::span<const double> angles);
/// How far the entries of a matrix are from those of the nearest rotation, which replaces it.
double make_rotation(RotationMatrix& matrix);
/// What is further from a rotation is a mistake.
inline constexpr double farthest_from_rotation = 1e-6;

}  // namespace rattleback
