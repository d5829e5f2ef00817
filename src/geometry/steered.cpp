// The class of Mestdag, Bloch & Fernandez: how a system of it is recognised.

#include "rattleback/geometry/steered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "../expr/determinant.hpp"
#include "../mech/sampling.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/print.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;

constexpr int steered_samples = 12;
constexpr double steered_rounding = 1e-11;  ///< relative

/// Coordinates, or velocities, on which expressions depend.
Vector occurring(const Vector& symbols, std::span<const Expression> expressions) {
  Vector found;
  const Vector all = free_symbols(expressions);
  for (const Expression& s : symbols) {
    if (std::ranges::find(all, s) != all.end()) found.push_back(s);
  }
  return found;
}

/// Parameters that are zero, as numbers.
Substitution absent(const System& system, std::span<const double> parameters) {
  Substitution zero;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == 0.0) zero.emplace(system.parameters()[i], Expression(0.0));
  }
  return zero;
}

ExpressionMatrix tidied(const SparseMatrix& matrix, const Substitution& absent) {
  ExpressionMatrix result = dense(matrix);
  for (Vector& row : result) {
    for (Expression& e : row) e = tidy(substitute(e, absent));
  }
  return result;
}

/// A quadratic form.
Expression pairing(const ExpressionMatrix& matrix, const Vector& x, const Vector& y) {
  Expression total;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) total += x[i] * matrix[i][j] * y[j];
  }
  return total;
}

/// X ∈ ker A on the columns other than r₁, by its minors: no pole that the constraints do not have. Its first entry is
/// that of the first column.
Vector kernel(const ExpressionMatrix& matrix) {
  Vector result;
  const std::size_t width = matrix[0].size();
  for (std::size_t j = 0; j < width; ++j) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < width; ++i) {
      if (i != j) others.push_back(i);
    }
    result.push_back((j % 2 == 0 ? 1.0 : -1.0) * determinant(columns(matrix, others)));
  }
  return result;
}

/// A vector divided by the factors that all its entries have.
Vector without_common_factors(const Vector& x) {
  Vector marks;
  Expression total;
  for (std::size_t i = 0; i < x.size(); ++i) {
    marks.push_back(Expression::symbol(fmt::format("entry({})", i)));
    total += x[i] * marks[i];
  }
  return gradient(without_common_factors(total), marks);
}

/// The constraints by rows, without factors that all entries of a row have. Where a row depends on several coordinates
/// they may be in a factor that is a sum: then it is divided by its first entry.
ExpressionMatrix simple_rows(const System& system, const Substitution& zero) {
  ExpressionMatrix rows = tidied(system.constraint_matrix(), zero);
  const ExpressionMatrix as_written = dense(system.constraint_matrix());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k] = without_common_factors(rows[k]);
    const std::size_t several = occurring(system.coordinates(), rows[k]).size();
    if (several < 2) continue;
    const auto first = std::ranges::find_if(rows[k], [](const Expression& e) { return !e.is_constant(0.0); });
    const Expression& pivot = as_written[k][static_cast<std::size_t>(first - rows[k].begin())];
    Vector divided;
    for (const Expression& e : as_written[k]) divided.push_back(tidy(substitute(e / pivot, zero)));
    if (occurring(system.coordinates(), divided).size() < several) rows[k] = divided;
  }
  return rows;
}

/// Functions of r₁ at random places near the start.
class AlongSteering {
 public:
  AlongSteering(const System& system, std::span<const double> parameters, const State& near, std::size_t steering)
      : system_(system), parameters_(parameters), near_(near), steering_(steering) {}

