#pragma once

#include "rattleback/geometry/inverse_problem.hpp"
#include "rattleback/geometry/multiplier.hpp"
#include "rattleback/geometry/space_motions.hpp"
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

/// Whether equations reduced by a group of motions of space have an invariant measure whose density depends on the
/// point of Q/G alone. Haar measure of rotations, Lebesgue measure of coordinates and of velocities u seen from the
/// body are invariant under the group; with respect to them the divergence of the motion on D is −θ(q)·u, and a density
/// e^σ of Q/G is invariant if and only if dσ = β, where β·q̇ = θ·u for admissible velocities and β·ξ = 0 for the
/// directions of the group. Constraints that keep functions of the position, such as a distance, leave β open across
/// their levels: a density is then one on each of them.
struct GroupMeasure {
  bool decided = false;
  std::string reason;    ///< why not
  std::size_t kept = 0;  ///< how many functions of the position are constant along D + V
  Certificate vertical;  ///< there is such a β: θ = 0 on directions of the group inside the constraints
  Certificate closed;    ///< dβ = 0

  bool exists() const { return decided && vertical.holds && closed.holds; }
};

/// A system with rotations, and what remains of it when the motions of space that are symmetries are divided out.
struct GroupReduction {
  SpaceMotions motions;
  std::size_t dimension = 0;           ///< of Q; that of G is the number of generators
  std::size_t admissible = 0;          ///< of D
  std::size_t inside_constraints = 0;  ///< of V ∩ D, V the directions of the group
  bool spans = false;                  ///< V + D = TQ
  /// Symmetries that are admissible everywhere, each as coefficients of the generators: constraints do not change their
  /// momenta (Cortés & Martínez, corollaries 5.2 and 5.4).
  std::vector<std::vector<double>> horizontal;
  /// For each of them, or for each generator where there are no constraints, whether applied forces change its
  /// momentum; else it is constant.
  std::vector<bool> forced;
  std::optional<GroupMeasure> measure;  ///< where there are constraints

  std::size_t reduced_dimension() const { return dimension - motions.group.dimension(); }
  /// The purely kinematic case, TQ = D ⊕ V: a Chaplygin system.
  bool is_kinematic() const { return admissible < dimension && inside_constraints == 0 && spans; }
};

/// What a system is.
struct Analysis {
  std::optional<ConstraintReport> constraints;  ///< if there are any
  SymmetryReport symmetry;
  std::optional<GroupReduction> group;  ///< of systems with rotations
  ChaplyginSearch search;
  double reduction_defect = 0.0;                  ///< if it is a Chaplygin system
  std::optional<GyroscopicStructure> gyroscopic;  ///< of the reduced system
  std::optional<ReducedMeasure> reduced_measure;  ///< where symmetry directions lie inside the constraints
  InverseProblem inverse_problem;
};

/// Throws GeometryError if a declared symmetry is none.
Analysis analyse(const System& system, std::span<const double> parameters, const State& near);

SymmetryReport examine_symmetry(const System& system, std::span<const double> parameters, const State& near);
GroupReduction examine_group(const System& system, const std::vector<Symmetry>& known,
                             std::span<const double> parameters, const State& near);
GroupMeasure examine_group_measure(const System& system, const SpaceMotions& motions,
                                   std::span<const double> parameters, const State& near);
ReducedMeasure examine_reduced_measure(const System& system, std::span<const double> parameters, const State& near);

}  // namespace rattleback
