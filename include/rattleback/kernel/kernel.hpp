#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "rattleback/base/error.hpp"
#include "rattleback/kernel/program.hpp"

namespace rattleback {

/// How programs run: compiled by LLVM, or interpreted, which is some ten times slower. The bits are the same. Automatic
/// means interpreted at first, and compiled as soon as so much is to be done that compiling is worth its time, if the
/// compiler library is there.
enum class Backend : std::uint8_t { automatic, compiled, interpreted };

/// While one lives, in whichever thread, what is automatic is compiled when it is made: for those who cannot wait for
/// the compiler in the middle of their work. So it is if the environment has RATTLEBACK_JIT_EAGER.
class CompileAtOnce {
 public:
  CompileAtOnce();
  CompileAtOnce(const CompileAtOnce&) = delete;
  CompileAtOnce& operator=(const CompileAtOnce&) = delete;
  ~CompileAtOnce();
};

/// The compiler cannot be used: this build has none, or its library cannot be loaded.
class CompilerError : public SystemFailure {
 public:
  using SystemFailure::SystemFailure;
};

/// Whether there is a compiler; loads it.
bool compiler_available();

/// What the compiler generates code for, for example "icelake-server, 8 lanes in a register".
std::string compiler_target();

/// Allowed numbers of lanes.
inline constexpr int lane_counts[] = {1, 4, 8, 16};

/// A program as native code for `lanes` points at once; arrays are structures of arrays: entry i of
/// lane l stands at [i * lanes + l]; inputs and outputs must not overlap. All lane counts give the
/// same bits. Safe to call from several threads at once.
class Kernel {
 public:
  explicit Kernel(const Program& program, int lanes = 1, Backend backend = Backend::automatic);

  void operator()(const double* inputs, double* outputs) const;
  void operator()(std::span<const double> inputs, std::span<double> outputs) const;

  int lanes() const { return lanes_; }
  bool is_compiled() const { return address() != nullptr; }
  /// Where the native code is; null while it is interpreted.
  const void* address() const;

 private:
  struct Code;
  void interpret(const double* inputs, double* outputs) const;

  Program program_;
  int lanes_;
  std::shared_ptr<Code> code_;  ///< of all copies
};

}  // namespace rattleback
