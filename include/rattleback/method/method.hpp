#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {

/// A one-step method applied to a system: maps between the state the method keeps from step to step and
/// the node (q, v) that people look at. The last data of each are h, then the parameters.
struct Method {
  ImplicitSystem start;                ///< (q, v, h, parameters) ↦ state
  ImplicitSystem step;                 ///< (state, h, parameters) ↦ state
  ImplicitSystem node;                 ///< (state, h, parameters) ↦ (q, v)
  std::vector<std::string> equations;  ///< of the step, named for messages
};

/// The symbol for the step size in the maps of a method.
Expression step_symbol();

/// Classical Runge–Kutta of order 4 on the index-1 form: (q, v) is the state, accelerations and
/// multipliers are solved for in every stage. The constraints drift.
Method rk4(const System& system);

/// The same on the index-0 form, as in Evensberget's thesis: (q, v, λ) is the state.
Method rk4_index0(const System& system);

/// Runs a method from the start of a problem: derives nothing any more, compiles.
std::unique_ptr<Stepper> make_one_step(const Method& method, const Problem& problem);

}  // namespace rattleback
