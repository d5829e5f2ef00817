// The reduced discrete Lagrange–d'Alembert equations (Cortés & Martínez, 32), formed for the interval before a node:
// the discrete Lagrangian L_d* and the discrete forces F⁻, F⁺ on the shape space. They are taken at one point of the
// group, where the trajectory starts, as the paper defines them at its identity: that they hold wherever the trajectory
// is is what the paper's Theorem 5.5 says.
//
// With P_k = e(q_k)·p_k, the momenta of dla on the horizontal vectors e_α = ∂_α − Γ^a_α ∂_a, equation (32) is
//
//     D₁L_d*(r_k, r_{k+1}) − F⁻ + P_k = 0,     P_{k+1} = D₂L_d*(r_k, r_{k+1}) − F⁺.

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/raise.hpp"
#include "kinds.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/discrete_reduction.hpp"

namespace rattleback {
namespace {

/// L_d*, its derivatives, F⁻ and F⁺ between two positions.
class ReducedInterval {
 public:
  ReducedInterval(const Method& method, const Problem& problem, ChaplyginSystem chaplygin)
      : chaplygin_(std::move(chaplygin)), identity_(problem.start.q),
        map_(differentiated(method, problem, chaplygin_), problem) {}

  const ChaplyginSystem& chaplygin() const { return chaplygin_; }

  /// False if the discrete constraints cannot be solved for the fibre.
  bool operator()(std::span<const double> from, std::span<const double> to) {
    std::ranges::copy(identity_, map_[Slot::position].begin());
    for (std::size_t i = 0; i < chaplygin_.shape.size(); ++i) {
      const std::size_t at = chaplygin_.shape[i];
      map_[Slot::position][at] = from[at];
      map_[Slot::increments][i] = to[at] - from[at];
    }
    for (std::size_t a = 0; a < chaplygin_.fibre.size(); ++a) {
      const std::size_t at = chaplygin_.fibre[a];
      map_[Slot::others][a] = to[at] - from[at];
    }
    return map_.run();
  }

  /// L_d*, F⁻, F⁺.
  std::span<const double> values() const { return map_(Slot::others); }
  double minus(std::size_t i) const { return values()[1 + i]; }
  double plus(std::size_t i) const { return values()[1 + chaplygin_.shape.size() + i]; }
  double by_right(std::size_t i) const { return slopes()[identity_.size() + i]; }              ///< D₂L_d*
  double by_left(std::size_t i) const { return slopes()[chaplygin_.shape[i]] - by_right(i); }  ///< D₁L_d*

 private:
  static ImplicitSystem differentiated(const Method& method, const Problem& problem, const ChaplyginSystem& c) {
    const IntervalFunctions& interval = *method.interval;
    const ImplicitSystem map = reduce_discretely(problem.system, c, interval.lagrangian, interval.constraints).map;
    return with_tangent_matrix(map, 1, problem.system.dimension() + c.shape.size());
  }
  /// Of L_d* by q₀ and Δr.
  std::span<const double> slopes() const {
    return std::span(map_.outputs()).subspan(values().size() + chaplygin_.fibre.size());
  }

  ChaplyginSystem chaplygin_;
  std::vector<double> identity_;
  CompiledMap map_;
};

ChaplyginSystem require_fibre(const Problem& problem) {
  ChaplyginSystem c = Geometry(problem).chaplygin("the reduced equation");
  if (c.fibre.empty()) throw MethodError("this system has no constraints to reduce by");
  if (!problem.system.holonomic().empty()) throw MethodError("holonomic constraints are not reduced");
  return c;
}

class ReducedForcesObserver final : public Observer {
 public:
  ReducedForcesObserver(ObservedQuantity quantity, const Method& method, const Problem& problem, ChaplyginSystem c)
      : Observer(std::move(quantity)), interval_(method, problem, std::move(c)), first_(first_step_of_method(problem)) {
  }

  void observe(const Stepper& stepper, std::span<double> values) override {
    const std::vector<double>& q = stepper.node().q;
    if (!before_.empty() && interval_(before_, q)) {
      std::ranges::copy(interval_.values(), values.begin());
    } else {
      std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    }
    before_ = q;
  }
  std::int64_t first_node() const override { return first_; }
  void reset() override { before_.clear(); }
  std::string why_undefined() const override { return "the discrete constraints cannot be solved for the fibre"; }

