#include "rattleback/method/flow.hpp"

namespace rattleback {
namespace {

class FlowStepper final : public Stepper {
 public:
  FlowStepper(std::unique_ptr<Flow> flow, double step) : flow_(std::move(flow)), step_(step), node_(flow_->at(0.0)) {}

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return {}; }

  bool advance() override {
    try {
      node_ = flow_->at(static_cast<double>(steps_ + 1) * step_);
    } catch (const FlowError& error) {
      failure_ = error.what();
      return false;
    }
    ++steps_;
    flow_->forget_the_past();
    return true;
  }

  std::vector<double> save() const override {
    std::vector<double> saved = flow_->save();
    saved.push_back(static_cast<double>(steps_));
    return saved;
  }

  void restore(std::span<const double> saved) override {
    if (saved.empty()) throw std::invalid_argument("the saved state is empty");
    flow_->restore(saved.first(saved.size() - 1));
    steps_ = static_cast<std::int64_t>(saved.back());
    node_ = flow_->at(static_cast<double>(steps_) * step_);
  }

 private:
  std::unique_ptr<Flow> flow_;
  double step_;
  std::int64_t steps_ = 0;
  State node_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Stepper> make_flow_stepper(std::unique_ptr<Flow> flow, double step) {
  return std::make_unique<FlowStepper>(std::move(flow), step);
}

}  // namespace rattleback
