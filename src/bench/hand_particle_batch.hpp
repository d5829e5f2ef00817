#pragma once

// The closed form of hand_particle.hpp for W trajectories at once, in vector types of the compiler.

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "hand_particle.hpp"

namespace hand {

typedef double v8d __attribute__((vector_size(64)));

/// 1/d to the last bit or two: 14 bits, doubled twice by r ← r + r(1−dr).
inline v8d reciprocal(const v8d& d) {
#ifdef __AVX512F__
  v8d r = _mm512_rcp14_pd(d);
  r = r + r * (1 - d * r);
  r = r + r * (1 - d * r);
  return r;
#else
  return 1 / d;
#endif
}

/// W trajectories, structure of arrays.
template <int W>
struct alignas(64) ParticleBatch {
  static_assert(W % 8 == 0);
  v8d x[W / 8], y[W / 8], z[W / 8], px[W / 8], py[W / 8], pz[W / 8];

  void set(int lane, const ParticleState& s) {
    const int i = lane / 8, j = lane % 8;
    x[i][j] = s.x, y[i][j] = s.y, z[i][j] = s.z, px[i][j] = s.px, py[i][j] = s.py, pz[i][j] = s.pz;
  }
  ParticleState get(int lane) const {
    const int i = lane / 8, j = lane % 8;
    return {x[i][j], y[i][j], z[i][j], px[i][j], py[i][j], pz[i][j]};
  }
};

/// particle_closed_form in every lane.
template <int W>
inline void particle_closed_form_batch(ParticleBatch<W>& s, const ParticleConstants& c) {
#pragma GCC unroll 8
  for (int i = 0; i < W / 8; ++i) {
    const v8d y0 = s.y[i], x0 = s.x[i];
    const v8d u = s.py[i] - c.h * y0;
    const v8d y1 = y0 + c.h_over_k * u;
    const v8d sum = y0 + y1;
    const v8d inverse = reciprocal(2 * c.k + y0 * sum);  // ½/(k + y₀ȳ)
    v8d half_vx = s.px[i] + y0 * s.pz[i];
    if constexpr (W == 8) {
      half_vx = half_vx * inverse - x0 * (c.h * inverse);  // one operation more, but a shorter chain
    } else {
      half_vx = (half_vx - c.h * x0) * inverse;
    }
    const v8d vz = sum * half_vx;
    s.py[i] = u - c.h * y1;
    s.y[i] = y1;
    s.x[i] = x0 + (2 * c.h) * half_vx;
    s.z[i] += c.h * vz;
    s.px[i] = (2 * c.one_minus) * half_vx - c.h * x0;
    s.pz[i] = vz;
  }
}

}  // namespace hand
