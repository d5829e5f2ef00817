// Chunked code: values are in the workspace, and what is done to many of them is a loop. With one lane the loop does
// several members at once, in a vector; with more lanes a value is a vector already.

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "emitter.hpp"

namespace rattleback {
namespace {

/// Numbers that one chunk handles without loops, and loops in one chunk.
constexpr std::size_t most_entries = 256;
constexpr std::size_t most_loops = 32;

/// A shorter run is not worth a loop.
constexpr std::size_t shortest_run = 8;

std::size_t pieces(const std::vector<std::vector<ValuePlace>>& columns) {
  std::size_t count = 0;
  for (const PlaceRun& run : affine_runs(columns, shortest_run)) count += run.affine ? 1 : run.count;
  return count;
}

}  // namespace

Emitter::Column Emitter::range_of(Column::Kind kind, std::size_t count) {
  Column column{kind, std::vector<Value>(count)};
  std::iota(column.numbers.begin(), column.numbers.end(), Value{0});
  return column;
}

/// Addresses are constant offsets from array + offset, which the processor adds on its own.
llvm::Value* Emitter::address(llvm::Value* array, std::size_t entry, llvm::Value* offset) {
  llvm::Value* const base = ir_.CreateInBoundsGEP(ir_.getDoubleTy(), array, offset);
  return ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), base, entry * static_cast<std::size_t>(lanes_));
}

/// The same number for all members.
llvm::Value* Emitter::read_shared(llvm::Value* array, const ValuePlace& place) {
  if (place.is_constant) return take(place.taken, splat(constants_[place.at]));
  if (width_ == lanes_) return take(place.taken, load(array, place.at));
  llvm::Value* const offset = ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), array, place.at);
  return take(place.taken,
              ir_.CreateVectorSplat(static_cast<unsigned>(width_), ir_.CreateLoad(ir_.getDoubleTy(), offset)));
}

llvm::Value* Emitter::take(Taken what, llvm::Value* number) {
  if (what == Taken::itself) return number;
  llvm::Value* cosine = nullptr;
  return emit_operation(what == Taken::negative ? Opcode::negate : Opcode::absolute, {&number, 1}, cosine);
}

llvm::Value* Emitter::read_members(llvm::Value* array, std::size_t first, std::int64_t stride, llvm::Value* index) {
  if (width_ == lanes_ || stride == 1) {
    llvm::Value* const offset =
        stride == 1 ? index : ir_.CreateMul(index, ir_.getInt64(static_cast<std::uint64_t>(stride)));
    return ir_.CreateAlignedLoad(value_type_, address(array, first, offset), llvm::Align(8));
  }
  llvm::Value* const offset = ir_.CreateMul(index, ir_.getInt64(static_cast<std::uint64_t>(stride)));
  llvm::Value* all = llvm::PoisonValue::get(value_type_);
  for (int m = 0; m < width_; ++m) {
    const std::size_t entry = first + static_cast<std::size_t>(stride * m);
    llvm::Value* const one = ir_.CreateLoad(ir_.getDoubleTy(), address(array, entry, offset));
    all = ir_.CreateInsertElement(all, one, static_cast<std::uint64_t>(m));
  }
  return all;
}

void Emitter::write_members(llvm::Value* array, std::size_t first, std::int64_t stride, llvm::Value* index,
                            llvm::Value* value) {
  llvm::Value* const offset =
      stride == 1 ? index : ir_.CreateMul(index, ir_.getInt64(static_cast<std::uint64_t>(stride)));
  if (width_ == lanes_ || stride == 1) {
    ir_.CreateAlignedStore(value, address(array, first, offset), llvm::Align(8));
    return;
  }
  for (int m = 0; m < width_; ++m) {
    llvm::Value* const one = ir_.CreateExtractElement(value, static_cast<std::uint64_t>(m));
    ir_.CreateStore(one, address(array, first + static_cast<std::size_t>(stride * m), offset));
  }
}

