// The algebraic Helmholtz conditions at random points, in quadruple precision.

#include "rattleback/geometry/helmholtz.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "../mech/sampling.hpp"
#include "helmholtz_tower.hpp"
#include "rattleback/expr/graph.hpp"
#include "regularity.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;
using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

constexpr int wanted_points = 6;
constexpr int most_levels = 5;
constexpr std::size_t most_operations = 150000;
constexpr int combinations = 8;
constexpr Real counted = 1e-10L;       ///< singular values above this count
constexpr Real regular_above = 1e-6L;  ///< a multiplier this far from singular is regular
constexpr Real singular_below = 1e-10L;
/// Of the constants in expressions: where they were multiplied with each other they are right to double precision, and
/// what cancels does so no better, however precisely it is evaluated.
constexpr double rounding = 0x1p-45;

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
  float128 or_zero() const { return abs(value) <= error ? float128(0) : value; }
};

/// Linear equations for the symmetric matrices g, at one point.
class Conditions {
 public:
  explicit Conditions(std::size_t n) : n_(n), matrix_(0, static_cast<Eigen::Index>(unknowns())) {}

  std::size_t unknowns() const { return n_ * (n_ + 1) / 2; }

  /// g T is symmetric, and g_ij R^j_kl + cyclic = 0.
  void add(const std::vector<Known>& tensor_and_slopes) {
    const auto tensor = [&](std::size_t i, std::size_t j) { return tensor_and_slopes[i * n_ + j]; };
    const auto twist = [&](std::size_t j, std::size_t k, std::size_t l) {
      Known r = tensor_and_slopes[n_ * n_ + (j * n_ + k) * n_ + l];
      r += -tensor_and_slopes[n_ * n_ + (j * n_ + l) * n_ + k];
      return r;
    };
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i + 1; j < n_; ++j) {
        std::vector<Known> row(unknowns());
        for (std::size_t k = 0; k < n_; ++k) {
          row[index(i, k)] += tensor(k, j);
          row[index(j, k)] += -tensor(k, i);
        }
        add_row(row);
        for (std::size_t l = j + 1; l < n_; ++l) {
          row.assign(unknowns(), {});
          for (std::size_t m = 0; m < n_; ++m) {
            row[index(i, m)] += twist(m, j, l);
            row[index(j, m)] += twist(m, l, i);
            row[index(l, m)] += twist(m, i, j);
          }
          add_row(row);
        }
      }
    }
  }

  /// An orthonormal basis of the solutions, as columns.
  RealMatrix solutions(HelmholtzReport& report) const {
    const auto size = static_cast<Eigen::Index>(unknowns());
    RealMatrix square = RealMatrix::Zero(std::max(matrix_.rows(), size), size);
    square.topRows(matrix_.rows()) = matrix_;
    const Eigen::JacobiSVD<RealMatrix> svd(square, Eigen::ComputeFullV);
    Eigen::Index rank = 0;
    for (Eigen::Index k = 0; k < size; ++k) {
      const Real value = svd.singularValues()(k);
      if (value > counted) {
        ++rank;
        report.smallest_counted = std::min(report.smallest_counted, static_cast<double>(value));
      } else {
        report.largest_dropped = std::max(report.largest_dropped, static_cast<double>(value));
      }
    }
    return svd.matrixV().rightCols(size - rank);
  }

  RealMatrix symmetric(const Eigen::Matrix<Real, Eigen::Dynamic, 1>& g) const {
    const auto n = static_cast<Eigen::Index>(n_);
    RealMatrix result(n, n);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = g(static_cast<Eigen::Index>(index(i, j)));
      }
    }
    return result;
  }

 private:
  std::size_t index(std::size_t i, std::size_t j) const {
    if (i > j) std::swap(i, j);
    return i * n_ - i * (i + 1) / 2 + j;
  }

  void add_row(const std::vector<Known>& row) {
    float128 size = 0;
    for (const Known& x : row) size = std::max(size, float128(abs(x.or_zero())));
    if (size == 0) return;
    matrix_.conservativeResize(matrix_.rows() + 1, Eigen::NoChange);
    for (std::size_t k = 0; k < row.size(); ++k) {
      matrix_(matrix_.rows() - 1, static_cast<Eigen::Index>(k)) = static_cast<Real>(float128(row[k].or_zero() / size));
    }
    matrix_.bottomRows(1).normalize();
  }

  std::size_t n_;
  RealMatrix matrix_;
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
    result[i] = {numbers[i], rounding * numbers[count + i]};
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
    best = std::max(best, relative_regularity<Real>(conditions.symmetric(g), 1e-14L));
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

/// Decides whether what remains is singular; all places must agree.
void judge(const SecondOrderSystem& equations, const std::vector<Place>& places, HelmholtzReport& report) {
  RandomPoints random;
  Real largest = 0;
  Real smallest = std::numeric_limits<Real>::infinity();
  bool first = true;
  for (const Place& place : places) {
    const RealMatrix basis = place.conditions.solutions(report);
    if (static_cast<std::size_t>(basis.cols()) != report.dimension) continue;  // a special point
    const Real best = best_regularity(place.conditions, basis, random);
    largest = std::max(largest, best);
    smallest = std::min(smallest, best);
    if (!first) continue;
    first = false;
    report.idle = idle_coordinates(equations, place.conditions, basis);
    for (std::size_t i = 0; i < 2 * equations.dimension(); ++i) {
      report.where.push_back(static_cast<double>(place.data[i]));
    }
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
  const Vector inputs = equations.inputs();
  HelmholtzTower tower(equations);
  std::vector<Place> places;
  for (int level = 0; level < most_levels; ++level) {
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
    std::size_t dimension = report.unknowns;
    for (Place& place : places) {
      const auto values = evaluate(program, place.data);
      if (!values) continue;
      place.conditions.add(*values);
      HelmholtzReport unused;
      dimension = std::min(dimension, static_cast<std::size_t>(place.conditions.solutions(unused).cols()));
    }
    report.dimensions.push_back(dimension);
    report.exhausted = (level > 0 && dimension == report.dimension) || dimension == 0 || n <= 1;
    report.dimension = dimension;
    if (report.exhausted) break;
  }
  report.points = static_cast<int>(places.size());
  if (places.empty() || report.dimensions.empty()) {
    report.reason = report.dimensions.empty() ? "the conditions are too large to be written down"
                                              : "the equations are not defined at random points about the start";
    return report;
  }
  judge(equations, places, report);
  return report;
}

}  // namespace rattleback
