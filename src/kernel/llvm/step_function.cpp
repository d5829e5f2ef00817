// A step program as one native function: the loop over steps, and in it the iterations of blocks.
// The state of a small system stays in registers from step to step.

#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "../jit.hpp"
#include "emitter.hpp"

namespace rattleback {
namespace {

class StepEmitter {
 public:
  StepEmitter(Emitter& emitter, const StepProgram& program, const std::string& name)
      : e_(emitter), ir_(emitter.ir()), program_(program) {
    llvm::Type* const parameters[] = {ir_.getPtrTy(), ir_.getPtrTy(), ir_.getInt64Ty(), ir_.getPtrTy(), ir_.getPtrTy()};
    function_ = e_.begin_function(name, ir_.getInt64Ty(), parameters);
    data_ = function_->getArg(0);
    outputs_ = function_->getArg(1);
    steps_ = function_->getArg(2);
    counters_ = function_->getArg(3);
  }

  void emit() {
    e_.inputs = e_.make_slots(program_.inputs);
    e_.variables = e_.make_slots(program_.variables);
    e_.copy(first(Kind::inputs, program_.inputs), first(Kind::array, program_.inputs), data_);
    e_.begin_program(program_.code, program_.constants, ranges(), roots(), program_.state, program_.sines);
    e_.emit(program_.invariant);
    Emitter::Column carried{Kind::variables, {}};
    std::vector<Value> initial;
    std::vector<Value> next;
    for (const CarriedValue& c : program_.carried) {
      carried.numbers.push_back(c.variable);
      initial.push_back(c.initial);
      next.push_back(c.next);
    }
    if (!initial.empty()) e_.copy(carried, Emitter::values_of(initial));
    llvm::Value* const parameters_ok = emit_invariant_checks();
    llvm::BasicBlock* const entry = ir_.GetInsertBlock();
    llvm::BasicBlock* const step = new_block("step");
    llvm::BasicBlock* const accept = new_block("accept");
    llvm::BasicBlock* const reject = new_block("reject");
    llvm::BasicBlock* const done = new_block("done");
    ir_.CreateBr(step);

    ir_.SetInsertPoint(step);
    llvm::PHINode* const taken = phi(ir_.getInt64Ty(), ir_.getInt64(0), entry);
    // Without iterations the counters would only occupy registers.
    const bool counts = std::ranges::any_of(program_.blocks, [](const StepBlock& block) {
      return block.iterative && block.solution != StepBlock::not_counted;
    });
    llvm::PHINode* const total = counts ? phi(e_.counter_type(), e_.counters(0), entry) : nullptr;
    llvm::PHINode* const largest = counts ? phi(e_.counter_type(), e_.counters(0), entry) : nullptr;
    ok_ = parameters_ok;
    iterations_ = e_.counters(0);
    of_solution_ = largest_ = e_.counters(0);
    for (const StepBlock& block : program_.blocks) emit_block(block);
    e_.emit(program_.after);
    require_finite(program_.must_be_finite);
    llvm::Value* const failed = ir_.CreateNot(ok_);
    ir_.CreateCondBr(e_.any(failed), reject, accept);

    ir_.SetInsertPoint(accept);
    for (const std::vector<Value>& entries : state_moves_) {
      Emitter::Column values = Emitter::values_of({});
      for (const Value i : entries) values.numbers.push_back(program_.outputs[i]);
      e_.copy({Kind::inputs, entries}, values);
    }
    if (!next.empty()) e_.copy(carried, Emitter::values_of(next));
    llvm::Value* const new_taken = ir_.CreateAdd(taken, ir_.getInt64(1));
    taken->addIncoming(new_taken, accept);
    llvm::Value* new_total = e_.counters(0);
    llvm::Value* new_largest = e_.counters(0);
    if (counts) {
      new_total = ir_.CreateAdd(total, iterations_);
      new_largest = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, largest, largest_);
      total->addIncoming(new_total, accept);
      largest->addIncoming(new_largest, accept);
    }
    ir_.CreateCondBr(ir_.CreateICmpSLT(new_taken, steps_), step, done);

