#include "polynomials.hpp"

#include <cmath>

namespace rattleback {
namespace {

/// `Width` of them from the number `first` on.
template <std::size_t Width>
[[gnu::always_inline]] inline void evaluate_some(const double* c, std::size_t size, int order, double h, double square,
                                                 std::size_t& first, double* changes) {
  const int last_even = order - order % 2;
  const int last_odd = order - (order + 1) % 2;
  for (; first + Width <= size; first += Width) {
    double even[Width] = {};
    double odd[Width] = {};
    const auto add = [&](double(&sum)[Width], int j) {
      const double* const x = c + static_cast<std::size_t>(j) * size + first;
      for (std::size_t i = 0; i < Width; ++i) sum[i] = __builtin_fma(sum[i], square, x[i]);
    };
    for (int j = last_even; j >= 2; j -= 2) add(even, j);
    for (int j = last_odd; j >= 1; j -= 2) add(odd, j);
    for (std::size_t i = 0; i < Width; ++i) changes[first + i] = h * __builtin_fma(h, even[i], odd[i]);
  }
}

[[gnu::always_inline]] inline void evaluate(const double* c, std::size_t size, int order, double h, double* changes) {
  const double square = h * h;
  if (!std::isfinite(square)) {  // powers that nothing is multiplied with
    for (std::size_t i = 0; i < size; ++i) {
      changes[i] = 0.0;
      for (int j = order; j >= 1; --j) changes[i] = std::fma(changes[i], h, c[static_cast<std::size_t>(j) * size + i]);
      changes[i] *= h;
    }
    return;
  }
  std::size_t first = 0;
  evaluate_some<8>(c, size, order, h, square, first, changes);
  evaluate_some<4>(c, size, order, h, square, first, changes);
  evaluate_some<2>(c, size, order, h, square, first, changes);
  evaluate_some<1>(c, size, order, h, square, first, changes);
}

#if defined(__x86_64__)
// Without the instruction, fma is a function of the C library.
[[gnu::target("arch=x86-64-v3"), gnu::optimize("O3")]] void evaluate_quickly(const double* c, std::size_t size,
                                                                             int order, double h, double* changes) {
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
