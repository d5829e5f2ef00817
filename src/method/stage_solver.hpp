#pragma once

#include "rattleback/method/whole_step.hpp"

namespace rattleback {

/// Solves the equations of one stage of a step, with last resorts where the extrapolated guess was a bad one.
class StageSolver {
 public:
  StageSolver(const Method& method, const MethodMaps& maps, const Problem& problem);

  void surround(const Problem& problem);

  /// From a state and its memory at t, which become the next ones, by h. `velocity` is that of the node before. False
  /// if the equations cannot be solved: nothing has changed then. Equations that are singular somewhere have solutions
  /// far from the motion, which are refused if they must be near.
  bool operator()(std::span<double> state, std::span<double> memory, double t, double h,
                  std::span<const double> velocity, bool must_be_near);

  // Of the stage that was solved last.
  std::span<const double> increments() const { return step_(Slot::increments); }
  std::span<const double> multipliers() const { return step_(Slot::multipliers); }

  const std::string& failure() const { return failure_; }
  NewtonCount& newton() { return newton_; }
  const NewtonCount& newton() const { return newton_; }

 private:
  struct Place {
    std::span<const double> state;
    std::span<const double> velocity;
    double t;
    double h;
  };
  bool continues(std::span<const double> memory) const;
  bool solve(const Place& from, std::span<const double> memory, double h);
  std::vector<double> suggested(const Place& from, double h);
  bool attempt(const Place& from, double h, std::span<const double> guess, std::span<const double> whole);
  bool look_elsewhere(const Place& from);
  std::span<const double> found() const { return step_(Slot::memory).first(remembered_); }
  std::string explain() const;

  std::size_t remembered_;
  std::vector<std::string> equations_;
  CompiledMap start_;
  CompiledMap step_;
  NewtonCount newton_;
  std::string failure_;
};

/// What may help where a map failed; a failure to converge says so itself.
const char* advice(const LaneReport& report);

}  // namespace rattleback
