#include "emitter.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

#include "sincos.hpp"

namespace rattleback {
namespace {

/// Instructions in one chunk.
constexpr std::size_t chunk_size = 256;

llvm::Type* of_width(llvm::Type* scalar, int width) {
  return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(width));
}

}  // namespace

Emitter::Emitter(llvm::Module& module, const VectorTarget& target, int lanes, bool chunked, bool groups)
    : module_(module), target_(target), lanes_(lanes), width_(lanes), chunked_(chunked), groups_(groups),
      ir_(module.getContext()), value_type_(of_width(ir_.getDoubleTy(), lanes)),
      mask_type_(of_width(ir_.getInt1Ty(), lanes)), counter_type_(of_width(ir_.getInt64Ty(), lanes)) {}

void Emitter::set_members(int members) {
  width_ = lanes_ * members;
  value_type_ = of_width(ir_.getDoubleTy(), width_);
  mask_type_ = of_width(ir_.getInt1Ty(), width_);
}

void Emitter::set_attributes(llvm::Function* function) {
  function->setDoesNotThrow();
  // Registers of 512 bits are used where the lanes fill them; LLVM would split them by default.
  const int widest = chunked_ ? lanes_ * members_at_once() : groups_ ? group_width : lanes_;
  const char* bits = target_.has_avx512 && widest >= 8 ? "512" : "256";
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  if (widest > 1) function->addFnAttr("stackrealign");  // a spilled register that straddles cache lines costs twice
  for (llvm::Argument& argument : function->args()) {
    if (argument.getType()->isPointerTy()) argument.addAttr(llvm::Attribute::NoAlias);
  }
}

llvm::Function* Emitter::begin_function(const std::string& name, llvm::Type* result,
                                        std::span<llvm::Type* const> parameters) {
  auto* type = llvm::FunctionType::get(result, {parameters.data(), parameters.size()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  set_attributes(function_);
  workspace_ = function_->getArg(static_cast<unsigned>(parameters.size()) - 1);
  ir_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  if (chunked_) {  // a vector that straddles cache lines costs twice
    llvm::Value* const address = ir_.CreatePtrToInt(workspace_, ir_.getInt64Ty());
    llvm::Value* const beyond = ir_.CreateAnd(ir_.CreateNeg(address), ir_.getInt64(cache_line * sizeof(double) - 1));
    workspace_ = ir_.CreateInBoundsGEP(ir_.getInt8Ty(), workspace_, beyond);
  }
  return function_;
}

void Emitter::end_function() {
  if (promotable_.empty()) return;
  llvm::DominatorTree dominators(*function_);
  llvm::PromoteMemToReg(promotable_, dominators);
  promotable_.clear();
}

Slots Emitter::make_slots(std::size_t count) {
  Slots slots;
  if (chunked_) {
    slots.first = workspace_size_;
    workspace_size_ += count;
    return slots;
  }
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  for (std::size_t i = 0; i < count; ++i) slots.variables.push_back(entry.CreateAlloca(value_type_));
  promotable_.insert(promotable_.end(), slots.variables.begin(), slots.variables.end());
  return slots;
}

llvm::Value* Emitter::read(const Slots& slots, std::size_t i) {
  if (chunked_) return load(workspace_, slots.first + i);
  return ir_.CreateLoad(value_type_, slots.variables[i]);
}

void Emitter::write(const Slots& slots, std::size_t i, llvm::Value* value) {
  if (chunked_) {
    store(workspace_, slots.first + i, value);
  } else {
    ir_.CreateStore(value, slots.variables[i]);
  }
}

/// Emits the body as a function of its own and calls it.
llvm::Value* Emitter::call_chunk(Context context, bool is_mask, llvm::function_ref<llvm::Value*(const Context&)> body) {
  llvm::Function* const caller = function_;
  llvm::Value* const caller_workspace = workspace_;
  const auto place = ir_.saveIP();
  llvm::Type* const parameters[] = {ir_.getPtrTy(), ir_.getPtrTy(), mask_type_};
  auto* type = llvm::FunctionType::get(is_mask ? mask_type_ : ir_.getVoidTy(), parameters, false);
  function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, caller->getName() + ".chunk", module_);
  set_attributes(function_);
  function_->addFnAttr(llvm::Attribute::NoInline);
  workspace_ = function_->getArg(0);
  ir_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  llvm::Value* const result = body({function_->getArg(1), function_->getArg(2)});
  if (is_mask) {
    ir_.CreateRet(result);
  } else {
    ir_.CreateRetVoid();
  }
  llvm::Function* const chunk = function_;
  function_ = caller;
  workspace_ = caller_workspace;
  ir_.restoreIP(place);
  llvm::Value* const array = context.array != nullptr ? context.array : workspace_;
  llvm::Value* const mask = context.mask != nullptr ? context.mask : all_lanes(true);
  return ir_.CreateCall(chunk, {workspace_, array, mask});
}

llvm::Value* Emitter::splat(double value) {
  llvm::Constant* scalar = llvm::ConstantFP::get(ir_.getDoubleTy(), value);
  if (width_ == 1) return scalar;
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(width_)), scalar);
}

