#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/geometry/helmholtz.hpp"
#include "rattleback/geometry/steered.hpp"

namespace rattleback {

/// A family of associated systems. On m independent constraints n − m velocities tell the others, and every choice of
/// them, B, gives each acceleration of the constrained motion a form of its own, q̈_i = a_i(q, v_B). A second-order
/// system that takes one of these forms for each coordinate has the constrained motions among its own, whichever they
/// are. Mestdag, Bloch & Fernandez (4) is the one with B = {r₁, r₂} for all coordinates; (5) and (14) take {r₁, s_α}
/// for s_α.
struct AssociatedForms {
  std::string reason;                          ///< why there are none
  std::vector<std::vector<Expression>> forms;  ///< for each coordinate those that differ from each other

  /// How many systems they make.
  std::size_t systems() const;
  /// The accelerations of one of them, by its number from 0.
  std::vector<Expression> accelerations(std::size_t number) const;
};

/// Forms that differ are told by their values at random points about a state.
AssociatedForms associated_forms(const System& system, std::span<const double> parameters, const State& near);

/// Which of them are the Euler–Lagrange equations of a regular Lagrangian, as far as the Helmholtz conditions tell?
struct AssociatedSearch {
  /// A system whose Lagrangians are not excluded.
  struct Open {
    SecondOrderSystem equations;
    HelmholtzReport report;
    std::optional<FreeForm> lagrangian;  ///< that is known to have these equations
  };
  std::string reason;              ///< why nothing was tried
  std::vector<std::size_t> forms;  ///< for each coordinate, how many
  std::size_t systems = 0;         ///< in the family
  std::size_t tried = 0;           ///< the first of them
  std::size_t excluded = 0;        ///< no regular Lagrangian
  std::size_t undecided = 0;       ///< the conditions were too large, or not known well enough
  std::vector<Open> open;

  bool is_complete() const { return reason.empty() && tried == systems && undecided == 0; }
};

/// The systems that are looked at unless more are asked for.
inline constexpr std::size_t usual_associated_systems = 100;

AssociatedSearch search_associated(const System& system, std::span<const double> parameters, const State& near,
                                   std::size_t most = usual_associated_systems);

}  // namespace rattleback
