#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace rattleback {

/// The orders of Euler angles: three axes of which neighbours differ.
inline constexpr std::array<std::string_view, 12> euler_orders{"xyz", "yzx", "zxy", "xzy", "yxz", "zyx",
                                                               "xyx", "yzy", "zxz", "xzx", "yxy", "zyz"};

/// The angles (a, b, c) of a rotation, rotz(a)*rotx(b)*roty(c) if the order is zxy: each about an axis of the body as
/// those before have left it. b is between −π/2 and π/2, or between 0 and π where the first axis is also the last; at
/// these ends only the sum or the difference of a and c has a meaning. `entry(i, j)` is that of the matrix.
template <class Number, class Entry>
std::array<Number, 3> euler_angles(Entry&& entry, std::string_view order) {
  using std::atan2, std::sqrt;
  const auto axis = [&](std::size_t n) { return static_cast<std::size_t>(order[n] - 'x'); };
  const std::size_t i = axis(0), j = axis(1), k = 3 - i - j;
  const double sign = (i + 1) % 3 == j ? 1.0 : -1.0;  // of the permutation (i, j, k)
  const Number radius =
      sqrt(entry(i, j) * entry(i, j) + (order[0] == order[2] ? entry(i, k) * entry(i, k) : entry(i, i) * entry(i, i)));
  if (order[0] == order[2])
    return {atan2(entry(j, i), -sign * entry(k, i)), atan2(radius, entry(i, i)),
            atan2(entry(i, j), sign * entry(i, k))};
  return {atan2(-sign * entry(j, k), entry(k, k)), atan2(sign * entry(i, k), radius),
          atan2(-sign * entry(i, j), entry(i, i))};
}

}  // namespace rattleback