llvm::Value* Emitter::counters(std::int64_t value) {
  return llvm::ConstantInt::get(counter_type_, static_cast<std::uint64_t>(value), true);
}

llvm::Value* Emitter::all_lanes(bool value) { return llvm::ConstantInt::get(mask_type_, value ? 1 : 0); }

llvm::Value* Emitter::load(llvm::Value* array, std::size_t entry) {
  auto* address = ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), array, entry * static_cast<std::size_t>(lanes_));
  return ir_.CreateAlignedLoad(value_type_, address, llvm::Align(8));
}

void Emitter::store(llvm::Value* array, std::size_t entry, llvm::Value* value) {
  auto* address = ir_.CreateConstInBoundsGEP1_64(ir_.getDoubleTy(), array, entry * static_cast<std::size_t>(lanes_));
  ir_.CreateAlignedStore(value, address, llvm::Align(8));
}

llvm::Value* Emitter::any(llvm::Value* mask) { return width_ == 1 ? mask : ir_.CreateOrReduce(mask); }

void Emitter::begin_program(std::span<const Instruction> code, std::span<const double> constants,
                            std::span<const CodeRange> ranges, const Roots& roots, std::uint32_t state,
                            std::size_t sines) {
  code_ = code;
  constants_ = constants;
  inline_trigonometry_ = target_.has_avx2_fma && sines <= max_inline_sines;
  values_.assign(code.size(), nullptr);
  cosines_.assign(code.size(), nullptr);
  if (!chunked_) {
    find_groups(ranges, roots.all, state);
    return;
  }
  PackingTask task;
  task.code = code;
  task.ranges = ranges;
  task.roots = roots.all;
  task.in_place = roots.in_place;
  task.state = state;
  task.inputs = inputs.first;
  task.variables = variables.first;
  task.first_free = workspace_size_;
  task.longest_part = chunk_size;
  packing_ = pack(task);
  workspace_size_ = packing_.entries;
  ranges_.assign(ranges.begin(), ranges.end());
}

llvm::Value* Emitter::operator[](Value v) {
  const Instruction& i = code_[v];
  if (i.op == Opcode::constant) return splat(constants_[i.a]);
  if (!chunked_ && in_vector_[v].vector != nullptr) {
    return ir_.CreateExtractElement(in_vector_[v].vector, in_vector_[v].element);
  }
  if (values_[v] != nullptr) return values_[v];
  if (i.op == Opcode::input) return read(inputs, i.a);
  if (i.op == Opcode::variable) return read(variables, i.a);
  if (packing_.entry_of[v] == no_entry) return emit_instruction(i, v);  // the sign of an input, for instance
  return load(workspace_, packing_.entry_of[v]);
}

void Emitter::emit(const CodeRange& range) {
  if (!chunked_) {
    if (emit_groups(range)) return;
    for (Value v = range.begin; v < range.end; ++v) values_[v] = emit_instruction(code_[v], v);
    return;
  }
  if (range.begin == range.end) return;
  const auto number = static_cast<std::size_t>(std::ranges::find(ranges_, range) - ranges_.begin());
  const auto& parts = packing_.ranges[number];
  for (std::size_t begin = 0; begin < parts.size();) {
    std::size_t end = begin;
    std::size_t size = 0;
    const auto size_of = [&](std::size_t p) { return parts[p].straight.size() + parts[p].lines.size(); };
    do {
      size += size_of(end++);
    } while (end < parts.size() && size + size_of(end) <= chunk_size);
    call_chunk({nullptr, nullptr}, false, [&](const Context&) -> llvm::Value* {
      for (std::size_t p = begin; p < end; ++p) {
        if (parts[p].count > 0) {
          emit_loop(parts[p]);
        } else {
          emit_straight(parts[p]);
        }
      }
      // Outside this function the values are in the workspace.
      for (std::size_t p = begin; p < end; ++p) {
        for (const Value v : parts[p].straight) values_[v] = cosines_[v] = nullptr;
      }
      return nullptr;
    });
    begin = end;
  }
}

