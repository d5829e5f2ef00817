// Trajectories in a time τ of their own, and their way back to t.

#include "tau_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../base/signed_size.hpp"
#include "../mech/quintic.hpp"
#include "paced_stepper.hpp"
#include "rattleback/expr/graph.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"

namespace rattleback {
namespace {

/// dt/dτ and its second derivative with respect to τ along the motion, at a node (q, v). With f = dt/dτ and the motion
/// q̇ = v in t, d/dτ = f d/dt: f'' = f (f ḟ)˙ = f (ḟ² + f f̈).
class Clock {
 public:
  Clock(const Expression& rate, const Problem& problem)
      : map_(typical_at(map_of(rate, problem.system), problem), problem) {}

  struct Reading {
    double rate = 0.0;
    double curvature = 0.0;
  };
  Reading at(std::span<const double> q, std::span<const double> v) {
    map_.set(Slot::position, q);
    map_.set(Slot::velocity, v);
    if (!map_.run()) return {std::nan(""), std::nan("")};
    return {map_.outputs()[0], map_.outputs()[1]};
  }

 private:
  static ImplicitSystem map_of(const Expression& rate, const System& s) {
    const ImplicitSystem motion = accelerations(s);
    const std::vector<Expression> place = joined({s.coordinates(), s.velocities()});
    const std::vector<Expression> along = joined({s.velocities(), motion.given(Slot::acceleration)});
    const Expression slope = directional_derivative({&rate, 1}, s.coordinates(), s.velocities())[0];
    const Expression curvature = directional_derivative({&slope, 1}, place, along)[0];
    ImplicitSystem map = map_of_node(s);
    map.solve_as(motion);
    map.give(Slot::others, std::vector{rate, rate * (slope * slope + rate * curvature)});
    return map;
  }

  CompiledMap map_;
};

class TauStepper final : public Stepper {
 public:
  TauStepper(const Method& method, const Problem& problem)
      : inner_(make_one_step(method, problem)), clock_(method.own_time->rate, problem),
        quadrature_(method.own_time->quadrature), h_(problem.step), n_(problem.system.dimension()) {
    panel_start_ = inner_->save();
    nodes_.push_back(read());
  }

  const State& node() const override { return nodes_[at_].state; }
  std::string failure() const override { return failure_.empty() ? inner_->failure() : failure_; }
  NewtonCount newton() const override { return inner_->newton(); }
  std::span<const double> state() const override { return nodes_[at_].method_state; }
  const IntervalValues* interval() const override { return nodes_[at_].interval ? &*nodes_[at_].interval : nullptr; }
  bool keeps_constraints_between_nodes() const override { return inner_->keeps_constraints_between_nodes(); }
  std::optional<double> time() const override { return nodes_[at_].time; }

  std::vector<Remark> remarks() const override {
    const Node& here = nodes_[at_];
    std::vector<Remark> list{{"tau", here.tau, "tau at the end"}};
    list.push_back(
        quadrature_ == Quadrature::trapezoidal
            ? Remark{"time_quadrature_bound", here.quadrature_error,
                     "a bound for the error of t by quadrature (Fernandez, Bloch & Olver, Proposition 1)"}
            : Remark{
                  "time_quadrature_estimate", here.quadrature_error,
                  "the difference of t to the next lower rule: about the error of that one, far above that of this"});
    return list;
  }

  bool advance() override {
    if (at_ + 1 == nodes_.size() && !next_panel()) return false;
    ++at_;
    return true;
  }

  std::vector<double> save() const override {
    std::vector<double> saved{static_cast<double>(at_), nodes_[0].tau, nodes_[0].time, nodes_[0].quadrature_error,
                              nodes_[0].lower_time};
    saved.insert(saved.end(), panel_start_.begin(), panel_start_.end());
    return saved;
  }

  void restore(std::span<const double> saved) override {
    if (saved.size() < 5) throw std::invalid_argument("the saved state belongs to another system or method");
    panel_start_.assign(saved.begin() + 5, saved.end());
    inner_->restore(panel_start_);
    failure_.clear();
    at_ = 0;
    nodes_.assign(1, read());
    nodes_[0].tau = saved[1];
    nodes_[0].time = saved[2];
    nodes_[0].quadrature_error = saved[3];
    nodes_[0].lower_time = saved[4];
    const auto at = static_cast<std::size_t>(saved[0]);
    if (at > 0 && (!fill_panel() || nodes_.size() <= at)) throw std::invalid_argument(inner_->failure());
    at_ = at;
  }