  /// The largest values of |f|; NaN where f is defined at none of the places.
  std::vector<double> sizes(const Vector& functions) const {
    std::vector<double> largest(functions.size(), std::nan(""));
    for (const std::vector<double>& values : values_of(functions)) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) largest[i] = std::fmax(largest[i], std::abs(values[i]));
      }
    }
    return largest;
  }

  bool changes_sign(const Expression& f) const {
    bool positive = false;
    bool negative = false;
    for (const std::vector<double>& values : values_of({f}, 10 * steered_samples, 4.0)) {
      positive = positive || values[0] > 0.0;
      negative = negative || values[0] < 0.0;
    }
    return positive && negative;
  }

  double at_start(const Expression& f) const { return values_of({f}, 1)[0][0]; }

  /// Up to the rounding of the terms.
  bool vanishes(const Expression& f, std::span<const Expression> terms) const {
    const auto size = sizes(joined({{&f, 1}, terms}));
    const double largest = *std::max_element(size.begin() + 1, size.end());
    return size[0] <= steered_rounding * largest;
  }
  bool is_constant(const Expression& f) const { return occurring({system_.coordinates()[steering_]}, {&f, 1}).empty(); }

  /// f itself, or its constant value as an expression of the parameters where it does not depend on r₁.
  Expression constant_or_same(const Expression& f) const {
    const Expression short_form = tidy(f);
    if (is_constant(short_form)) return short_form;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const std::vector<double>& values : values_of({short_form})) {
      if (!std::isfinite(values[0])) continue;
      low = std::min(low, values[0]);
      high = std::max(high, values[0]);
    }
    if (!(high - low <= steered_rounding * std::max(std::abs(high), std::abs(low)))) return short_form;
    return tidy(substitute(short_form, {{system_.coordinates()[steering_], Expression(near_.q[steering_])}}));
  }

 private:
  /// At random places in a box about the start, and at the start.
  std::vector<std::vector<double>> values_of(const Vector& functions, int count = steered_samples,
                                             double radius = 1.0) const {
    Interpreter<double> program(make_program(joined({system_.coordinates(), system_.parameters()}), functions));
    std::vector<std::vector<double>> list;
    RandomPoints random;
    for (int k = 0; k < count; ++k) {
      std::vector<double> point = near_.q;
      if (k > 0) point[steering_] = random.near({&near_.q[steering_], 1}, radius)[0];
      point.insert(point.end(), parameters_.begin(), parameters_.end());
      list.push_back(program(point));
    }
    return list;
  }

  const System& system_;
  std::span<const double> parameters_;
  const State& near_;
  std::size_t steering_;
};

/// Y: A Y = 0, ⟨X, M Y⟩ = 0, Y_{r₁} = 1, if it is constant. Where one of its entries is zero it is found without
/// dividing by more than the constraints do.
std::optional<Vector> find_shear(const ExpressionMatrix& rows, const ExpressionMatrix& masses, const SteeredSystem& s,
                                 const Vector& direction, const AlongSteering& along) {
  const std::size_t n = masses.size();
  Vector momentum(n);  // M X
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    for (std::size_t j = 0; j < n; ++j) momentum[j] += direction[i] * masses[s.moved[i]][j];
  }
  Vector steering(n);
  steering[s.steering] = Expression(1.0);
  const auto acts_on_steering = [&](const Vector& row) { return !tidy(row[s.steering]).is_constant(0.0); };
  if (std::ranges::none_of(rows, acts_on_steering) && !acts_on_steering(momentum)) return steering;
  ExpressionMatrix right(n, Vector(1));
  right.back()[0] = Expression(1.0);
  std::vector<Vector> last_conditions;
  for (const std::size_t i : s.moved) {
    last_conditions.emplace_back(n);
    last_conditions.back()[i] = Expression(1.0);
  }
  last_conditions.push_back(momentum);
  for (const Vector& condition : last_conditions) {
    ExpressionMatrix conditions = rows;
    conditions.push_back(condition);
    conditions.push_back(steering);
    if (determinant(conditions).is_constant(0.0)) continue;
    Vector shear;
    Expression across;
    Vector sizes;
    for (const Vector& entry : solved(conditions, right)) {
      shear.push_back(along.constant_or_same(entry[0]));
      sizes.push_back(momentum[shear.size() - 1] * shear.back());
      across += sizes.back();
    }
    const bool is_constant = std::ranges::all_of(shear, [&](const Expression& e) { return along.is_constant(e); });
    if (is_constant && along.vanishes(across, sizes)) return shear;
  }
  return std::nullopt;
}

