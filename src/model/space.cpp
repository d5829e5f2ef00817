#include "rattleback/model/space.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rattleback {
namespace {

/// Where a rotation stands among positions and among velocities.
struct Block {
  std::size_t position;
  std::size_t velocity;
};

Block block_of(const System& system, std::size_t rotation) {
  return {system.space().position_of(rotation), system.space().velocity_of(rotation)};
}

Vector three(std::span<const Expression> all, std::size_t first) {
  return {all[first], all[first + 1], all[first + 2]};
}

Matrix matrix_at(std::span<const Expression> positions, std::size_t first) {
  Matrix m(3, 3);
  std::copy_n(positions.begin() + static_cast<std::ptrdiff_t>(first), Rotation::positions, m.entries.begin());
  return m;
}

void put(Vector& all, std::size_t first, const Vector& part) {
  std::ranges::copy(part, all.begin() + static_cast<std::ptrdiff_t>(first));
}

Matrix identity() { return diag({1.0, 1.0, 1.0}); }

/// Replaces the three entries of each rotation by a function of them and of its place.
template <class Change>
Vector with_rotations(const System& system, Vector covector, Change&& change) {
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const Block place = block_of(system, k);
    put(covector, place.velocity, change(place, three(covector, place.velocity)));
  }
  return covector;
}

Vector half_of_half(const Vector& increments, std::size_t first) { return 0.25 * three(increments, first); }

/// s(x) and s′(x) of a TurnRate.
struct TurnScale {
  Expression value = 1.0;
  Expression slope = 0.0;
};

TurnScale turn_scale(TurnRate turn, const Expression& x) {
  switch (turn) {
    case TurnRate::quarter: return {};
    case TurnRate::chord: return {1.0 / (1.0 + x), -1.0 / sq(1.0 + x)};
    case TurnRate::cayley: return {1.0 / (1.0 - x), 1.0 / sq(1.0 - x)};
    case TurnRate::sine: return {(1.0 - x) / sq(1.0 + x), (x - 3.0) / pow(1.0 + x, 3)};
  }
  return {};
}

/// [(1 − |ζ|²) + 2ζ̂ + 2ζζᵀ] w
Vector turned_momentum(const Vector& zeta, const Vector& w) {
  const Expression along = 2.0 * dot(zeta, w);
  return (1.0 - dot(zeta, zeta)) * w + 2.0 * cross(zeta, w) + along * zeta;
}

/// α [(1 + β|ζ|²) − (1 − β) ζ̂] f / (1 + β²|ζ|²): what a force on the way gives the end that is away by the fraction α.
Vector shared_force(const Vector& zeta, double weight, double fraction, const Vector& f) {
  const double beta = 2.0 * fraction - 1.0;
  const Expression square = dot(zeta, zeta);
  const Expression scale = weight * fraction / (1.0 + beta * beta * square);
  return scale * ((1.0 + beta * square) * f - (1.0 - beta) * cross(zeta, f));
}

}  // namespace

void require_numbers(const System& system, const char* what) {
  if (system.rotations().empty()) return;
  throw RequestError(
      fmt::format("{} needs coordinates that are numbers, and {} is a rotation; a model with angles has some", what,
                  system.rotations()[0].name));
}

Vector position_rates(const System& system) { return position_rates(system, system.velocities()); }

Vector position_rates(const System& system, const Vector& velocities) {
  Vector rates(velocities.begin(), velocities.begin() + static_cast<std::ptrdiff_t>(system.space().numbers));
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const Matrix rate = system.rotations()[k].matrix * hat(three(velocities, block_of(system, k).velocity));
    rates.insert(rates.end(), rate.entries.begin(), rate.entries.end());
  }
  return rates;
}

// With the rows ρᵢ of R, δρᵢ = ρᵢ × η, so that s = Σ ∂f/∂ρᵢ × ρᵢ.
Vector slopes(const Expression& function, const System& system) {
  const Vector all = gradient(function, system.coordinates());
  Vector result(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(system.space().numbers));
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const Matrix by_entries = matrix_at(all, block_of(system, k).position);
    Vector slope(3);
    for (std::size_t i = 0; i < 3; ++i) slope = slope + cross(by_entries.row(i), system.rotations()[k].matrix.row(i));
    result.insert(result.end(), slope.begin(), slope.end());
  }
  return result;
}

Vector brackets(const System& system, const Vector& a, const Vector& b) {
  return with_rotations(system, Vector(system.dimension()), [&](const Block& place, const Vector&) {
    return cross(three(a, place.velocity), three(b, place.velocity));
  });
}

Vector gyroscopic(const System& system) { return brackets(system, system.momenta(), system.velocities()); }

Vector in_space(const System& system, Vector covector, std::span<const Expression> positions) {
  return with_rotations(system, std::move(covector), [&](const Block& place, const Vector& body) {
    return matrix_at(positions, place.position) * body;
  });
}

Vector in_body(const System& system, Vector covector, std::span<const Expression> positions) {
  return with_rotations(system, std::move(covector), [&](const Block& place, const Vector& space) {
    return transpose(matrix_at(positions, place.position)) * space;
  });
}