 private:
  struct Node {
    State state;
    std::vector<double> method_state;
    std::optional<IntervalValues> interval;
    Clock::Reading clock;
    double tau = 0.0;
    double time = 0.0;
    double quadrature_error = 0.0;
    double lower_time = 0.0;  ///< by the next lower rule
  };

  Node read() {
    Node node;
    node.state = inner_->node();
    node.method_state.assign(inner_->state().begin(), inner_->state().end());
    if (inner_->interval() != nullptr) node.interval = *inner_->interval();
    node.clock = clock_.at(node.state.q, node.state.v);
    return node;
  }

  bool next_panel() {
    if (!failure_.empty()) return false;
    std::vector<double> start = inner_->save();
    Node first = std::move(nodes_.back());
    nodes_.clear();
    nodes_.push_back(std::move(first));
    at_ = 0;
    panel_start_ = std::move(start);
    return fill_panel();
  }

  /// As many steps as the rule takes together; fewer if one fails. False if there is none.
  bool fill_panel() {
    for (int k = 0; k < panel_size(quadrature_) && inner_->advance(); ++k) nodes_.push_back(read());
    std::vector<double> rates;
    for (const Node& node : nodes_) rates.push_back(node.clock.rate);
    const auto time = cumulative_integral(rates, h_, quadrature_);
    // In a last panel that is not complete the polynomial has a lower degree, and so must what it is compared with:
    // over two intervals a cubic has the integral of Simpson's rule.
    const std::size_t intervals = nodes_.size() - 1;
    const auto lower = cumulative_integral(rates, h_, intervals > 3 ? Quadrature::simpson : Quadrature::trapezoidal);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      node.tau = nodes_[0].tau + static_cast<double>(i) * h_;
      node.time = nodes_[0].time + time[i];
      node.lower_time = nodes_[0].lower_time + lower[i];
      const double error = bound(i);
      if (quadrature_ == Quadrature::trapezoidal) {
        node.quadrature_error = nodes_[i - 1].quadrature_error + error;
      } else {  // a single interval is left to the trapezoidal rule, whose error is bounded
        node.quadrature_error = std::abs(node.time - node.lower_time) + (intervals == 1 ? error : 0.0);
      }
      if (error <= 0.5 * (node.time - nodes_[i - 1].time)) continue;
      failure_ = fmt::format(
          "the time of this step, {:.3g}, is known only to {:.2g}: dt/dtau changes from {:.3g} to {:.3g} within it; a "
          "smaller step may help",
          node.time - nodes_[i - 1].time, error, nodes_[i - 1].clock.rate, node.clock.rate);
      nodes_.resize(i);
    }
    return nodes_.size() > 1;
  }

  /// (h³/12) C_l with C_l ≥ |(1/N)''| in the interval before node i, from its ends and, as in (60), from the discrete
  /// velocity between them.
  double bound(std::size_t i) {
    const Node& left = nodes_[i - 1];
    const Node& right = nodes_[i];
    double curvature = 0.0;
    std::vector<double> v(n_);
    for (const Node* end : {&left, &right}) {
      for (std::size_t k = 0; k < n_; ++k) v[k] = (right.state.q[k] - left.state.q[k]) / (h_ * end->clock.rate);
      curvature = std::max(curvature, std::abs(clock_.at(end->state.q, v).curvature));
    }
    return h_ * h_ * h_ / 12.0 * curvature;
  }

  std::unique_ptr<Stepper> inner_;
  Clock clock_;
  Quadrature quadrature_;
  double h_;
  std::size_t n_;
  std::vector<double> panel_start_;  ///< of the inner stepper
  std::vector<Node> nodes_;          ///< of the panel
  std::size_t at_ = 0;
  std::string failure_;  ///< of the clock
};

/// Nodes at t = k h between those of another stepper, by Hermite interpolation of degree 5.
class Resampled final : public Stepper {
 public:
  Resampled(std::unique_ptr<Stepper> inner, const Problem& problem)
      : inner_(std::move(inner)), projection_(projection(problem.system), problem),
        accelerations_(accelerations(problem.system), problem), h_(problem.step), n_(problem.system.dimension()),
        node_(inner_->node()), before_(inner_->node()) {}

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return inner_->newton(); }
  std::vector<Remark> remarks() const override { return inner_->remarks(); }

