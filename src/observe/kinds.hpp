#pragma once

#include <memory>

#include "rattleback/flow/run.hpp"
#include "rattleback/method/method.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

/// The node after the first step of the method: that to a second position that was given is none.
inline std::int64_t first_step_of_method(const Problem& problem) { return problem.second_position ? 2 : 1; }

/// A step can be taken again only if it is all that happens between two nodes.
inline void require_whole_step(const Method& method) {
  if (method.adjusts_every_step) {
    throw MethodError(
        "the method chooses its energy anew before every step, which is no part of the step; drop every-step");
  }
}

// The observers that have a file of their own. Each throws MethodError where it has nothing to say.

/// An expression of the motion, at the nodes. Throws ParseError where it is none.
std::unique_ptr<Observer> make_quantity_observer(std::string_view text, const Problem& problem, const Model& model);
/// The outputs of a map of (q, v), at the nodes.
std::unique_ptr<Observer> make_node_observer(ObservedQuantity quantity, ImplicitSystem map, const Problem& problem);

std::unique_ptr<Observer> make_momentum_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_momentum_equation_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_symplectic_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_reduced_forces_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_reduced_equation_observer(const Method& method, const Problem& problem);
/// The same for systems with rotations and motions of space.
std::unique_ptr<Observer> make_group_forces_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_group_equation_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_spectral_radius_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_time_error_observer(const Method& method, const Problem& problem);
std::unique_ptr<Observer> make_reversibility_observer(const Method& method, const Problem& problem);

/// Of series truncated after the power `ell` of h, or of all that the points along an orbit tell.
std::unique_ptr<Observer> make_modified_observer(const Method& method, const Problem& problem, std::optional<int> ell);
std::unique_ptr<Observer> make_conformal_observer(const Method& method, const Problem& problem, std::optional<int> ell);
/// Without `ell`: that of the method.
std::unique_ptr<Observer> make_modified_flow_observer(const Method& method, const Problem& problem,
                                                      std::optional<int> ell);
/// With the density of the system, or with the modified one.
std::unique_ptr<Observer> make_measure_observer(const Method& method, const Problem& problem, std::optional<int> ell);

}  // namespace rattleback
