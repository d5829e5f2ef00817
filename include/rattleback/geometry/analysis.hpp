#pragma once

#include "rattleback/geometry/inverse_problem.hpp"
#include "rattleback/geometry/multiplier.hpp"
#include "rattleback/mech/diagnosis.hpp"

namespace rattleback {

/// The symmetries of a system and how they lie to its constraints.
struct SymmetryReport {
  std::vector<Symmetry> known;
  std::size_t dimension = 0;           ///< of the directions V they span at a generic point
  std::size_t inside_constraints = 0;  ///< of V ∩ D: each gives a momentum equation
  bool spans = false;                  ///< V + D = TQ
};

/// Whether the equations reduced by all translations that are symmetries have an invariant measure with a density that
/// depends on the remaining positions b alone. On the space of (b, u), u velocities that satisfy the constraints, the
/// divergence of the motion is −θ(b)·u; a density e^σ is invariant if and only if dσ·ḃ = θ·u, so that θ must vanish on
/// the symmetry directions inside the constraints, and be closed on the rest.
struct ReducedMeasure {
  bool decided = false;
  std::string reason;  ///< why not
  std::vector<std::string> translations;
  Certificate vertical;  ///< θ = 0 on V ∩ D
  Certificate closed;

  bool exists() const { return decided && vertical.holds && closed.holds; }
};

/// What a system is.
struct Analysis {
  std::optional<ConstraintReport> constraints;  ///< if there are any
  SymmetryReport symmetry;
  ChaplyginSearch search;
  double reduction_defect = 0.0;                  ///< if it is a Chaplygin system
  std::optional<GyroscopicStructure> gyroscopic;  ///< of the reduced system
  std::optional<ReducedMeasure> reduced_measure;  ///< where symmetry directions lie inside the constraints
  InverseProblem inverse_problem;
};

/// Throws GeometryError if a declared symmetry is none.
Analysis analyse(const System& system, std::span<const double> parameters, const State& near);

SymmetryReport examine_symmetry(const System& system, std::span<const double> parameters, const State& near);
ReducedMeasure examine_reduced_measure(const System& system, std::span<const double> parameters, const State& near);

}  // namespace rattleback