llvm::Value* Emitter::emit_instruction(const Instruction& i, Value number) {
  switch (i.op) {
    case Opcode::constant: return splat(constants_[i.a]);
    case Opcode::input: return read(inputs, i.a);
    case Opcode::variable: return read(variables, i.a);
    case Opcode::cosine_of:
      return cosines_[i.a] != nullptr ? cosines_[i.a] : load(workspace_, packing_.cosine_entry_of[i.a]);
    default: break;
  }
  const int n = operand_count(i.op);
  llvm::Value* operands[3] = {nullptr, nullptr, nullptr};
  const Value numbers[] = {i.a, i.b, i.c};
  for (int k = 0; k < n; ++k) operands[k] = (*this)[numbers[k]];
  llvm::Value* cosine = nullptr;
  llvm::Value* const result = emit_operation(i.op, {operands, static_cast<std::size_t>(n)}, cosine);
  if (i.op == Opcode::sincos) cosines_[number] = cosine;
  return result;
}

llvm::Value* Emitter::emit_operation(Opcode op, std::span<llvm::Value* const> x, llvm::Value*& cosine) {
  switch (op) {
    case Opcode::add: return ir_.CreateFAdd(x[0], x[1]);
    case Opcode::subtract: return ir_.CreateFSub(x[0], x[1]);
    case Opcode::multiply: return ir_.CreateFMul(x[0], x[1]);
    case Opcode::divide: return ir_.CreateFDiv(x[0], x[1]);
    case Opcode::negate: return ir_.CreateFNeg(x[0]);
    case Opcode::absolute: return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x[0]);
    case Opcode::minimum: return ir_.CreateSelect(ir_.CreateFCmpOLT(x[0], x[1]), x[0], x[1]);
    case Opcode::fma: return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {value_type_}, {x[0], x[1], x[2]});
    case Opcode::sqrt: return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
    case Opcode::sincos:
    case Opcode::sin: return emit_sincos(x[0], cosine);
    case Opcode::cos: emit_sincos(x[0], cosine); return cosine;
    case Opcode::constant:
    case Opcode::input:
    case Opcode::variable:
    case Opcode::cosine_of: return x[0];  // was found by the caller
    default: break;
  }
  llvm::Value* const piecewise = emit_piecewise(op, x);
  return piecewise != nullptr ? piecewise : call_sleef(opcode_name(op), x);
}

/// Lanes of one call of SLEEF.
int Emitter::call_width() const { return std::min(width_, target_.width); }

std::string Emitter::sleef_name(const char* function, int width) const {
  const char* suffix = width == 1   ? target_.scalar_suffix.c_str()
                       : width == 2 ? "sse2"
                       : width == 4 ? "avx2"
                                    : "avx512f";
  return target_.sleef_prefix + function + "d" + std::to_string(width) + "_u10" + suffix;
}

llvm::FunctionCallee Emitter::sleef(const std::string& name, llvm::Type* result,
                                    std::span<llvm::Type* const> parameters, bool writes_argument) {
  auto* type = llvm::FunctionType::get(result, {parameters.data(), parameters.size()}, false);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setMemoryEffects(writes_argument ? llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Mod)
                                             : llvm::MemoryEffects::none());
  return callee;
}

llvm::Value* Emitter::part(llvm::Value* value, int index, int width) {
  if (width_ == width) return value;
  std::vector<int> mask;
  for (int l = 0; l < width; ++l) mask.push_back(index * width + l);
  return ir_.CreateShuffleVector(value, mask);
}

llvm::Value* Emitter::join(std::vector<llvm::Value*> parts) {
  while (parts.size() > 1) {
    std::vector<llvm::Value*> wider;
    for (std::size_t i = 0; i < parts.size(); i += 2) {
      const auto width = llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      std::vector<int> mask;
      for (unsigned l = 0; l < 2 * width; ++l) mask.push_back(static_cast<int>(l));
      wider.push_back(ir_.CreateShuffleVector(parts[i], parts[i + 1], mask));
    }
    parts = std::move(wider);
  }
  return parts[0];
}

llvm::Value* Emitter::call_sleef(const char* function, std::span<llvm::Value* const> arguments) {
  const int width = call_width();
  llvm::Type* type = of_width(ir_.getDoubleTy(), width);
  const std::vector<llvm::Type*> parameters(arguments.size(), type);
  const auto callee = sleef(sleef_name(function, width), type, parameters, false);
  std::vector<llvm::Value*> results;
  for (int k = 0; k < width_ / width; ++k) {
    std::vector<llvm::Value*> pieces;
    for (llvm::Value* argument : arguments) pieces.push_back(part(argument, k, width));
    results.push_back(ir_.CreateCall(callee, pieces));
  }
  return join(std::move(results));
}

