#include "rattleback/method/modified.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "../base/not_a_number.hpp"
#include "orbit.hpp"
#include "rattleback/expr/derivative.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/kernel/quadruple.hpp"
#include "rattleback/method/modified_series.hpp"

namespace rattleback {
namespace {

constexpr Estimate nothing{not_a_number, not_a_number};
constexpr int most_neighbours = 12;  ///< on each side

/// Orbits around a state.
template <class T>
class Probe {
 public:
  Probe(const Method& method, const Problem& problem) : orbit_(method, problem) {
    if (method.canonical->conformal) energy_entry_ = method.canonical->conformal->entry;
  }

  void set(std::span<const double> state, std::span<const double> velocity) {
    state_.assign(state.begin(), state.end());
    velocity_ = velocity;
  }
  T& energy() { return state_[energy_entry_]; }

  /// K and its derivative with respect to an entry of the state. There is none beyond the end of the state.
  std::optional<Sloped<T>> hamiltonian(const T& h, int w, std::size_t entry) {
    std::vector<T> direction(state_.size());
    if (entry < direction.size()) direction[entry] = T(1);
    orbit_.begin(state_, velocity_, direction, h);
    return orbit_.hamiltonian(w);
  }
  std::optional<Sloped<T>> hamiltonian(const T& h, int w) { return hamiltonian(h, w, state_.size()); }
  /// With more points than the last time.
  std::optional<Sloped<T>> hamiltonian(int w) { return orbit_.hamiltonian(w); }

  /// 𝓔, which becomes the E of the state, and ∂K/∂E = −N_mod there: Newton iteration from the E of the state.
  std::optional<Sloped<T>> conformal(const T& h, int w) {
    using std::abs;
    T first = 0;
    for (T last = std::numeric_limits<T>::max();;) {
      const auto k = hamiltonian(h, w, energy_entry_);
      if (!k) return std::nullopt;
      const T change = -k->value / k->slope;
      if (!(change * T(0) == T(0))) return std::nullopt;
      // Corrections that do not become smaller any more are rounding, or there is no solution.
      const T size = abs(energy()) + first;
      if (!(abs(change) < last) || abs(change) <= std::numeric_limits<T>::epsilon() * size) {
        if (!(abs(change) <= T(1e-6) * size)) return std::nullopt;
        return Sloped<T>{energy(), k->slope};
      }
      energy() += change;
      last = abs(change);
      if (first == T(0)) first = last;
    }
  }

 private:
  Orbit<T> orbit_;
  std::size_t energy_entry_ = 0;
  std::vector<T> state_;
  std::span<const double> velocity_;
};

/// Values and what they depend on, for Σ_{j≤ℓ} c_j h^j of a function with f(η) ~ Σ c_j η^j.
class Truncation {
 public:
  /// Steps are small compared with h: the terms beyond the last one that is fitted do not matter. They are Chebyshev
  /// nodes, on both sides of 0; only half of them if f is even.
  Truncation(double h, int ell, bool even) : h_(h), even_(even) {
    constexpr double fraction = 1.0 / 12.0;
    const int count = even ? ell / 2 + 8 : ell + 10 + ell % 2;
    kept_ = static_cast<std::size_t>(even ? ell / 2 : ell) + 1;
    for (int i = 0; i < count; ++i) {
      steps_.push_back(float128(h) * fraction *
                       std::cos(std::numbers::pi * (2 * i + 1) / (2 * count * (even ? 2 : 1))));
    }
  }
  const std::vector<float128>& steps() const { return steps_; }

  Estimate operator()(const std::vector<float128>& values) const {
    const float128 all = sum(values);
    const float128 fewer = sum({values.begin(), values.end() - 1});
    return {static_cast<double>(all), static_cast<double>(abs(all - fewer))};
  }

