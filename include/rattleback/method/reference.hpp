#pragma once

#include <memory>

#include "rattleback/method/flow.hpp"

namespace rattleback {

/// How the motion is integrated.
struct ReferenceOptions {
  /// Series of Taylor where everything is smooth, CVODE's Adams methods elsewhere; or one of them.
  enum class By : std::uint8_t { either, series, adams };
  By by = By::either;
  double tolerance = 0.0;  ///< relative to the scales of the motion, whatever its units; 0: the tightest that there is
  int order = 0;           ///< of the series; 0: the best for the tolerance
};

/// The solution of the Lagrange–d'Alembert equations on the index-1 form, by default to (nearly) all digits of double
/// precision, for comparison with everything else.
///
/// It is projected onto the constraints: every state that is handed out, and the integration itself where it is started
/// anew, every thousand internal steps. Internal steps do not depend on the times asked for.
///
/// It ends, with a FlowError, at singularities, and where it would take forever to reach the time asked for.
class ReferenceFlow final : public Flow {
 public:
  explicit ReferenceFlow(const Problem& problem, const ReferenceOptions& options = {});
  ~ReferenceFlow() override;

  State at(double t) override;
  std::int64_t internal_steps() const;
  void forget_the_past() override;

  /// Where the integration was last started anew, its state and what it had seen there: enough to go on to the same
  /// bits.
  std::vector<double> save() const override;
  void restore(std::span<const double> saved) override;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace rattleback
