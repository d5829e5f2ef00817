#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/kernel/chain.hpp"
#include "rattleback/kernel/step.hpp"
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

/// Runs a method from the start of a problem, with the maps of another problem of the same system.
std::unique_ptr<Stepper> make_one_step(const Method& method, const MethodMaps& maps, const Problem& problem);

/// All stages of a step one after the other, and the node, as one chain. Its data are
///
///     state, memories of the stages, velocity of the node if it is computed, others that belong to the state; h,
///     parameters
struct WholeStep {
  struct Options {
    bool with_node = false;           ///< for methods that have a map for it
    std::optional<Program> interval;  ///< functions of (q, Δ, h, parameters) in each stage
    std::size_t others = 0;           ///< entries of the state that somebody else fills
  };
  WholeStep(const Method& method, const MethodMaps& maps, const Options& options);

  Chain chain;                          ///< its outputs are the state, without the others
  std::vector<ChainValue> state;        ///< after the last stage
  std::vector<ChainValue> node;         ///< (q, v); q alone if the velocity is not computed
  std::vector<ChainValue> intervals;    ///< the functions of each stage
  std::vector<ChainValue> multipliers;  ///< of the last stage
  std::size_t memories = 0;             ///< where those of the stages begin among the data
  std::size_t velocity = 0;             ///< where that of the node begins among the data
  std::size_t others = 0;
  std::size_t h = 0;
};

/// Where trajectories start.
class WholeStart {
 public:
  WholeStart(const Method& method, const MethodMaps& maps, Backend backend = Backend::automatic);

  /// State and memories of all stages; nothing if the method cannot start there.
  std::optional<std::vector<double>> operator()(const State& node, double h, std::span<const double> parameters);
  std::string failure() const { return start_.describe(start_.reports()[0]); }

 private:
  std::vector<double> stages_;
  std::size_t state_;
  Step start_;
  std::vector<double> data_;
  std::vector<double> outputs_;
};

/// The data of a WholeStep without node and others where a problem starts. Throws MethodError.
std::vector<double> whole_start(const Method& method, const MethodMaps& maps, const Problem& problem);

}  // namespace rattleback
