#include "rattleback/ensemble/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "rattleback/observe/cloud.hpp"

namespace rattleback {
namespace {

/// The random numbers of one point.
class PointRandom {
 public:
  PointRandom(RandomStream stream, std::int64_t index)
      : seed_(stream.seed), counter_{{0, stream.stream, static_cast<std::uint32_t>(index),
                                      static_cast<std::uint32_t>(static_cast<std::uint64_t>(index) >> 32U)}} {}

  /// In (0, 1), a multiple of 2⁻⁵³ plus 2⁻⁵⁴: neither end is possible.
  double uniform() {
    const std::uint64_t bits = next() >> 11U;
    return (static_cast<double>(bits) + 0.5) * 0x1p-53;
  }

  /// Box and Muller's transformation; the second number is not kept.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t next() {
    if (used_ == 2) {
      block_ = philox(counter_, seed_);
      ++counter_.words[0];
      used_ = 0;
    }
    const std::uint32_t* const words = block_.words + 2 * used_++;
    return static_cast<std::uint64_t>(words[0]) << 32U | words[1];
  }

  std::uint64_t seed_;
  PhiloxBlock counter_;
  PhiloxBlock block_{};
  int used_ = 2;
};

void normalise(std::span<double> direction) {
  double square = 0.0;
  for (const double d : direction) square += d * d;
  for (double& d : direction) d /= std::sqrt(square);
}

void around(std::span<const double> center, double radius, std::span<double> direction) {
  for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = center[i] + radius * direction[i];
}

Points simplex(std::size_t dimension) {
  // The unit vectors of one more dimension, seen from their mean, in coordinates of their own (rows of Helmert's
  // matrix).
  Points points(dimension + 1, std::vector<double>(dimension, 0.0));
  for (std::size_t k = 0; k < dimension; ++k) {
    const double length = std::sqrt(static_cast<double>((k + 1) * (k + 2)));
    for (std::size_t i = 0; i <= k; ++i) points[i][k] = 1.0 / length;
    points[k + 1][k] = -static_cast<double>(k + 1) / length;
  }
  return points;
}

Points cube(std::size_t dimension) {
  Points points;
  for (std::size_t k = 0; k < (std::size_t{1} << dimension); ++k) {
    std::vector<double> vertex;
    for (std::size_t i = 0; i < dimension; ++i) vertex.push_back((k >> i & 1U) != 0 ? 1.0 : -1.0);
    points.push_back(std::move(vertex));
  }
  return points;
}

Points cross(std::size_t dimension) {
  Points points;
  for (std::size_t i = 0; i < dimension; ++i) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> vertex(dimension, 0.0);
      vertex[i] = sign;
      points.push_back(std::move(vertex));
    }
  }
  return points;
}

Points polytope_vertices(const std::string& polytope, std::size_t dimension) {
  constexpr std::size_t largest_cube = 20;
  if (polytope == "simplex") return simplex(dimension);
  if (polytope == "cross") return cross(dimension);
  if (polytope == "cube") {
    if (dimension <= largest_cube) return cube(dimension);
    throw std::invalid_argument(
        fmt::format("a cube of {} dimensions has 2^{} vertices: too many", dimension, dimension));
  }
  if (polytope == "600-cell") {
    if (dimension == 4) return six_hundred_cell();
    throw std::invalid_argument(fmt::format("the 600-cell has 4 dimensions, found {} names", dimension));
  }
  throw std::invalid_argument(
      fmt::format("there is no polytope '{}'; there are simplex, cube, cross and 600-cell", polytope));
}

Axis random_axis(std::vector<std::string> names, std::int64_t count, RandomStream stream, auto fill) {
  return {std::move(names), count, [stream, fill = std::move(fill)](std::int64_t index, std::span<double> point) {
            PointRandom random(stream, index);
            fill(random, point);
          }};
}

}  // namespace

