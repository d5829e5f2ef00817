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
  /// Whether the quantity vanishes within the step that before_step looked at, and the trajectory passes.
  /// Right after a zero it does not: the velocity there is not to be trusted.
  bool crosses() const { return !ends_ && !has_just_crossed_ && change() <= -1.0; }
  /// What is wrong with the node that a step led to.
  std::string after_step(const State& node);
  /// |h v/speed| at a node: how far a step from there leads.
  double stride(const State& node);

  int crossings() const { return crossings_; }
  std::vector<double> save() const { return {static_cast<double>(crossings_), has_just_crossed_ ? 1.0 : 0.0}; }
  void restore(std::span<const double> saved, const State& node);
  /// How often the quantity has changed its sign.
  Remark remark() const;

 private:
  std::string vanishes() const;
  std::string vanishes_to_higher_order() const;
  double here() const { return functions_.outputs()[0]; }
  double ahead() const { return functions_.outputs()[1]; }
  double change() const { return functions_.outputs()[2]; }
  double error() const { return functions_.outputs()[3]; }
  double speed() const { return functions_.outputs()[4]; }

  std::string name_;
  bool ends_;
  std::string count_;
  CompiledMap functions_;
  double sign_ = 1.0;
  int crossings_ = 0;
  bool has_just_crossed_ = false;
};

/// All guards of a method along a trajectory. Equations that are singular somewhere have solutions far from the motion:
/// a step that leads further than its velocities do, or that changes the energy by half of the kinetic energies before
/// and after, has found one. Where a quantity changes its sign and the trajectory goes on it loses accuracy: the energy
/// tells how much.
class Guards {
 public:
  Guards(const Method& method, const Problem& problem);

  bool empty() const { return watches_.empty(); }
  std::string before_step(const State& node);
  bool cross() const;
  std::string after_step(const State& before, const State& node);
  std::vector<Remark> remarks() const;

  /// What the watches save, and the largest change of the energy.
  std::vector<double> save() const;
  void restore(std::span<const double> saved, const State& node);

 private:
  struct Energies {
    double total;
    double kinetic;  ///< ½ v·L_v
  };
  Energies energies(const State& node);

  std::vector<GuardWatch> watches_;
  std::vector<CompiledMap> energies_;  ///< one, where something is guarded
  double energy_change_ = 0.0;         ///< the largest in a step in which a quantity has changed its sign
  double step_;
};

}  // namespace rattleback