    ir_.SetInsertPoint(done);
    finish(true, new_taken, new_total, new_largest, e_.all_lanes(false));
    ir_.SetInsertPoint(reject);  // the state is still the old one
    finish(false, taken, counts ? total : e_.counters(0), counts ? largest : e_.counters(0), failed);
    e_.end_function();
  }

 private:
  std::vector<CodeRange> ranges() const {
    std::vector<CodeRange> all{program_.invariant};
    for (const StepBlock& b : program_.blocks) all.insert(all.end(), {b.before, b.check, b.magnitudes, b.solve});
    all.push_back(program_.after);
    return all;
  }

  /// Values that this function reads, besides the program's own code. Inputs change when a step is accepted, variables
  /// when an iteration is corrected or when they are carried over; until then they can be read where they are.
  Emitter::Roots roots() {
    Emitter::Roots roots;
    StepProgram program = program_;
    for_each_root(program, [&](Value v) { roots.all.push_back(v); });
    std::unordered_set<Value> change_before = order_state();
    for (const CarriedValue& c : program_.carried) change_before.insert(c.next);
    change_before.insert(program_.outputs.begin() + program_.state, program_.outputs.end());
    const auto iterated = program_.variables - program_.carried.size();
    for (const StepBlock& block : program_.blocks) {
      change_before.insert(block.correction.begin(), block.correction.end());
    }
    for (const Value v : roots.all) {
      const Instruction& i = program_.code[v];
      const bool is_leaf = i.op == Opcode::input || (i.op == Opcode::variable && i.a < iterated);
      if (is_leaf && !change_before.contains(v)) roots.in_place.push_back(v);
    }
    return roots;
  }

  /// Entries of the state that are set together, so that inputs which become others, as what a predictor remembers,
  /// are read before they are set. Returns the values for which there is no such order: they need copies.
  std::unordered_set<Value> order_state() {
    constexpr Value nowhere = ~Value{0};
    std::vector<Value> rest;
    std::vector<std::size_t> readers(program_.inputs, 0);
    const auto source = [&](Value entry) {
      const Instruction& i = program_.code[program_.outputs[entry]];
      return i.op == Opcode::input ? i.a : nowhere;
    };
    for (Value i = 0; i < program_.state; ++i) {
      if (source(i) == i) continue;
      rest.push_back(i);
      if (source(i) != nowhere) ++readers[source(i)];
    }
    while (!rest.empty()) {
      const auto waiting = std::ranges::stable_partition(rest, [&](Value i) { return readers[i] == 0; });
      std::vector<Value> now(rest.begin(), waiting.begin());
      rest.assign(waiting.begin(), waiting.end());
      if (now.empty()) break;
      for (const Value i : now) {
        if (source(i) != nowhere) --readers[source(i)];
      }
      state_moves_.push_back(std::move(now));
    }
    std::unordered_set<Value> circular;
    for (const Value i : rest) circular.insert(program_.outputs[i]);
    if (!rest.empty()) state_moves_.push_back(std::move(rest));
    return circular;
  }

  using Kind = Emitter::Column::Kind;
  static Emitter::Column first(Kind kind, std::size_t count) { return Emitter::range_of(kind, count); }

  llvm::BasicBlock* new_block(const char* name) { return llvm::BasicBlock::Create(ir_.getContext(), name, function_); }

  llvm::PHINode* phi(llvm::Type* type, llvm::Value* initial, llvm::BasicBlock* from) {
    llvm::PHINode* node = ir_.CreatePHI(type, 2);
    node->addIncoming(initial, from);
    return node;
  }

