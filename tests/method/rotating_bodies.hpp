#pragma once

// The bodies of tests/method/rotating, whose orientations are coordinates.

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/places.hpp"
#include "trajectory.hpp"

namespace rattleback::test {

inline const std::vector<std::string> rotating_bodies{"free-body", "heavy-top",   "rattleback",  "chaplygin-ball",
                                                      "suslov",    "braked-ball", "driven-body", "hinged-bodies"};

inline Problem rotating_body(const std::string& name, double step = 0.0) {
  return problem_of(source_file("tests/method/rotating/" + name + ".toml"), step);
}

/// The time and the state to which Newton's and Euler's equations lead (rotating/states.py).
struct KnownEnd {
  double time;
  State state;
};

inline KnownEnd known_end(const std::string& name) {
  std::ifstream file(source_file("tests/method/rotating/states.json"));
  const nlohmann::json entry = nlohmann::json::parse(file).at(name);
  EXPECT_GE(entry.at("digits").get<int>(), 15);
  return {entry.at("time"), {entry.at("q"), entry.at("v")}};
}

inline double distance(const State& a, const State& b) { return std::max(distance(a.q, b.q), distance(a.v, b.v)); }

/// A rotation of space, about an axis through the origin.
struct Turn {
  RotationMatrix matrix;

  Turn(const std::array<double, 3>& axis_angle) : matrix(matrix_of(quaternion_of_axis_angle(axis_angle))) {}

  /// Q x of each of the columns of a matrix with three rows.
  std::vector<double> operator()(std::span<const double> columns) const {
    const std::size_t width = columns.size() / 3;
    std::vector<double> turned(columns.size());
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t k = 0; k < 3; ++k) turned[width * i + j] += matrix[3 * i + k] * columns[width * k + j];
      }
    }
    return turned;
  }
  /// A state of bodies whose numbers are a point of space or of its horizontal plane.
  State operator()(const System& system, State state) const {
    const Space space = system.space();
    for (auto* numbers : {&state.q, &state.v}) {
      std::vector<double> point(numbers->begin(), numbers->begin() + static_cast<std::ptrdiff_t>(space.numbers));
      if (point.empty()) continue;
      point.resize(3);
      const std::vector<double> turned = (*this)(point);
      std::copy_n(turned.begin(), space.numbers, numbers->begin());
    }
    for (std::size_t k = 0; k < space.rotations; ++k) {
      const auto r = std::span(state.q).subspan(space.position_of(k), Rotation::positions);
      std::ranges::copy((*this)(r), r.begin());
    }
    return state;
  }
};

/// The largest entry of RᵀR − 1.
inline double orthogonality_defect(std::span<const double> r) {
  double largest = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double product = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
      largest = std::max(largest, std::abs(product - (i == j ? 1.0 : 0.0)));
    }
  }
  return largest;
}

}  // namespace rattleback::test
