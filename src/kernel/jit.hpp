#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "rattleback/kernel/kernel.hpp"
#include "series_program.hpp"
#include "step_program.hpp"

namespace rattleback {

inline constexpr int max_lanes = 16;

/// What compiled steps report, lane by lane.
struct StepCounters {
  std::int64_t iterations[max_lanes];
  std::int64_t max_iterations[max_lanes];
  std::int64_t failed[max_lanes];  ///< −1 if the lane failed in the step after the last one taken
  std::int64_t last[max_lanes];    ///< iterations of the last step tried, taken or not
};

/// The workspace has the size that Compiled says; its contents do not matter before or after.
using ProgramFunction = void (*)(const double* inputs, double* outputs, double* workspace);
/// Advances the state in `data`; returns the steps taken. See Step::run; a failed lane's outputs
/// are garbage, those of the other lanes belong to the step that was not taken.
using StepFunction = std::int64_t (*)(double* data, double* outputs, std::int64_t steps, StepCounters* counters,
                                      double* workspace);
/// Coefficients from the data, of all orders from 1 on, and the trial (series_program.hpp). The history has the size
/// that the program says, and begins at a multiple of 64 bytes; neither its contents nor those of the workspace matter
/// before or after.
using SeriesFunction = void (*)(const double* data, double* coefficients, double* trial, double* history,
                                double* workspace);

/// Native code and what keeps it alive.
template <class F>
struct Compiled {
  F function = nullptr;
  std::size_t workspace = 0;  ///< doubles
  std::shared_ptr<const void> code;
};

/// The compiler. It lives in a library of its own, so that LLVM is loaded only when something is
/// compiled.
class Jit {
 public:
  virtual ~Jit() = default;
  virtual Compiled<ProgramFunction> compile(const Program& program, int lanes) = 0;
  virtual Compiled<StepFunction> compile(const StepProgram& program, int lanes) = 0;
  virtual Compiled<SeriesFunction> compile(const SeriesProgram& program, int lanes) = 0;
  virtual std::string target() const = 0;
};

/// What the program and the library must agree on: they exchange these types in memory.
constexpr std::uint64_t jit_layout() {
  std::uint64_t h = 3;  // counts the changes of Jit and JitEntry, which have no size
  for (const std::uint64_t size :
       {sizeof(Instruction), sizeof(Program), sizeof(StepProgram), sizeof(StepBlock), sizeof(SeriesProgram),
        sizeof(StepCounters), static_cast<std::size_t>(Opcode::table)}) {
    h = h * 1000003U + size;
  }
  return h;
}

/// Entry point of the library; null if the layouts differ. The object is never destroyed. The library has no copy of
/// what knows whether the work is to be stopped: it calls keep_working of the program.
using JitEntry = Jit* (*)(std::uint64_t layout, void (*keep_working)());
inline constexpr const char* jit_entry_name = "rattleback_jit";

/// Loads the compiler on the first call; throws CompilerError.
Jit& jit();

/// Compiles, or finds what was compiled before and is still in use.
Compiled<ProgramFunction> compile_cached(const Program& program, int lanes);
Compiled<StepFunction> compile_cached(const StepProgram& program, int lanes);
Compiled<SeriesFunction> compile_cached(const SeriesProgram& program, int lanes);
/// The same if it was compiled before; nothing else.
Compiled<ProgramFunction> find_compiled(const Program& program, int lanes);
Compiled<StepFunction> find_compiled(const StepProgram& program, int lanes);
Compiled<SeriesFunction> find_compiled(const SeriesProgram& program, int lanes);

/// Throws std::invalid_argument unless `lanes` is one of lane_counts.
void check_lanes(int lanes);

/// How long a program is interpreted before it is compiled. Threads may share it.
class Warmup {
 public:
  Warmup(const std::vector<Instruction>& code, std::size_t sines, Backend backend);
  /// Whether the program, of which so many executions come now, is to be compiled before them.
  bool is_over(std::int64_t executions);
  /// Whether the program can be compiled now if it must.
  bool can_end();

 private:
  double instructions_;
  Backend backend_;
  std::atomic<double> left_;  ///< instructions
  std::atomic<bool> there_is_no_compiler_ = false;
};

}  // namespace rattleback
