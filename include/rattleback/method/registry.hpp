#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/method/method.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {

struct MethodInfo {
  std::string name;
  std::string summary;
  std::vector<std::string> options;  ///< "tolerance=1e-13" with their defaults, or "midpoint" for those without a value
};

/// All methods, in the order in which they are listed to people.
std::span<const MethodInfo> methods();

/// Throws MethodError unless the name is one of a method with options it has, as in
/// "reference:tolerance=1e-12".
void check_method(std::string_view name);

/// Whether a method has equations of its own: the reference has none.
bool has_equations(std::string_view name);

/// The equations of a method for a problem; its start tells methods that reduce a system where to look. Throws
/// MethodError, also for the reference, which has none.
Method make_method(std::string_view name, const Problem& problem);
/// With the parameters' own values, near the origin.
Method make_method(std::string_view name, const System& system);

/// The order a method promises; none for the reference.
std::optional<int> promised_order(std::string_view name, const Problem& problem);

/// Whether trajectories need nothing but the maps of the method: no start of another kind, nothing to watch or to
/// adjust on the way. They can run in lanes (whole_step.hpp).
bool needs_only_maps(std::string_view name, const Method& method);

/// Starts a trajectory: derives the method's equations, compiles them.
std::unique_ptr<Stepper> make_stepper(std::string_view name, const Problem& problem);

}  // namespace rattleback
