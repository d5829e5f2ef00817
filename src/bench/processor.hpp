#pragma once

namespace rattleback::bench {

/// Whether this processor has the instructions that the including file is compiled for: what is measured against gets
/// all a host has, and a program may be carried to another host.
static inline bool processor_suffices() {
  bool suffices = true;
#if defined(__AVX2__)
  suffices = suffices && __builtin_cpu_supports("avx2") != 0;
#endif
#if defined(__FMA__)
  suffices = suffices && __builtin_cpu_supports("fma") != 0;
#endif
#if defined(__AVX512F__)
  suffices = suffices && __builtin_cpu_supports("avx512f") != 0;
#endif
  return suffices;
}

}  // namespace rattleback::bench
