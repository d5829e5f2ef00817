// A rotation in [initial]: by axis and angle, Euler angles of any order, a quaternion or a matrix.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model_sections.hpp"
#include "rattleback/model/attitude_form.hpp"

namespace rattleback {
namespace {

constexpr const char* ways_to_turn =
    "{ axis = [0, 0, 1], angle = 0.1 }, { euler = \"zxy\", angles = [0.1, 0.2, 0.3] }, { quaternion = [1, 0, 0, 0] } "
    "or { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }";

std::vector<double> numbers(const ModelText& text, const toml::node& node, const std::string& what, std::size_t count) {
  std::vector<double> list;
  for (const toml::node& item : text.array_of(node, what)) list.push_back(text.constant(item, "an entry of " + what));
  if (list.size() != count) text.fail(node, fmt::format("{} has {} entries, expected {}", what, list.size(), count));
  return list;
}

RotationMatrix of_quaternion(const ModelText& text, const toml::node& node, const std::string& what) {
  const std::vector<double> q = numbers(text, node, what, 4);
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(length > 0.0)) text.fail(node, fmt::format("{} is zero, and no rotation; the identity is [1, 0, 0, 0]", what));
  return matrix_of({q[0] / length, q[1] / length, q[2] / length, q[3] / length});
}

RotationMatrix of_matrix(const ModelText& text, const toml::node& node, const std::string& what) {
  RotationMatrix m{};
  const auto& rows = text.array_of(node, what);
  if (rows.size() != 3) text.fail(node, fmt::format("{} has {} rows, expected 3", what, rows.size()));
  for (std::size_t i = 0; i < 3; ++i)
    std::ranges::copy(numbers(text, *rows.get(i), "a row of " + what, 3),
                      m.begin() + static_cast<std::ptrdiff_t>(3 * i));
  if (const double distance = make_rotation(m); !(distance <= farthest_from_rotation)) {
    text.fail(node, fmt::format("{} is no rotation: its entries differ by up to {:.2g} from those of the nearest one; "
                                "its columns must be of length 1, orthogonal, and right-handed",
                                what, distance));
  }
  return m;
}

RotationMatrix of_axis(const ModelText& text, const toml::table& table, const std::string& what) {
  const toml::node& node = text.required(table, "axis", what);
  const std::vector<double> axis = numbers(text, node, "axis of " + what, 3);
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 0.0)) text.fail(node, fmt::format("axis of {} is zero; give a direction, as in [0, 0, 1]", what));
  const double angle = text.constant(text.required(table, "angle", what), "angle of " + what);
  return matrix_of(
      quaternion_of_axis_angle({angle * axis[0] / length, angle * axis[1] / length, angle * axis[2] / length}));
}

/// euler = "zxy": rotz(a)*rotx(b)*roty(c), each about an axis of the body as those before have left it.
RotationMatrix of_angles(const ModelText& text, const toml::table& table, const std::string& what) {
  const toml::node& node = text.required(table, "euler", what);
  const std::string& order = text.text_of(node, "euler of " + what);
  const bool known = !order.empty() && order.find_first_not_of("xyz") == std::string::npos;
  if (!known) text.fail(node, fmt::format("euler of {} is '{}'; it lists axes, as in \"zxy\"", what, order));
  const std::vector<double> angles =
      numbers(text, text.required(table, "angles", what), "angles of " + what, order.size());
  return matrix_of(quaternion_of_angles(order, angles));
}

}  // namespace

RotationMatrix read_attitude(const ModelText& text, const toml::node& node, const std::string& what) {
  if (!node.is_table()) text.fail(node, fmt::format("{} is written as {}", what, ways_to_turn));
  const toml::table& table = *node.as_table();
  if (table.contains("quaternion")) {
    text.check_keys(table, {"quaternion"}, what);
    return of_quaternion(text, *table.get("quaternion"), "quaternion of " + what);
  }
  if (table.contains("matrix")) {
    text.check_keys(table, {"matrix"}, what);
    return of_matrix(text, *table.get("matrix"), "matrix of " + what);
  }
  if (table.contains("euler")) {
    text.check_keys(table, {"euler", "angles"}, what);
    return of_angles(text, table, what);
  }
  if (!table.contains("axis")) text.fail(node, fmt::format("{} is written as {}", what, ways_to_turn));
  text.check_keys(table, {"axis", "angle"}, what);
  return of_axis(text, table, what);
}

}  // namespace rattleback