/// Σ length of −X_β/X_i: how simple the paper's A_β are if coordinate i is r₂.
std::size_t length_of_slopes(const Vector& direction, std::size_t i) {
  std::size_t length = 0;
  for (std::size_t b = 0; b < direction.size(); ++b) {
    if (b != i) length += operation_count(tidy(direction[b] / direction[i]));
  }
  return length;
}

std::string why_not_mechanical(const System& system, const ExpressionMatrix& masses, const Substitution& zero) {
  if (system.constraints().empty()) return "there are no velocity constraints";
  if (!system.holonomic().empty()) return "there are holonomic constraints";
  if (system.is_affine()) return "the constraints are affine";
  if (!system.applied_forces().empty()) return "there are applied forces";
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto v = occurring(system.velocities(), masses[i]);
    if (!v.empty()) return fmt::format("the Lagrangian is not quadratic in the velocity {}", v[0].name());
    for (std::size_t j = 0; j < masses.size(); ++j) {
      const auto q = occurring(system.coordinates(), {&masses[i][j], 1});
      if (q.empty()) continue;
      return fmt::format("the mass matrix is not constant: M[{},{}] = {} depends on {}", system.coordinates()[i].name(),
                         system.coordinates()[j].name(), shortened(masses[i][j], 60), q[0].name());
    }
  }
  Substitution rest = zero;
  for (const Expression& v : system.velocities()) rest.emplace(v, Expression(0.0));
  // Terms linear in the velocities are a total derivative, or act like a magnetic field.
  const Vector potential = substitute(system.momenta(), rest);
  for (std::size_t i = 0; i < potential.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Expression field =
          derivative(potential[i], system.coordinates()[j]) - derivative(potential[j], system.coordinates()[i]);
      if (!tidy(field).is_constant(0.0)) return "the Lagrangian has terms that are linear in the velocities";
    }
  }
  return "";
}

/// Entries in another order.
template <class T>
std::vector<T> with_first(std::vector<T> list, std::size_t first) {
  std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first),
              list.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  return list;
}

}  // namespace

Expression SteeredSystem::speed(const System& system) const {
  Vector along(system.dimension());
  for (std::size_t i = 0; i < moved.size(); ++i) along[moved[i]] = direction[i];
  return pairing(dense(system.mass_matrix()), along, system.velocities());
}

Vector SteeredSystem::slopes() const {
  Vector result;
  for (std::size_t i = 1; i < moved.size(); ++i) result.push_back(tidy(-direction[i] / direction[0]));
  return result;
}

Vector steered_direction(const System& system, const SteeredSystem& steered,
                         const ExpressionMatrix& constraint_matrix) {
  // The sign of minors depends on the order of the columns: X is what it is for ascending ones.
  std::vector<std::size_t> ascending = steered.moved;
  std::ranges::sort(ascending);
  const ExpressionMatrix masses = dense(system.mass_matrix());
  ExpressionMatrix block;
  for (const std::size_t i : ascending) block.push_back(columns({masses[i]}, ascending)[0]);
  const Vector unscaled = without_common_factors(kernel(columns(constraint_matrix, ascending)));
  const Expression length = sqrt(tidy(pairing(block, unscaled, unscaled)));
  Vector result;
  for (const std::size_t i : steered.moved) {
    const auto at = static_cast<std::size_t>(std::ranges::find(ascending, i) - ascending.begin());
    result.push_back(steered.orientation * unscaled[at] / length);
  }
  return result;
}

