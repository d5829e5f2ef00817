#pragma once

#include <memory>

#include "rattleback/method/flow.hpp"

namespace rattleback {

/// The solution of the Lagrange–d'Alembert equations to (nearly) all digits of double precision, for
/// comparison with everything else: CVODE's Adams methods of variable order up to 12 on the index-1 form,
/// projected onto the constraints.
///
/// The projection acts on every state that is handed out, and on the integration itself where it is started
/// anew, every thousand internal steps (CVODE projects in every step only with BDF methods, whose order of at most
/// five needs many times the steps at these tolerances). Internal steps do not depend on the times asked for.
///
/// It ends, with a FlowError, at singularities, and where it would take forever to reach the time asked for.
class ReferenceFlow final : public Flow {
 public:
  /// Relative to the scales of the motion, whatever its units.
  explicit ReferenceFlow(const Problem& problem, double tolerance = default_tolerance);
  ~ReferenceFlow() override;

  State at(double t) override;
  std::int64_t internal_steps() const;
  void forget_the_past() override;

  /// Where the integration was last started anew, its state and what it had seen there: enough to go on to the same
  /// bits.
  std::vector<double> save() const override;
  void restore(std::span<const double> saved) override;

  static constexpr double default_tolerance = 3e-15;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace rattleback
