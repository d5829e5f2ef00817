#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rattleback/kernel/implicit_system.hpp"
#include "rattleback/kernel/kernel.hpp"

namespace rattleback {

/// How the solution of an implicit system ended.
enum class Outcome : std::uint8_t { converged, not_converged, singular, not_finite };

const char* outcome_name(Outcome outcome);

/// What happened in one lane during the steps of one call.
struct LaneReport {
  Outcome outcome = Outcome::converged;
  std::int64_t iterations = 0;  ///< Newton iterations in all steps
  int max_iterations = 0;       ///< of one step
  std::int64_t pivoted = 0;     ///< steps that needed the pivoted solver
  int equation = -1;            ///< of a failure: the equation to blame
  double residual = 0.0;        ///< of a failure: that equation's residual relative to its terms
  int failed_iterations = 0;    ///< of a failure: iterations of the careful solver
};

/// A step of an integrator: an implicit system as native code for `lanes` trajectories at once.
///
/// Arrays are structures of arrays: entry i of lane l stands at [i * lanes + l]. A lane's results do
/// not depend on what the other lanes contain, nor on how many there are.
class Step {
 public:
  explicit Step(ImplicitSystem system, int lanes = 1, Backend backend = Backend::automatic);
  Step(Step&&) noexcept;
  Step& operator=(Step&&) noexcept;
  ~Step();

  /// Takes up to `steps` steps. The state part of `data` is advanced; `outputs` are those of the
  /// last step. Returns the number of steps taken: fewer than asked if a lane failed, see reports();
  /// the failed step is then taken by no lane, data are those before it and outputs undefined. The
  /// two arrays must not overlap. Allocates nothing.
  std::int64_t run(std::span<double> data, std::span<double> outputs, std::int64_t steps = 1);

  /// One entry for each lane, of the last call of run.
  std::span<const LaneReport> reports() const;

  int lanes() const;
  /// False if steps are interpreted: asked for, or because there is no compiler (Backend::automatic).
  bool is_compiled() const;
  const ImplicitSystem& system() const;

  /// For people: "not converged at equation 2 (0 = …): residual 0.03 of its terms after 60 iterations; …".
  std::string describe(const LaneReport& report) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Steps in another number type, interpreted: the answer to "is this rounding?", and more digits than double has.
/// Instantiated for double and long double, in quadruple.hpp for float128. Plain Newton iteration from the guess.
template <class T>
class InterpretedStep {
 public:
  explicit InterpretedStep(const ImplicitSystem& system);
  InterpretedStep(InterpretedStep&&) noexcept;
  InterpretedStep& operator=(InterpretedStep&&) noexcept;
  ~InterpretedStep();

  /// One step; data are not changed. False where Step would pivot or damp.
  bool run(std::span<const T> data, std::span<T> outputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One such step, with pivots chosen for its very data. Throws std::runtime_error where Step would pivot or damp.
template <class T>
std::vector<T> interpret_step(const ImplicitSystem& system, std::span<const T> data);

}  // namespace rattleback
