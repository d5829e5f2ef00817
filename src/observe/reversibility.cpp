// How far Φ₋ₕ(Φₕ(x)) misses x, in the coordinates and velocities of the node: zero for symmetric methods.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinds.hpp"
#include "step_map.hpp"

namespace rattleback {
namespace {

class ReversibilityObserver final : public Observer {
 public:
  ReversibilityObserver(const Method& method, const Problem& problem)
      : Observer({"reversibility", {"reversibility_defect"}}), back_(method, problem, false), node_(method.node),
        stages_(method.stages), h_(problem.step), memory_(method.memory), parameters_(problem.parameters),
        node_outputs_(2 * problem.system.dimension()) {}

  void observe(const Stepper& stepper, std::span<double> values) override {
    values[0] = std::numeric_limits<double>::quiet_NaN();
    const State& node = stepper.node();
    if (!before_.q.empty() && step_back(stepper.state(), node.v)) {
      values[0] = 0.0;
      const std::size_t n = before_.q.size();
      for (std::size_t i = 0; i < n; ++i) {
        values[0] = std::max(values[0], std::abs(node_outputs_[i] - before_.q[i]));
        values[0] = std::max(values[0], std::abs(node_outputs_[n + i] - before_.v[i]));
      }
    }
    before_ = node;
  }

 private:
  bool step_back(std::span<const double> from, std::span<const double> velocity) {
    std::vector<double> state(from.begin(), from.end());
    for (auto fraction = stages_.rbegin(); fraction != stages_.rend(); ++fraction) {
      if (!back_.apply(state, velocity, -*fraction * h_)) return false;
      state.assign(back_.state().begin(), back_.state().end());
    }
    state.resize(state.size() + memory_, 0.0);
    state.push_back(-h_);
    state.insert(state.end(), parameters_.begin(), parameters_.end());
    return node_.run(state, node_outputs_) == 1;
  }

  StepMap back_;
  Step node_;
  std::vector<double> stages_;
  double h_;
  std::size_t memory_;
  std::vector<double> parameters_;
  std::vector<double> node_outputs_;
  State before_;
};

}  // namespace

std::unique_ptr<Observer> make_reversibility_observer(const Method& method, const Problem& problem) {
  return std::make_unique<ReversibilityObserver>(method, problem);
}

}  // namespace rattleback