 private:
  /// Newton's interpolation polynomial in h, or h², and its lowest terms.
  float128 sum(std::vector<float128> f) const {
    const std::size_t n = f.size();
    const auto x = [&](std::size_t i) { return even_ ? steps_[i] * steps_[i] : steps_[i]; };
    for (std::size_t k = 1; k < n; ++k) {
      for (std::size_t i = n - 1; i >= k; --i) f[i] = (f[i] - f[i - 1]) / (x(i) - x(i - k));
    }
    std::vector<float128> c{f[n - 1]};
    for (std::size_t k = n - 1; k-- > 0;) {  // c ← c·(x − x_k) + f_k
      c.insert(c.begin(), float128(0));
      for (std::size_t j = 0; j + 1 < c.size(); ++j) c[j] -= x(k) * c[j + 1];
      c[0] += f[k];
    }
    float128 total = 0;
    const float128 power = even_ ? float128(h_) * h_ : float128(h_);
    for (std::size_t j = kept_; j-- > 0;) total = total * power + c[j];
    return total;
  }

  double h_;
  bool even_;
  std::size_t kept_ = 0;
  std::vector<float128> steps_;
};

/// Of the orbits that series are extrapolated from: their error is far below what matters.
constexpr int series_neighbours = 6;

double distance(double x, double y) { return std::abs(x - y); }

}  // namespace

const CanonicalStep& require_canonical(const Method& method) {
  if (!method.canonical) {
    throw MethodError(
        "a modified Hamiltonian needs a step that comes from a discrete Lagrangian alone: that of hdel, pthdel, "
        "conformal or free, or of del for systems without rotations and applied forces that do not depend on time");
  }
  return *method.canonical;
}

const CanonicalStep::Conformal& require_conformal(const Method& method) {
  if (!require_canonical(method).conformal) {
    throw MethodError("a modified conformal Hamiltonian needs an altered Lagrangian N (l + E): pthdel or conformal");
  }
  return *method.canonical->conformal;
}

struct ModifiedHamiltonian::Engines {
  Method method;
  Problem problem;
  bool extended;
  std::optional<Probe<double>> native;
  std::optional<Probe<float128>> precise;

  /// K^(ℓ), 𝓔^(ℓ), N^(ℓ), and perhaps the modified equation, as functions of (r, P, E, h, parameters).
  struct Formulas {
    int ell;
    bool have_equation;
    Kernel kernel;
    std::vector<double> data;
    std::vector<double> values;
  };
  std::optional<Formulas> formulas;

  /// The values at a state, if there are formulas for this truncation.
  const std::vector<double>* from_formulas(std::span<const double> state, double h, int ell) {
    if (!formulas || formulas->ell != ell) return nullptr;
    const CanonicalStep& c = *method.canonical;
    auto next = formulas->data.begin();
    for (const std::size_t i : c.positions) *next++ = state[i];
    for (const std::size_t i : c.momenta) *next++ = state[i];
    if (c.conformal) *next++ = state[c.conformal->entry];
    *next++ = h;
    std::copy(problem.parameters.begin(), problem.parameters.end(), next);
    formulas->kernel(formulas->data, formulas->values);
    return &formulas->values;
  }

  Probe<double>& in_double() {
    if (!native) native.emplace(method, problem);
    return *native;
  }
  Probe<float128>& in_quadruple() {
    require_quadruple("a modified Hamiltonian as a truncated series, or to more digits than double has,");
    if (!precise) precise.emplace(method, problem);
    return *precise;
  }

  /// More and more points until K does not change any more, or changes more than before. If changes become smaller by
  /// the factor q each time, what remains is q/(1 − q) of the last one.
  template <class T>
  Estimate value(Probe<T>& probe, const T& h, double tolerance, int& w, double* tail_of_change = nullptr) {
    Estimate best = nothing;
    auto last = probe.hamiltonian(h, 1);
    double change = not_a_number;
    int worse = 0;
    for (int k = 2; last && k <= most_neighbours && worse < 2; ++k) {
      const auto next = probe.hamiltonian(k);
      if (!next) break;
      const double before = std::exchange(change, static_cast<double>(abs(next->value - last->value)));
      const double tail = change < before ? change * change / (before - change) : change;
      const Estimate now{static_cast<double>(next->value), std::max(change, tail)};
      last = next;
      if (now.error < best.error || std::isnan(best.error)) {
        best = now;
        if (tail_of_change != nullptr) *tail_of_change = now.error / std::max(change, 1e-300);
        w = k;
        worse = 0;
      } else {
        ++worse;
      }
      if (best.error <= tolerance * std::abs(best.value)) break;
    }
    return best;
  }

