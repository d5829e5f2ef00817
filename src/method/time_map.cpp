#include "rattleback/method/time_map.hpp"

#include <array>

namespace rattleback {
namespace {

/// ∫₀ⁱ of the polynomial through f₀ … f_n at 0 … n, for i = 0 … n: the last row is the Newton–Cotes rule.
using Weights = std::vector<std::vector<double>>;

Weights cumulative_weights(std::size_t n) {
  Weights weights(n + 1, std::vector<double>(n + 1, 0.0));
  for (std::size_t j = 0; j <= n; ++j) {
    std::vector<long double> lagrange{1.0L};  // coefficients of Π (x − k)/(j − k)
    for (std::size_t k = 0; k <= n; ++k) {
      if (k == j) continue;
      const auto root = static_cast<long double>(k);
      const long double scale = static_cast<long double>(j) - root;
      std::vector<long double> next(lagrange.size() + 1, 0.0L);
      for (std::size_t c = 0; c < lagrange.size(); ++c) {
        next[c + 1] += lagrange[c] / scale;
        next[c] -= root * lagrange[c] / scale;
      }
      lagrange = std::move(next);
    }
    for (std::size_t i = 1; i <= n; ++i) {
      long double power = 1.0L;
      long double total = 0.0L;
      for (std::size_t c = 0; c < lagrange.size(); ++c) {
        power *= static_cast<long double>(i);
        total += lagrange[c] * power / static_cast<long double>(c + 1);
      }
      weights[i][j] = static_cast<double>(total);
    }
  }
  return weights;
}

const Weights& weights_for(std::size_t intervals) {
  static const std::array<Weights, 5> all{cumulative_weights(0), cumulative_weights(1), cumulative_weights(2),
                                          cumulative_weights(3), cumulative_weights(4)};
  return all.at(intervals);
}

}  // namespace

int panel_size(Quadrature rule) { return 1 << static_cast<int>(rule); }

int quadrature_order(Quadrature rule) { return 2 * static_cast<int>(rule) + 2; }

std::vector<double> cumulative_integral(std::span<const double> f, double h, Quadrature rule) {
  std::vector<double> integral(f.size(), 0.0);
  const auto panel = static_cast<std::size_t>(panel_size(rule));
  for (std::size_t first = 0; first + 1 < f.size();) {
    const std::size_t intervals = std::min(panel, f.size() - 1 - first);
    const Weights& weights = weights_for(intervals);
    for (std::size_t i = 1; i <= intervals; ++i) {
      double total = 0.0;
      for (std::size_t j = 0; j <= intervals; ++j) total += weights[i][j] * f[first + j];
      integral[first + i] = integral[first] + h * total;
    }
    first += intervals;
  }
  return integral;
}

}  // namespace rattleback
