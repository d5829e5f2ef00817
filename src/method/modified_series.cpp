// The modified Hamiltonian as a power series, K = K₀ + h K₁ + h² K₂ + …, from the relation between a motion and its
// action: for the motion of K through (r, P) in the middle of a step,
//
//     h K = ∫ P·ṙ dt − L_d(r(−h/2), r(h/2)),     t from −h/2 to h/2.
//
// The coefficient of h^{n+1} on the right depends on K₀, …, K_{n−1} alone: K_n changes the velocity by h^n ∂K_n/∂P, and
// P·ṙ by as much as L_d/h, whose derivative with respect to the velocity is P. Derivatives along the motion are Poisson
// brackets with K. For symmetric methods odd powers vanish.

#include "rattleback/method/modified_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/expr/tidy.hpp"
#include "rattleback/method/modified.hpp"
#include "rattleback/model/legendre.hpp"

namespace rattleback {
namespace {

using Vector = std::vector<Expression>;
/// Coefficients of powers of h.
using Series = std::vector<Expression>;

Series& operator+=(Series& a, const Series& b) {
  for (std::size_t j = 0; j < std::min(a.size(), b.size()); ++j) a[j] += b[j];
  return a;
}

/// c h^shift a
Series scaled(const Series& a, double c, std::size_t shift) {
  Series result(a.size());
  for (std::size_t j = shift; j < a.size(); ++j) result[j] = c * a[j - shift];
  return result;
}

Series times(const Series& a, const Series& b) {
  Series result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; i + j < a.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

/// One polynomial over a denominator: what cancels is then seen, and derivatives do not grow more than they must.
struct Simplifier {
  static constexpr std::size_t most_terms = 20000;
  const ParameterNumbers& numbers;

  Expression operator()(const Expression& x) const { return factored(x, most_terms, numbers); }
  Series operator()(Series a) const {
    for (Expression& x : a) x = (*this)(x);
    return a;
  }
};

/// The same where h is not 0, without h·h⁻¹ in any product: regular at h = 0 if that was the only pole.
Expression without_pole(const Expression& expression, const Expression& h) {
  const Graph graph({&expression, 1});
  Vector result;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Expression& e = graph[i];
    std::vector<Term> operands(e.operands().begin(), e.operands().end());
    for (Term& t : operands) t.expression = result[graph.index(t.expression)];
    switch (e.kind()) {
      case Kind::constant:
      case Kind::symbol: result.push_back(e); break;
      case Kind::function: {
        Vector arguments;
        for (const Term& t : operands) arguments.push_back(t.expression);
        result.push_back(call(e.function(), arguments));
        break;
      }
      case Kind::power: result.push_back(pow(operands[0].expression, operands[1].expression)); break;
      case Kind::sum: result.push_back(sum(operands, e.value())); break;
      case Kind::product: {
        const Expression plain = product(operands, e.value());
        double power = 0.0;
        std::vector<Term> others;
        for (const Term& t : plain.kind() == Kind::product ? plain.operands() : std::span<const Term>()) {
          if (t.expression == h) {
            power += t.weight;
          } else {
            others.push_back(t);
          }
        }
        result.push_back(plain.kind() == Kind::product ? product(others, plain.value()) * pow(h, power) : plain);
        break;
      }
    }
  }
  return result.back();
}

/// Of one coefficient: derivatives of more take too long.
constexpr std::size_t most_operations = 100000;
/// Of what a coefficient is made of, before anything cancels: seconds and some hundred megabytes.
constexpr std::size_t most_intermediate_operations = 1000000;

void require_size(const Expression& x, std::size_t most) {
  if (operation_count(x) <= most) return;
  throw MethodError(
      "the formulas of the modified Hamiltonian become too large; there are values at a point, formulas of a lower "
      "`order`, and shorter ones with numbers for the parameters (`numbers`)");
}

class Expansion {
 public:
  Expansion(const Vector& r, const Vector& p, const Expression& hamiltonian, const Expression& action,
            const Vector& increments, std::size_t size, const Simplifier& simple)
      : r_(r), p_(p), action_(action), increments_(increments), size_(size), simple_(simple),
        hamiltonian_{simple(hamiltonian)} {}

