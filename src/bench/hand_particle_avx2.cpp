#include "src/bench/hand_particle_avx2.hpp"

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace rattleback::bench {

#if defined(__x86_64__)

bool has_avx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }
bool has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

namespace {

/// Both widths have the same text; a function with a target attribute cannot be inlined into one without, so the text
/// is a macro.
#define RATTLEBACK_PARTICLES(NAME, TARGET, VECTOR, LANES, SET1, LOAD, STORE, ADD, MUL, DIV, FMA, FMS, FNMA)          \
  template <int registers>                                                                                           \
  __attribute__((target(TARGET))) void NAME(hand::ParticleState* states, std::int64_t count, double h,               \
                                            std::int64_t steps) {                                                    \
    constexpr int block = LANES * registers;                                                                         \
    const double k = 1 + 0.5 * h * h;                                                                                \
    const VECTOR h_over_k = SET1(h / k), two_k = SET1(2 * k), two_h = SET1(2 * h), four_h2 = SET1(4 * h * h),        \
                 c_w = SET1(2 - 3 * h * h);                                                                          \
    alignas(64) double buffer[6][block];                                                                             \
    for (std::int64_t first = 0; first < count; first += block) {                                                    \
      for (int l = 0; l < block; ++l) {                                                                              \
        const hand::ParticleState& s = states[first + l];                                                            \
        buffer[0][l] = s.y, buffer[1][l] = s.py - h * s.y, buffer[2][l] = 2 * h * s.x;                               \
        buffer[3][l] = s.px - h * s.x, buffer[4][l] = s.pz, buffer[5][l] = s.z / h;                                  \
      }                                                                                                              \
      VECTOR y[registers], u[registers], x[registers], w[registers], pz[registers], z[registers];                    \
      _Pragma("GCC unroll 8") for (int r = 0; r < registers; ++r) {                                                  \
        y[r] = LOAD(&buffer[0][LANES * r]), u[r] = LOAD(&buffer[1][LANES * r]), x[r] = LOAD(&buffer[2][LANES * r]);  \
        w[r] = LOAD(&buffer[3][LANES * r]), pz[r] = LOAD(&buffer[4][LANES * r]), z[r] = LOAD(&buffer[5][LANES * r]); \
      }                                                                                                              \
      for (std::int64_t k_step = 0; k_step < steps; ++k_step) {                                                      \
        _Pragma("GCC unroll 8") for (int r = 0; r < registers; ++r) {                                                \
          const VECTOR y1 = FMA(h_over_k, u[r], y[r]);                                                               \
          const VECTOR sum = ADD(y[r], y1);                                                                          \
          const VECTOR s = DIV(FMA(y[r], pz[r], w[r]), FMA(y[r], sum, two_k));                                       \
          pz[r] = MUL(sum, s);                                                                                       \
          u[r] = FNMA(two_h, y1, u[r]);                                                                              \
          w[r] = FMS(c_w, s, x[r]);                                                                                  \
          x[r] = FMA(four_h2, s, x[r]);                                                                              \
          z[r] = ADD(z[r], pz[r]);                                                                                   \
          y[r] = y1;                                                                                                 \
        }                                                                                                            \
      }                                                                                                              \
      _Pragma("GCC unroll 8") for (int r = 0; r < registers; ++r) {                                                  \
        STORE(&buffer[0][LANES * r], y[r]), STORE(&buffer[1][LANES * r], u[r]), STORE(&buffer[2][LANES * r], x[r]);  \
        STORE(&buffer[3][LANES * r], w[r]), STORE(&buffer[4][LANES * r], pz[r]), STORE(&buffer[5][LANES * r], z[r]); \
      }                                                                                                              \
      for (int l = 0; l < block; ++l) {                                                                              \
        hand::ParticleState& s = states[first + l];                                                                  \
        s.y = buffer[0][l], s.py = buffer[1][l] + h * s.y, s.x = buffer[2][l] / (2 * h);                             \
        s.px = buffer[3][l] + h * s.x, s.pz = buffer[4][l], s.z = buffer[5][l] * h;                                  \
      }                                                                                                              \
    }                                                                                                                \
  }

RATTLEBACK_PARTICLES(steps_avx2, "avx2,fma", __m256d, 4, _mm256_set1_pd, _mm256_load_pd, _mm256_store_pd, _mm256_add_pd,
                     _mm256_mul_pd, _mm256_div_pd, _mm256_fmadd_pd, _mm256_fmsub_pd, _mm256_fnmadd_pd)
RATTLEBACK_PARTICLES(steps_avx512, "avx512f", __m512d, 8, _mm512_set1_pd, _mm512_load_pd, _mm512_store_pd,
                     _mm512_add_pd, _mm512_mul_pd, _mm512_div_pd, _mm512_fmadd_pd, _mm512_fmsub_pd, _mm512_fnmadd_pd)
#undef RATTLEBACK_PARTICLES

constexpr int chains = 12;  // enough for two units of latency five

__attribute__((target("avx512f"))) void chain_avx512(double* x, long rounds) {
  __m512d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm512_set1_pd(x[i]);
  const __m512d m = _mm512_set1_pd(0.999), c = _mm512_set1_pd(1e-3);
  for (long k = 0; k < rounds; ++k) {
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) a[i] = _mm512_fmadd_pd(a[i], m, c);
  }
  for (int i = 0; i < chains; ++i) x[i] = _mm512_cvtsd_f64(a[i]);
}
__attribute__((target("avx2,fma"))) void chain_avx2(double* x, long rounds) {
  __m256d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm256_set1_pd(x[i]);
  const __m256d m = _mm256_set1_pd(0.999), c = _mm256_set1_pd(1e-3);
  for (long k = 0; k < rounds; ++k) {
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) a[i] = _mm256_fmadd_pd(a[i], m, c);
  }
  for (int i = 0; i < chains; ++i) x[i] = _mm256_cvtsd_f64(a[i]);
}
void chain_sse2(double* x, long rounds) {
  __m128d a[chains];
  for (int i = 0; i < chains; ++i) a[i] = _mm_set1_pd(x[i]);
  const __m128d m = _mm_set1_pd(0.999), c = _mm_set1_pd(1e-3);
  for (long k = 0; k < rounds; ++k) {
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) a[i] = _mm_add_pd(_mm_mul_pd(a[i], m), c);
  }
  for (int i = 0; i < chains; ++i) x[i] = _mm_cvtsd_f64(a[i]);
}

}  // namespace