  bool advance() override {
    const double target = static_cast<double>(count_ + 1) * h_;
    for (int count = 0; *inner_->time() < target; ++count) {
      if (count == most_steps) {
        failure_ =
            fmt::format("more than {} steps of tau in one of t: the multiplier has become very large", most_steps);
        return false;
      }
      State last = inner_->node();
      const double last_time = *inner_->time();
      if (!inner_->advance()) {
        failure_ = inner_->failure();
        return false;
      }
      if (!(*inner_->time() > last_time)) {
        failure_ = "time does not advance any more";
        return false;
      }
      before_ = std::move(last);
      time_before_ = last_time;
    }
    if (!interpolate(target)) return false;
    ++count_;
    return true;
  }

  std::vector<double> save() const override {
    std::vector<double> saved{static_cast<double>(count_), time_before_};
    for (const auto* list : {&before_.q, &before_.v, &node_.q, &node_.v})
      saved.insert(saved.end(), list->begin(), list->end());
    const auto rest = inner_->save();
    saved.insert(saved.end(), rest.begin(), rest.end());
    return saved;
  }

  void restore(std::span<const double> saved) override {
    if (saved.size() < 2 + 4 * n_) throw std::invalid_argument("the saved state belongs to another system or method");
    count_ = static_cast<std::int64_t>(saved[0]);
    time_before_ = saved[1];
    auto next = saved.begin() + 2;
    for (auto* list : {&before_.q, &before_.v, &node_.q, &node_.v}) {
      std::copy_n(next, n_, list->begin());
      next += signed_size(n_);
    }
    inner_->restore(saved.subspan(2 + 4 * n_));
  }

 private:
  std::vector<double> acceleration(const State& node) {
    if (!accelerations_.run(node)) return std::vector<double>(n_, std::nan(""));
    return {accelerations_(Slot::acceleration).begin(), accelerations_(Slot::acceleration).end()};
  }

  /// Positions by the polynomial of degree 5 with the positions, velocities and accelerations of the nodes about t,
  /// velocities by that of degree 3 with their velocities and accelerations.
  bool interpolate(double t) {
    const State& after = inner_->node();
    const std::vector<double> a0 = acceleration(before_);
    const std::vector<double> a1 = acceleration(after);
    const double span = *inner_->time() - time_before_;
    const double x = (t - time_before_) / span;
    const std::span<double> q = projection_[Slot::position];
    const std::span<double> v = projection_[Slot::velocity];
    for (std::size_t i = 0; i < n_; ++i) {
      q[i] = Quintic({before_.q[i], before_.v[i] * span, a0[i] * span * span},
                     {after.q[i], after.v[i] * span, a1[i] * span * span})
                 .value(x);
      v[i] =
          before_.v[i] + x * (after.v[i] - before_.v[i]) +
          x * (1 - x) *
              ((1 - x) * (a0[i] * span - (after.v[i] - before_.v[i])) + x * (after.v[i] - before_.v[i] - a1[i] * span));
    }
    if (!projection_.run()) {  // a derivative of an interpolant only nearly satisfies the constraints
      failure_ = "the velocity between two nodes: " + projection_.failure();
      return false;
    }
    std::ranges::copy(projection_(Slot::position), node_.q.begin());
    std::ranges::copy(projection_(Slot::velocity), node_.v.begin());
    return true;
  }

  static constexpr int most_steps = 10000;

  std::unique_ptr<Stepper> inner_;
  CompiledMap projection_;
  CompiledMap accelerations_;
  double h_;
  std::size_t n_;
  State node_;
  State before_;
  double time_before_ = 0.0;
  std::int64_t count_ = 0;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Stepper> make_tau_stepper(const Method& method, const Problem& problem) {
  if (method.own_time->nodes == OwnTime::Nodes::of_reference) return make_paced_stepper(method, problem);
  if (method.own_time->nodes == OwnTime::Nodes::of_steps) return std::make_unique<TauStepper>(method, problem);
  Problem in_tau = problem;
  const double rate = Clock(method.own_time->rate, problem).at(problem.start.q, problem.start.v).rate;
  in_tau.step = problem.step / rate;
  return std::make_unique<Resampled>(std::make_unique<TauStepper>(method, in_tau), problem);
}

}  // namespace rattleback
