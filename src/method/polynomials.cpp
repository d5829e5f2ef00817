#include "polynomials.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback {
namespace {

constexpr std::size_t block = 8;

[[gnu::always_inline]] inline void evaluate(const double* c, std::size_t size, int order, double h, double* changes) {
  if (!std::isfinite(h * h)) {  // powers that nothing is multiplied with
    for (std::size_t i = 0; i < size; ++i) {
      changes[i] = 0.0;
      for (int j = order; j >= 1; --j) changes[i] = std::fma(changes[i], h, c[static_cast<std::size_t>(j) * size + i]);
      changes[i] *= h;
    }
    return;
  }
  const double square = h * h;
  const int last_even = order - order % 2;
  const int last_odd = order - (order + 1) % 2;
  for (std::size_t first = 0; first < size; first += block) {
    const std::size_t width = std::min(block, size - first);
    double even[block] = {};
    double odd[block] = {};
    const auto add = [&](double (&sum)[block], int j) {
      const double* const x = c + static_cast<std::size_t>(j) * size + first;
      if (width == block) {
        for (std::size_t i = 0; i < block; ++i) sum[i] = __builtin_fma(sum[i], square, x[i]);
      } else {
        for (std::size_t i = 0; i < width; ++i) sum[i] = __builtin_fma(sum[i], square, x[i]);
      }
    };
    for (int j = last_even; j >= 2; j -= 2) add(even, j);
    for (int j = last_odd; j >= 1; j -= 2) add(odd, j);
    for (std::size_t i = 0; i < width; ++i) changes[first + i] = h * __builtin_fma(h, even[i], odd[i]);
  }
}

#if defined(__x86_64__)
// Without the instruction, fma is a function of the C library.
[[gnu::target("arch=x86-64-v3"), gnu::optimize("O3")]] void evaluate_quickly(const double* c, std::size_t size, int order,
                                                                            double h, double* changes) {
  evaluate(c, size, order, h, changes);
}
const bool is_quick = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif

}  // namespace

void evaluate_polynomials(const double* coefficients, std::size_t size, int order, double h, double* changes) {
#if defined(__x86_64__)
  if (is_quick) return evaluate_quickly(coefficients, size, order, h, changes);
#endif
  evaluate(coefficients, size, order, h, changes);
}

}  // namespace rattleback