void particles_avx2(hand::ParticleState* states, std::int64_t count, double h, std::int64_t steps, int registers) {
  switch (registers) {
    case 1: return steps_avx2<1>(states, count, h, steps);
    case 2: return steps_avx2<2>(states, count, h, steps);
    case 3: return steps_avx2<3>(states, count, h, steps);
    default: return steps_avx2<4>(states, count, h, steps);
  }
}

void particles_avx512(hand::ParticleState* states, std::int64_t count, double h, std::int64_t steps, int registers) {
  switch (registers) {
    case 1: return steps_avx512<1>(states, count, h, steps);
    case 2: return steps_avx512<2>(states, count, h, steps);
    default: return steps_avx512<4>(states, count, h, steps);
  }
}

double peak_operations(const char*& width) {
  struct Kind {
    void (*chain)(double*, long);
    int lanes;
    const char* name;
  };
  const Kind kind = has_avx512() ? Kind{chain_avx512, 8, "AVX-512"}
                    : has_avx2() ? Kind{chain_avx2, 4, "AVX2"}
                                 : Kind{chain_sse2, 2, "SSE2, without fused multiply-adds"};
  width = kind.name;
  constexpr long rounds = 1000000;
  double x[chains] = {};
  double shortest = 1.0;
  for (int k = 0; k < 60; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    kind.chain(x, rounds);
    asm volatile("" : : "g"(x) : "memory");
    shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return 2.0 * chains * kind.lanes * static_cast<double>(rounds) / shortest;
}

#else

bool has_avx2() { return false; }
bool has_avx512() { return false; }
void particles_avx2(hand::ParticleState*, std::int64_t, double, std::int64_t, int) {}
void particles_avx512(hand::ParticleState*, std::int64_t, double, std::int64_t, int) {}
double peak_operations(const char*& width) {
  width = "unknown";
  return 0.0;
}

#endif

}  // namespace rattleback::bench
