// How far a step leads from the flow of its modified equation (García-Naranjo & Vermeeren, Theorem 4.2):
//
//     |Φ_h(r, P) − φ_h(r, P)| = O(h^{ℓ+2}),
//
// where φ is the flow of the conformally Hamiltonian system with the energy 𝓔^(ℓ) and the factor of (4.9). From every
// node the flow goes one step further, and is compared with the next one.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "../base/not_a_number.hpp"
#include "kinds.hpp"
#include "rattleback/method/modified.hpp"

namespace rattleback {
namespace {

using Numbers = std::vector<double>;

double largest_difference(const Numbers& a, const Numbers& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= largest)) largest = std::abs(a[i] - b[i]);
  }
  return largest;
}

/// The solution of x' = f(x) after a time, by Gragg's method in 2, 4, 6, … steps, extrapolated to infinitely many
/// (Bulirsch & Stoer 1966): until the change is rounding, or grows.
template <class F>
Numbers flow_of(F&& f, const Numbers& start, double time) {
  constexpr int most_levels = 12;
  std::vector<Numbers> row;  // of the extrapolation table
  Numbers best;
  double last = std::numeric_limits<double>::infinity();
  for (int level = 1; level <= most_levels; ++level) {
    const int n = 2 * level;
    const double h = time / n;
    const auto step = [&](const Numbers& from, const Numbers& rate, double size) {
      Numbers to = from;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += size * rate[i];
      return to;
    };
    Numbers before = start;
    Numbers here = step(start, f(start), h);
    for (int k = 1; k < n; ++k) before = std::exchange(here, step(before, f(here), 2.0 * h));
    Numbers end = step(before, f(here), h);  // Gragg's smoothing: ¼(y₋ + 2y + y₊), with y₊ = y₋ + 2h f
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = 0.5 * (end[i] + here[i]);
    for (std::size_t j = 0; j < row.size(); ++j) {  // T_{n,j} = T_{n,j−1} + (T_{n,j−1} − T_{n−1,j−1})/((n/m)² − 1)
      const double ratio = static_cast<double>(level) / static_cast<double>(level - static_cast<int>(j) - 1);
      Numbers finer = end;
      for (std::size_t i = 0; i < end.size(); ++i) finer[i] += (end[i] - row[j][i]) / (ratio * ratio - 1.0);
      row[j] = std::exchange(end, std::move(finer));
    }
    row.push_back(end);
    if (!best.empty()) {
      const double change = largest_difference(end, best);
      if (!(change < last)) break;
      last = change;
    }
    best = std::move(end);
    if (last == 0.0) break;
  }
  return best;
}

class ModifiedFlowObserver final : public Observer {
 public:
  ModifiedFlowObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, int ell)
      : Observer(std::move(quantity)), canonical_(*method.canonical), modified_(method, problem), h_(problem.step),
        ell_(ell) {
    modified_.use_formulas(ell, true);
  }

  std::int64_t first_node() const override { return 1; }
  void reset() override { before_.clear(); }
  std::string why_undefined() const override { return "the modified equation has no solution from the node before"; }

  void observe(const Stepper& stepper, std::span<double> values) override {
    values[0] = before_.empty() ? not_a_number : largest_difference(point(stepper.state()), flow());
    before_.assign(stepper.state().begin(), stepper.state().end());
    velocity_ = stepper.node().v;
  }

 private:
  Numbers point(std::span<const double> state) const {
    Numbers point;
    for (const std::size_t i : canonical_.positions) point.push_back(state[i]);
    for (const std::size_t i : canonical_.momenta) point.push_back(state[i]);
    return point;
  }

  Numbers flow() {
    const std::size_t n = canonical_.positions.size();
    Numbers state = before_;
    const auto rates = [&](const Numbers& point) {
      for (std::size_t i = 0; i < n; ++i) {
        state[canonical_.positions[i]] = point[i];
        state[canonical_.momenta[i]] = point[n + i];
      }
      return modified_.modified_equation(state, velocity_, h_, ell_);
    };
    return flow_of(rates, point(before_), h_);
  }

  CanonicalStep canonical_;
  ModifiedHamiltonian modified_;
  double h_;
  int ell_;
  Numbers before_;  ///< the state of the method at the node before
  Numbers velocity_;
};

}  // namespace

std::unique_ptr<Observer> make_modified_flow_observer(const Method& method, const Problem& problem,
                                                      std::optional<int> ell) {
  const int order = ell.value_or(require_conformal(method).ell);
  return std::make_unique<ModifiedFlowObserver>(
      ObservedQuantity{ell ? fmt::format("modified-flow:ell={}", *ell) : "modified-flow",
                       {ell ? fmt::format("modified_flow_error_{}", *ell) : "modified_flow_error"}},
      method, problem, order);
}

}  // namespace rattleback
