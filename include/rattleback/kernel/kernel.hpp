#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "rattleback/base/error.hpp"
#include "rattleback/kernel/program.hpp"

namespace rattleback {

/// How programs run: compiled by LLVM, or interpreted, which is some ten times slower. Automatic means
/// compiled if the compiler library is there.
enum class Backend : std::uint8_t { automatic, compiled, interpreted };

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
  bool is_compiled() const { return function_ != nullptr; }
  /// Where the native code is; null if interpreted.
  const void* address() const { return code_.get(); }

 private:
  Program program_;
  int lanes_;
  std::shared_ptr<const void> code_;  ///< keeps the function alive
  void (*function_)(const double*, double*, double*) = nullptr;
  std::size_t workspace_ = 0;
};

}  // namespace rattleback
