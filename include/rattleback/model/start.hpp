#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rattleback/model/system.hpp"

namespace rattleback {

/// Numbers for some of the coordinates.
using SomeNumbers = std::vector<std::optional<double>>;

/// A start of which only some numbers are given; one entry for each coordinate.
struct PartialState {
  SomeNumbers q;
  SomeNumbers v;
};

/// Positions with g(q) = 0: the given ones are kept, the others begin at `near` and are moved as little as possible, in
/// units of inertia, if g is not zero there. Throws RequestError, which names the rows that cannot be satisfied.
std::vector<double> completed_positions(const System& system, std::span<const double> parameters,
                                        const SomeNumbers& given, std::span<const double> near, double time = 0.0);

/// Velocities with A v + b = 0 and ∇g·v = 0: the given ones are kept, the others have the least kinetic energy ½ v·M v,
/// or, where there are velocities `near`, that of the least change. Throws RequestError, which names the rows that
/// cannot be satisfied.
std::vector<double> completed_velocities(const System& system, std::span<const double> parameters,
                                         const std::vector<double>& q, const SomeNumbers& given, double time = 0.0,
                                         std::span<const double> near = {});

}  // namespace rattleback