namespace {

SteeredSearch search_steered(const System& system, std::span<const double> parameters, const State& near) {
  const std::size_t n = system.dimension();
  const Substitution zero = absent(system, parameters);
  const ExpressionMatrix masses = tidied(system.mass_matrix(), zero);
  SteeredSearch search;
  search.reason = why_not_mechanical(system, masses, zero);
  if (!search.reason.empty()) return search;
  if (system.constraints().size() + 2 != n) {
    const std::size_t m = system.constraints().size();
    search.reason = fmt::format("{} constraint{} on {} coordinates: the system can move in {} direction{}, not in 2", m,
                                m == 1 ? "" : "s", n, n - m, n - m == 1 ? "" : "s");
    return search;
  }
  const ExpressionMatrix rows = simple_rows(system, zero);
  Vector entries;
  for (const Vector& row : rows) entries = joined({entries, row});
  const Vector steering = occurring(system.coordinates(), entries);
  if (steering.size() != 1) {
    std::vector<std::string> names;
    for (const Expression& q : steering) names.push_back(q.name());
    search.reason = names.empty() ? "the constraints depend on no coordinate: they are integrable"
                                  : fmt::format("the constraints depend on several coordinates, {}, not on one alone",
                                                fmt::join(names, ", "));
    return search;
  }
  SteeredSystem s;
  s.rows = rows;
  s.steering =
      static_cast<std::size_t>(std::ranges::find(system.coordinates(), steering[0]) - system.coordinates().begin());
  for (std::size_t i = 0; i < n; ++i) {
    if (i != s.steering) s.moved.push_back(i);
  }
  const AlongSteering along(system, parameters, near, s.steering);

  Vector direction = steered_direction(system, s, rows);
  for (Expression& x : direction) x = along.constant_or_same(substitute(x, zero));
  const std::vector<double> size = along.sizes(direction);
  if (std::ranges::any_of(size, [](double x) { return std::isnan(x); })) {
    search.reason = fmt::format("the constraints do not say in which direction the coordinates other than {} move",
                                steering[0].name());
    return search;
  }

  const std::optional<Vector> shear = find_shear(rows, masses, s, direction, along);
  if (!shear) {
    search.reason = fmt::format(
        "{} does not move uniformly: no constant direction Y that the constraints allow is orthogonal to X({})",
        steering[0].name(), steering[0].name());
    return search;
  }
  s.inertia = tidy(pairing(masses, *shear, *shear));
  if (!(along.at_start(s.inertia) > 0.0)) {
    search.reason = fmt::format("{} has no inertia", steering[0].name());
    return search;
  }

  // r₂: N constant if possible, or at least without zeros; then the choice for which the A_β are shortest.
  std::size_t base = 0;
  std::tuple best{true, true, ~std::size_t{0}};
  for (std::size_t i = 0; i < s.moved.size(); ++i) {
    if (size[i] == 0.0) continue;
    const bool varies = !occurring(steering, {&direction[i], 1}).empty();
    const std::tuple rank{varies, along.changes_sign(direction[i]), length_of_slopes(direction, i)};
    if (rank >= best) continue;
    best = rank;
    base = i;
  }
  s.density_is_constant = !std::get<0>(best);
  if (along.at_start(direction[base]) < 0.0) {
    s.orientation = -1.0;
    for (Expression& x : direction) x = tidy(-x);
  }
  s.moved = with_first(std::move(s.moved), base);
  s.direction = with_first(std::move(direction), base);
  for (const std::size_t i : s.moved) {
    s.shear.push_back((*shear)[i]);
    s.masses.push_back(masses[i][i]);
  }
  Substitution rest = zero;
  for (const Expression& v : system.velocities()) rest.emplace(v, Expression(0.0));
  s.potential = tidy(-substitute(system.lagrangian(), rest));
  s.potential_is_constant = occurring(system.coordinates(), {&s.potential, 1}).empty();
  search.found = std::move(s);
  return search;
}

}  // namespace

SteeredSearch find_steered(const System& system, std::span<const double> parameters, const State& near) {
  if (system.depends_on_time()) return {std::nullopt, "it depends on time explicitly"};
  try {
    return search_steered(system, parameters, near);
  } catch (const ExpressionError&) {  // divided by zero
    return {std::nullopt, "it has no inertia in some direction, or its constraints lose their rank everywhere"};
  }
}

}  // namespace rattleback