  /// K_n for the next n, which is 0 for odd ones of symmetric methods.
  void extend(bool is_zero) { hamiltonian_.push_back(is_zero ? Expression(0.0) : next()); }
  const Series& hamiltonian() const { return hamiltonian_; }

 private:
  /// df/dt = Σ h^j {f, K_j}, up to the power `last` of h.
  Series along_motion(const Series& f, const std::vector<Vector>& flow, std::size_t last) const {
    const Vector z = joined({r_, p_});
    Series result(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (f[i].is_constant()) continue;
      for (std::size_t j = 0; j < flow.size() && i + j <= last; ++j) {
        result[i + j] += directional_derivative({&f[i], 1}, z, flow[j])[0];
      }
    }
    result = simple_(std::move(result));
    for (const Expression& x : result) require_size(x, most_operations);
    return result;
  }

  /// L_d/h for r(t) = Σ r^(k) t^k/k!.
  Expression discrete(const std::vector<std::vector<Series>>& derivatives, std::size_t n) const {
    const Expression h = step_symbol();
    Substitution velocity;
    Vector w;
    for (const Expression& x : increments_) {
      w.push_back(Expression::symbol("w(" + x.name() + ")"));
      velocity.emplace(x, h * w.back());
    }
    Expression f = without_pole(substitute(action_, velocity) / h, h);

    // Symbols for the coefficients of the left end and of Δ/h, so that f is expanded once.
    Substitution series;
    Substitution values;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      Series left(size_);
      Series slope(size_);
      double factorial = 1.0;
      for (std::size_t k = 0; k < derivatives.size(); ++k) {
        if (k > 0) factorial *= static_cast<double>(k);
        const double half = std::pow(0.5, static_cast<double>(k)) / factorial;
        left += scaled(derivatives[k][i], k % 2 == 0 ? half : -half, k);
        if (k % 2 == 1) slope += scaled(derivatives[k][i], 2.0 * half, k - 1);
      }
      Expression at_left;
      Expression at_slope;
      for (std::size_t j = 0; j <= n; ++j) {
        const Expression power = pow(h, static_cast<int>(j));
        const Expression a = Expression::symbol(fmt::format("left({},{})", i, j));
        const Expression b = Expression::symbol(fmt::format("slope({},{})", i, j));
        values.emplace(a, left[j]);
        values.emplace(b, slope[j]);
        at_left += a * power;
        at_slope += b * power;
      }
      series.emplace(r_[i], at_left);
      series.emplace(w[i], at_slope);
    }
    f = substitute(f, series);
    double factorial = 1.0;
    for (std::size_t k = 1; k <= n; ++k) {
      f = derivative(f, h);
      require_size(f, most_intermediate_operations);
      factorial *= static_cast<double>(k);
    }
    return substitute(substitute(f, {{h, Expression(0.0)}}), values) / factorial;
  }

  Expression next() {
    const std::size_t n = hamiltonian_.size();
    std::vector<Vector> flow;  // J ∇K_j
    for (const Expression& k : hamiltonian_) {
      Vector field = gradient(k, p_);
      for (const Expression& x : gradient(k, r_)) field.push_back(-x);
      for (Expression& x : field) x = simple_(x);
      flow.push_back(std::move(field));
    }
    std::vector<std::vector<Series>> derivatives{{}};
    for (const Expression& x : r_) {
      derivatives[0].emplace_back(size_);
      derivatives[0].back()[0] = x;
    }
    for (std::size_t k = 1; k <= n + 1; ++k) {
      derivatives.emplace_back();
      for (const Series& x : derivatives[k - 1]) derivatives[k].push_back(along_motion(x, flow, n + 1 - k));
    }

    // (1/h) ∫ P·ṙ dt = Σ_{k even} (h/2)^k/(k+1)! (P·ṙ)^(k)
    Series work(size_);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      Series p(size_);
      p[0] = p_[i];
      work += times(p, derivatives[1][i]);
    }
    work = simple_(std::move(work));
    Expression total;
    double factorial = 1.0;
    for (std::size_t k = 0; k <= n; ++k) {
      factorial *= static_cast<double>(k + 1);
      if (k % 2 == 0) total += std::pow(0.5, static_cast<double>(k)) / factorial * work[n - k];
      if (k < n) work = along_motion(work, flow, n - k - 1);
    }
    const Expression coefficient = simple_(total - discrete(derivatives, n));
    require_size(coefficient, most_operations);
    return coefficient;
  }