  llvm::Value* absolute(llvm::Value* value) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); }

  /// Lanes in which every residual is below so many ulps of its magnitude. As a
  /// difference: residuals of infinite magnitude do not pass, nor does NaN.
  llvm::Value* all_below(const std::vector<ResidualCheck>& checks, double floor, const IterationEnd& end = {}) {
    std::vector<Value> residuals;
    std::vector<Value> magnitudes;
    for (const ResidualCheck& c : checks) {
      residuals.push_back(c.residual);
      magnitudes.push_back(c.magnitude);
    }
    const Emitter::Column columns[] = {Emitter::values_of(std::move(residuals)),
                                       Emitter::values_of(std::move(magnitudes))};
    return e_.all_of(columns, [&](auto x, llvm::Value*) { return is_below(x[0], x[1], floor, end); });
  }

  llvm::Value* is_below(llvm::Value* residual, llvm::Value* magnitude, double floor, const IterationEnd& end) {
    llvm::Value* const tolerance = e_.splat(-floor * std::numeric_limits<double>::epsilon());
    llvm::Value* const excess =
        ir_.CreateIntrinsic(llvm::Intrinsic::fma, {e_.value_type()}, {tolerance, magnitude, absolute(residual)});
    return ir_.CreateAnd(ir_.CreateFCmpOLE(excess, e_.splat(allowed_residual<double>(end))),
                         ir_.CreateFCmpOGE(excess, e_.splat(-std::numeric_limits<double>::max())));
  }

  /// What depends on parameters only is looked at once.
  llvm::Value* emit_invariant_checks() {
    std::vector<Value> invariant;
    const auto collect = [&](const std::vector<Value>& some) {
      std::ranges::copy_if(some, std::back_inserter(invariant), [&](Value v) { return is_invariant(v); });
    };
    collect(program_.must_be_finite);
    for (const StepBlock& block : program_.blocks) collect(block.must_be_finite);
    return invariant.empty() ? e_.all_lanes(true) : all_finite(std::move(invariant));
  }
  bool is_invariant(Value v) const { return v < program_.invariant.end; }

  llvm::Value* all_finite(std::vector<Value> some) {
    const Emitter::Column column = Emitter::values_of(std::move(some));
    return e_.all_of({&column, 1}, [&](auto x, llvm::Value*) {
      return ir_.CreateFCmpOLE(absolute(x[0]), e_.splat(std::numeric_limits<double>::max()));
    });
  }

  void require_finite(std::vector<Value> some) {
    std::erase_if(some, [&](Value v) { return is_invariant(v); });
    if (!some.empty()) ok_ = ir_.CreateAnd(ok_, all_finite(std::move(some)));
  }

  void emit_block(const StepBlock& block) {
    e_.emit(block.before);
    if (block.iterative) {
      llvm::Value* const before = iterations_;
      block.end.iterations > 0 ? emit_fixed_iterations(block) : emit_iteration(block);
      count_iterations(block, before);
      return;
    }
    if (!block.residuals.empty()) ok_ = ir_.CreateAnd(ok_, all_below(block.residuals, linear_floor));
    require_finite(block.must_be_finite);
    if (!block.growth.empty()) ok_ = ir_.CreateAnd(ok_, emit_growth(block));
  }

  /// Lanes in which what has to grow little did, or the residuals are small all the same.
  llvm::Value* emit_growth(const StepBlock& block) {
    std::vector<Value> deviations;
    std::vector<Value> limits;
    for (const GrowthCheck& g : block.growth) {
      deviations.push_back(g.deviation);
      limits.push_back(g.limit);
    }
    const Emitter::Column columns[] = {Emitter::values_of(std::move(deviations)),
                                       Emitter::values_of(std::move(limits))};
    llvm::Value* const grew_little =
        e_.all_of(columns, [&](auto x, llvm::Value*) { return ir_.CreateFCmpOLE(absolute(x[0]), x[1]); });
    llvm::BasicBlock* const here = ir_.GetInsertBlock();
    llvm::BasicBlock* const look = new_block("look");
    llvm::BasicBlock* const next = new_block("next");
    ir_.CreateCondBr(e_.any(ir_.CreateNot(grew_little)), look, next,
                     llvm::MDBuilder(ir_.getContext()).createUnlikelyBranchWeights());
    ir_.SetInsertPoint(look);
    e_.emit(block.magnitudes);
    llvm::Value* const either = ir_.CreateOr(grew_little, all_below(block.implied, linear_floor));
    llvm::BasicBlock* const look_end = ir_.GetInsertBlock();
    ir_.CreateBr(next);
    ir_.SetInsertPoint(next);
    llvm::PHINode* const accurate = phi(e_.mask_type(), grew_little, here);
    accurate->addIncoming(either, look_end);
    return accurate;
  }

  void count_iterations(const StepBlock& block, llvm::Value* before) {
    if (block.solution == StepBlock::not_counted) {
      iterations_ = before;
      return;
    }
    llvm::Value* const used = ir_.CreateSub(iterations_, before);
    of_solution_ = block.solution == solution_ ? ir_.CreateAdd(of_solution_, used) : used;
    solution_ = block.solution;
    largest_ = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, largest_, of_solution_);
  }

  void emit_iteration(const StepBlock& block) {
    const Emitter::Column unknowns{Kind::variables, block.variables};
    e_.copy(unknowns, Emitter::values_of(block.guess));
    llvm::BasicBlock* const before = ir_.GetInsertBlock();
    llvm::BasicBlock* const check = new_block("check");
    llvm::BasicBlock* const test = new_block("test");
    llvm::BasicBlock* const look = new_block("look");
    llvm::BasicBlock* const decide = new_block("decide");
    llvm::BasicBlock* const solve = new_block("solve");
    llvm::BasicBlock* const leave = new_block("leave");
    ir_.CreateBr(check);

    ir_.SetInsertPoint(check);
    llvm::PHINode* const round = phi(ir_.getInt64Ty(), ir_.getInt64(0), before);
    llvm::PHINode* const active = phi(e_.mask_type(), e_.all_lanes(true), before);
    llvm::PHINode* const was_at_floor = phi(e_.mask_type(), e_.all_lanes(false), before);
    llvm::PHINode* const count = phi(e_.counter_type(), iterations_, before);
    e_.emit(block.check);
    const ResidualCheck& front = block.residuals.front();
    llvm::Value* const first_at_floor = is_below(e_[front.residual], e_[front.magnitude], stalled_floor, block.end);
    llvm::BasicBlock* const check_end = ir_.GetInsertBlock();
    ir_.CreateCondBr(e_.any(ir_.CreateAnd(active, first_at_floor)), test, decide);

    ir_.SetInsertPoint(test);
    e_.emit(block.magnitudes);
    llvm::Value* const all_tight = all_below(block.residuals, tight_floor, block.end);
    llvm::BasicBlock* const test_end = ir_.GetInsertBlock();
    ir_.CreateCondBr(e_.any(ir_.CreateAnd(active, ir_.CreateNot(all_tight))), look, decide);

    ir_.SetInsertPoint(look);  // seldom: an iteration that is at its floor is mostly below the tight one at once
    llvm::Value* const all_at_floor = all_below(block.residuals, stalled_floor, block.end);
    llvm::Value* const all_converged = ir_.CreateOr(all_tight, ir_.CreateAnd(all_at_floor, was_at_floor));
    llvm::BasicBlock* const look_end = ir_.GetInsertBlock();
    ir_.CreateBr(decide);

    ir_.SetInsertPoint(decide);
    llvm::PHINode* const at_floor = phi(e_.mask_type(), e_.all_lanes(false), check_end);
    at_floor->addIncoming(all_tight, test_end);
    at_floor->addIncoming(all_at_floor, look_end);
    llvm::PHINode* const converged = phi(e_.mask_type(), e_.all_lanes(false), check_end);
    converged->addIncoming(all_tight, test_end);
    converged->addIncoming(all_converged, look_end);
    llvm::Value* const still = ir_.CreateAnd(active, ir_.CreateNot(converged));
    llvm::Value* const may_continue = ir_.CreateICmpSLT(round, ir_.getInt64(max_fast_iterations));
    ir_.CreateCondBr(ir_.CreateAnd(e_.any(still), may_continue), solve, leave);

    ir_.SetInsertPoint(solve);
    e_.emit(block.solve);
    // A lane that has converged stays where it is, as if it were alone.
    const Emitter::Column columns[] = {unknowns, Emitter::values_of(block.correction)};
    e_.for_each(unknowns, columns, {nullptr, still},
                [&](auto x, llvm::Value* mask) { return ir_.CreateSelect(mask, ir_.CreateFAdd(x[0], x[1]), x[0]); });
    llvm::BasicBlock* const solve_end = ir_.GetInsertBlock();
    round->addIncoming(ir_.CreateAdd(round, ir_.getInt64(1)), solve_end);
    active->addIncoming(still, solve_end);
    was_at_floor->addIncoming(at_floor, solve_end);
    count->addIncoming(ir_.CreateAdd(count, ir_.CreateZExt(still, e_.counter_type())), solve_end);
    ir_.CreateBr(check);

    ir_.SetInsertPoint(leave);
    ok_ = ir_.CreateAnd(ok_, ir_.CreateNot(still));
    iterations_ = count;
  }

  /// The same number in all lanes: nothing is decided, and no lane knows of another.
  void emit_fixed_iterations(const StepBlock& block) {
    const Emitter::Column unknowns{Kind::variables, block.variables};
    e_.copy(unknowns, Emitter::values_of(block.guess));
    llvm::BasicBlock* const before = ir_.GetInsertBlock();
    llvm::BasicBlock* const check = new_block("check");
    llvm::BasicBlock* const solve = new_block("solve");
    llvm::BasicBlock* const leave = new_block("leave");
    ir_.CreateBr(check);

    ir_.SetInsertPoint(check);
    llvm::PHINode* const round = phi(ir_.getInt64Ty(), ir_.getInt64(0), before);
    e_.emit(block.check);
    ir_.CreateCondBr(ir_.CreateICmpSLT(round, ir_.getInt64(block.end.iterations)), solve, leave);

    ir_.SetInsertPoint(solve);
    e_.emit(block.solve);
    const Emitter::Column columns[] = {unknowns, Emitter::values_of(block.correction)};
    e_.for_each(unknowns, columns, {}, [&](auto x, llvm::Value*) { return ir_.CreateFAdd(x[0], x[1]); });
    round->addIncoming(ir_.CreateAdd(round, ir_.getInt64(1)), ir_.GetInsertBlock());
    ir_.CreateBr(check);

    ir_.SetInsertPoint(leave);
    iterations_ = ir_.CreateAdd(iterations_, e_.counters(block.end.iterations));
  }

  /// Stores state, outputs and counters, and returns. After an accepted step, the first outputs are the state.
  void finish(bool is_new, llvm::Value* taken, llvm::Value* total, llvm::Value* largest, llvm::Value* failed) {
    e_.copy(first(Kind::array, program_.state), first(Kind::inputs, program_.state), data_);
    Emitter::Column to = first(Kind::array, program_.outputs.size());
    Emitter::Column values = Emitter::values_of(program_.outputs);
    if (is_new) {
      e_.copy(first(Kind::array, program_.state), first(Kind::inputs, program_.state), outputs_);
      for (Emitter::Column* column : {&to, &values}) {
        column->numbers.erase(column->numbers.begin(), column->numbers.begin() + program_.state);
      }
    }
    if (!values.numbers.empty()) e_.copy(to, values, outputs_);
    llvm::Value* const counts[] = {total, largest, ir_.CreateSExt(failed, e_.counter_type()), iterations_};
    for (std::size_t i = 0; i < std::size(counts); ++i) {
      auto* address = ir_.CreateConstInBoundsGEP1_64(ir_.getInt64Ty(), counters_, i * max_lanes);
      ir_.CreateAlignedStore(counts[i], address, llvm::Align(8));
    }
    ir_.CreateRet(taken);
  }

  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  const StepProgram& program_;
  llvm::Function* function_;
  llvm::Value* data_ = nullptr;
  llvm::Value* outputs_ = nullptr;
  llvm::Value* steps_ = nullptr;
  llvm::Value* counters_ = nullptr;
  llvm::Value* ok_ = nullptr;
  llvm::Value* iterations_ = nullptr;   ///< in this step
  llvm::Value* of_solution_ = nullptr;  ///< of them, those of the solution that is under way
  llvm::Value* largest_ = nullptr;      ///< of one solution
  int solution_ = 0;
  std::vector<std::vector<Value>> state_moves_;
};

}  // namespace

void emit_step_function(Emitter& emitter, const StepProgram& program, const std::string& name) {
  StepEmitter(emitter, program, name).emit();
}

}  // namespace rattleback
