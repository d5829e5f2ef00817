#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// A start that cannot be: velocities against the constraints, constraints that depend on each other,
/// a direction without mass, numbers that are not finite. The message says where, and what to do.
class StartError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// What a system is like at one point.
struct PointReport {
  std::size_t rank = 0;                ///< of the matrix of all velocity constraints
  std::vector<std::size_t> dependent;  ///< rows that follow from the rows before them
  /// A direction in which the system can move but has no inertia; empty if there is none.
  std::vector<double> massless_direction;
  std::vector<double> velocity_residuals;   ///< A v + b, ∇g·v
  std::vector<double> velocity_scales;      ///< the size of the terms that these are sums of
  std::vector<double> holonomic_residuals;  ///< g
  std::vector<bool> velocity_violated;      ///< the residual is more than rounding
  std::vector<bool> holonomic_violated;
  bool consistent = false;         ///< nothing is violated
  std::optional<State> projected;  ///< the nearest consistent state, if not consistent and there is one
};

/// Velocities or positions against the constraints.
class InconsistentStart : public StartError {
 public:
  using StartError::StartError;
};

/// Throws StartError if something is not finite there.
PointReport examine(const System& system, std::span<const double> parameters, const State& state);

/// A direction without inertia, admissible or not; empty if there is none.
std::vector<double> direction_without_inertia(const System& system, std::span<const double> parameters,
                                              const State& state);

/// Throws StartError unless a motion can start there.
void require_regular_start(const System& system, std::span<const double> parameters, const State& state);

/// What the velocity constraints are like in all of Q, judged at random points: a statement with
/// probability one for expressions that are analytic.
struct ConstraintReport {
  std::size_t generic_rank = 0;
  bool judged = false;                     ///< there were points where the constraints are defined
  std::vector<std::size_t> redundant;      ///< rows that follow from the rows before them everywhere
  std::vector<std::size_t> contradictory;  ///< affine rows that exclude the rows before them everywhere
  /// A configuration where the rank is lower than elsewhere, and the rows that become dependent.
  struct RankDrop {
    std::vector<double> q;
    std::vector<std::size_t> rows;
  };
  /// Velocity constraints that are integrable by themselves: holonomic in disguise.
  std::vector<std::size_t> integrable;
  /// The velocity constraints together are integrable (Frobenius), although maybe no single one.
  bool all_integrable = false;
};

/// Judged at random points near a position; velocities do not matter.
ConstraintReport examine_constraints(const System& system, std::span<const double> parameters, const State& near);
/// If a search from random points near a position finds one.
std::optional<ConstraintReport::RankDrop> find_rank_drop(const System& system, std::span<const double> parameters,
                                                         const State& near);

/// Symmetries along which L or the constraints change, each in words: those declared, or given. Judged at random points.
std::vector<std::string> broken_symmetries(const System& system, std::span<const double> parameters, const State& near);
std::vector<std::string> broken_symmetries(const System& system, std::span<const Symmetry> symmetries,
                                           std::span<const double> parameters, const State& near);

/// Sections of symmetries that do not lie inside the constraints, each with the constraint it slips against.
std::vector<std::string> broken_sections(const System& system, std::span<const double> parameters, const State& near);

/// Declared conserved quantities that change along the motion, each in words. Judged at random admissible states.
std::vector<std::string> broken_conservation(const System& system, std::span<const double> parameters,
                                             const State& near);

/// Whether neither affine constraints nor applied forces do work; gyroscopic forces, F·v = 0 for all admissible v, do
/// none. Judged at random admissible states.
bool conserves_energy(const System& system, std::span<const double> parameters, const State& near);

}  // namespace rattleback
