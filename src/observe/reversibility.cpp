// How far Φ₋ₕ(Φₕ(x)) misses x, in the coordinates and velocities of the node: zero for symmetric methods.

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/raise.hpp"
#include "kinds.hpp"
#include "step_map.hpp"

namespace rattleback {
namespace {

class ReversibilityObserver final : public StageObserver {
 public:
  ReversibilityObserver(const Method& method, const Problem& problem)
      : StageObserver({"reversibility", {"reversibility_defect"}}, method, problem, false),
        back_(method, problem, false), stages_(method.stages), h_(problem.step),
        size_of_node_(problem.start.q.size() + problem.start.v.size()) {
    if (method.node) node_.emplace(*method.node, problem);
  }

 private:
  void begin(std::span<const double> state, std::span<const double> velocity) override {
    before_.assign(state.begin(), state.end());
    velocity_.assign(velocity.begin(), velocity.end());
    times_.clear();
  }
  void add_stage(std::span<const double>, const StepMap& map) override {
    times_.push_back(map.time());
    state_.assign(map.state().begin(), map.state().end());
  }

  double value() override {
    for (std::size_t i = stages_.size(); i-- > 0;) {
      const double h = stages_[i] * h_;
      if (!back_.apply(state_, velocity_, times_[i] + h, -h)) return std::numeric_limits<double>::quiet_NaN();
      state_.assign(back_.state().begin(), back_.state().end());
    }
    const std::vector<double> expected = node(before_);
    const std::vector<double> found = node(state_);
    double defect = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      raise(defect, std::abs(found[i] - expected[i]));
    }
    return defect;
  }

  /// (q, v) of a state.
  std::vector<double> node(const std::vector<double>& state) {
    if (!node_) return {state.begin(), state.begin() + static_cast<std::ptrdiff_t>(size_of_node_)};
    node_->set(Slot::state, state);
    node_->set(Slot::velocity, velocity_);
    node_->set_time(times_.front());
    if (!node_->run()) return std::vector<double>(size_of_node_, std::numeric_limits<double>::quiet_NaN());
    return node_->outputs();
  }

  StepMap back_;
  std::optional<CompiledMap> node_;
  std::vector<double> stages_;
  double h_;
  std::size_t size_of_node_;
  std::vector<double> before_;
  std::vector<double> velocity_;
  std::vector<double> state_;
  std::vector<double> times_;  ///< where the stages began
};

}  // namespace

std::unique_ptr<Observer> make_reversibility_observer(const Method& method, const Problem& problem) {
  return std::make_unique<ReversibilityObserver>(method, problem);
}

}  // namespace rattleback