  const Vector& r_;
  const Vector& p_;
  const Expression& action_;
  const Vector& increments_;
  std::size_t size_;
  const Simplifier& simple_;
  Series hamiltonian_;
};

/// Σ h^j f_j(E) at E = e, as a series.
Series composed(const Series& f, const Expression& symbol, const Series& e) {
  Series difference = e;
  difference[0] = Expression(0.0);
  Series result(e.size());
  for (std::size_t j = 0; j < f.size(); ++j) {
    Expression slope = f[j];
    Series power(e.size());
    power[0] = Expression(1.0);
    double factorial = 1.0;
    for (std::size_t k = 0; k + j < e.size(); ++k) {
      if (k > 0) {
        slope = derivative(slope, symbol);
        power = times(power, difference);
        factorial *= static_cast<double>(k);
      }
      if (slope.is_constant(0.0)) break;
      const Expression at = substitute(slope, {{symbol, e[0]}}) / factorial;
      Series term = scaled(power, 1.0, j);
      for (Expression& x : term) x *= at;
      result += term;
    }
  }
  return result;
}

}  // namespace

Expression unused_symbol(std::string name, const System& system) {
  const auto is_taken = [&](const Expression& x) { return x.name() == name; };
  while (std::ranges::any_of(system.coordinates(), is_taken) || std::ranges::any_of(system.parameters(), is_taken)) {
    name += "_";
  }
  return Expression::symbol(name);
}

ModifiedSeries modified_series(const Method& method, int order, const ParameterNumbers& numbers) {
  const CanonicalStep& canonical = require_canonical(method);
  if (method.stages.size() > 1) {
    throw MethodError("there are no formulas for the modified Hamiltonian of a composition; numbers there are");
  }
  if (!canonical.motion) {
    throw MethodError(
        "there are no formulas for a modified Hamiltonian where the Lagrangian is not quadratic in the velocities; "
        "numbers there are");
  }
  const System& motion = *canonical.motion;
  ModifiedSeries series;
  series.numbers = numbers;
  series.coordinates = motion.coordinates();
  for (const Expression& r : motion.coordinates()) {
    series.momenta.push_back(unused_symbol("p_" + r.name(), motion));
  }
  const auto legendre = legendre_transform(motion.lagrangian(), motion.velocities(), series.momenta);
  if (!legendre) {
    throw MethodError(
        "there are no formulas for a modified Hamiltonian where the Lagrangian is not quadratic in the velocities, or "
        "has more than six; numbers there are");
  }
  const Vector increments = increment_symbols(motion);
  const Simplifier simple{numbers};
  Expansion expansion(series.coordinates, series.momenta, legendre->function, canonical.action, increments,
                      static_cast<std::size_t>(order) + 1, simple);
  for (int n = 1; n <= order; ++n) expansion.extend(method.structure.symmetric && n % 2 == 1);
  series.hamiltonian = expansion.hamiltonian();
  if (!canonical.conformal) return series;

  // 𝓔 = H + (1/N) Σ_{j>0} h^j K_j(𝓔), by as many iterations as there are powers of h.
  const Expression& e = *(series.energy_symbol = canonical.conformal->energy);
  const Expression& n = canonical.conformal->factor;
  Series rest = series.hamiltonian;
  rest[0] = Expression(0.0);
  series.energy.assign(rest.size(), Expression(0.0));
  series.energy[0] = simple(substitute(series.hamiltonian[0], {{e, Expression(0.0)}}) / n);
  for (int k = 1; k <= order; ++k) {
    const Series right = composed(rest, e, series.energy);
    for (const Expression& x : right) require_size(x, most_intermediate_operations);
    for (std::size_t j = 1; j < right.size(); ++j) series.energy[j] = simple(right[j] / n);
  }
  Series slopes;
  for (const Expression& k : series.hamiltonian) slopes.push_back(-derivative(k, e));
  series.factor = simple(composed(slopes, e, series.energy));
  return series;
}

}  // namespace rattleback
