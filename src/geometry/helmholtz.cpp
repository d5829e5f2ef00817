// The algebraic Helmholtz conditions at random points, in quadruple precision.

#include "rattleback/geometry/helmholtz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "../mech/decompositions.hpp"
#include "../mech/sampling.hpp"
#include "helmholtz_tower.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "regularity.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;
using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

constexpr int wanted_points = 7;
constexpr std::size_t most_coordinates = 10;  ///< 55 unknowns; the conditions grow like n³
constexpr int most_levels = 5;
constexpr std::size_t most_operations = 150000;
constexpr int combinations = 8;
constexpr Real counted = 1e-10L;       ///< singular values above this count
constexpr Real uncertain = 100.0L;     ///< those within this factor of the bound decide nothing
constexpr Real regular_above = 1e-6L;  ///< a multiplier this far from singular is regular
constexpr Real singular_below = 1e-10L;
constexpr double largest_row_error = 1e-9;  ///< relative; an equation that is known less well is no condition
/// Of the constants in expressions: where they were multiplied with each other they are right to double precision, and
/// what cancels does so no better, however precisely it is evaluated.
constexpr double number_rounding = 0x1p-50;

/// A number and a bound of its error.
struct Known {
  float128 value = 0;
  float128 error = 0;

  Known& operator+=(const Known& other) {
    value += other.value;
    error += other.error;
    return *this;
  }
  Known operator-() const { return {-value, error}; }
};

/// Linear equations for the symmetric matrices g, at one point.
class Conditions {
 public:
  explicit Conditions(std::size_t n) : n_(n), sizes_(RealMatrix::Zero(index(n), index(n))) {}

  std::size_t unknowns() const { return n_ * (n_ + 1) / 2; }