llvm::Value* Emitter::entry_of_table(std::size_t first, llvm::Value* index) {
  if (llvm::isa<llvm::Constant>(index)) {  // the only vector, of one lane
    return ir_.getInt64(packing_.tables[first]);
  }
  if (tables_ == nullptr) {
    auto* const data = llvm::ConstantDataArray::get(module_.getContext(), llvm::ArrayRef(packing_.tables));
    tables_ = new llvm::GlobalVariable(module_, data->getType(), true, llvm::GlobalValue::InternalLinkage, data,
                                       function_->getName() + ".tables");
  }
  llvm::Value* const iteration = ir_.CreateUDiv(index, ir_.getInt64(static_cast<std::uint64_t>(lanes_)));
  llvm::Value* const base = ir_.CreateConstInBoundsGEP1_64(ir_.getInt32Ty(), tables_, first);
  llvm::Value* const entry = ir_.CreateLoad(ir_.getInt32Ty(), ir_.CreateInBoundsGEP(ir_.getInt32Ty(), base, iteration));
  return ir_.CreateMul(ir_.CreateZExt(entry, ir_.getInt64Ty()), ir_.getInt64(static_cast<std::uint64_t>(lanes_)));
}

llvm::Value* Emitter::read_table(std::size_t first, llvm::Value* index) {
  if (width_ == lanes_) {
    return ir_.CreateAlignedLoad(value_type_, address(workspace_, 0, entry_of_table(first, index)), llvm::Align(8));
  }
  llvm::Value* all = llvm::PoisonValue::get(value_type_);
  for (int m = 0; m < width_; ++m) {
    llvm::Value* const entry = entry_of_table(first + static_cast<std::size_t>(m), index);
    all = ir_.CreateInsertElement(all, ir_.CreateLoad(ir_.getDoubleTy(), address(workspace_, 0, entry)),
                                  static_cast<std::uint64_t>(m));
  }
  return all;
}

void Emitter::emit_straight(const CodePart& part) {
  for (const Value v : part.straight) {
    values_[v] = emit_instruction(code_[v], v);
    if (packing_.entry_of[v] != no_entry) store(workspace_, packing_.entry_of[v], values_[v]);
    if (packing_.cosine_entry_of[v] != no_entry) store(workspace_, packing_.cosine_entry_of[v], cosines_[v]);
  }
}

