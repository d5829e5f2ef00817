#include "rattleback/mech/compiled_map.hpp"

#include <algorithm>
#include <stdexcept>

namespace rattleback {

std::vector<double> data_of(const Layout& layout, const Problem& problem) {
  std::vector<double> data(layout.size(), 0.0);
  const auto fill = [&](Slot slot, std::span<const double> numbers) {
    if (!layout.has(slot)) return;
    if (numbers.size() != layout[slot].size) throw std::invalid_argument("a problem has too many or too few numbers");
    std::ranges::copy(numbers, layout.of(data, slot).begin());
  };
  fill(Slot::position, problem.start.q);
  fill(Slot::velocity, problem.start.v);
  if (layout.size(Slot::time) > 0) fill(Slot::time, {&problem.start.t, 1});
  fill(Slot::step, {&problem.step, 1});
  fill(Slot::parameters, problem.parameters);
  return data;
}

ImplicitSystem typical_at(ImplicitSystem map, const Problem& problem) {
  map.typical = data_of(map.data_layout, problem);
  return map;
}

CompiledMap::CompiledMap(const ImplicitSystem& map, std::variant<Step, Kernel> code, const Problem& problem)
    : layout_(map.data_layout), output_layout_(map.output_layout), code_(std::move(code)),
      data_(data_of(layout_, problem)), outputs_(map.outputs.size()) {}

CompiledMap::CompiledMap(ImplicitSystem map, const Problem& problem, Backend backend)
    : CompiledMap(map, Step(map, 1, backend), problem) {}

CompiledMap CompiledMap::functions(const ImplicitSystem& map, const Problem& problem) {
  return {map, Kernel(make_program(map.data, map.outputs)), problem};
}

void CompiledMap::set(Slot slot, std::span<const double> numbers) {
  std::ranges::copy(numbers.first(layout_[slot].size), (*this)[slot].begin());
}

void CompiledMap::set(Slot slot, double number) { set(slot, std::span(&number, 1)); }

void CompiledMap::place(const State& node) {
  set(Slot::position, node.q);
  set(Slot::velocity, node.v);
  set_time(node.t);
}

void CompiledMap::set_time(double t) {
  if (layout_.size(Slot::time) > 0) set(Slot::time, t);
}

void CompiledMap::surround(double step, std::span<const double> parameters) {
  if (layout_.has(Slot::step)) set(Slot::step, step);
  set(Slot::parameters, parameters);
}

bool CompiledMap::run() {
  if (Step* const step = std::get_if<Step>(&code_)) return step->run(data_, outputs_) == 1;
  std::get<Kernel>(code_)(data_, outputs_);
  return true;
}

std::string CompiledMap::failure() const { return step().describe(report()); }

}  // namespace rattleback
