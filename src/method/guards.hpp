#pragma once

#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {

/// Stops a trajectory before a quantity that it divides by changes its sign, or tells that it did.
class GuardWatch {
 public:
  /// Throws MethodError where the quantity vanishes at the start.
  GuardWatch(const Guard& guard, const Problem& problem);

  /// What is wrong with a step from a node; empty if nothing is.
  std::string before_step(const State& node);
  /// What is wrong with the node that a step led to.
  std::string after_step(const State& node);
  /// |h v/speed| at a node: how far a step from there leads.
  double stride(const State& node);

  int crossings() const { return crossings_; }
  void set_crossings(int crossings, const State& node);
  const std::string& name() const { return name_; }

 private:
  double here() const { return functions_.outputs()[0]; }
  double ahead() const { return functions_.outputs()[1]; }
  double change() const { return functions_.outputs()[2]; }
  double error() const { return functions_.outputs()[3]; }
  double speed() const { return functions_.outputs()[4]; }

  std::string name_;
  bool ends_;
  CompiledMap functions_;
  double sign_ = 1.0;
  int crossings_ = 0;
};

/// All guards of a method along a trajectory. Equations that are singular somewhere have solutions far from the motion:
/// a step that leads further than its velocities do, or that changes the energy by half of the kinetic energies before
/// and after, has found one.
class Guards {
 public:
  Guards(const Method& method, const Problem& problem);

  bool empty() const { return watches_.empty(); }
  std::string before_step(const State& node);
  std::string after_step(const State& before, const State& node);
  std::vector<Remark> remarks() const;

  /// How often each quantity has changed its sign.
  std::vector<double> save() const;
  void restore(std::span<const double> crossings, const State& node);

 private:
  struct Energies {
    double total;
    double kinetic;  ///< ½ v·L_v
  };
  Energies energies(const State& node);

  std::vector<GuardWatch> watches_;
  std::vector<CompiledMap> energies_;  ///< one, where something is guarded
  double step_;
};

}  // namespace rattleback
