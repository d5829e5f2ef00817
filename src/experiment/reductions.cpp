#include "reductions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "../base/not_a_number.hpp"
#include "rattleback/observe/cloud.hpp"

namespace rattleback {
namespace {

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

/// How often a sequence changes direction.
double turns(const std::vector<double>& v) {
  double count = 0.0;
  double direction = 0.0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const double change = v[i] - v[i - 1];
    if (change * direction < 0.0) ++count;
    if (change != 0.0) direction = change;
  }
  return count;
}

/// How often a sequence changes its sign.
double crossings(const std::vector<double>& v) {
  double count = 0.0;
  double last = 0.0;
  for (const double x : v) {
    if (x * last < 0.0) ++count;
    if (x != 0.0) last = x;
  }
  return count;
}

/// The amplitude a of (−1)^k a in a sequence, where it is largest.
double alternation(const std::vector<double>& v) {
  double largest = 0.0;
  for (std::size_t i = 2; i < v.size(); ++i)
    largest = std::max(largest, std::abs(v[i] - 2.0 * v[i - 1] + v[i - 2]) / 4.0);
  return largest;
}

/// Sums of products of deviations from the means.
struct Deviations {
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
};

Deviations deviations(const std::vector<double>& x, const std::vector<double>& y) {
  const double x0 = mean(x);
  const double y0 = mean(y);
  Deviations d;
  for (std::size_t i = 0; i < x.size(); ++i) {
    d.xx += (x[i] - x0) * (x[i] - x0);
    d.xy += (x[i] - x0) * (y[i] - y0);
    d.yy += (y[i] - y0) * (y[i] - y0);
  }
  return d;
}

/// The angular frequency, per row, with the largest Fourier coefficient once the straight line is taken away. Found on
/// a grid four times finer than the frequencies of the discrete transform.
double frequency(const std::vector<double>& v) {
  const std::size_t n = v.size();
  std::vector<double> index(n);
  std::iota(index.begin(), index.end(), 0.0);
  const Deviations d = deviations(index, v);
  const double rise = d.xy / d.xx;
  const double middle = mean(v) - rise * mean(index);
  double best = not_a_number;
  double largest = 0.0;
  for (std::size_t k = 4; k < 2 * n; ++k) {
    const double omega = 2.0 * std::numbers::pi * static_cast<double>(k) / (4.0 * static_cast<double>(n));
    double c = 0.0;
    double s = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = v[i] - middle - rise * index[i];
      c += x * std::cos(omega * index[i]);
      s += x * std::sin(omega * index[i]);
    }
    if (c * c + s * s > largest) largest = c * c + s * s, best = omega;
  }
  return best;
}

struct Circle {
  double x;
  double y;
  double radius;
};

/// The circle x² + y² = 2ax + 2by + c that fits points best by least squares (I. Kåsa 1976).
Circle fitted_circle(const std::vector<double>& x, const std::vector<double>& y) {
  const double x0 = mean(x);
  const double y0 = mean(y);
  const Deviations d = deviations(x, y);
  double zx = 0.0;
  double zy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = x[i] - x0;
    const double v = y[i] - y0;
    zx += 0.5 * (u * u + v * v) * u;
    zy += 0.5 * (u * u + v * v) * v;
  }
  const double determinant = d.xx * d.yy - d.xy * d.xy;
  const double a = (zx * d.yy - zy * d.xy) / determinant;
  const double b = (zy * d.xx - zx * d.xy) / determinant;
  return {x0 + a, y0 + b, std::sqrt(a * a + b * b + (d.xx + d.yy) / static_cast<double>(x.size()))};
}

using Numbers = std::vector<double>;
constexpr NamedReduction reductions[] = {
    {"max", [](const Numbers& v) { return *std::ranges::max_element(v); }},
    {"min", [](const Numbers& v) { return *std::ranges::min_element(v); }},
    {"mean", mean},
    {"rms",
     [](const Numbers& v) {
       return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0) / static_cast<double>(v.size()));
     }},
    {"first", [](const Numbers& v) { return v.front(); }},
    {"last", [](const Numbers& v) { return v.back(); }},
    {"range",
     [](const Numbers& v) {
       const auto [low, high] = std::ranges::minmax_element(v);
       return *high - *low;
     }},
    {"sum", [](const Numbers& v) { return std::accumulate(v.begin(), v.end(), 0.0); }},
    {"count", [](const Numbers& v) { return static_cast<double>(v.size()); }},
    {"turns", turns},
    {"alternation", alternation},
    {"frequency", frequency, nullptr, 10000},
    {"crossings", crossings},
    {"slope", nullptr,
     [](const Numbers& x, const Numbers& y) {
       const Deviations d = deviations(x, y);
       return d.xy / d.xx;
     }},
    {"correlation", nullptr,
     [](const Numbers& x, const Numbers& y) {
       const Deviations d = deviations(x, y);
       return d.xy / std::sqrt(d.xx * d.yy);
     }},
    {"radius", nullptr, [](const Numbers& x, const Numbers& y) { return fitted_circle(x, y).radius; }},
    {"centre_x", nullptr, [](const Numbers& x, const Numbers& y) { return fitted_circle(x, y).x; }},
    {"centre_y", nullptr, [](const Numbers& x, const Numbers& y) { return fitted_circle(x, y).y; }},
    {"area", nullptr,
     [](const Numbers& x, const Numbers& y) {
       Points points;
       for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], y[i]});
       try {
         return ConvexHull(points).volume();
       } catch (const NumericalError&) {  // they lie on a line
         return 0.0;
       }
     }},
};

}  // namespace

const NamedReduction* find_reduction(std::string_view name) {
  const auto* found = std::ranges::find(reductions, name, &NamedReduction::name);
  return found == std::end(reductions) ? nullptr : found;
}

std::vector<std::string> reduction_names() {
  std::vector<std::string> names;
  for (const NamedReduction& r : reductions) names.emplace_back(r.name);
  return names;
}

}  // namespace rattleback