  /// g T is symmetric, and g_ij R^j_kl + cyclic = 0.
  void add(const std::vector<Known>& tensor_and_slopes) {
    const auto tensor = [&](std::size_t i, std::size_t j) { return tensor_and_slopes[i * n_ + j]; };
    const auto twist = [&](std::size_t j, std::size_t k, std::size_t l) {
      Known r = tensor_and_slopes[n_ * n_ + (j * n_ + k) * n_ + l];
      r += -tensor_and_slopes[n_ * n_ + (j * n_ + l) * n_ + k];
      return r;
    };
    float128 largest = 0;
    for (std::size_t i = 0; i < n_ * n_; ++i) largest = std::max(largest, float128(abs(tensor_and_slopes[i].value)));
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; largest > 0 && j < n_; ++j) {
        sizes_(index(i), index(j)) += static_cast<Real>(float128(abs(tensor(i, j).value) / largest));
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i + 1; j < n_; ++j) {
        std::vector<Known> row(unknowns());
        for (std::size_t k = 0; k < n_; ++k) {
          row[place(i, k)] += tensor(k, j);
          row[place(j, k)] += -tensor(k, i);
        }
        rows_.push_back(row);
        for (std::size_t l = j + 1; l < n_; ++l) {
          row.assign(unknowns(), {});
          for (std::size_t m = 0; m < n_; ++m) {
            row[place(i, m)] += twist(m, j, l);
            row[place(j, m)] += twist(m, l, i);
            row[place(l, m)] += twist(m, i, j);
          }
          rows_.push_back(row);
        }
      }
    }
  }

  /// What the conditions leave of g, in units in which T^i_j and T^j_i have similar sizes.
  struct Solutions {
    RealMatrix basis;  ///< orthonormal, as columns
    Real smallest_counted = std::numeric_limits<Real>::infinity();
    Real largest_dropped = 0;
    bool reliable = true;  ///< no singular value is near the bound
  };
  Solutions solutions() const {
    const std::vector<Real> unit = units();
    RealMatrix matrix = RealMatrix::Zero(index(std::max(rows_.size(), unknowns())), index(unknowns()));
    Eigen::Index used = 0;
    float128 worst_error = 0;
    for (const std::vector<Known>& row : rows_) {
      float128 size = 0;
      float128 error = 0;
      std::vector<float128> scaled;
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t j = i; j < n_; ++j) {
          const float128 scale = float128(1) / (float128(unit[i]) * float128(unit[j]));
          scaled.push_back(row[place(i, j)].value * scale);
          size = std::max(size, float128(abs(scaled.back())));
          error = std::max(error, float128(row[place(i, j)].error * scale));
        }
      }
      if (error > largest_row_error * size || size == 0) continue;
      worst_error = std::max(worst_error, float128(error / size));
      for (std::size_t k = 0; k < scaled.size(); ++k)
        matrix(used, index(k)) = static_cast<Real>(float128(scaled[k] / size));
      matrix.row(used).normalize();
      ++used;
    }
    const Eigen::JacobiSVD<RealMatrix> svd(matrix, Eigen::ComputeFullV);
    const Real bound = std::max(counted, 30.0L * std::sqrt(static_cast<Real>(used)) * static_cast<Real>(worst_error));
    Solutions result;
    Eigen::Index rank = 0;
    for (Eigen::Index k = 0; k < index(unknowns()); ++k) {
      const Real value = svd.singularValues()(k);
      (value > bound ? result.smallest_counted : result.largest_dropped) = value;
      if (value > bound) ++rank;
    }
    // Singular values descend: the last counted is the smallest, but the last dropped is not the largest.
    if (rank < index(unknowns())) result.largest_dropped = svd.singularValues()(rank);
    result.reliable = result.smallest_counted > uncertain * bound || rank == 0;
    result.reliable = result.reliable && result.largest_dropped * uncertain <= bound;
    result.basis = svd.matrixV().rightCols(index(unknowns()) - rank);
    return result;
  }

  RealMatrix symmetric(const Eigen::Matrix<Real, Eigen::Dynamic, 1>& g) const {
    RealMatrix result(index(n_), index(n_));
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) result(index(i), index(j)) = g(index(place(i, j)));
    }
    return result;
  }

 private:
  static Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }
  std::size_t place(std::size_t i, std::size_t j) const {
    if (i > j) std::swap(i, j);
    return i * n_ - i * (i + 1) / 2 + j;
  }

  /// Units d of the coordinates, powers of two, that balance T^i_j d_j/d_i (E. E. Osborne, J. ACM 7 (1960) 338–345).
  std::vector<Real> units() const {
    std::vector<Real> unit(n_, 1.0L);
    for (int sweep = 0; sweep < 20; ++sweep) {
      for (std::size_t i = 0; i < n_; ++i) {
        Real row = 0;
        Real column = 0;
        for (std::size_t j = 0; j < n_; ++j) {
          if (j == i) continue;
          row += sizes_(index(i), index(j)) * unit[j] / unit[i];
          column += sizes_(index(j), index(i)) * unit[i] / unit[j];
        }
        if (row > 0 && column > 0) unit[i] *= std::exp2(std::round(0.5L * std::log2(row / column)));
      }
    }
    return unit;
  }

  std::size_t n_;
  std::vector<std::vector<Known>> rows_;
  RealMatrix sizes_;  ///< of the tensors' entries
};

/// A random point and what is known of g there.
struct Place {
  std::vector<float128> data;  ///< q, v, parameters
  Conditions conditions;
};

std::optional<std::vector<Known>> evaluate(Interpreter<float128>& program, const std::vector<float128>& data) {
  const std::vector<float128> numbers = program(data);
  const std::size_t count = numbers.size() / 2;
  std::vector<Known> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = {numbers[i], number_rounding * numbers[count + i]};
    if (!isfinite(result[i].value) || !isfinite(result[i].error)) return std::nullopt;
  }
  return result;
}

/// The best of random combinations.
Real best_regularity(const Conditions& conditions, const RealMatrix& basis, RandomPoints& random) {
  Real best = 0;
  for (int k = 0; k < combinations; ++k) {
    Eigen::Matrix<Real, Eigen::Dynamic, 1> weights(basis.cols());
    for (Eigen::Index i = 0; i < weights.size(); ++i) weights(i) = static_cast<Real>(random.signed_unit());
    const Eigen::Matrix<Real, Eigen::Dynamic, 1> g = basis * weights;
    best = std::max(best, relative_regularity<Real>(conditions.symmetric(g), 1e-15L));
  }
  return best;
}

/// Coordinates whose velocities no multiplier knows.
std::vector<std::string> idle_coordinates(const SecondOrderSystem& equations, const Conditions& conditions,
                                          const RealMatrix& basis) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < equations.dimension(); ++i) {
    Real size = 0;
    for (Eigen::Index k = 0; k < basis.cols(); ++k) {
      size = std::max(size, conditions.symmetric(basis.col(k)).row(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff());
    }
    if (size <= singular_below) names.push_back(equations.coordinates[i].name());
  }
  return names;
}

