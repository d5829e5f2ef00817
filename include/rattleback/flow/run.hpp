#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/flow/statistics.hpp"
#include "rattleback/method/method_spec.hpp"
#include "rattleback/method/stepper.hpp"

namespace rattleback {

/// What an observer watches: a name, and a label for each of its numbers.
struct ObservedQuantity {
  std::string name;
  std::vector<std::string> labels;
};

/// Watches something along a trajectory besides what is always watched.
class Observer {
 public:
  explicit Observer(ObservedQuantity quantity) : quantity_(std::move(quantity)) {}
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  const ObservedQuantity& quantity() const { return quantity_; }
  /// Called at the first node, and after every step. NaN stands for what does not exist there and, before first_node(),
  /// for what cannot be said yet.
  virtual void observe(const Stepper& stepper, std::span<double> values) = 0;
  /// What belongs to the step before a node begins after the first step.
  virtual std::int64_t first_node() const { return 0; }
  /// Why the last numbers do not exist, if that is known.
  virtual std::string why_undefined() const { return {}; }
  /// Another trajectory, or another part of it, begins.
  virtual void reset() {}
  /// Its numbers compare with the start of the trajectory, which a run that is resumed does not know any more.
  virtual bool counts_from_start() const { return false; }

 private:
  ObservedQuantity quantity_;
};

/// What is known at a node of a trajectory. The views are valid until the next step.
struct Sample {
  std::int64_t step = 0;
  double time = 0.0;
  std::span<const double> q;
  std::span<const double> v;
  std::span<const double> p;            ///< L_v(q, v)
  std::span<const double> multipliers;  ///< λ at (q, v): NaN where the constraints lose their rank
  double energy = 0.0;
  std::span<const double> work;        ///< done on the system since the start; empty where the energy is conserved
  std::span<const double> constraint;  ///< A v + b (see Structure::Constraint) and ∇g·v, then g
  std::span<const double> conserved;
  std::span<const double> observed = {};  ///< by the observers, one after the other
};

/// Enough to continue a run to the same bits.
struct Checkpoint {
  std::int64_t step = 0;
  std::vector<double> stepper;
  RunStatistics statistics;
  std::vector<double> shown = {};  ///< where there are rotations: the last recorded position, with its quaternions
};

/// Where the samples of a run go. An exception ends the run.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  virtual void record(const Sample& sample) = 0;
  /// Everything recorded so far must be safe before this returns.
  virtual void checkpoint(const Checkpoint& checkpoint) = 0;
};

struct Progress {
  std::int64_t step;
  std::int64_t steps;
  double seconds;  ///< of this process
  std::int64_t first_step;
};

struct RunOptions {
  std::int64_t steps = 0;
  std::int64_t every = 1;        ///< every how many steps a sample is recorded, the start included
  Recorder* recorder = nullptr;  ///< may be absent
  std::vector<Observer*> observers;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const Progress&)> progress;
  /// Seconds between checkpoints, and between calls of progress.
  double checkpoint_interval = 0.5;
  double progress_interval = 0.2;
};

enum class RunOutcome : std::uint8_t { finished, interrupted, failed };

const char* outcome_name(RunOutcome outcome);

struct RunResult {
  RunOutcome outcome = RunOutcome::finished;
  std::int64_t steps = 0;  ///< taken, those before a resumption included
  double time = 0.0;
  State node;  ///< the last one
  std::vector<double> momenta;
  RunStatistics statistics;
  NewtonCount newton;
  std::string failure;  ///< of a failed run: when and why
  std::vector<Remark> remarks = {};
  bool own_time = false;  ///< the nodes are not at multiples of the step in t
  /// The event that ended a finished run before its time: the last node is the one where it happened.
  std::optional<std::size_t> stopped_by = {};
};

/// Steps a trajectory from its start, or from a checkpoint if there is one, and watches energy (and the work that is
/// done, where the energy is not conserved), constraints and conserved quantities at every node. Memory does not grow
/// with the number of steps.
RunResult run(Stepper& stepper, const Problem& problem, const RunOptions& options, const Checkpoint* resume = nullptr);

/// A whole trajectory in memory.
struct Trajectory {
  std::vector<double> time;
  std::vector<State> nodes;
  std::vector<double> energy;
  RunResult result;
};

struct IntegrateOptions {
  std::vector<double> q;
  std::vector<double> v;
  double step = 0.0;
  std::int64_t steps = 0;
  std::int64_t every = 1;
  double t = 0.0;  ///< of the start
};

/// The short way: checks the start, makes the stepper, runs it. Throws StartError, MethodError; a numerical
/// failure is told by result.outcome.
Trajectory integrate(const System& system, const MethodSpec& method, const IntegrateOptions& options);

}  // namespace rattleback
