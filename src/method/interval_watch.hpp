#pragma once

#include "method_maps.hpp"
#include "rattleback/mech/compiled_map.hpp"

namespace rattleback {

/// Energy and constraints between two positions.
class IntervalWatch {
 public:
  IntervalWatch(const IntervalFunctions& functions, const Problem& problem)
      : map_(map_of(functions, problem.system)), functions_(CompiledMap::functions(map_, problem)) {}

  void surround(const Problem& problem) { functions_.surround(problem.step, problem.parameters); }
  void operator()(std::span<const double> from, std::span<const double> increments, double t, double h) {
    functions_.set(Slot::position, from);
    functions_.set(Slot::increments, increments);
    functions_.set_time(t);
    functions_.set(Slot::step, h);
    functions_.run();
  }
  double energy() const { return functions_(Slot::energy)[0]; }
  std::span<const double> constraints() const { return functions_(Slot::constraints); }
  Program program() const { return make_program(map_.data, map_.outputs); }

 private:
  static ImplicitSystem map_of(const IntervalFunctions& functions, const System& system) {
    ImplicitSystem map = map_from_interval(system);
    map.give(Slot::energy, {&functions.energy, 1});
    map.give(Slot::constraints, functions.constraints);
    return map;
  }

  ImplicitSystem map_;
  CompiledMap functions_;
};

}  // namespace rattleback