  template <class T>
  ConformalValues conformal(Probe<T>& probe, const T& h, double tolerance, int& w) {
    // The number of points that is best for K at about the right E, then 𝓔 from as many, and from two fewer.
    if (!probe.conformal(h, 1)) return {nothing, nothing};
    double tail = 1.0;
    if (std::isnan(value(probe, h, tolerance, w, &tail).value)) return {nothing, nothing};
    const auto rough = probe.conformal(h, w - 1);
    const auto fine = rough ? probe.conformal(h, w) : std::nullopt;
    if (!fine) return {nothing, nothing};
    const Sloped<double> a{static_cast<double>(rough->value), static_cast<double>(rough->slope)};
    const Sloped<double> b{static_cast<double>(fine->value), static_cast<double>(fine->slope)};
    return {{b.value, tail * distance(a.value, b.value)}, {-b.slope, tail * distance(a.slope, b.slope)}};
  }
};

ModifiedHamiltonian::ModifiedHamiltonian(const Method& method, const Problem& problem, Digits digits) {
  require_canonical(method);
  engines_ = std::make_unique<Engines>(Engines{method, problem, digits == Digits::extended, {}, {}, {}});
}

ModifiedHamiltonian::~ModifiedHamiltonian() = default;

bool ModifiedHamiltonian::use_formulas(int ell, bool with_modified_equation) {
  const auto& known = engines_->formulas;
  if (known && known->ell == ell && (known->have_equation || !with_modified_equation)) return true;
  ModifiedSeries series;
  try {
    series = modified_series(engines_->method, ell);
  } catch (const MethodError&) {
    return false;
  }
  const Expression h = step_symbol();
  const auto truncated = [&](const std::vector<Expression>& coefficients) {
    Expression total;
    for (std::size_t j = coefficients.size(); j-- > 0;) total = total * h + coefficients[j];
    return total;
  };
  std::vector<Expression> outputs{truncated(series.hamiltonian)};
  std::vector<Expression> inputs = joined({series.coordinates, series.momenta});
  if (series.energy_symbol) {
    outputs.push_back(truncated(series.energy));
    outputs.push_back(truncated(series.factor));
    if (with_modified_equation) {
      const Expression energy = outputs[1];
      const Expression factor =
          -substitute(derivative(outputs[0], *series.energy_symbol), {{*series.energy_symbol, energy}});
      for (const Expression& slope : gradient(energy, series.momenta)) outputs.push_back(factor * slope);
      for (const Expression& slope : gradient(energy, series.coordinates)) outputs.push_back(-factor * slope);
    }
    inputs.push_back(*series.energy_symbol);
  }
  inputs.push_back(h);
  inputs = joined({inputs, engines_->problem.system.parameters()});
  engines_->formulas.emplace(Engines::Formulas{ell, with_modified_equation, Kernel(make_program(inputs, outputs)),
                                               std::vector<double>(inputs.size()),
                                               std::vector<double>(outputs.size())});
  return true;
}

Estimate ModifiedHamiltonian::value(std::span<const double> state, std::span<const double> velocity, double h) {
  int w = 0;
  const auto in = [&](auto& probe, auto step) {
    probe.set(state, velocity);
    return engines_->value(probe, step, tolerance_, w);
  };
  const Estimate result = engines_->extended ? in(engines_->in_quadruple(), float128(h)) : in(engines_->in_double(), h);
  points_ = 2 * w + 1;
  return result;
}

ConformalValues ModifiedHamiltonian::conformal(std::span<const double> state, std::span<const double> velocity,
                                               double h) {
  require_conformal(engines_->method);
  int w = 0;
  const auto in = [&](auto& probe, auto step) {
    probe.set(state, velocity);
    return engines_->conformal(probe, step, tolerance_, w);
  };
  const ConformalValues result =
      engines_->extended ? in(engines_->in_quadruple(), float128(h)) : in(engines_->in_double(), h);
  points_ = 2 * w + 1;
  return result;
}

Estimate ModifiedHamiltonian::truncated(std::span<const double> state, std::span<const double> velocity, double h,
                                        int ell) {
  if (const auto* values = engines_->from_formulas(state, h, ell)) return {(*values)[0], 0.0};
  const Truncation series(h, ell, engines_->method.structure.symmetric);
  Probe<float128>& probe = engines_->in_quadruple();
  probe.set(state, velocity);
  std::vector<float128> values;
  for (const float128& step : series.steps()) {
    const auto k = probe.hamiltonian(step, series_neighbours);
    if (!k) return nothing;
    values.push_back(k->value);
  }
  return series(values);
}

ConformalValues ModifiedHamiltonian::truncated_conformal(std::span<const double> state,
                                                         std::span<const double> velocity, double h, int ell) {
  require_conformal(engines_->method);
  if (const auto* values = engines_->from_formulas(state, h, ell)) return {{(*values)[1], 0.0}, {(*values)[2], 0.0}};
  const Truncation series(h, ell, engines_->method.structure.symmetric);
  Probe<float128>& probe = engines_->in_quadruple();
  probe.set(state, velocity);
  std::vector<float128> energies;
  std::vector<float128> factors;
  for (const float128& step : series.steps()) {
    const auto e = probe.conformal(step, series_neighbours);
    if (!e) return {nothing, nothing};
    energies.push_back(e->value);
    factors.push_back(-e->slope);
  }
  return {series(energies), series(factors)};
}

// ∂𝓔/∂z = (∂K_mod/∂z)/N_mod at E = 𝓔, García-Naranjo & Vermeeren (4.6), z among (r, P). 𝓔 depends on nothing else.
std::vector<double> ModifiedHamiltonian::energy_gradient(std::span<const double> state,
                                                         std::span<const double> velocity, double h, int ell) {
  require_conformal(engines_->method);
  const CanonicalStep& canonical = *engines_->method.canonical;
  std::vector<std::size_t> entries = canonical.positions;
  entries.insert(entries.end(), canonical.momenta.begin(), canonical.momenta.end());
  const Truncation series(h, ell, engines_->method.structure.symmetric);
  Probe<float128>& probe = engines_->in_quadruple();
  probe.set(state, velocity);
  std::vector<std::vector<float128>> slopes(entries.size());
  for (const float128& step : series.steps()) {
    const auto e = probe.conformal(step, series_neighbours);
    for (std::size_t i = 0; e && i < entries.size(); ++i) {
      const auto k = probe.hamiltonian(step, series_neighbours, entries[i]);
      if (k) slopes[i].push_back(-k->slope / e->slope);
    }
  }
  std::vector<double> gradient(state.size(), 0.0);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool known = slopes[i].size() == series.steps().size();
    gradient[entries[i]] = known ? series(slopes[i]).value : not_a_number;
  }
  return gradient;
}

