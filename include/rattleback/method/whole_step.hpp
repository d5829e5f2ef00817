#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/kernel/chain.hpp"
#include "rattleback/kernel/interpreter.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// The maps of a method with numbers that their data typically have, those of a problem: the choice of pivots, and so
/// the last bits, depend on them. Whoever steps along a problem compiles these.
struct MethodMaps {
  ImplicitSystem start;
  ImplicitSystem step;
  std::optional<ImplicitSystem> node;
};

/// Throws MethodError if the method cannot start where the problem does.
MethodMaps maps_of(const Method& method, const Problem& problem);

/// The times of a step where the system depends on it: its stages begin at t₀ + (k + cᵢ) h, cᵢ = γ₁ + … + γᵢ₋₁, if k
/// steps have been taken since t₀. Counting is exact; steps that are added up have rounding errors that add up, too.
class StepClock {
 public:
  explicit StepClock(const Method& method);

  /// (k, t₀, h) ↦ where the stages begin, where the last one ends, k + 1.
  const Program& program() const { return program_; }

  /// After k steps. Nothing is done where time does not matter.
  void set(std::span<const double> clock, double start, double h);
  double stage(std::size_t i) const { return times_[i]; }

 private:
  Program program_;
  Interpreter<double> interpreter_;
  std::vector<double> times_;
};

/// A method that takes its steps one after the other.
class OneStepper : public Stepper {
 public:
  /// State, memories of all stages and clock, as WholeStep keeps them.
  virtual std::span<const double> kept() const = 0;
  /// Becomes the stepper of another trajectory, whose node is the start of the problem and which keeps this there; a
  /// clock counts from the time of that start. For methods that need only maps. False if the node cannot be computed,
  /// see failure().
  virtual bool take_over(const Problem& problem, std::span<const double> kept) = 0;
  /// Goes on from another node, which keeps this, by steps of this size; a clock counts from `start`.
  virtual void go_from(const State& node, std::span<const double> kept, double start, double h) = 0;
  /// The size of the steps from here on.
  virtual void set_step(double h) = 0;
  /// The values of the parameters from here on. The state stays, (q, p) for methods on Q; velocities follow from it.
  /// False if they cannot be computed, see failure().
  virtual bool set_parameters(std::span<const double> values) = 0;
};

/// Runs a method from the start of a problem, with the maps of another problem of the same system.
std::unique_ptr<OneStepper> make_one_step(const Method& method, const MethodMaps& maps, const Problem& problem);

/// All stages of a step one after the other, and the node, as one chain. Its data are state, memories of all stages,
/// clock, velocity of the node if it is computed and kept, others that belong to the state; time that the clock counts
/// from, step, parameters.
struct WholeStep {
  struct Options {
    bool with_node = false;           ///< for methods that have a map for it
    std::optional<Program> interval;  ///< functions of (q, Δ, t, h, parameters) in each stage
    std::size_t others = 0;           ///< entries of the state that somebody else fills
    /// The velocity of the node belongs to the state. It always does if the next one is iterated from there.
    bool keeps_velocity = true;
  };
  WholeStep(const Method& method, const MethodMaps& maps, const Options& options);

  Chain chain;                          ///< its outputs are what belongs to the state, without the others
  Layout layout;                        ///< of its data
  std::vector<ChainValue> state;        ///< after the last stage
  std::vector<ChainValue> node;         ///< (q, v); q alone if the velocity is not computed
  std::vector<ChainValue> time;         ///< of the node, where the system depends on it
  std::vector<ChainValue> intervals;    ///< the functions of each stage
  std::vector<ChainValue> multipliers;  ///< of the last stage
};

/// Where trajectories start.
class WholeStart {
 public:
  WholeStart(const Method& method, const MethodMaps& maps, const Problem& problem,
             Backend backend = Backend::automatic);

  /// State, memories of all stages and clock; nothing if the method cannot start there.
  std::optional<std::vector<double>> operator()(const State& node, double h, std::span<const double> parameters);
  std::string failure() const { return start_.failure(); }

 private:
  std::vector<double> stages_;
  bool is_timed_;
  CompiledMap start_;
};

/// The same where a problem starts, interpreted. Throws MethodError if the method cannot start there.
std::vector<double> whole_start(const Method& method, const MethodMaps& maps, const Problem& problem);

}  // namespace rattleback
