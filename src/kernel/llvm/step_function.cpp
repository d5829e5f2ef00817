// A step program as one native function: the loop over steps, and in it the iterations of blocks.
// The state stays in registers from step to step.

#include <limits>

#include "../jit.hpp"
#include "emitter.hpp"

namespace rattleback {
namespace {

class StepEmitter {
 public:
  StepEmitter(Emitter& emitter, const StepProgram& program, const std::string& name)
      : e_(emitter), ir_(emitter.ir()), program_(program) {
    llvm::Type* const parameters[] = {ir_.getPtrTy(), ir_.getPtrTy(), ir_.getInt64Ty(), ir_.getPtrTy()};
    function_ = e_.begin_function(name, ir_.getInt64Ty(), parameters);
  }

  void emit() {
    llvm::Value* const data = function_->getArg(0);
    llvm::Value* const outputs = function_->getArg(1);
    llvm::Value* const steps = function_->getArg(2);

    e_.inputs.clear();
    for (std::uint32_t i = 0; i < program_.inputs; ++i) e_.inputs.push_back(e_.load(data, i));
    e_.variables.assign(program_.variables, nullptr);
    e_.begin_program(program_.code, program_.constants);
    e_.emit(program_.invariant);
    llvm::BasicBlock* const entry = ir_.GetInsertBlock();
    llvm::BasicBlock* const step = new_block("step");
    llvm::BasicBlock* const accept = new_block("accept");
    llvm::BasicBlock* const reject = new_block("reject");
    llvm::BasicBlock* const done = new_block("done");
    ir_.CreateBr(step);

    ir_.SetInsertPoint(step);
    llvm::PHINode* const taken = phi(ir_.getInt64Ty(), ir_.getInt64(0), entry);
    llvm::PHINode* const total = phi(e_.counter_type(), e_.counters(0), entry);
    llvm::PHINode* const largest = phi(e_.counter_type(), e_.counters(0), entry);
    std::vector<llvm::PHINode*> state;
    for (std::uint32_t i = 0; i < program_.state; ++i) {
      state.push_back(phi(e_.value_type(), e_.inputs[i], entry));
      e_.inputs[i] = state.back();
    }
    ok_ = e_.all_lanes(true);
    iterations_ = e_.counters(0);
    for (const StepBlock& block : program_.blocks) emit_block(block);
    e_.emit(program_.after);
    for (const Value v : program_.must_be_finite) require_finite(e_[v]);
    llvm::Value* const failed = ir_.CreateNot(ok_);
    ir_.CreateCondBr(e_.any(failed), reject, accept);

    ir_.SetInsertPoint(accept);
    llvm::Value* const new_total = ir_.CreateAdd(total, iterations_);
    llvm::Value* const new_largest = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, largest, iterations_);
    llvm::Value* const new_taken = ir_.CreateAdd(taken, ir_.getInt64(1));
    taken->addIncoming(new_taken, accept);
    total->addIncoming(new_total, accept);
    largest->addIncoming(new_largest, accept);
    for (std::size_t i = 0; i < state.size(); ++i) state[i]->addIncoming(e_[program_.outputs[i]], accept);
    ir_.CreateCondBr(ir_.CreateICmpSLT(new_taken, steps), step, done);

    ir_.SetInsertPoint(done);
    for (std::size_t i = 0; i < state.size(); ++i) e_.store(data, i, e_[program_.outputs[i]]);
    store_outputs(outputs);
    store_counters(new_total, new_largest, e_.all_lanes(false));
    ir_.CreateRet(new_taken);

    ir_.SetInsertPoint(reject);
    for (std::size_t i = 0; i < state.size(); ++i) e_.store(data, i, state[i]);
    store_outputs(outputs);
    store_counters(total, largest, failed);
    ir_.CreateRet(taken);
  }

 private:
  llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(ir_.getContext(), name, function_); }

  llvm::PHINode* phi(llvm::Type* type, llvm::Value* initial, llvm::BasicBlock* from) {
    llvm::PHINode* node = ir_.CreatePHI(type, 2);
    node->addIncoming(initial, from);
    return node;
  }

