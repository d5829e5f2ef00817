#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <span>
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

/// Emits instructions as LLVM IR on values of `lanes` doubles.
class Emitter {
 public:
  Emitter(llvm::Module& module, const VectorTarget& target, int lanes);

  llvm::IRBuilder<>& ir() { return ir_; }
  llvm::Type* value_type() const { return value_type_; }
  llvm::Type* mask_type() const { return mask_type_; }
  llvm::Type* counter_type() const { return counter_type_; }

  /// A function without body, with an entry block that the builder stands in.
  llvm::Function* begin_function(const std::string& name, llvm::Type* result, std::span<llvm::Type* const> parameters);

  llvm::Value* splat(double value);
  llvm::Value* load(llvm::Value* array, std::size_t entry);
  void store(llvm::Value* array, std::size_t entry, llvm::Value* value);
  /// True if any lane of a mask is set.
  llvm::Value* any(llvm::Value* mask);
  llvm::Value* all_lanes(bool value);
  llvm::Value* counters(std::int64_t value);

  /// Values of the program, by number; inputs and variables are set from outside before emit.
  void begin_program(std::span<const Instruction> code, std::span<const double> constants);
  std::vector<llvm::Value*> inputs;
  std::vector<llvm::Value*> variables;
  void emit(const CodeRange& range);
  llvm::Value* operator[](Value v) const { return values_[v]; }

 private:
  llvm::Value* emit_instruction(const Instruction& i, Value number);
  llvm::Value* call_sleef(const char* function, std::span<llvm::Value* const> arguments);
  llvm::Value* emit_sincos(llvm::Value* angle, llvm::Value*& cosine);
  llvm::Value* call_sincos(llvm::Value* angle, llvm::Value*& cosine);
  llvm::FunctionCallee sleef(const std::string& name, llvm::Type* result, std::span<llvm::Type* const> parameters,
                             bool writes_argument);
  std::string sleef_name(const char* function, int width) const;
  llvm::Value* part(llvm::Value* value, int index, int width);
  llvm::Value* join(std::vector<llvm::Value*> parts);
  int call_width() const;

  llvm::Module& module_;
  const VectorTarget& target_;
  int lanes_;
  llvm::IRBuilder<> ir_;
  llvm::Type* value_type_;
  llvm::Type* mask_type_;
  llvm::Type* counter_type_;
  llvm::Function* function_ = nullptr;
  std::span<const Instruction> code_;
  std::span<const double> constants_;
  std::vector<llvm::Value*> values_;
  std::vector<llvm::Value*> cosines_;
  bool inline_trigonometry_ = true;
};

/// void name(const double* inputs, double* outputs)
void emit_program_function(Emitter& emitter, const Program& program, const std::string& name);
/// StepFunction of jit.hpp.
void emit_step_function(Emitter& emitter, const StepProgram& program, const std::string& name);

}  // namespace rattleback