std::vector<double> ModifiedHamiltonian::modified_equation(std::span<const double> state,
                                                           std::span<const double> velocity, double h, int ell) {
  const CanonicalStep::Conformal& conformal = require_conformal(engines_->method);
  const auto* values = engines_->from_formulas(state, h, ell);
  if (values != nullptr && engines_->formulas->have_equation) return {values->begin() + 3, values->end()};
  const double energy = truncated_conformal(state, velocity, h, ell).energy.value;
  const std::vector<double> gradient = energy_gradient(state, velocity, h, ell);
  const Truncation series(h, ell, engines_->method.structure.symmetric);
  Probe<float128>& probe = engines_->in_quadruple();
  probe.set(state, velocity);
  probe.energy() = energy;
  std::vector<float128> factors;
  for (const float128& step : series.steps()) {
    const auto k = probe.hamiltonian(step, series_neighbours, conformal.entry);
    if (k) factors.push_back(-k->slope);
  }
  const double factor = factors.size() == series.steps().size() ? series(factors).value : not_a_number;
  std::vector<double> rates;
  for (const std::size_t i : engines_->method.canonical->momenta) rates.push_back(factor * gradient[i]);
  for (const std::size_t i : engines_->method.canonical->positions) rates.push_back(-factor * gradient[i]);
  return rates;
}

}  // namespace rattleback