  /// Lanes in which every residual of the block is below so many ulps of its magnitude. As a
  /// difference: infinite residuals of infinite magnitude do not pass, nor does NaN.
  llvm::Value* all_below(const StepBlock& block, double floor) {
    llvm::Value* passed = e_.all_lanes(true);
    llvm::Value* tolerance = e_.splat(-floor * std::numeric_limits<double>::epsilon());
    for (const ResidualCheck& c : block.residuals) {
      llvm::Value* size = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, e_[c.residual]);
      llvm::Value* excess = ir_.CreateIntrinsic(llvm::Intrinsic::fma, {e_.value_type()}, {tolerance, e_[c.magnitude], size});
      passed = ir_.CreateAnd(passed, ir_.CreateFCmpOLE(excess, e_.splat(0.0)));
    }
    return passed;
  }

  void emit_block(const StepBlock& block) {
    e_.emit(block.before);
    if (block.iterative) {
      emit_iteration(block);
      return;
    }
    if (!block.residuals.empty()) ok_ = ir_.CreateAnd(ok_, all_below(block, linear_floor));
    for (const Value v : block.must_be_finite) require_finite(e_[v]);
  }

  void emit_iteration(const StepBlock& block) {
    llvm::BasicBlock* const before = ir_.GetInsertBlock();
    llvm::BasicBlock* const check = new_block("check");
    llvm::BasicBlock* const solve = new_block("solve");
    llvm::BasicBlock* const leave = new_block("leave");
    ir_.CreateBr(check);

    ir_.SetInsertPoint(check);
    llvm::PHINode* const round = phi(ir_.getInt64Ty(), ir_.getInt64(0), before);
    llvm::PHINode* const active = phi(e_.mask_type(), e_.all_lanes(true), before);
    llvm::PHINode* const was_at_floor = phi(e_.mask_type(), e_.all_lanes(false), before);
    llvm::PHINode* const count = phi(e_.counter_type(), iterations_, before);
    std::vector<llvm::PHINode*> unknowns;
    for (std::size_t k = 0; k < block.variables.size(); ++k) {
      unknowns.push_back(phi(e_.value_type(), e_[block.guess[k]], before));
      e_.variables[block.variables[k]] = unknowns.back();
    }
    e_.emit(block.check);
    llvm::Value* const at_floor = all_below(block, stalled_floor);
    llvm::Value* const converged = ir_.CreateOr(all_below(block, tight_floor), ir_.CreateAnd(at_floor, was_at_floor));
    llvm::Value* const still = ir_.CreateAnd(active, ir_.CreateNot(converged));
    llvm::Value* const may_continue = ir_.CreateICmpSLT(round, ir_.getInt64(max_fast_iterations));
    ir_.CreateCondBr(ir_.CreateAnd(e_.any(still), may_continue), solve, leave);

    ir_.SetInsertPoint(solve);
    e_.emit(block.solve);
    llvm::BasicBlock* const solve_end = ir_.GetInsertBlock();
    round->addIncoming(ir_.CreateAdd(round, ir_.getInt64(1)), solve_end);
    active->addIncoming(still, solve_end);
    was_at_floor->addIncoming(at_floor, solve_end);
    count->addIncoming(ir_.CreateAdd(count, ir_.CreateZExt(still, e_.counter_type())), solve_end);
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      // A lane that has converged stays where it is, as if it were alone.
      llvm::Value* moved = ir_.CreateFAdd(unknowns[k], e_[block.correction[k]]);
      unknowns[k]->addIncoming(ir_.CreateSelect(still, moved, unknowns[k]), solve_end);
    }
    ir_.CreateBr(check);

    ir_.SetInsertPoint(leave);
    ok_ = ir_.CreateAnd(ok_, ir_.CreateNot(still));
    iterations_ = count;
  }

  void require_finite(llvm::Value* value) {
    llvm::Value* size = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    ok_ = ir_.CreateAnd(ok_, ir_.CreateFCmpOLE(size, e_.splat(std::numeric_limits<double>::max())));
  }

  void store_outputs(llvm::Value* outputs) {
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) e_.store(outputs, i, e_[program_.outputs[i]]);
  }

  void store_counters(llvm::Value* total, llvm::Value* largest, llvm::Value* failed) {
    llvm::Value* const counters = function_->getArg(3);
    llvm::Value* const values[] = {total, largest, ir_.CreateSExt(failed, e_.counter_type())};
    for (std::size_t i = 0; i < std::size(values); ++i) {
      auto* address = ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), counters, i * max_lanes);
      ir_.CreateAlignedStore(values[i], address, llvm::Align(8));
    }
  }

  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  const StepProgram& program_;
  llvm::Function* function_;
  llvm::Value* ok_ = nullptr;
  llvm::Value* iterations_ = nullptr;
};

}  // namespace

void emit_step_function(Emitter& emitter, const StepProgram& program, const std::string& name) {
  StepEmitter(emitter, program, name).emit();
}

}  // namespace rattleback
