#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/kernel/program.hpp"
#include "rattleback/mech/problem.hpp"
#include "rattleback/method/event_record.hpp"

namespace rattleback {

/// A method that does not exist, has no such option, or cannot treat the system.
class MethodError : public RequestError {
 public:
  using RequestError::RequestError;
};

struct NewtonCount {
  std::int64_t iterations = 0;
  int max = 0;                 ///< of one solution
  std::int64_t solutions = 0;  ///< of nonlinear equations: one each step, or one each stage
  double mean() const {
    return solutions == 0 ? 0.0 : static_cast<double>(iterations) / static_cast<double>(solutions);
  }
};

/// What belongs to the interval between the last two nodes.
struct IntervalValues {
  double energy = 0.0;  ///< E at the midpoint of the interval; NaN for compositions
  std::vector<double>
      constraints;  ///< A v + b under the rule; for compositions that of the worst stage, times its fraction of h
  std::vector<double> multipliers;  ///< λ_k of the discrete equations; NaN for compositions
};

/// Functions of (q, v, t, parameters) along a trajectory: energy, constraints, and others.
struct Watched {
  /// At the node. For methods that keep the constraints between the nodes, their residuals stand for those at the node.
  std::vector<double> values;
  std::vector<double> least;  ///< at the nodes since the last look, that of the last look included
  std::vector<double> largest;
  double least_midpoint = 0.0;  ///< of the energy at the midpoints of intervals, where there is one
  double largest_midpoint = 0.0;

  explicit Watched(std::size_t functions = 0) : values(functions), least(functions), largest(functions) {}
};

/// What a method has to say about itself at the end of a run.
struct Remark {
  std::string name;  ///< a key
  double value = 0.0;
  std::string text;  ///< for people
};

/// A trajectory on its way, one step at a time.
class Stepper {
 public:
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  virtual ~Stepper() = default;

  /// Where the trajectory is: coordinates and admissible velocities at the node.
  virtual const State& node() const = 0;
  /// One step further. False if that failed: the node is then still the old one, see failure().
  virtual bool advance() = 0;
  /// Watches functions of (q, v, t, parameters) inside compiled code, so that leap() can be used. The first is the
  /// energy, the next are A v + b. False if this trajectory is stepped one by one.
  virtual bool watch(const Program& /*functions*/) { return false; }
  /// As many steps as are taken without trouble, `steps` at most; advance() may be able to take the next. `watched` has
  /// the values at the node before.
  virtual std::int64_t leap(Watched& /*watched*/, std::int64_t /*steps*/) { return 0; }
  /// For people: what went wrong in the last step, and what may help.
  virtual std::string failure() const = 0;
  virtual NewtonCount newton() const = 0;

  /// The method's own state, (q, p, …) for methods on Q; empty if it has none to show.
  virtual std::span<const double> state() const { return {}; }
  /// Null before the first step, and for methods that know nothing about intervals.
  virtual const IntervalValues* interval() const { return nullptr; }
  /// Whether A_d(q_k, q_{k+1}) = 0 is what the method satisfies, rather than A(q_k) v_k = 0.
  virtual bool keeps_constraints_between_nodes() const { return false; }

  /// The time of the node since the start, for methods whose nodes are not at multiples of the step.
  virtual std::optional<double> time() const { return std::nullopt; }
  virtual std::vector<Remark> remarks() const { return {}; }

  /// What happened in the last step, in the order of time.
  virtual std::span<const EventRecord> events() const { return {}; }
  /// How often each event of the system has happened since the start; empty if it has none.
  virtual std::span<const double> event_counts() const { return {}; }
  /// The event that has ended the trajectory, at a node between two multiples of the step; there is no next one.
  virtual std::optional<std::size_t> stopped_by() const { return std::nullopt; }

  /// All numbers the rest of the trajectory depends on; restored, it continues to the same bits.
  virtual std::vector<double> save() const = 0;
  virtual void restore(std::span<const double> saved) = 0;
};

}  // namespace rattleback
