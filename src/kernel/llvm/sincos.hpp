#pragma once

#include <llvm/IR/IRBuilder.h>

namespace rattleback {

struct SinCos {
  llvm::Value* sine;
  llvm::Value* cosine;
};

/// Arguments up to this size are in the range of emit_inline_sincos.
inline constexpr double inline_sincos_range = 1048576.0;  // 2²⁰

/// Sine and cosine as inline code, for scalars and vectors alike: half the latency of a call, and
/// the caller's registers stay where they are. Within 2 ulp for |x| ≤ 2²⁰, garbage beyond.
SinCos emit_inline_sincos(llvm::IRBuilder<>& ir, llvm::Value* x);

}  // namespace rattleback
