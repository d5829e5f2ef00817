// The error of the time that a method with a time τ of its own assigns to its nodes, and what its two causes alone
// would make of it:
//
//     t_k − t(τ_k),     Q[exact nodes]_k − t(τ_k)  by the method's rule Q,     ∫ (f[nodes] − f[exact nodes]) dτ  by the
//     nodes
//
// with f = dt/dτ. The last does not know the rule: in each interval the polynomial through the last five differences is
// integrated. The two add up to the first, but for the rule's error of the differences, which is two orders higher. The
// exact nodes are those of a reference solution in τ, and t(τ) its integral by Boole's rule with steps that are eight
// times smaller.

#include <algorithm>
#include <limits>

#include "kinds.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/reference.hpp"

namespace rattleback {
namespace {

constexpr int finer = 8;

class TimeError final : public Observer {
 public:
  TimeError(const OwnTime& own, const Problem& problem)
      : Observer({"time-error", {"time_error", "time_error_quadrature", "time_error_trajectory"}}),
        quadrature_(own.quadrature), coordinates_(own.coordinates), h_(problem.step),
        in_tau_(tau_problem(own, problem)), rate_(CompiledMap::functions(rate_map(own), in_tau_)) {
    reset();
  }

  void reset() override {
    reference_ = make_flow_stepper(std::make_unique<ReferenceFlow>(in_tau_), in_tau_.step);
    step_ = -1;
    exact_.assign(1, 0.0);
    by_rule_.assign(1, 0.0);
    exact_rates_.assign(1, rate(reference_->node().q));
    differences_.clear();
    of_nodes_ = 0.0;
    lost_ = false;
  }

  std::string why_undefined() const override { return "the reference solution ends before"; }

  void observe(const Stepper& stepper, std::span<double> values) override {
    ++step_;
    if (step_ == 0 && stepper.time().value_or(0.0) != 0.0) {
      throw MethodError(
          "time-error follows a reference solution from the start: it cannot be observed in a resumed run");
    }
    const auto panel = static_cast<std::size_t>(panel_size(quadrature_));
    const std::size_t at = step_ == 0 ? 0 : static_cast<std::size_t>(step_ - 1) % panel + 1;
    if (at == 1 && step_ > 0) next_panel();
    if (lost_ || !stepper.time() || at >= exact_.size()) {
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    compare(stepper.node(), exact_rates_[at]);
    values[0] = *stepper.time() - exact_[at];
    values[1] = by_rule_[at] - exact_[at];
    values[2] = of_nodes_;
  }

 private:
  static ImplicitSystem rate_map(const OwnTime& own) {
    ImplicitSystem map;
    map.take(Slot::position, own.motion.coordinates());
    map.take(Slot::parameters, own.motion.parameters());
    map.give(Slot::others, {&own.rate, 1});
    return map;
  }

  static Problem tau_problem(const OwnTime& own, const Problem& problem) {
    Problem in_tau{own.motion, problem.parameters, {}, problem.step / finer};
    for (const std::size_t i : own.coordinates) in_tau.start.q.push_back(problem.start.q[i]);
    CompiledMap at_start = CompiledMap::functions(rate_map(own), in_tau);
    at_start.run();
    const double rate = at_start.outputs()[0];
    for (const std::size_t i : own.coordinates) in_tau.start.v.push_back(problem.start.v[i] * rate);
    return in_tau;
  }

  double rate(std::span<const double> r) {
    rate_.set(Slot::position, r);
    rate_.run();
    return rate_.outputs()[0];
  }

  /// A node with the rate of the exact one.
  void compare(const State& node, double exact_rate) {
    std::vector<double> r;
    for (const std::size_t i : coordinates_) r.push_back(node.q[i]);
    differences_.push_back(rate(r) - exact_rate);
    if (differences_.size() > most_differences) differences_.erase(differences_.begin());
    if (differences_.size() == 1) return;
    const auto integral = cumulative_integral(differences_, h_, Quadrature::boole);
    of_nodes_ += integral.back() - integral[integral.size() - 2];
  }

  void next_panel() {
    std::vector<double> fine{exact_rates_.back()};
    std::vector<double> coarse{exact_rates_.back()};
    const double exact = exact_.back();
    const double by_rule = by_rule_.back();
    exact_.assign(1, exact);
    by_rule_.assign(1, by_rule);
    for (int k = 0; k < panel_size(quadrature_) * finer; ++k) {
      if (!reference_->advance()) {
        lost_ = true;
        return;
      }
      fine.push_back(rate(reference_->node().q));
      if ((k + 1) % finer == 0) coarse.push_back(fine.back());
    }
    const auto fine_time = cumulative_integral(fine, h_ / finer, Quadrature::boole);
    const auto coarse_time = cumulative_integral(coarse, h_, quadrature_);
    for (std::size_t i = 1; i < coarse.size(); ++i) {
      exact_.push_back(exact + fine_time[i * finer]);
      by_rule_.push_back(by_rule + coarse_time[i]);
    }
    exact_rates_ = std::move(coarse);
  }

  static constexpr std::size_t most_differences = 5;

  Quadrature quadrature_;
  std::vector<std::size_t> coordinates_;
  double h_;
  Problem in_tau_;
  CompiledMap rate_;
  std::unique_ptr<Stepper> reference_;
  std::int64_t step_ = -1;
  std::vector<double> exact_;        ///< t(τ) at the nodes of the panel
  std::vector<double> by_rule_;      ///< by the method's rule on the exact nodes
  std::vector<double> exact_rates_;  ///< dt/dτ at the exact nodes of the panel
  std::vector<double> differences_;  ///< from it, at the last nodes of the method
  double of_nodes_ = 0.0;            ///< their integral
  bool lost_ = false;                ///< the reference solution ended
};

}  // namespace

std::unique_ptr<Observer> make_time_error_observer(const Method& method, const Problem& problem) {
  return std::make_unique<TimeError>(*method.own_time, problem);
}

}  // namespace rattleback