// The product of the quaternions (1, ζ) and (1, βζ) is (a, bζ) with a = 1 − β|ζ|², b = 1 + β = 2α, whose square is
// (1 + |ζ|²)(1 + β²|ζ|²); its rotation is 1 + 2ab ζ̂ + 2b² ζ̂², divided by this.
Vector moved_by(const System& system, const Vector& increments, double fraction) {
  const std::size_t numbers = system.space().numbers;
  Vector q(system.coordinates().begin(), system.coordinates().begin() + static_cast<std::ptrdiff_t>(numbers));
  for (std::size_t i = 0; i < numbers; ++i) q[i] += fraction * increments[i];
  const double beta = 2.0 * fraction - 1.0;
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const Matrix& r = system.rotations()[k].matrix;
    const Vector zeta = half_of_half(increments, block_of(system, k).velocity);
    const Expression square = dot(zeta, zeta);
    const bool to_end = fraction == 1.0;  // c(ζ)²: twice what is there already, if the middle is needed too
    const double b = to_end ? 1.0 : 2.0 * fraction;
    const double along = to_end ? 0.0 : beta;
    const Expression scale = 2.0 * b / ((1.0 + square) * (1.0 + along * along * square));
    Matrix turn(3, 3);  // (a ζ̂ + b ζ̂²) 2b/(…)
    const Matrix first = hat(zeta);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const Expression second = zeta[i] * zeta[j] - (i == j ? square : Expression(0.0));
        turn(i, j) = scale * ((1.0 - along * square) * first(i, j) + b * second);
      }
    }
    Matrix there = fraction == 0.0 ? r : r * (identity() + turn);
    if (to_end) there = there * (identity() + turn);
    q.insert(q.end(), there.entries.begin(), there.entries.end());
  }
  return q;
}

Vector rates_of_step(const System& system, Vector increments, TurnRate turn) {
  return with_rotations(system, std::move(increments), [&](const Block&, const Vector& delta) {
    const Vector zeta = 0.25 * delta;
    return turn_scale(turn, dot(zeta, zeta)).value * delta;
  });
}

// h Ω = s(|ζ|²) Δ changes by s δΔ + 2 s′ (ζ·δΔ) ζ.
Vector by_increments(const System& system, const Vector& increments, TurnRate turn, Vector by_rates) {
  if (turn == TurnRate::quarter) return by_rates;
  return with_rotations(system, std::move(by_rates), [&](const Block& place, const Vector& w) {
    const Vector zeta = half_of_half(increments, place.velocity);
    const TurnScale scale = turn_scale(turn, dot(zeta, zeta));
    return scale.value * w + (2.0 * scale.slope * dot(zeta, w)) * zeta;
  });
}

// The part of δζ along ζ changes the angle 2 atan|ζ| + 2 atan β|ζ|, the part across it the axis: with the quaternion
// (cos θ, n sin θ), n = ζ/|ζ|, these are η = 2 δθ n and 2 sin θ (cos θ − sin θ n̂) δn.
std::vector<KnownSlopes> turns_by(const System& system, const Vector& increments, double fraction) {
  std::vector<KnownSlopes> turns;
  if (system.rotations().empty() || fraction == 0.0) return turns;
  const double beta = 2.0 * fraction - 1.0;
  const double b = 2.0 * fraction;
  const Vector there = moved_by(system, increments, fraction);
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const Block place = block_of(system, k);
    const Matrix r = matrix_at(there, place.position);
    KnownSlopes turn{r.entries, Matrix(Rotation::positions, 3), Matrix(3, 3), three(increments, place.velocity)};
    for (std::size_t i = 0; i < 3; ++i) {
      const Matrix by_row = hat(r.row(i));  // δρᵢ = ρᵢ × η
      std::ranges::copy(by_row.entries, turn.outer.entries.begin() + static_cast<std::ptrdiff_t>(9 * i));
    }
    const Vector zeta = half_of_half(increments, place.velocity);
    const Expression square = dot(zeta, zeta);
    const Expression scale = 0.5 * b / ((1.0 + square) * (1.0 + beta * beta * square));
    const Matrix across = hat(zeta);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const Expression own = i == j ? 1.0 - beta * square : Expression(0.0);
        turn.inner(i, j) = scale * (own - b * across(i, j) + 2.0 * beta * zeta[i] * zeta[j]);
      }
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

Vector of_right_end(const System& system, const Vector& increments, Vector by_increments) {
  return with_rotations(system, std::move(by_increments), [&](const Block& place, const Vector& w) {
    return turned_momentum(-half_of_half(increments, place.velocity), w);
  });
}

Vector of_left_end(const System& system, const Vector& increments, Vector by_increments) {
  return with_rotations(system, std::move(by_increments), [&](const Block& place, const Vector& w) {
    return turned_momentum(half_of_half(increments, place.velocity), w);
  });
}

Vector to_right_end(const System& system, const Vector& increments, double weight, double fraction, Vector force) {
  const Vector shared = with_rotations(system, force, [&](const Block& place, const Vector& f) {
    return shared_force(half_of_half(increments, place.velocity), weight, fraction, f);
  });
  for (std::size_t i = 0; i < force.size(); ++i)
    force[i] = i < system.space().numbers ? (weight * fraction) * force[i] : shared[i];
  return force;
}

Vector to_left_end(const System& system, const Vector& increments, double weight, double fraction, Vector force) {
  return to_right_end(system, -increments, weight, 1.0 - fraction, std::move(force));
}

Vector orthonormal(const System& system, Vector positions) {
  for (std::size_t k = 0; k < system.rotations().size(); ++k) {
    const std::size_t first = block_of(system, k).position;
    const Matrix r = matrix_at(positions, first);
    const Matrix square = transpose(r) * r;
    Matrix factor = 1.5 * identity();
    for (std::size_t i = 0; i < factor.entries.size(); ++i) factor.entries[i] -= 0.5 * square.entries[i];
    put(positions, first, (r * factor).entries);
  }
  return positions;
}

}  // namespace rattleback
