// Inline code of one lane: instructions that do the same to several numbers share a vector.
//
// LLVM finds such instructions too, but from their ends backwards, and then moves numbers between the elements of
// vectors where chains meet. Here the order of elements comes from the data, one for all that is done to them, so that
// vectors follow from vectors.

#include <algorithm>
#include <numeric>
#include <tuple>

#include "emitter.hpp"

namespace rattleback {
namespace {

bool is_elementwise(Opcode op) { return op >= Opcode::add && op <= Opcode::sqrt; }

}  // namespace

void Emitter::find_groups(std::span<const CodeRange> ranges, std::span<const Value> roots, std::uint32_t state) {
  in_vector_.assign(code_.size(), {});
  if (!in_groups()) return;
  PackingTask task;
  task.code = code_;
  task.ranges = ranges;
  task.roots = roots;
  task.state = state;
  task.variables = state;
  task.shortest_loop = group_width;
  task.takes_signs = false;
  UnitFinder finder(task);
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    std::vector<Unit> units = finder.find(r);
    std::size_t grouped = 0;
    std::size_t alone = 0;
    for (Unit& unit : units) {
      if (!is_elementwise(code_[unit.members.front()].op)) unit.kind = Unit::Kind::single;
      (unit.kind == Unit::Kind::group ? grouped : alone) += unit.members.size();
      if (unit.kind != Unit::Kind::group) continue;
      for (const Value v : unit.members) finder.set_packed(v, v);  // alike for later ranges, too
    }
    if (alone < 2 * grouped) units_of_range_.emplace_back(ranges[r], std::move(units));
  }
}

bool Emitter::emit_groups(const CodeRange& range) {
  const auto found = std::ranges::find(units_of_range_, range, &std::pair<CodeRange, std::vector<Unit>>::first);
  if (found == units_of_range_.end()) return false;
  for (Value v = range.begin; v < range.end; ++v) {
    if (is_leaf(code_[v].op)) values_[v] = emit_instruction(code_[v], v);
  }
  for (const Unit& unit : found->second) {
    if (unit.kind == Unit::Kind::group) {
      emit_group(unit.members);
    } else {
      for (const Value v : unit.members) values_[v] = emit_instruction(code_[v], v);
    }
  }
  return true;
}

/// Where a value stands: in a vector, among the inputs or variables, or alone.
std::tuple<int, std::size_t, std::size_t> Emitter::place_of(Value v) const {
  const InVector& in = in_vector_[v];
  if (in.vector != nullptr) return {0, in.number, in.element};
  const Instruction& i = code_[v];
  if (i.op == Opcode::input || i.op == Opcode::variable) return {i.op == Opcode::input ? 1 : 2, i.a, 0};
  return {3, v, 0};
}

void Emitter::emit_group(std::vector<Value> members) {
  const Instruction first = code_[members.front()];
  const std::size_t n = read_count(first);
  std::ranges::stable_sort(members, [&](Value v, Value w) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto a = place_of(operand(code_[v], k));
      const auto b = place_of(operand(code_[w], k));
      if (a != b) return a < b;
    }
    return v < w;
  });
  std::size_t begin = 0;
  for (; begin + group_width <= members.size(); begin += group_width) {
    const std::span<const Value> own(&members[begin], group_width);
    llvm::Value* operands[3] = {nullptr, nullptr, nullptr};
    for (std::size_t k = 0; k < n; ++k) operands[k] = together(own, k);
    set_members(group_width);
    llvm::Value* cosine = nullptr;
    llvm::Value* const result = emit_operation(first.op, {operands, n}, cosine);
    set_members(1);
    for (std::size_t m = 0; m < own.size(); ++m) in_vector_[own[m]] = {result, vectors_, m};
    ++vectors_;
  }
  for (; begin < members.size(); ++begin) {
    values_[members[begin]] = emit_instruction(code_[members[begin]], members[begin]);
  }
}

/// Operand k of several instructions as one vector.
llvm::Value* Emitter::together(std::span<const Value> members, std::size_t k) {
  std::vector<Value> operands;
  for (const Value v : members) operands.push_back(operand(code_[v], k));
  return together(operands);
}

/// Several values as one vector.
llvm::Value* Emitter::together(std::span<const Value> values) {
  const Value first = values[0];
  bool is_same = true;
  bool is_vector = in_vector_[first].vector != nullptr;
  for (std::size_t m = 0; m < values.size(); ++m) {
    const InVector& in = in_vector_[values[m]];
    is_same = is_same && values[m] == first;
    is_vector = is_vector && in.vector == in_vector_[first].vector && in.element == m;
  }
  if (is_vector) return in_vector_[first].vector;
  if (is_same) return ir_.CreateVectorSplat(static_cast<unsigned>(values.size()), (*this)[first]);
  llvm::Value* all =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(ir_.getDoubleTy(), static_cast<unsigned>(values.size())));
  for (std::size_t m = 0; m < values.size(); ++m) all = ir_.CreateInsertElement(all, (*this)[values[m]], m);
  return all;
}

/// Whether the predicate holds everywhere, asked of a vector of numbers at a time: those that are in vectors already
/// come first, in their order. The last vector is filled up with numbers that were there before.
llvm::Value* Emitter::all_in_groups(std::span<const Column> columns, Map predicate) {
  std::vector<std::size_t> order(columns[0].numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const InVector& in = in_vector_[columns[0].numbers[i]];
    return std::tuple(in.vector == nullptr, in.number, in.element);
  });
  constexpr std::size_t at_once = group_width;
  while (order.size() % at_once != 0) order.push_back(order.back());
  llvm::Value* all = nullptr;
  for (std::size_t begin = 0; begin < order.size(); begin += at_once) {
    std::vector<llvm::Value*> vectors;
    for (const Column& column : columns) {
      std::vector<Value> values;
      for (std::size_t m = 0; m < at_once; ++m) values.push_back(column.numbers[order[begin + m]]);
      vectors.push_back(together(values));
    }
    set_members(group_width);
    llvm::Value* const holds = predicate(vectors, nullptr);
    set_members(1);
    all = all == nullptr ? holds : ir_.CreateAnd(all, holds);
  }
  return ir_.CreateAndReduce(all);
}

}  // namespace rattleback
