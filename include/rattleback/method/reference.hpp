#pragma once

#include <memory>

#include "rattleback/base/error.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {

/// The solution of the Lagrange–d'Alembert equations to (nearly) all digits of double precision, for
/// comparison with everything else: CVODE's Adams methods of variable order up to 12 on the index-1 form,
/// projected onto the constraints.
///
/// The projection acts on every state that is handed out, and on the integration itself where it is started
/// anew, every thousand internal steps (CVODE projects in every step only with BDF methods, whose order of at most
/// five needs many times the steps at these tolerances). Internal steps do not depend on the times asked for.
class ReferenceFlow {
 public:
  /// Relative tolerance, and absolute tolerance in the units of the model: where coordinates or velocities are much
  /// smaller than 1, the absolute one must be smaller too.
  explicit ReferenceFlow(const Problem& problem, double tolerance = default_tolerance,
                         double absolute_tolerance = default_tolerance);
  ReferenceFlow(ReferenceFlow&&) noexcept;
  ReferenceFlow& operator=(ReferenceFlow&&) noexcept;
  ~ReferenceFlow();

  /// The state at any time t ≥ 0 that was not forgotten, by the integrator's own interpolation. Throws FlowError.
  State at(double t);
  std::int64_t internal_steps() const;

  /// Promises that times before the last one will not be asked for, and frees what was kept for them.
  void forget_the_past();

  /// Where the integration was last started anew, and its state there: enough to go on to the same bits.
  std::vector<double> save() const;
  void restore(std::span<const double> saved);

  static constexpr double default_tolerance = 3e-15;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The integration cannot go on: a singularity, or a tolerance that cannot be met.
class FlowError : public NumericalError {
 public:
  using NumericalError::NumericalError;
};

std::unique_ptr<Stepper> make_reference(const Problem& problem, double tolerance, double absolute_tolerance);

}  // namespace rattleback
