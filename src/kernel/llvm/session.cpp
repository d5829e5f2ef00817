// The entry point of the compiler library: one LLVM ORC session for the process.

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/SplitModule.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>
#include <algorithm>

#include <cstdlib>
#include <exception>
#include <mutex>

#include "../jit.hpp"
#include "emitter.hpp"

namespace rattleback {
namespace {

/// Instructions above which a program is compiled in chunks.
constexpr std::size_t largest_inline_program = 2500;
/// LLVM's scheduler compares every store with every load: an output weighs as much as so many instructions.
constexpr std::size_t weight_of_output = 4;
/// LLVM instructions above which its fast code generator is used: it needs a fifth of the time, which would be seconds,
/// and since values of chunked code are in memory anyway, its code takes only a quarter longer.
constexpr std::size_t largest_optimised_module = 40000;
/// LLVM instructions that are compiled without looking up: a few tenths of a second, by either code generator.
constexpr std::size_t optimised_at_once = 10000;
constexpr std::size_t fast_at_once = 50000;

std::size_t weight(const SeriesProgram& program) { return program.code.size() + weight_of_output * program.state(); }

template <class P>
std::size_t weight(const P& program) {
  return program.code.size() + weight_of_output * program.outputs.size();
}

template <class T>
T unwrap(llvm::Expected<T> expected, const char* what) {
  if (expected) return std::move(*expected);
  throw CompilerError(std::string(what) + ": " + llvm::toString(expected.takeError()));
}

void unwrap(llvm::Error error, const char* what) {
  if (error) throw CompilerError(std::string(what) + ": " + llvm::toString(std::move(error)));
}

/// Code for this machine, or for the processor named in RATTLEBACK_JIT_CPU: with that the tests see
/// that other machines get the same bits.
llvm::orc::JITTargetMachineBuilder target_machine() {
  auto machine = unwrap(llvm::orc::JITTargetMachineBuilder::detectHost(), "detecting the processor");
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  machine.setRelocationModel(llvm::Reloc::PIC_);
  machine.setCodeModel(llvm::CodeModel::Small);
  if (const char* cpu = std::getenv("RATTLEBACK_JIT_CPU")) {
    machine.setCPU(cpu);
    machine.getFeatures() = llvm::SubtargetFeatures();
  }
  return machine;
}

VectorTarget vector_target(llvm::orc::JITTargetMachineBuilder& builder) {
  const auto machine = unwrap(builder.createTargetMachine(), "choosing instructions");
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(builder.getCPU())) {
    throw CompilerError("RATTLEBACK_JIT_CPU=" + builder.getCPU() + " is not a processor that LLVM knows");
  }
  const auto has = [&](const char* features) { return machine->getMCSubtargetInfo()->checkFeatures(features); };
  VectorTarget target;
  target.has_avx2_fma = has("+avx2,+fma");
  target.has_avx512 = target.has_avx2_fma && has("+avx512f");
  target.width = target.has_avx512 ? 8 : target.has_avx2_fma ? 4 : 2;
  // Only functions of one family agree bit for bit between widths.
  target.sleef_prefix = target.has_avx2_fma ? "Sleef_finz_" : "Sleef_cinz_";
  target.scalar_suffix = target.has_avx2_fma ? "purecfma" : "purec";
  return target;
}

class OrcJit final : public Jit {
 public:
  explicit OrcJit(void (*keep_working)()) : keep_working_(keep_working) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto machine = target_machine();
    cpu_ = machine.getCPU();
    target_ = vector_target(machine);
    machine_ = unwrap(machine.createTargetMachine(), "choosing instructions");
    fast_machine_ = unwrap(machine.createTargetMachine(), "choosing instructions");
    fast_machine_->setOptLevel(llvm::CodeGenOptLevel::None);
    fast_machine_->setFastISel(true);
    jit_ = unwrap(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(machine)).create(), "starting LLVM");
    const char prefix = jit_->getDataLayout().getGlobalPrefix();
    auto& library = jit_->getMainJITDylib();
    library.addGenerator(
        unwrap(llvm::orc::DynamicLibrarySearchGenerator::Load("libsleef.so.3", prefix), "loading SLEEF"));
    library.addGenerator(
        unwrap(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix), "searching the process"));
  }

  Compiled<ProgramFunction> compile(const Program& program, int lanes) override {
    return build<ProgramFunction>(weight(program), lanes, false, [&](Emitter& e, const std::string& name) {
      emit_program_function(e, program, name);
    });
  }

  Compiled<StepFunction> compile(const StepProgram& program, int lanes) override {
    // In a chain of linear solutions, packed operations would wait for each other's operands.
    const bool pack = lanes == 1 && std::ranges::any_of(program.blocks, &StepBlock::iterative);
    return build<StepFunction>(weight(program), lanes, pack,
                               [&](Emitter& e, const std::string& name) { emit_step_function(e, program, name); });
  }

  Compiled<SeriesFunction> compile(const SeriesProgram& program, int lanes) override {
    return build<SeriesFunction>(weight(program), lanes, false,
                                 [&](Emitter& e, const std::string& name) { emit_series_function(e, program, name); });
  }

  std::string target() const override { return cpu_ + ", " + std::to_string(target_.width) + " lanes in a register"; }

 private:
  template <class F, class EmitBody>
  Compiled<F> build(std::size_t program_weight, int lanes, bool pack, EmitBody&& emit_body) {
    const std::lock_guard lock(mutex_);  // LLVM's code generator serves one module at a time
    const std::string name = "kernel" + std::to_string(counter_++);
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>(name, *context);
    module->setDataLayout(jit_->getDataLayout());
    std::size_t workspace = 0;
    {
      Emitter emitter(*module, target_, lanes, program_weight > largest_inline_program, pack);
      emit_body(emitter, name);
      workspace = emitter.workspace_size();
    }
#ifndef NDEBUG
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*module, &stream)) throw CompilerError("invalid code was generated: " + problem);
#endif
    // Plain programs are short, and compiled more often than they are waited for.
    if (!fast_always_ && !std::is_same_v<F, ProgramFunction> && program_weight <= largest_inline_program)
      optimise(*module, pack);
    const auto tracker = jit_->getMainJITDylib().createResourceTracker();
    if (program_weight > largest_inline_program) {
      add_in_parts(tracker, *module);
    } else {
      add(tracker, *module, fast_always_ ? *fast_machine_ : *machine_);
    }
    const auto address = unwrap(jit_->lookup(name), "linking");
    // The code is freed when the last user lets go of it.
    std::shared_ptr<const void> code(address.template toPtr<const void*>(),
                                     [tracker](const void*) { llvm::consumeError(tracker->remove()); });
    return {address.template toPtr<F>(), workspace, std::move(code)};
  }

  void add(const llvm::orc::ResourceTrackerSP& tracker, llvm::Module& module, llvm::TargetMachine& machine) {
    unwrap(jit_->addObjectFile(tracker, unwrap(llvm::orc::SimpleCompiler(machine)(module), "compiling")), "compiling");
  }

  /// The functions of a module in several objects: between them the work can be stopped. LLVM has no hooks for that,
  /// and must not see exceptions.
  void add_in_parts(const llvm::orc::ResourceTrackerSP& tracker, llvm::Module& module) {
    for (llvm::GlobalObject& object : module.global_objects()) {
      if (object.hasLocalLinkage()) object.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    const std::size_t size = module.getInstructionCount();
    const bool fast = fast_always_ || size > largest_optimised_module;
    const std::size_t parts = 1 + size / (fast ? fast_at_once : optimised_at_once);
    std::exception_ptr stopped;
    llvm::SplitModule(module, static_cast<unsigned>(parts), [&](std::unique_ptr<llvm::Module> part) {
      if (stopped) return;
      try {
        keep_working_();
        add(tracker, *part, fast ? *fast_machine_ : *machine_);
      } catch (...) {
        stopped = std::current_exception();
      }
    });
    if (!stopped) return;
    llvm::consumeError(tracker->remove());
    std::rethrow_exception(stopped);
  }

  /// The code is good already, but for one lane it may have operations that can share a vector instruction. All passes
  /// keep the bits: there are no flags that allow otherwise.
  void optimise(llvm::Module& module, bool pack) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder passes(machine_.get());
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(components);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, components, modules);
    llvm::FunctionPassManager pipeline;
    if (pack) pipeline.addPass(llvm::SLPVectorizerPass());
    pipeline.addPass(llvm::InstCombinePass());
    pipeline.addPass(llvm::EarlyCSEPass());
    for (llvm::Function& f : module) {
      if (!f.isDeclaration()) pipeline.run(f, functions);
    }
  }

  void (*keep_working_)();
  std::string cpu_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<llvm::TargetMachine> fast_machine_;
  /// Code that is used for a few steps only, as in tests of what surrounds it, is not worth optimising:
  /// RATTLEBACK_JIT_FAST leaves all of it to the fast code generator. The bits are the same.
  const bool fast_always_ = std::getenv("RATTLEBACK_JIT_FAST") != nullptr;
  VectorTarget target_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::mutex mutex_;
  std::uint64_t counter_ = 0;
};

}  // namespace
}  // namespace rattleback

extern "C" __attribute__((visibility("default"))) rattleback::Jit* rattleback_jit(std::uint64_t layout,
                                                                                  void (*keep_working)()) {
  if (layout != rattleback::jit_layout()) return nullptr;
  static auto* const jit = new rattleback::OrcJit(keep_working);
  return jit;
}
