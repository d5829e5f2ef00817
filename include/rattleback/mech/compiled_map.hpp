#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/problem.hpp"

namespace rattleback {

/// Numbers for the data of a map, as far as a problem has them: its start, its step, its parameters. Others are 0.
std::vector<double> data_of(const Layout& layout, const Problem& problem);

/// The map with these numbers as typical ones: pivots, and so the last bits, depend on them.
ImplicitSystem typical_at(ImplicitSystem map, const Problem& problem);

/// A map whose data and outputs are called by their names.
class CompiledMap {
 public:
  /// The data are first those of the problem.
  CompiledMap(ImplicitSystem map, const Problem& problem, Backend backend = Backend::automatic);
  /// Of a map without unknowns: plain functions, without a step around them.
  static CompiledMap functions(const ImplicitSystem& map, const Problem& problem);

  std::span<double> operator[](Slot slot) { return layout_.of(data_, slot); }
  void set(Slot slot, std::span<const double> numbers);
  void set(Slot slot, double number);
  /// Position and velocity, and the time as far as the map has it.
  void place(const State& node);
  void set_time(double t);
  /// Step and parameters, as far as the map has them.
  void surround(double step, std::span<const double> parameters);

  /// The outputs for the data. What is state among the data is advanced. False if that failed.
  bool run();
  bool run(const State& node) {
    place(node);
    return run();
  }

  std::span<const double> operator()(Slot slot) const { return output_layout_.of(outputs_, slot); }
  const std::vector<double>& data() const { return data_; }
  const std::vector<double>& outputs() const { return outputs_; }
  /// For people: what was wrong with the last run.
  std::string failure() const;
  const LaneReport& report() const { return std::get<Step>(code_).reports()[0]; }
  const Step& step() const { return std::get<Step>(code_); }

 private:
  CompiledMap(const ImplicitSystem& map, std::variant<Step, Kernel> code, const Problem& problem);

  Layout layout_;
  Layout output_layout_;
  std::variant<Step, Kernel> code_;
  std::vector<double> data_;
  std::vector<double> outputs_;
};

}  // namespace rattleback
