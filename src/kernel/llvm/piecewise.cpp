#include <llvm/IR/MDBuilder.h>

#include <limits>
#include <type_traits>

#include "../execute.hpp"
#include "emitter.hpp"
#include "rattleback/expr/number_table.hpp"

namespace rattleback {

llvm::Value* Emitter::emit_piecewise(Opcode op, std::span<llvm::Value* const> x) {
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  const auto is_nan = [&](llvm::Value* v) { return ir_.CreateFCmpUNO(v, v); };
  const auto if_true = [&](llvm::Value* holds, llvm::Value* fails) {
    return ir_.CreateSelect(holds, splat(1.0), ir_.CreateSelect(fails, splat(0.0), splat(undefined)));
  };
  switch (op) {
    case Opcode::sign:
      return ir_.CreateSelect(ir_.CreateFCmpOGT(x[0], splat(0.0)), splat(1.0),
                              ir_.CreateSelect(ir_.CreateFCmpOLT(x[0], splat(0.0)), splat(-1.0), x[0]));
    case Opcode::least: return ir_.CreateSelect(ir_.CreateOr(ir_.CreateFCmpOLT(x[0], x[1]), is_nan(x[0])), x[0], x[1]);
    case Opcode::largest:
      return ir_.CreateSelect(ir_.CreateOr(ir_.CreateFCmpOGT(x[0], x[1]), is_nan(x[0])), x[0], x[1]);
    case Opcode::less: return if_true(ir_.CreateFCmpOLT(x[0], x[1]), ir_.CreateFCmpOGE(x[0], x[1]));
    case Opcode::less_equal: return if_true(ir_.CreateFCmpOLE(x[0], x[1]), ir_.CreateFCmpOGT(x[0], x[1]));
    case Opcode::select:
      return ir_.CreateSelect(is_nan(x[0]), x[0], ir_.CreateSelect(ir_.CreateFCmpONE(x[0], splat(0.0)), x[1], x[2]));
    case Opcode::table: return emit_table(x[0], x[1]);
    default: return nullptr;
  }
}

/// For each element; which table it is is known here unless it changes in a loop.
llvm::Value* Emitter::emit_table(llvm::Value* x, llvm::Value* address) {
  const auto value_of = [&](llvm::Value* argument, llvm::Value* place) {
    const auto* const known = llvm::dyn_cast<llvm::ConstantFP>(place);
    const NumberTable* const table = known == nullptr ? nullptr : &table_at(known->getValueAPF().convertToDouble());
    const bool is_grid = table != nullptr && table->search().index.empty();
    return is_grid ? read_grid(argument, *table, place) : call_table(argument, place);
  };
  if (width_ == 1) return value_of(x, address);
  llvm::Value* result = llvm::PoisonValue::get(value_type_);
  for (int l = 0; l < width_; ++l) {
    const auto lane = static_cast<std::uint64_t>(l);
    llvm::Value* place = ir_.CreateExtractElement(address, lane);
    if (const auto* const same = llvm::dyn_cast<llvm::Constant>(address); same != nullptr && same->getSplatValue())
      place = same->getSplatValue();
    result = ir_.CreateInsertElement(result, value_of(ir_.CreateExtractElement(x, lane), place), lane);
  }
  return result;
}

/// The value in the piece where x lies on a grid. The table itself is asked where that is another one by rounding, or
/// beyond the ends.
llvm::Value* Emitter::read_grid(llvm::Value* x, const NumberTable& table, llvm::Value* address) {
  const NumberTable::Search& search = table.search();
  llvm::Type* const real = ir_.getDoubleTy();
  const auto number = [&](double value) { return llvm::ConstantFP::get(real, value); };
  const auto read = [&](const void* place, llvm::Value* entry, std::uint64_t further) {
    llvm::Value* const base = ir_.CreateIntToPtr(
        ir_.getInt64(reinterpret_cast<std::uintptr_t>(place) + further * sizeof(double)), ir_.getPtrTy());
    return ir_.CreateLoad(real, ir_.CreateInBoundsGEP(real, base, entry));
  };
  llvm::Value* const k = ir_.CreateFMul(ir_.CreateFSub(x, number(search.first)), number(search.buckets_per_unit));
  llvm::Value* const inside =
      ir_.CreateAnd(ir_.CreateFCmpOGE(k, number(0.0)), ir_.CreateFCmpOLT(k, number(search.buckets)));
  auto* const near = llvm::BasicBlock::Create(module_.getContext(), "table", function_);
  auto* const hit = llvm::BasicBlock::Create(module_.getContext(), "piece", function_);
  auto* const miss = llvm::BasicBlock::Create(module_.getContext(), "search", function_);
  auto* const next = llvm::BasicBlock::Create(module_.getContext(), "value", function_);
  llvm::MDNode* const likely = llvm::MDBuilder(module_.getContext()).createLikelyBranchWeights();
  ir_.CreateCondBr(inside, near, miss, likely);
  ir_.SetInsertPoint(near);
  llvm::Value* const i = ir_.CreateAdd(ir_.CreateFPToSI(k, ir_.getInt64Ty()), ir_.getInt64(1));
  ir_.CreateCondBr(ir_.CreateAnd(ir_.CreateFCmpOLE(read(search.begins.data(), i, 0), x),
                                 ir_.CreateFCmpOLT(x, read(search.begins.data(), i, 1))),
                   hit, miss, likely);
  ir_.SetInsertPoint(hit);
  constexpr std::uint64_t size = sizeof(NumberTable::Piece) / sizeof(double);
  llvm::Value* const piece = ir_.CreateMul(i, ir_.getInt64(size));
  const auto entry = [&](std::uint64_t e) { return read(table.pieces().data(), piece, e); };
  const std::uint64_t degree = table.degree() <= 1 ? static_cast<std::uint64_t>(table.degree()) : 3;
  llvm::Value* value = entry(1 + degree);
  if (degree > 0) {
    llvm::Value* const s = ir_.CreateFSub(x, entry(0));
    for (std::uint64_t e = degree; e > 0; --e) value = ir_.CreateFAdd(entry(e), ir_.CreateFMul(s, value));
  }
  ir_.CreateBr(next);
  ir_.SetInsertPoint(miss);
  llvm::Value* const found = call_table(x, address);
  ir_.CreateBr(next);
  ir_.SetInsertPoint(next);
  llvm::PHINode* const result = ir_.CreatePHI(real, 2);
  result->addIncoming(value, hit);
  result->addIncoming(found, miss);
  return result;
}

llvm::Value* Emitter::call_table(llvm::Value* x, llvm::Value* address) {
  static_assert(std::is_standard_layout_v<CallableNumbers>);  // its function is the first thing there
  llvm::Type* const parameters[] = {ir_.getPtrTy(), ir_.getDoubleTy()};
  auto* const type = llvm::FunctionType::get(ir_.getDoubleTy(), parameters, false);
  llvm::Value* const table = ir_.CreateIntToPtr(ir_.CreateFPToUI(address, ir_.getInt64Ty()), ir_.getPtrTy());
  llvm::CallInst* const call = ir_.CreateCall(type, ir_.CreateLoad(ir_.getPtrTy(), table), {table, x});
  call->setDoesNotThrow();
  call->setOnlyReadsMemory();
  call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

}  // namespace rattleback