PhiloxBlock philox(const PhiloxBlock& counter, std::uint64_t key) {
  std::uint32_t a = counter.words[0];
  std::uint32_t b = counter.words[1];
  std::uint32_t c = counter.words[2];
  std::uint32_t d = counter.words[3];
  auto low_key = static_cast<std::uint32_t>(key);
  auto high_key = static_cast<std::uint32_t>(key >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53U} * a;
    const std::uint64_t second = std::uint64_t{0xCD9E8D57U} * c;
    a = static_cast<std::uint32_t>(second >> 32U) ^ b ^ low_key;
    b = static_cast<std::uint32_t>(second);
    c = static_cast<std::uint32_t>(first >> 32U) ^ d ^ high_key;
    d = static_cast<std::uint32_t>(first);
    low_key += 0x9E3779B9U;
    high_key += 0xBB67AE85U;
  }
  return {{a, b, c, d}};
}

Axis list_axis(std::vector<std::string> names, std::vector<std::vector<double>> points) {
  const auto count = static_cast<std::int64_t>(points.size());
  return {std::move(names), count, [points = std::move(points)](std::int64_t index, std::span<double> point) {
            std::ranges::copy(points[static_cast<std::size_t>(index)], point.begin());
          }};
}

Axis line_axis(std::vector<std::string> names, std::vector<double> from, std::vector<double> to, std::int64_t count,
               Spacing spacing) {
  return {std::move(names), count,
          [from = std::move(from), to = std::move(to), count, spacing](std::int64_t index, std::span<double> point) {
            const double last = static_cast<double>(std::max<std::int64_t>(count - 1, 1));
            const double fraction = static_cast<double>(index) / last;
            for (std::size_t i = 0; i < point.size(); ++i) {
              if (index == 0) {
                point[i] = from[i];
              } else if (index == count - 1) {
                point[i] = to[i];
              } else if (spacing == Spacing::linear) {
                point[i] = from[i] + fraction * (to[i] - from[i]);
              } else {
                point[i] = from[i] * std::pow(to[i] / from[i], fraction);
              }
            }
          }};
}

Axis uniform_axis(std::vector<std::string> names, std::vector<double> from, std::vector<double> to, std::int64_t count,
                  RandomStream stream) {
  return random_axis(std::move(names), count, stream,
                     [from = std::move(from), to = std::move(to)](PointRandom& random, std::span<double> point) {
                       for (std::size_t i = 0; i < point.size(); ++i)
                         point[i] = from[i] + random.uniform() * (to[i] - from[i]);
                     });
}

Axis normal_axis(std::vector<std::string> names, std::vector<double> mean, std::vector<double> deviation,
                 std::int64_t count, RandomStream stream) {
  return random_axis(
      std::move(names), count, stream,
      [mean = std::move(mean), deviation = std::move(deviation)](PointRandom& random, std::span<double> point) {
        for (std::size_t i = 0; i < point.size(); ++i) point[i] = mean[i] + deviation[i] * random.normal();
      });
}

Axis sphere_axis(std::vector<std::string> names, std::vector<double> center, double radius, std::int64_t count,
                 RandomStream stream) {
  return random_axis(std::move(names), count, stream,
                     [center = std::move(center), radius](PointRandom& random, std::span<double> point) {
                       for (double& p : point) p = random.normal();
                       normalise(point);
                       around(center, radius, point);
                     });
}

Axis ball_axis(std::vector<std::string> names, std::vector<double> center, double radius, std::int64_t count,
               RandomStream stream) {
  return random_axis(std::move(names), count, stream,
                     [center = std::move(center), radius](PointRandom& random, std::span<double> point) {
                       for (double& p : point) p = random.normal();
                       normalise(point);
                       const double depth = std::pow(random.uniform(), 1.0 / static_cast<double>(point.size()));
                       around(center, radius * depth, point);
                     });
}

Axis polytope_axis(std::vector<std::string> names, std::vector<double> center, double radius,
                   const std::string& polytope) {
  Points points = polytope_vertices(polytope, names.size());
  for (auto& point : points) {
    normalise(point);
    around(center, radius, point);
  }
  return list_axis(std::move(names), std::move(points));
}

}  // namespace rattleback