/// Both results in one call. The ABI returns a pair of doubles in registers and a pair of vectors
/// in memory that the caller provides.
llvm::Value* Emitter::call_sincos(llvm::Value* angle, llvm::Value*& cosine) {
  const int width = call_width();
  const std::string name = sleef_name("sincos", width);
  llvm::Type* type = of_width(ir_.getDoubleTy(), width);
  if (width == 1) {
    llvm::Type* const parameters[] = {type};
    auto* pair = llvm::StructType::get(type, type);
    llvm::Value* both = ir_.CreateCall(sleef(name, pair, parameters, false), {angle});
    cosine = ir_.CreateExtractValue(both, 1);
    return ir_.CreateExtractValue(both, 0);
  }
  auto* pair = llvm::ArrayType::get(type, 2);
  llvm::Type* const parameters[] = {ir_.getPtrTy(), type};
  const auto callee = sleef(name, ir_.getVoidTy(), parameters, true);
  std::vector<llvm::Value*> sines;
  std::vector<llvm::Value*> cosines;
  for (int k = 0; k < width_ / width; ++k) {
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    auto* memory = entry.CreateAlloca(pair);
    memory->setAlignment(llvm::Align(64));
    ir_.CreateCall(callee, {memory, part(angle, k, width)});
    sines.push_back(ir_.CreateLoad(type, memory));
    cosines.push_back(ir_.CreateLoad(type, ir_.CreateConstInBoundsGEP2_64(pair, memory, 0, 1)));
  }
  cosine = join(std::move(cosines));
  return join(std::move(sines));
}

/// Inline for ordinary arguments. Lanes with a huge or undefined one take SLEEF's result, the others
/// keep theirs: no lane sees its neighbours.
llvm::Value* Emitter::emit_sincos(llvm::Value* angle, llvm::Value*& cosine) {
  if (!inline_trigonometry_) return call_sincos(angle, cosine);
  const SinCos fast = emit_inline_sincos(ir_, angle);
  llvm::Value* const size = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, angle);
  llvm::Value* const beyond = ir_.CreateFCmpUGT(size, splat(inline_sincos_range));
  llvm::BasicBlock* const here = ir_.GetInsertBlock();
  auto* const rare = llvm::BasicBlock::Create(module_.getContext(), "huge_angle", function_);
  auto* const next = llvm::BasicBlock::Create(module_.getContext(), "sincos", function_);
  ir_.CreateCondBr(any(beyond), rare, next, llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
  ir_.SetInsertPoint(rare);
  llvm::Value* slow_cosine = nullptr;
  llvm::Value* const slow_sine = call_sincos(angle, slow_cosine);
  llvm::Value* const rare_sine = ir_.CreateSelect(beyond, slow_sine, fast.sine);
  llvm::Value* const rare_cosine = ir_.CreateSelect(beyond, slow_cosine, fast.cosine);
  ir_.CreateBr(next);
  ir_.SetInsertPoint(next);
  const auto merge = [&](llvm::Value* usual, llvm::Value* exceptional) {
    llvm::PHINode* phi = ir_.CreatePHI(value_type_, 2);
    phi->addIncoming(usual, here);
    phi->addIncoming(exceptional, rare);
    return phi;
  };
  llvm::Value* const sine = merge(fast.sine, rare_sine);
  cosine = merge(fast.cosine, rare_cosine);
  return sine;
}

void emit_program_function(Emitter& e, const Program& program, const std::string& name) {
  llvm::Type* const parameters[] = {e.ir().getPtrTy(), e.ir().getPtrTy(), e.ir().getPtrTy()};
  llvm::Function* f = e.begin_function(name, e.ir().getVoidTy(), parameters);
  const CodeRange all{0, static_cast<Value>(program.code.size())};
  e.inputs = e.make_slots(program.inputs);
  using Column = Emitter::Column;
  e.copy(Emitter::range_of(Column::Kind::inputs, program.inputs),
         Emitter::range_of(Column::Kind::array, program.inputs), f->getArg(0));
  e.begin_program(program.code, program.constants, {&all, 1}, {program.outputs, {}}, program.inputs,
                  count_sines(program.code));
  e.emit(all);
  e.copy(Emitter::range_of(Column::Kind::array, program.outputs.size()), Emitter::values_of(program.outputs),
         f->getArg(1));
  e.ir().CreateRetVoid();
  e.end_function();
}

}  // namespace rattleback
