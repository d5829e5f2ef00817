#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../pack_units.hpp"
#include "../packing.hpp"
#include "../series_program.hpp"
#include "../step_program.hpp"

namespace rattleback {

class NumberTable;

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
/// instructions that hand their results on in a workspace. Instructions that do the same to many numbers become loops
/// (packing.hpp), over vectors of them if there is one lane. Compiling and running such code is linear.
class Emitter {
 public:
  Emitter(llvm::Module& module, const VectorTarget& target, int lanes, bool chunked, bool groups);

  llvm::IRBuilder<>& ir() { return ir_; }
  int lanes() const { return lanes_; }
  bool is_chunked() const { return chunked_; }
  /// Numbers of one lane that fit into a register.
  int members_in_register() const { return target_.width; }
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
  /// Where a slot of chunked code is; the next ones follow it.
  llvm::Value* address_of(const Slots& slots, std::size_t i) {
    const std::size_t first = (slots.first + i) * static_cast<std::size_t>(lanes_);
    return ir_.CreateInBoundsGEP(ir_.getDoubleTy(), workspace_, ir_.getInt64(first));
  }

  /// Numbers that code for i = 0 … count−1 reads or writes.
  struct Column {
    enum class Kind : std::uint8_t { values, inputs, variables, array };
    Kind kind;
    std::vector<Value> numbers;  ///< of values, inputs or variables, or entries of the caller's array
  };
  static Column values_of(std::vector<Value> values) { return {Column::Kind::values, std::move(values)}; }
  static Column range_of(Column::Kind kind, std::size_t count);
  /// An array and a mask of the caller.
  struct Context {
    llvm::Value* array;
    llvm::Value* mask;
  };
  using Map = llvm::function_ref<llvm::Value*(std::span<llvm::Value* const>, llvm::Value* mask)>;
  /// to[i] = map(from[0][i], from[1][i], …).
  void for_each(const Column& to, std::span<const Column> from, Context context, Map map);
  void copy(const Column& to, const Column& from, llvm::Value* array = nullptr) {
    for_each(to, {&from, 1}, {array, nullptr}, [](auto values, llvm::Value*) { return values[0]; });
  }
  /// Lanes in which the predicate holds for all i.
  llvm::Value* all_of(std::span<const Column> from, Map predicate);

  /// Values that are read from outside of the code, and those inputs and variables among them that do not change before
  /// they are read.
  struct Roots {
    std::vector<Value> all;
    std::vector<Value> in_place;
  };
  /// Starts a program whose code runs in these ranges.
  void begin_program(std::span<const Instruction> code, std::span<const double> constants,
                     std::span<const CodeRange> ranges, const Roots& roots, std::uint32_t state, std::size_t sines);
  Slots inputs;     ///< set before begin_program
  Slots variables;  ///< set before begin_program
  void emit(const CodeRange& range);
  llvm::Value* operator[](Value v);

  /// Entries of the workspace, counted in doubles of all lanes.
  std::size_t workspace_size() const {
    return workspace_size_ == 0 ? 0 : workspace_size_ * static_cast<std::size_t>(lanes_) + cache_line;
  }

 private:
  static constexpr std::size_t cache_line = 8;  ///< doubles
  llvm::Value* call_chunk(Context context, bool is_mask, llvm::function_ref<llvm::Value*(const Context&)> body);
  llvm::Value* emit_instruction(const Instruction& i, Value number);
  llvm::Value* emit_operation(Opcode op, std::span<llvm::Value* const> operands, llvm::Value*& cosine);

  // Vectors in inline code (groups.cpp).
  static constexpr int group_width = 4;
  bool in_groups() const { return groups_ && target_.width >= group_width; }
  struct InVector {
    llvm::Value* vector = nullptr;
    std::size_t number = 0;
    std::size_t element = 0;
  };
  void find_groups(std::span<const CodeRange> ranges, std::span<const Value> roots, std::uint32_t state);
  bool emit_groups(const CodeRange& range);
  void emit_group(std::vector<Value> members);
  std::tuple<int, std::size_t, std::size_t> place_of(Value v) const;
  llvm::Value* together(std::span<const Value> members, std::size_t k);
  llvm::Value* together(std::span<const Value> values);
  llvm::Value* all_in_groups(std::span<const Column> columns, Map predicate);

  // Loops of chunked code (loops.cpp). `index` counts the iterations or, in code for several members at once, says
  // which is the first of them; it is a multiple of the lanes, so that addresses need no multiplication.
  void emit_straight(const CodePart& part);
  void emit_loop(const CodePart& part);
  llvm::Value* map_columns(const Column* to, std::span<const Column> from, Context context, Map map);
  llvm::Value* map_in_order(const Column* to, std::span<const Column> from,
                            std::span<const std::vector<ValuePlace>> columns, Context context, Map map);
  llvm::Value* map_one_by_one(std::size_t begin, std::size_t end, const Column* to, std::span<const Column> from,
                              const Context& context, Map map);
  llvm::Value* map_run(const PlaceRun& run, std::span<const std::vector<ValuePlace>> columns, const Column* to,
                       std::span<const Column> from, const Context& context, Map map);
  std::vector<ValuePlace> places(const Column& column) const;
  llvm::Value* read_column(const Column& column, std::size_t i, llvm::Value* array);
  void write_column(const Column& column, std::size_t i, llvm::Value* array, llvm::Value* value);
  llvm::Value* read_shared(llvm::Value* array, const ValuePlace& place);
  llvm::Value* take(Taken what, llvm::Value* number);
  llvm::Value* read_members(llvm::Value* array, std::size_t first, std::int64_t stride, llvm::Value* index);
  void write_members(llvm::Value* array, std::size_t first, std::int64_t stride, llvm::Value* index,
                     llvm::Value* value);
  llvm::Value* read_table(std::size_t first, llvm::Value* index);
  llvm::Value* address(llvm::Value* array, std::size_t entry, llvm::Value* offset);
  llvm::Value* entry_of_table(std::size_t first, llvm::Value* index);
  /// Values of several members at once instead of lanes.
  void set_members(int members);
  int members_at_once() const { return lanes_ == 1 ? target_.width : 1; }
  // Functions that are not smooth everywhere (piecewise.cpp); null if it is another.
  llvm::Value* emit_piecewise(Opcode op, std::span<llvm::Value* const> operands);
  llvm::Value* emit_table(llvm::Value* x, llvm::Value* address);
  llvm::Value* read_grid(llvm::Value* x, const NumberTable& table, llvm::Value* address);
  llvm::Value* call_table(llvm::Value* x, llvm::Value* address);
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
  int width_;  ///< doubles in a value: lanes, or members of a loop
  bool chunked_;
  bool groups_;
  std::vector<InVector> in_vector_;
  std::size_t vectors_ = 0;
  std::vector<std::pair<CodeRange, std::vector<Unit>>> units_of_range_;
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
  Packing packing_;                ///< chunked code
  std::vector<CodeRange> ranges_;  ///< that were packed
  llvm::GlobalVariable* tables_ = nullptr;
  bool inline_trigonometry_ = true;
};

/// ProgramFunction, StepFunction and SeriesFunction of jit.hpp.
void emit_program_function(Emitter& emitter, const Program& program, const std::string& name);
void emit_step_function(Emitter& emitter, const StepProgram& program, const std::string& name);
void emit_series_function(Emitter& emitter, const SeriesProgram& program, const std::string& name);

}  // namespace rattleback