void Emitter::emit_loop(const CodePart& part) {
  using From = LoopOperand::From;
  const int at_once = part.in_order ? 1 : members_at_once();
  set_members(at_once);
  // What all iterations share is read before them.
  std::vector<std::array<llvm::Value*, 3>> shared(part.lines.size());
  for (std::size_t l = 0; l < part.lines.size(); ++l) {
    for (std::size_t k = 0; k < part.lines[l].operand_count; ++k) {
      const LoopOperand& o = part.lines[l].operands[k];
      if (o.from == From::constant) shared[l][k] = read_shared(workspace_, {true, o.at, o.taken});
      if (o.from == From::memory && o.stride == 0) shared[l][k] = read_shared(workspace_, {false, o.at, o.taken});
      if (o.from == From::previous) shared[l][k] = read_shared(workspace_, o.start);
    }
  }
  const bool is_one_vector = at_once > 1 && part.count == static_cast<std::size_t>(at_once);
  llvm::BasicBlock* const before = ir_.GetInsertBlock();
  llvm::BasicBlock* body = before;
  llvm::PHINode* counter = nullptr;
  if (!is_one_vector) {
    body = llvm::BasicBlock::Create(module_.getContext(), "members", function_);
    ir_.CreateBr(body);
    ir_.SetInsertPoint(body);
    counter = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    counter->addIncoming(ir_.getInt64(0), before);
  }
  llvm::Value* const index = is_one_vector ? static_cast<llvm::Value*>(ir_.getInt64(0)) : counter;
  std::vector<llvm::PHINode*> carried(part.lines.size(), nullptr);
  for (std::size_t l = 0; l < part.lines.size(); ++l) {
    for (std::size_t k = 0; k < part.lines[l].operand_count; ++k) {
      if (part.lines[l].operands[k].from != From::previous) continue;
      carried[l] = ir_.CreatePHI(value_type_, 2);
      carried[l]->addIncoming(shared[l][k], before);
    }
  }
  // What lines read they do not write: a number is read once, whoever reads it.
  std::map<std::pair<std::size_t, std::int64_t>, llvm::Value*> seen;
  const auto read_once = [&](const LoopOperand& o) {
    llvm::Value*& number = seen[{o.at, o.stride}];
    if (number == nullptr) number = read_members(workspace_, o.at, o.stride, index);
    return take(o.taken, number);
  };
  std::vector<llvm::Value*> results(part.lines.size(), nullptr);
  std::vector<llvm::Value*> cosines(part.lines.size(), nullptr);
  for (std::size_t l = 0; l < part.lines.size(); ++l) {
    const LoopLine& line = part.lines[l];
    llvm::Value* operands[3] = {nullptr, nullptr, nullptr};
    for (std::size_t k = 0; k < line.operand_count; ++k) {
      const LoopOperand& o = line.operands[k];
      switch (o.from) {
        case From::constant: operands[k] = shared[l][k]; break;
        case From::memory: operands[k] = o.stride == 0 ? shared[l][k] : read_once(o); break;
        case From::table: operands[k] = take(o.taken, read_table(o.at, index)); break;
        case From::here: operands[k] = line.op == Opcode::cosine_of ? cosines[o.at] : results[o.at]; break;
        case From::previous: operands[k] = carried[l]; break;
      }
    }
    results[l] = emit_operation(line.op, {operands, line.operand_count}, cosines[l]);
    const auto store_members = [&](std::size_t entry, llvm::Value* value) {
      write_members(workspace_, entry, 1, index, value);
    };
    if (line.result != no_entry && carried[l] == nullptr) store_members(line.result, results[l]);
    if (line.cosine != no_entry) store_members(line.cosine, cosines[l]);
  }
  set_members(1);
  if (is_one_vector) return;
  // The last vector overlaps the one before it if the members do not fill it: they are computed again.
  const auto lanes = static_cast<std::uint64_t>(lanes_);
  llvm::Value* const last = ir_.getInt64((part.count - static_cast<std::size_t>(at_once)) * lanes);
  llvm::Value* next = ir_.CreateAdd(index, ir_.getInt64(static_cast<std::uint64_t>(at_once) * lanes));
  if (part.count % static_cast<std::size_t>(at_once) != 0) {
    next = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, next, last);
  }
  llvm::BasicBlock* const end = ir_.GetInsertBlock();
  counter->addIncoming(next, end);
  for (std::size_t l = 0; l < part.lines.size(); ++l) {
    if (carried[l] != nullptr) carried[l]->addIncoming(results[l], end);
  }
  auto* const after = llvm::BasicBlock::Create(module_.getContext(), "after", function_);
  ir_.CreateCondBr(ir_.CreateICmpEQ(index, last), after, body);
  ir_.SetInsertPoint(after);
  for (std::size_t l = 0; l < part.lines.size(); ++l) {
    if (carried[l] != nullptr && part.lines[l].result != no_entry) {
      store(workspace_, part.lines[l].result, results[l]);
    }
  }
}

// Numbers that the program's code does not compute but that are moved or looked at, one by one.

void Emitter::for_each(const Column& to, std::span<const Column> from, Context context, Map map) {
  map_columns(&to, from, context, map);
}

llvm::Value* Emitter::all_of(std::span<const Column> from, Map predicate) {
  return map_columns(nullptr, from, {nullptr, nullptr}, predicate);
}

