#pragma once

#include "rattleback/geometry/chaplygin.hpp"
#include "rattleback/geometry/helmholtz.hpp"
#include "rattleback/geometry/steered.hpp"

namespace rattleback {

/// Second-order equations that belong to a system, and what the Helmholtz conditions say of them.
struct Variationality {
  std::string name;  ///< "the reduced equations", "the associated system (4)", …
  SecondOrderSystem equations;
  HelmholtzReport report;
};

/// A free Lagrangian that was found, checked against the system (5) for all velocities, and against the accelerations
/// of the constrained system.
struct FreeVerdict {
  FreeForm form;
  FreeLagrangian lagrangian;
  Certificate equations;
  Certificate motion;
  bool regular;

  bool holds() const { return equations.holds && motion.holds && regular; }
};

/// Is the motion that of a Lagrangian without constraints?
struct InverseProblem {
  /// The system's own Lagrangian, where there are constraints: if their forces vanish along every motion it is a free
  /// one. Not looked at for systems of very many coordinates.
  std::optional<LagrangianReport> own;
  std::vector<Variationality> systems;
  SteeredSearch steered;
  std::vector<FreeVerdict> free;
};

/// Looks at the system's own Lagrangian; at the equations of motion, where there are no constraints but applied forces;
/// at the reduced equations of a Chaplygin system with a gyroscopic force; and at the associated systems (4), and (5)
/// or (14), of a system of the class of Mestdag, Bloch & Fernandez.
InverseProblem examine_inverse_problem(const System& system, const ChaplyginSystem* chaplygin,
                                       std::span<const double> parameters, const State& near);

}  // namespace rattleback
