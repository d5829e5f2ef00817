#include "rattleback/model/attitude_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../expr/euler_angles.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {
namespace {

std::vector<std::string> numbered_names(const std::string& stem) { return {stem + "1", stem + "2", stem + "3"}; }

/// The angle, between 0 and π, times the axis.
std::vector<double> turn_of(const Quaternion& q) {
  const double sine = std::hypot(q[1], q[2], q[3]);
  const double factor = sine > 0.0 ? 2.0 * std::atan2(sine, q[0]) / sine : 2.0;
  return {factor * q[1], factor * q[2], factor * q[3]};
}

}  // namespace

std::span<const AttitudeForm> attitude_forms() {
  static const auto all = [] {
    std::vector<AttitudeForm> list{
        {AttitudeForm::Kind::quaternion}, {AttitudeForm::Kind::matrix}, {AttitudeForm::Kind::turn}};
    for (const std::string_view order : euler_orders) list.push_back({AttitudeForm::Kind::euler, order});
    return list;
  }();
  return all;
}

std::vector<std::string> AttitudeForm::names(const std::string& rotation) const {
  switch (kind) {
    case Kind::quaternion: return quaternion_names(rotation);
    case Kind::turn: return numbered_names(rotation + ".turn");
    case Kind::euler: return numbered_names(fmt::format("{}.{}", rotation, order));
    case Kind::matrix: break;
  }
  std::vector<std::string> list;
  for (const Expression& entry : Rotation(rotation).matrix.entries) list.push_back(entry.name());
  return list;
}

std::vector<double> AttitudeForm::numbers_of(std::span<const double> matrix) const {
  if (kind == Kind::matrix) return {matrix.begin(), matrix.end()};
  const Quaternion q = quaternion_of(matrix);
  if (kind == Kind::quaternion) return {q.begin(), q.end()};
  if (kind == Kind::turn) return turn_of(q);
  const auto angles = euler_angles<double>([&](std::size_t i, std::size_t j) { return matrix[3 * i + j]; }, order);
  return {angles.begin(), angles.end()};
}

RotationMatrix AttitudeForm::matrix_of(std::span<const double> numbers) const {
  switch (kind) {
    case Kind::turn: return rattleback::matrix_of(quaternion_of_axis_angle({numbers[0], numbers[1], numbers[2]}));
    case Kind::euler: return rattleback::matrix_of(quaternion_of_angles(order, numbers));
    case Kind::matrix: {
      RotationMatrix matrix{};
      std::ranges::copy(numbers, matrix.begin());
      if (const double distance = make_rotation(matrix); !(distance <= farthest_from_rotation)) {
        throw ModelError(fmt::format(
            "a matrix is no rotation: its entries differ by up to {:.2g} from those of the nearest one; its columns "
            "must be of length 1, orthogonal, and right-handed",
            distance));
      }
      return matrix;
    }
    case Kind::quaternion: break;
  }
  const double length = std::hypot(std::hypot(numbers[0], numbers[1]), std::hypot(numbers[2], numbers[3]));
  if (!(length > 0.0)) throw ModelError("a quaternion is zero, and no rotation; the identity is 1, 0, 0, 0");
  return rattleback::matrix_of({numbers[0] / length, numbers[1] / length, numbers[2] / length, numbers[3] / length});
}

std::optional<AttitudeNumber> attitude_number(const System& system, std::string_view name) {
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const std::string& rotation = system.rotations()[k].name;
    if (!name.starts_with(rotation)) continue;
    for (const AttitudeForm& form : attitude_forms()) {
      const std::vector<std::string> names = form.names(rotation);
      const auto found = std::ranges::find(names, name);
      if (found != names.end()) return AttitudeNumber{k, form, static_cast<std::size_t>(found - names.begin())};
    }
  }
  return std::nullopt;
}

std::vector<std::string> attitude_names(const System& system) {
  std::vector<std::string> all;
  for (const AttitudeForm& form : attitude_forms()) {
    for (const Rotation& rotation : system.rotations()) {
      for (std::string& name : form.names(rotation.name)) all.push_back(std::move(name));
    }
  }
  return all;
}

Quaternion quaternion_of_angles(std::string_view order, std::span<const double> angles) {
  Quaternion q{1.0, 0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::array<double, 3> turn{};
    turn[static_cast<std::size_t>(order[i] - 'x')] = angles[i];
    q = product(q, quaternion_of_axis_angle(turn));
  }
  return q;
}

double make_rotation(RotationMatrix& matrix) {
  const RotationMatrix given = matrix;
  orthonormalise(matrix);
  double distance = 0.0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!(std::abs(given[i] - matrix[i]) <= distance)) distance = std::abs(given[i] - matrix[i]);
  }
  return distance;
}

}  // namespace rattleback
