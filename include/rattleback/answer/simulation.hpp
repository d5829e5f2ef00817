#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/ensemble/batch.hpp"
#include "rattleback/method/whole_step.hpp"

namespace rattleback::answer {

/// A trajectory that somebody else leads step by step: a controller, a game.
struct SimulationRequest {
  ProblemRequest problem = {};  ///< without an end: neither `steps` nor `time`
  std::string method = "dla";   ///< with options after colons
};

/// Which parameters can change on the way, and what changes with them.
class ChangingParameters {
 public:
  ChangingParameters(const ProblemRequest& request, const System& system);

  /// The number of a parameter. Throws RequestError, ModelError if there is none.
  std::size_t index(const std::string& name) const;
  /// The values of all parameters after some have got others; those that are computed from them follow. Throws
  /// RequestError for a parameter that decides about the shape of the system.
  std::vector<double> changed(const ParameterValues& values, const std::vector<double>& now);
  /// Whether nothing but its own number changes with a parameter; `now` are the values of all.
  bool is_independent(std::size_t parameter, double value, const std::vector<double>& now);

 private:
  ModelSource source_;
  InputTexts inputs_;
  ParameterValues given_;  ///< that replace those of the model
  System system_;
  std::map<std::string, std::size_t> index_;
  std::map<std::size_t, bool> independent_;
};

class Simulation {
 public:
  /// Throws errors of kind `request`.
  explicit Simulation(const SimulationRequest& request, const Hooks& hooks = {});

  const PreparedProblem& prepared() const { return prepared_; }
  const State& node() const { return stepper_->node(); }
  double time() const;
  std::int64_t steps() const { return steps_; }
  /// The values of all parameters.
  const std::vector<double>& parameters() const { return parameters_; }

  /// Takes steps; how many, fewer than asked for if one fails: see failure(). The node is then that before.
  std::int64_t step(std::int64_t count = 1);
  std::string failure() const { return stepper_->failure(); }

  /// The values of some parameters from here on; parameters that are computed from these follow. Momenta stay, where
  /// the method keeps them. Throws RequestError for a parameter that decides about the shape of the system, MethodError
  /// for methods that are more than their maps, NumericalError where there are no velocities.
  void set(const ParameterValues& values);

  /// All numbers the rest of the trajectory depends on; restored, it continues to the same bits.
  std::vector<double> save() const;
  /// Throws RequestError for what is no saved state of this; it stays where it is then.
  void restore(std::vector<double> saved);

 private:
  void take(std::vector<double> saved);

  PreparedProblem prepared_;
  ChangingParameters changing_;
  std::unique_ptr<Stepper> stepper_;
  OneStepper* maps_ = nullptr;  ///< of methods whose parameters can be changed
  std::vector<double> parameters_;
  std::int64_t steps_ = 0;
};

/// Many of them that are led together.
struct BatchRequest {
  ProblemRequest problem = {};  ///< where all begin; neither `steps` nor `time`
  std::string method = "dla";   ///< with options after colons
  std::int64_t n = 1;           ///< how many
  std::int64_t lanes = 8;       ///< at once: 1, 4, 8 or 16
};

class BatchSimulation {
 public:
  /// Throws errors of kind `request`.
  explicit BatchSimulation(const BatchRequest& request, const Hooks& hooks = {});

  const PreparedProblem& prepared() const { return prepared_; }
  const Batch& batch() const { return batch_; }
  std::int64_t steps() const { return steps_; }

  void step(std::int64_t count = 1);
  /// The values of a parameter from here on, one for each member. Throws RequestError if other parameters, or the shape
  /// of the system, are computed from it.
  void set(const std::string& name, std::span<const double> values);
  /// A member begins anew, here or at the start of the problem.
  void start(std::int64_t member, const State* node = nullptr);

 private:
  PreparedProblem prepared_;
  ChangingParameters changing_;
  Batch batch_;
  std::int64_t steps_ = 0;
};

}  // namespace rattleback::answer