/// The dimension that most places agree on; the larger of two.
std::size_t common_dimension(const std::vector<std::size_t>& dimensions) {
  std::size_t best = 0;
  for (const std::size_t d : dimensions) {
    const auto votes = std::ranges::count(dimensions, d);
    const auto most = std::ranges::count(dimensions, best);
    if (votes > most || (votes == most && d > best)) best = d;
  }
  return best;
}

/// Decides whether what remains is singular; all places of the common dimension must agree.
void judge(const SecondOrderSystem& equations, const std::vector<Place>& places, HelmholtzReport& report) {
  RandomPoints random;
  Real largest = 0;
  Real smallest = std::numeric_limits<Real>::infinity();
  report.points = 0;
  for (const Place& place : places) {
    const Conditions::Solutions found = place.conditions.solutions();
    if (!found.reliable || static_cast<std::size_t>(found.basis.cols()) != report.dimension) continue;
    report.smallest_counted = std::min(report.smallest_counted, static_cast<double>(found.smallest_counted));
    report.largest_dropped = std::max(report.largest_dropped, static_cast<double>(found.largest_dropped));
    const Real best = best_regularity(place.conditions, found.basis, random);
    largest = std::max(largest, best);
    smallest = std::min(smallest, best);
    if (report.points++ > 0) continue;
    report.idle = idle_coordinates(equations, place.conditions, found.basis);
    for (std::size_t i = 0; i < 2 * equations.dimension(); ++i) {
      report.where.push_back(static_cast<double>(place.data[i]));
    }
  }
  if (2 * report.points <= static_cast<int>(places.size())) {
    report.reason = "singular values lie too near to the rounding of the conditions";
    return;
  }
  report.regular = smallest >= regular_above;
  report.decided = report.regular || largest <= singular_below;
  report.regularity = static_cast<double>(report.regular ? smallest : largest);
  if (!report.decided) {
    report.reason = fmt::format("what remains is neither clearly regular nor clearly singular: {:.1e} to {:.1e}",
                                static_cast<double>(smallest), static_cast<double>(largest));
  }
}

}  // namespace

HelmholtzReport examine_helmholtz(const SecondOrderSystem& equations, std::span<const double> parameters,
                                  const State& near) {
  const std::size_t n = equations.dimension();
  HelmholtzReport report;
  report.unknowns = n * (n + 1) / 2;
  report.dimension = report.unknowns;
  report.smallest_counted = std::numeric_limits<double>::infinity();
  if (n > most_coordinates) {
    report.reason = fmt::format("{} equations are too many: up to {} are examined", n, most_coordinates);
    return report;
  }
  const Vector inputs = equations.inputs();
  HelmholtzTower tower(equations);
  std::vector<Place> places;
  for (int level = 0; level < most_levels && !report.exhausted; ++level) {
    if (level > 0) tower.differentiate();
    const Vector functions = tower.functions();
    if (operation_count(functions) > most_operations) break;
    Interpreter<float128> program(make_program_with_magnitudes(inputs, functions));
    if (level == 0) {
      RandomPoints random;
      for (int attempt = 0; attempt < 8 * wanted_points && places.size() < wanted_points; ++attempt) {
        const State state{random.near(near.q, 0.7), random.near(std::vector<double>(n, 0.0), 1.0)};
        const std::vector<double> data = joined_data(state, parameters);
        Place place{{data.begin(), data.end()}, Conditions(n)};
        if (evaluate(program, place.data)) places.push_back(std::move(place));
      }
    }
    std::vector<std::size_t> dimensions;
    for (Place& place : places) {
      if (const auto values = evaluate(program, place.data)) place.conditions.add(*values);
      dimensions.push_back(static_cast<std::size_t>(place.conditions.solutions().basis.cols()));
    }
    const std::size_t dimension = common_dimension(dimensions);
    report.dimensions.push_back(dimension);
    report.exhausted = (level > 0 && dimension == report.dimension) || dimension == 0 || n <= 1;
    report.dimension = dimension;
  }
  if (places.empty() || report.dimensions.empty()) {
    report.reason = report.dimensions.empty() ? "the conditions are too large to be written down"
                                              : "the equations are not defined at random points about the start";
    return report;
  }
  judge(equations, places, report);
  return report;
}

}  // namespace rattleback
