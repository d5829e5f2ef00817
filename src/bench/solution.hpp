#pragma once

// What errors are measured against.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace rattleback::bench {

/// The solution of an equation of first order to more digits than double has: Gragg's midpoint rule in long double,
/// extrapolated to order 16. By neither of those who are compared.
template <class Motion>
std::vector<long double> solution(const typename Motion::State& start, double time, long steps) {
  using Real = long double;
  constexpr std::size_t size = std::tuple_size_v<typename Motion::State>;
  constexpr int rows = 8;
  using Vector = std::array<Real, size>;
  const auto rate = [](const Vector& s) {
    Vector r{};
    Motion{}(s, r, 0.0);
    return r;
  };
  const Real h = static_cast<Real>(time) / static_cast<Real>(steps);
  Vector state{};
  std::ranges::copy(start, state.begin());
  for (long k = 0; k < steps; ++k) {
    Vector tableau[rows];
    const Vector first = rate(state);
    for (int j = 0; j < rows; ++j) {
      const int n = 2 * (j + 1);
      const Real d = h / static_cast<Real>(n);
      Vector before = state, here = state;
      for (std::size_t i = 0; i < size; ++i) here[i] += d * first[i];
      for (int m = 1; m < n; ++m) {
        const Vector r = rate(here);
        for (std::size_t i = 0; i < size; ++i) before[i] = std::exchange(here[i], before[i] + 2 * d * r[i]);
      }
      const Vector last = rate(here);
      for (std::size_t i = 0; i < size; ++i) tableau[j][i] = (before[i] + here[i] + d * last[i]) / 2;
      for (int m = j - 1; m >= 0; --m) {  // Aitken and Neville, in powers of d^2
        const Real ratio = static_cast<Real>(j + 1) / static_cast<Real>(m + 1);
        for (std::size_t i = 0; i < size; ++i) {
          tableau[m][i] = tableau[m + 1][i] + (tableau[m + 1][i] - tableau[m][i]) / (ratio * ratio - 1);
        }
      }
    }
    state = tableau[0];
  }
  return {state.begin(), state.end()};
}

}  // namespace rattleback::bench