llvm::Value* Emitter::read_column(const Column& column, std::size_t i, llvm::Value* array) {
  const Value number = column.numbers[i];
  switch (column.kind) {
    case Column::Kind::inputs: return read(inputs, number);
    case Column::Kind::variables: return read(variables, number);
    case Column::Kind::array: return load(array, number);
    case Column::Kind::values: break;
  }
  if (!chunked_) return (*this)[number];
  return read_shared(workspace_, places({Column::Kind::values, {number}})[0]);
}

void Emitter::write_column(const Column& column, std::size_t i, llvm::Value* array, llvm::Value* value) {
  const Value number = column.numbers[i];
  switch (column.kind) {
    case Column::Kind::inputs: write(inputs, number, value); break;
    case Column::Kind::variables: write(variables, number, value); break;
    default: store(array, number, value); break;
  }
}

/// An input that is also an output is read from its copy if the state changes while the output is still needed.
std::vector<ValuePlace> Emitter::places(const Column& column) const {
  std::vector<ValuePlace> result;
  for (const Value number : column.numbers) {
    switch (column.kind) {
      case Column::Kind::inputs: result.push_back({false, inputs.first + number}); break;
      case Column::Kind::variables: result.push_back({false, variables.first + number}); break;
      case Column::Kind::array: result.push_back({false, number}); break;
      case Column::Kind::values:
        result.push_back(code_[number].op == Opcode::constant ? ValuePlace{true, code_[number].a}
                                                              : ValuePlace{false, packing_.entry_of[number]});
        break;
    }
  }
  return result;
}

llvm::Value* Emitter::map_one_by_one(std::size_t begin, std::size_t end, const Column* to, std::span<const Column> from,
                                     const Context& context, Map map) {
  llvm::Value* all = all_lanes(true);
  std::vector<llvm::Value*> values(from.size());
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t k = 0; k < from.size(); ++k) values[k] = read_column(from[k], i, context.array);
    llvm::Value* const result = map(values, context.mask);
    if (to != nullptr) {
      write_column(*to, i, context.array, result);
    } else {
      all = ir_.CreateAnd(all, result);
    }
  }
  return all;
}

/// The order does not matter to those who ask, so the one that makes longer runs is taken: theirs, or that of the
/// workspace.
llvm::Value* Emitter::map_columns(const Column* to, std::span<const Column> from, Context context, Map map) {
  const std::size_t count = from.front().numbers.size();
  if (!chunked_ && to == nullptr && in_groups() && count >= group_width) return all_in_groups(from, map);
  if (!chunked_) return map_one_by_one(0, count, to, from, context, map);
  std::vector<Column> lists(from.begin(), from.end());
  if (to != nullptr) lists.push_back(*to);
  std::vector<std::vector<ValuePlace>> columns;
  for (const Column& list : lists) columns.push_back(places(list));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return columns[from.size() - 1][i].at; });
  const auto sorted = [&](const auto& list) {
    auto result = list;
    for (std::size_t i = 0; i < count; ++i) result[i] = list[order[i]];
    return result;
  };
  std::vector<std::vector<ValuePlace>> sorted_columns;
  for (const auto& column : columns) sorted_columns.push_back(sorted(column));
  if (pieces(sorted_columns) < pieces(columns)) {
    columns = std::move(sorted_columns);
    for (Column& list : lists) list.numbers = sorted(list.numbers);
  }
  return map_in_order(to == nullptr ? nullptr : &lists.back(), std::span(lists).first(from.size()), columns, context,
                      map);
}

