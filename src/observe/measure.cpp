// The invariant measure along a trajectory: for the map Φ that leads from the start to the node,
//
//     J = det DΦ · ρ(Φ(x))/ρ(x) − 1
//
// with the density ρ of the invariant measure of the system, or of the modified one, 1/N_mod^(ℓ) (García-Naranjo &
// Vermeeren, Corollary 4.3), in the coordinates (r, P) of the reduced space. Φ includes how the method makes its state
// from the start: where an energy is computed once and kept, it depends on the start too.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "../mech/decompositions.hpp"
#include "kinds.hpp"
#include "phase_space.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/modified.hpp"
#include "step_map.hpp"

namespace rattleback {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A map with its derivative.
class DifferentiableMap {
 public:
  DifferentiableMap(const ImplicitSystem& map, const Problem& problem, std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), first_(map.outputs.size()),
        map_(with_tangent_matrix(without_state(map), rows, columns), problem) {}

  CompiledMap& map() { return map_; }
  /// Of the first outputs with respect to the first data.
  std::optional<Eigen::MatrixXd> derivative() {
    if (!map_.run()) return std::nullopt;
    return Eigen::Map<const RowMajor>(map_.outputs().data() + first_, static_cast<Eigen::Index>(rows_),
                                      static_cast<Eigen::Index>(columns_));
  }

 private:
  static ImplicitSystem without_state(ImplicitSystem map) {
    map.state = 0;
    return map;
  }
  std::size_t rows_;
  std::size_t columns_;
  std::size_t first_;
  CompiledMap map_;
};

class MeasureObserver final : public Observer {
 public:
  MeasureObserver(std::string name, std::string label, const Method& method, const Problem& problem,
                  std::optional<int> ell)
      : Observer({std::move(name), {std::move(label)}}), problem_(problem), method_(method), ell_(ell), space_(problem),
        map_(method, problem, true),
        start_(method.start, problem, method.state_size(), 2 * problem.system.dimension()) {
    if (method.node) node_.emplace(*method.node, problem, 2 * problem.system.dimension(), method.state_size());
    if (method.adjust || ell) modified_.emplace(method, problem);
    if (ell) {
      require_conformal(method);
      modified_->use_formulas(*ell);
    }
    if (method.own_time) {
      ImplicitSystem rate = map_of_node(problem.system);
      rate.give(Slot::others, {&method.own_time->rate, 1});
      rate_ = CompiledMap::functions(rate, problem);
    }
  }

  void reset() override {
    tangent_.resize(0, 0);
    lost_ = false;
  }
  bool counts_from_start() const override { return true; }
  std::string why_undefined() const override {
    return lost_ ? "the tangent map of the step to the node is not known" : "the measure is not defined at the node";
  }

  void observe(const Stepper& stepper, std::span<double> values) override {
    const bool first = tangent_.size() == 0;
    lost_ = lost_ || !(first ? begin(stepper) : advance(stepper));
    before_.assign(stepper.state().begin(), stepper.state().end());
    velocity_ = stepper.node().v;
    values[0] = lost_ ? std::numeric_limits<double>::quiet_NaN() : first ? 0.0 : defect(stepper);
  }

 private:
  bool begin(const Stepper& stepper) {
    const State& node = stepper.node();
    start_.map().place(node);
    const auto start = start_.derivative();
    if (!start) return false;
    const PhaseSpace::Place place = space_.at(node);
    tangent_ = *start * place.lift;
    if (method_.adjust) set_energy_row(stepper.state(), node.v);
    volume_ = (place.derivative * place.lift).determinant() * density(place, stepper);
    return true;
  }

  /// E as a function of the state.
  void set_energy_row(std::span<const double> state, std::span<const double> velocity) {
    const auto& [factor, energy, entry, ell] = require_conformal(method_);
    const std::vector<double> gradient = modified_->energy_gradient(state, velocity, problem_.step, ell);
    const Eigen::RowVectorXd row =
        Eigen::Map<const Eigen::RowVectorXd>(gradient.data(), static_cast<Eigen::Index>(gradient.size())) * tangent_;
    tangent_.row(static_cast<Eigen::Index>(entry)) = row;
  }

  bool advance(const Stepper& stepper) {
    if (method_.adjusts_every_step) {
      if (!method_.adjust(before_, velocity_, problem_.step).empty()) return false;
      set_energy_row(before_, velocity_);
    }
    for (const double fraction : method_.stages) {
      if (!map_.apply(before_, velocity_, problem_.start.t, fraction * problem_.step)) return false;
      tangent_ = map_.tangent().topRows(static_cast<Eigen::Index>(method_.state_size())) * tangent_;
      before_.assign(map_.state().begin(), map_.state().end());
    }
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!(std::abs(before_[i] - stepper.state()[i]) <= 1e-8 * (1.0 + std::abs(before_[i])))) return false;
    }
    return true;
  }

  double defect(const Stepper& stepper) {
    const auto size = 2 * static_cast<Eigen::Index>(problem_.system.dimension());
    Eigen::MatrixXd derivative = tangent_;
    if (node_) {
      node_->map().set(Slot::state, stepper.state());
      node_->map().set(Slot::velocity, velocity_);
      const auto node = node_->derivative();
      if (!node) return std::numeric_limits<double>::quiet_NaN();
      derivative = *node * tangent_;
    }
    const PhaseSpace::Place place = space_.at(stepper.node());
    const double volume = (place.derivative * derivative.topRows(size)).determinant() * density(place, stepper);
    return volume / volume_ - 1.0;
  }

  /// Of the measure that the flow in the time of the method preserves: dτ = dt/rate has rate⁻¹ times the density.
  double density(const PhaseSpace::Place& place, const Stepper& stepper) {
    if (ell_) {
      return 1.0 / modified_->truncated_conformal(stepper.state(), stepper.node().v, problem_.step, *ell_).factor.value;
    }
    if (!rate_) return place.density;
    rate_->run(stepper.node());
    return place.density / rate_->outputs()[0];
  }

  Problem problem_;
  Method method_;
  std::optional<int> ell_;
  PhaseSpace space_;
  StepMap map_;
  DifferentiableMap start_;
  std::optional<DifferentiableMap> node_;
  std::optional<ModifiedHamiltonian> modified_;
  std::optional<CompiledMap> rate_;
  Eigen::MatrixXd tangent_;  ///< of the state with respect to (r, ṙ) of the start
  double volume_ = 0.0;      ///< ρ dr∧dP of the start for a unit of dr∧dṙ
  std::vector<double> before_;
  std::vector<double> velocity_;
  bool lost_ = false;  ///< a step whose tangent map is not known
};

}  // namespace

std::unique_ptr<Observer> make_measure_observer(const Method& method, const Problem& problem, std::optional<int> ell) {
  if (problem.second_position) throw MethodError("the method starts from two positions: the start is not one point");
  return std::make_unique<MeasureObserver>(ell ? fmt::format("measure:ell={}", *ell) : "measure",
                                           ell ? fmt::format("measure_defect_{}", *ell) : "measure_defect", method,
                                           problem, ell);
}

}  // namespace rattleback
