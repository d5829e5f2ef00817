#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/words.hpp"

namespace rattleback {

/// Something that is varied in an ensemble: quantities, and the points they are given together. Points are computed
/// when they are needed, each from its number alone: no member of an ensemble depends on another.
struct Axis {
  std::vector<std::string> names;
  std::int64_t count = 0;
  std::function<void(std::int64_t index, std::span<double> point)> point;
};

/// The points themselves.
Axis list_axis(std::vector<std::string> names, std::vector<std::vector<double>> points);

enum class Spacing : std::uint8_t { linear, logarithmic };
template <>
inline constexpr auto words<Spacing> =
    std::to_array<Word<Spacing>>({{Spacing::linear, "linear"}, {Spacing::logarithmic, "logarithmic"}});
/// So many points from one to the other, both included, with equal distances or (positive numbers) equal ratios.
Axis line_axis(std::vector<std::string> names, std::vector<double> from, std::vector<double> to, std::int64_t count,
               Spacing spacing = Spacing::linear);

/// A stream of random numbers: which one is decided by a seed and a number (the axis).
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
};
Axis uniform_axis(std::vector<std::string> names, std::vector<double> from, std::vector<double> to, std::int64_t count,
                  RandomStream stream);
Axis normal_axis(std::vector<std::string> names, std::vector<double> mean, std::vector<double> deviation,
                 std::int64_t count, RandomStream stream);
/// On the surface of a sphere, or in its interior.
Axis sphere_axis(std::vector<std::string> names, std::vector<double> center, double radius, std::int64_t count,
                 RandomStream stream);
Axis ball_axis(std::vector<std::string> names, std::vector<double> center, double radius, std::int64_t count,
               RandomStream stream);

/// The vertices of a regular polytope: "simplex", "cube", "cross" in any dimension, "600-cell" in four. Throws
/// std::invalid_argument if there is no such polytope.
Axis polytope_axis(std::vector<std::string> names, std::vector<double> center, double radius,
                   const std::string& polytope);

/// Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC 2011): four random words from a counter and a key.
struct PhiloxBlock {
  std::uint32_t words[4];
};
PhiloxBlock philox(const PhiloxBlock& counter, std::uint64_t key);

}  // namespace rattleback
