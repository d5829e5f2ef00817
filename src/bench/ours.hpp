#pragma once

// Our methods as contestants: all stages of a step in one compiled function.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/method/whole_step.hpp"
#include "src/bench/contestant.hpp"

namespace rattleback::bench {

/// The problems of the tables.
Problem particle();
Problem sleigh();
/// McLachlan and Perlmutter's particles: n = 6 starts as in Evensberget's section 3.2, others as the model.
Problem oscillators(int n, double step = 0.25);
/// The rattleback of Kane and Levinson without drag, h = 0.001: its position as a rotation, or as Euler angles.
Problem rattleback_by_rotation();
Problem rattleback_by_angles();
/// The same as it is in the catalogue, on its ground by a holonomic constraint.
Problem rattleback_on_ground();

class OurMethod final : public Contestant {
 public:
  OurMethod(const std::string& method, const Problem& problem);

  Attempt hold(double step, const Goal& goal) override;
  std::int64_t run(double step, double time) override;
  std::vector<double> end(double step, double time) override;

 private:
  OurMethod(const std::string& name, const Method& method, const Problem& problem);
  void start(double step);
  bool look();  ///< at the node: q, v and the energy

  Problem problem_;
  MethodMaps maps_;
  WholeStart start_;
  ChainStep step_;
  Layout layout_;  ///< of the step
  CompiledMap node_;
  double started_ = 0.0;  ///< with which step the start was computed
  std::vector<double> start_data_;
  std::vector<double> data_;
  std::vector<double> outputs_;
};

/// Trajectories of a method in lanes, started anew for every measurement. They differ slightly.
class Trajectories {
 public:
  Trajectories(const std::string& method, const Problem& problem, int lanes = 1);

  /// Those with the numbers first, first + 1, …
  void run(std::int64_t steps, std::int64_t first = 0);
  double iterations() const;  ///< of Newton in one step, in the last run
  const std::vector<double>& data() const { return data_; }
  int lanes() const { return step_.lanes(); }

 private:
  Trajectories(const Method& method, const Problem& problem, int lanes);
  Trajectories(const Method& method, const MethodMaps& maps, const Problem& problem, int lanes);

  std::vector<double> start_;
  std::size_t state_;  ///< entries of it that change
  ChainStep step_;
  std::vector<double> data_;
  std::vector<double> outputs_;
  std::int64_t steps_ = 1;
};

/// Of the tables of cost and precision, cheap ones first: those that are much dearer are then given up early.
inline constexpr const char* our_methods[] = {"dla:order=8:stages=21", "dla:order=8", "dla:order=10",
                                              "dla:order=6:stages=13", "dla:order=6", "dla:order=4",
                                              "dla:midpoint"};

}  // namespace rattleback::bench
