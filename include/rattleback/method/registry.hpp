#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/method/method_spec.hpp"

namespace rattleback {

struct MethodInfo {
  std::string name;
  std::string summary;
  std::vector<std::string> options;  ///< "tolerance=1e-13" with their defaults, or "midpoint" for those without a value
};

/// All methods, in the order in which they are listed to people.
std::span<const MethodInfo> methods();

/// A method for a problem, derived: what its steppers and observers, and those of the same problem with another step or
/// another start, are made of.
struct DerivedMethod {
  MethodSpec spec;
  std::optional<Method> map;  ///< not for flows, which have no equations

  DerivedMethod(MethodSpec method, const Problem& problem);
  /// With geometry that may be known already.
  DerivedMethod(MethodSpec method, const Problem& problem, Geometry& geometry);

  /// Whether trajectories need nothing but the maps of the method: no start of another kind, nothing to watch or to
  /// adjust on the way. They can run in lanes (whole_step.hpp).
  bool needs_only_maps() const;
};

/// Throws MethodError if the method has no events: only flows, and methods that need only maps, have.
void require_events(const DerivedMethod& method, const Problem& problem);

/// The equations of a map; the start of the problem tells methods that reduce a system where to look. Throws
/// MethodError, also for flows, which have none.
Method make_method(const MethodSpec& method, const Problem& problem);
/// With the parameters' own values, near the origin.
Method make_method(const MethodSpec& method, const System& system);

/// Starts a trajectory: compiles the maps of a method, or begins a flow.
std::unique_ptr<Stepper> make_stepper(const DerivedMethod& method, const Problem& problem);
std::unique_ptr<Stepper> make_stepper(const MethodSpec& method, const Problem& problem);

}  // namespace rattleback
