#pragma once

#include <llvm/IR/IRBuilder.h>

#include "../sincos_steps.hpp"

namespace rattleback {

struct SinCos {
  llvm::Value* sine;
  llvm::Value* cosine;
};

/// Sine and cosine as inline code, for scalars and vectors alike: half the latency of a call, and
/// the caller's registers stay where they are. Within 2 ulp for |x| ≤ 2²⁰, garbage beyond.
SinCos emit_inline_sincos(llvm::IRBuilder<>& ir, llvm::Value* x);

}  // namespace rattleback