llvm::Value* Emitter::map_in_order(const Column* to, std::span<const Column> from,
                                   std::span<const std::vector<ValuePlace>> columns, Context context, Map map) {
  std::vector<PlaceRun> runs;
  for (const PlaceRun& run : affine_runs(columns, shortest_run)) {
    if (run.affine) runs.push_back(run);
    for (std::size_t k = 0; !run.affine && k < run.count; k += most_entries) {
      runs.push_back({run.begin + k, std::min(most_entries, run.count - k), false});
    }
  }
  llvm::Value* all = all_lanes(true);
  for (std::size_t begin = 0; begin < runs.size();) {
    std::size_t end = begin;
    std::size_t entries = 0;
    const auto size_of = [&](std::size_t r) {
      return runs[r].affine ? std::size_t{most_entries / most_loops} : runs[r].count;
    };
    do {
      entries += size_of(end++);
    } while (end < runs.size() && entries + size_of(end) <= most_entries);
    llvm::Value* const passed = call_chunk(context, to == nullptr, [&](const Context& c) {
      llvm::Value* here = all_lanes(true);
      for (std::size_t r = begin; r < end; ++r) {
        const PlaceRun& run = runs[r];
        llvm::Value* const some = run.affine ? map_run(run, columns, to, from, c, map)
                                             : map_one_by_one(run.begin, run.begin + run.count, to, from, c, map);
        if (to == nullptr) here = ir_.CreateAnd(here, some);
      }
      return here;
    });
    if (to == nullptr) all = ir_.CreateAnd(all, passed);
    begin = end;
  }
  return all;
}

/// A loop; what does not fill the last vector is done one by one, because the map may read what it changes.
llvm::Value* Emitter::map_run(const PlaceRun& run, std::span<const std::vector<ValuePlace>> columns, const Column* to,
                              std::span<const Column> from, const Context& context, Map map) {
  const auto at_once = static_cast<std::size_t>(members_at_once());
  const auto lanes = static_cast<std::uint64_t>(lanes_);
  const std::size_t whole = run.count - run.count % at_once;
  const auto array_of = [&](const Column& c) { return c.kind == Column::Kind::array ? context.array : workspace_; };
  const auto stride_of = [&](const std::vector<ValuePlace>& c) {
    return static_cast<std::int64_t>(c[run.begin + 1].at) - static_cast<std::int64_t>(c[run.begin].at);
  };
  set_members(members_at_once());
  llvm::Value* mask = context.mask;
  if (width_ > lanes_ && mask != nullptr) mask = ir_.CreateVectorSplat(static_cast<unsigned>(width_), mask);
  llvm::BasicBlock* const before = ir_.GetInsertBlock();
  auto* const body = llvm::BasicBlock::Create(module_.getContext(), "members", function_);
  auto* const after = llvm::BasicBlock::Create(module_.getContext(), "after", function_);
  ir_.CreateBr(body);
  ir_.SetInsertPoint(body);
  llvm::PHINode* const index = ir_.CreatePHI(ir_.getInt64Ty(), 2);
  index->addIncoming(ir_.getInt64(0), before);
  llvm::PHINode* const passed = to == nullptr ? ir_.CreatePHI(mask_type_, 2) : nullptr;
  std::vector<llvm::Value*> values(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    const ValuePlace first = columns[k][run.begin];
    const std::int64_t stride = stride_of(columns[k]);
    values[k] = first.is_constant || stride == 0 ? read_shared(array_of(from[k]), first)
                                                 : read_members(array_of(from[k]), first.at, stride, index);
  }
  llvm::Value* const result = map(values, mask);
  llvm::Value* all = nullptr;
  if (to != nullptr) {
    write_members(array_of(*to), columns.back()[run.begin].at, stride_of(columns.back()), index, result);
  } else {
    all = ir_.CreateAnd(passed, result);
    passed->addIncoming(all_lanes(true), before);
    passed->addIncoming(all, ir_.GetInsertBlock());
  }
  llvm::Value* const next = ir_.CreateAdd(index, ir_.getInt64(at_once * lanes));
  index->addIncoming(next, ir_.GetInsertBlock());
  ir_.CreateCondBr(ir_.CreateICmpEQ(next, ir_.getInt64(whole * lanes)), after, body);
  ir_.SetInsertPoint(after);
  if (all != nullptr && width_ > lanes_) all = ir_.CreateAndReduce(all);
  set_members(1);
  llvm::Value* const rest = map_one_by_one(run.begin + whole, run.begin + run.count, to, from, context, map);
  return all == nullptr ? rest : ir_.CreateAnd(all, rest);
}

}  // namespace rattleback
