#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <span>
#include <string>
#include <vector>

#include "../step_program.hpp"

namespace rattleback {

/// What the host's registers hold and which of SLEEF's functions fit them.
struct VectorTarget {
  int width = 2;              ///< doubles in a register
  std::string sleef_prefix;   ///< "Sleef_finz_": deterministic, the same bits for any width
  std::string scalar_suffix;  ///< "purecfma"
  bool has_avx512 = false;
  bool has_avx2_fma = false;
};

/// Storage for values that change or that outlive a piece of code. Inline code keeps each slot in a
/// variable that becomes a register; chunked code keeps them in the caller's workspace.
struct Slots {
  std::vector<llvm::AllocaInst*> variables;  ///< inline code
  std::size_t first = 0;                     ///< chunked code: position in the workspace
};

/// Emits instructions as LLVM IR on values of `lanes` doubles.
///
/// Small programs become one function whose values are registers. The time LLVM needs grows faster
/// than the size of a function, so large programs are cut into chunks: functions of a few hundred
/// instructions that hand their results on in a workspace. Compiling and running them is linear.
class Emitter {
 public:
  Emitter(llvm::Module& module, const VectorTarget& target, int lanes, bool chunked);

  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::Type* value_type() const { return value_type_; }
  llvm::Type* mask_type() const { return mask_type_; }
  llvm::Type* counter_type() const { return counter_type_; }

  /// A function with an entry block that the builder stands in. The last parameter is the workspace.
  llvm::Function* begin_function(const std::string& name, llvm::Type* result, std::span<llvm::Type* const> parameters);
  /// Turns slots of inline code into registers.
  void end_function();

  llvm::Value* splat(double value);
  llvm::Value* load(llvm::Value* array, std::size_t entry);
  void store(llvm::Value* array, std::size_t entry, llvm::Value* value);
  /// True if any lane of a mask is set.
  llvm::Value* any(llvm::Value* mask);
  llvm::Value* all_lanes(bool value);
  llvm::Value* counters(std::int64_t value);

  Slots make_slots(std::size_t count);
  llvm::Value* read(const Slots& slots, std::size_t i);
  void write(const Slots& slots, std::size_t i, llvm::Value* value);

  /// Code for i = 0 … count−1. The body may use slots, values of the program and what it is given:
  /// an array and a mask of the caller.
  struct Context {
    llvm::Value* array;
    llvm::Value* mask;
  };
  template <class Body>
  void for_each(std::size_t count, Context context, Body&& body) {
    in_chunks(count, context, false, [&](std::size_t i, const Context& c) -> llvm::Value* {
      body(i, c);
      return nullptr;
    });
  }
  /// Lanes in which the predicate holds for all i.
  template <class Predicate>
  llvm::Value* all_of(std::size_t count, Predicate&& predicate) {
    return in_chunks(count, {nullptr, nullptr}, true, [&](std::size_t i, const Context&) { return predicate(i); });
  }

  /// Starts a program whose code runs in these ranges; `roots` are values that are read from outside.
  void begin_program(std::span<const Instruction> code, std::span<const double> constants,
                     std::span<const CodeRange> ranges, std::span<const Value> roots);
  Slots inputs;     ///< set before emit
  Slots variables;  ///< set before emit
  void emit(const CodeRange& range);
  llvm::Value* operator[](Value v);

  /// Entries of the workspace, counted in doubles of all lanes.
  std::size_t workspace_size() const { return workspace_size_ * static_cast<std::size_t>(lanes_); }

 private:
  using Body = llvm::function_ref<llvm::Value*(std::size_t, const Context&)>;
  llvm::Value* in_chunks(std::size_t count, Context context, bool is_mask, Body body);
  llvm::Value* call_chunk(Context context, bool is_mask, llvm::function_ref<llvm::Value*(const Context&)> body);
  llvm::Value* emit_instruction(const Instruction& i, Value number);
  llvm::Value* emit_sincos(llvm::Value* angle, llvm::Value*& cosine);
  llvm::Value* call_sleef(const char* function, std::span<llvm::Value* const> arguments);
  llvm::Value* call_sincos(llvm::Value* angle, llvm::Value*& cosine);
  llvm::FunctionCallee sleef(const std::string& name, llvm::Type* result, std::span<llvm::Type* const> parameters,
                             bool writes_argument);
  std::string sleef_name(const char* function, int width) const;
  llvm::Value* part(llvm::Value* value, int index, int width);
  llvm::Value* join(std::vector<llvm::Value*> parts);
  int call_width() const;
  void set_attributes(llvm::Function* function);

  llvm::Module& module_;
  const VectorTarget& target_;
  int lanes_;
  bool chunked_;
  llvm::IRBuilder<> ir_;
  llvm::Type* value_type_;
  llvm::Type* mask_type_;
  llvm::Type* counter_type_;
  llvm::Function* function_ = nullptr;
  llvm::Value* workspace_ = nullptr;  ///< of the function being emitted
  std::size_t workspace_size_ = 0;
  std::vector<llvm::AllocaInst*> promotable_;
  std::span<const Instruction> code_;
  std::span<const double> constants_;
  std::vector<llvm::Value*> values_;  ///< in the function being emitted
  std::vector<llvm::Value*> cosines_;
  std::vector<std::size_t> slot_of_;  ///< chunked: where values that are read elsewhere are kept
  Slots kept_;
  bool inline_trigonometry_ = true;
};

/// ProgramFunction and StepFunction of jit.hpp.
void emit_program_function(Emitter& emitter, const Program& program, const std::string& name);
void emit_step_function(Emitter& emitter, const StepProgram& program, const std::string& name);

}  // namespace rattleback