 private:
  ReducedInterval interval_;
  std::int64_t first_;
  std::vector<double> before_;
};

/// The momenta on the horizontal vectors, e_α(q)·p.
ImplicitSystem horizontal_momenta(const System& system, const ChaplyginSystem& c) {
  const std::vector<Expression> p = momentum_symbols(system);
  std::vector<Expression> momenta;
  for (std::size_t i = 0; i < c.shape.size(); ++i) {
    Expression& momentum = momenta.emplace_back(p[c.shape[i]]);
    for (std::size_t a = 0; a < c.fibre.size(); ++a) momentum -= c.connection[a][i] * p[c.fibre[a]];
  }
  ImplicitSystem map;
  map.take(Slot::position, system.coordinates());
  map.take(Slot::momentum, p);
  map.take(Slot::parameters, system.parameters());
  map.give(Slot::others, momenta);
  return map;
}

class ReducedEquationObserver final : public Observer {
 public:
  ReducedEquationObserver(const Method& method, const Problem& problem, ChaplyginSystem c)
      : Observer({"reduced-equation", {"reduced_equation"}}), interval_(method, problem, std::move(c)),
        momenta_(CompiledMap::functions(horizontal_momenta(problem.system, interval_.chaplygin()), problem)),
        n_(problem.system.dimension()), first_(first_step_of_method(problem)) {}

  void observe(const Stepper& stepper, std::span<double> values) override {
    const std::vector<double> state(stepper.state().begin(), stepper.state().end());
    const std::vector<double> momenta = horizontal(state);
    values[0] = std::numeric_limits<double>::quiet_NaN();
    if (!before_.empty() && interval_(before_, state)) {
      values[0] = 0.0;
      for (std::size_t i = 0; i < momenta.size(); ++i) {
        raise(values[0], std::abs(interval_.by_left(i) - interval_.minus(i) + momenta_before_[i]));
        raise(values[0], std::abs(interval_.by_right(i) - interval_.plus(i) - momenta[i]));
      }
    }
    before_ = state;
    momenta_before_ = momenta;
  }
  std::int64_t first_node() const override { return first_; }
  void reset() override { before_.clear(); }
  std::string why_undefined() const override { return "the discrete constraints cannot be solved for the fibre"; }

 private:
  std::vector<double> horizontal(std::span<const double> state) {
    momenta_.set(Slot::position, state);
    momenta_.set(Slot::momentum, state.subspan(n_));
    momenta_.run();
    const auto momenta = momenta_(Slot::others);
    return {momenta.begin(), momenta.end()};
  }

  ReducedInterval interval_;
  CompiledMap momenta_;
  std::size_t n_;
  std::int64_t first_;
  std::vector<double> before_;
  std::vector<double> momenta_before_;
};

}  // namespace

std::unique_ptr<Observer> make_reduced_forces_observer(const Method& method, const Problem& problem) {
  if (!problem.system.rotations().empty()) return make_group_forces_observer(method, problem);
  ChaplyginSystem c = require_fibre(problem);
  ObservedQuantity quantity{"reduced-forces", {"reduced_lagrangian"}};
  for (const char* force : {"force_minus_", "force_plus_"}) {
    for (const std::size_t i : c.shape) quantity.labels.push_back(force + problem.system.coordinates()[i].name());
  }
  return std::make_unique<ReducedForcesObserver>(std::move(quantity), method, problem, std::move(c));
}

std::unique_ptr<Observer> make_reduced_equation_observer(const Method& method, const Problem& problem) {
  if (!method.keeps_momenta) throw MethodError("the method does not keep the momenta of the model's Lagrangian");
  if (!problem.system.applied_forces().empty()) throw MethodError("applied forces add to the discrete forces");
  if (!problem.system.rotations().empty()) return make_group_equation_observer(method, problem);
  return std::make_unique<ReducedEquationObserver>(method, problem, require_fibre(problem));
}

}  // namespace rattleback
