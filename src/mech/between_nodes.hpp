#pragma once

#include <cmath>
#include <vector>

#include "quintic.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// A node with its accelerations.
struct NodeOfMotion {
  const State& node;
  const std::vector<double>& acceleration;
};

/// The motion at the fraction s between two nodes at a distance h: polynomials of degree 5 with their positions,
/// velocities and accelerations. Rotations are those nearest to the polynomials of their entries.
inline void state_between(const Space& space, const NodeOfMotion& first, const NodeOfMotion& second, double h, double s,
                          State& there) {
  for (std::size_t i = 0; i < space.numbers; ++i) {
    const Quintic q({first.node.q[i], h * first.node.v[i], h * h * first.acceleration[i]},
                    {second.node.q[i], h * second.node.v[i], h * h * second.acceleration[i]});
    there.q[i] = q.value(s);
    there.v[i] = q.slope(s) / h;
  }
  if (space.rotations == 0) return;
  struct Rates {
    std::vector<double> first, second;
  };
  const auto rates_of = [&](const NodeOfMotion& end) {
    const std::size_t n = space.positions();
    Rates r{std::vector<double>(n), std::vector<double>(n)};
    std::vector<double> turning(n);
    space.rates(end.node.q, end.node.v, r.first);
    space.rates(r.first, end.node.v, r.second);  // R Ω̂ Ω̂ + R â
    space.rates(end.node.q, end.acceleration, turning);
    for (std::size_t i = space.numbers; i < n; ++i) r.second[i] += turning[i];
    return r;
  };
  const Rates at_first = rates_of(first);
  const Rates at_second = rates_of(second);
  for (std::size_t k = 0; k < space.rotations; ++k) {
    double rate[Rotation::positions];
    const std::size_t begin = space.position_of(k);
    for (std::size_t j = 0; j < Rotation::positions; ++j) {
      const std::size_t i = begin + j;
      const Quintic q({first.node.q[i], h * at_first.first[i], h * h * at_first.second[i]},
                      {second.node.q[i], h * at_second.first[i], h * h * at_second.second[i]});
      there.q[i] = q.value(s);
      rate[j] = q.slope(s) / h;
    }
    orthonormalise(std::span(there.q).subspan(begin, Rotation::positions));
    const double* const r = &there.q[begin];
    for (std::size_t i = 0; i < 3; ++i) {  // Ω from the antisymmetric part of RᵀṘ
      const std::size_t a = (i + 2) % 3;
      const std::size_t b = (i + 1) % 3;
      double sum = 0.0;
      for (std::size_t row = 0; row < 9; row += 3) sum += r[row + a] * rate[row + b] - r[row + b] * rate[row + a];
      there.v[space.velocity_of(k) + i] = 0.5 * sum;
    }
  }
}

}  // namespace rattleback
