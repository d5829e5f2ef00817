// A one-step method on its way along a trajectory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rattleback/kernel/step.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {
namespace {

/// The map with numbers that its data typically have, for the choice of pivots.
ImplicitSystem with_typical(ImplicitSystem map, std::span<const double> state, const Problem& problem) {
  map.typical.assign(state.begin(), state.end());
  map.typical.push_back(problem.step);
  map.typical.insert(map.typical.end(), problem.parameters.begin(), problem.parameters.end());
  return map;
}

class OneStep final : public Stepper {
 public:
  OneStep(const Method& method, const Problem& problem) : equations_(method.equations), step_size_(problem.step) {
    start(method, problem);
    const std::size_t n = problem.system.dimension();
    const std::span<const double> state(data_.data(), method.step.state);
    step_.emplace(with_typical(method.step, state, problem));
    const auto& node = method.node;
    node_is_state_ = std::equal(node.outputs.begin(), node.outputs.end(), node.data.begin());
    if (!node_is_state_) node_map_.emplace(with_typical(node, state, problem));
    outputs_.resize(method.step.outputs.size());
    node_outputs_.resize(2 * n);
    node_ = {std::vector<double>(n), std::vector<double>(n)};
    if (!read_node()) throw MethodError(failure_);
  }

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return newton_; }

  bool advance() override {
    std::copy(data_.begin(), data_.end(), before_.begin());
    if (step_->run(data_, outputs_) != 1) return explain();
    const LaneReport& report = step_->reports()[0];
    newton_.iterations += report.iterations;
    newton_.max = std::max(newton_.max, report.max_iterations);
    if (read_node()) return true;
    std::copy(before_.begin(), before_.end(), data_.begin());
    return false;
  }

  std::vector<double> save() const override {
    std::vector<double> saved(data_.begin(), data_.begin() + static_cast<std::ptrdiff_t>(step_->system().state));
    saved.push_back(static_cast<double>(newton_.iterations));
    saved.push_back(newton_.max);
    return saved;
  }

  void restore(std::span<const double> saved) override {
    const std::size_t size = step_->system().state;
    if (saved.size() != size + 2) throw std::invalid_argument("the saved state belongs to another system or method");
    std::copy_n(saved.begin(), size, data_.begin());
    newton_ = {static_cast<std::int64_t>(saved[size]), static_cast<int>(saved[size + 1])};
    if (!read_node()) throw std::invalid_argument(failure_);
  }

 private:
  void start(const Method& method, const Problem& problem) {
    std::vector<double> given = problem.start.q;
    given.insert(given.end(), problem.start.v.begin(), problem.start.v.end());
    Step map(with_typical(method.start, given, problem), 1, Backend::interpreted);
    std::vector<double> data = map.system().typical;
    data_.resize(map.system().outputs.size());
    if (map.run(data, data_) != 1) {
      throw MethodError(fmt::format("the method cannot start: {}", map.describe(map.reports()[0])));
    }
    data_.insert(data_.end(), data.begin() + static_cast<std::ptrdiff_t>(given.size()), data.end());
    before_ = data_;
  }

  /// False if the numbers are not finite any more.
  bool read_node() {
    const std::size_t n = node_.q.size();
    const double* from = data_.data();
    if (!node_is_state_) {
      if (node_map_->run(data_, node_outputs_) != 1) {
        failure_ = fmt::format("the velocity at the node: {}", node_map_->describe(node_map_->reports()[0]));
        return false;
      }
      from = node_outputs_.data();
    }
    double total = 0.0;
    for (std::size_t i = 0; i < 2 * n; ++i) total += from[i] * 0.0;
    if (total != 0.0) {  // NaN: some number was not finite
      failure_ = fmt::format("the state is not finite any more; a smaller step than {} may help", step_size_);
      return false;
    }
    std::copy_n(from, n, node_.q.begin());
    std::copy_n(from + n, n, node_.v.begin());
    return true;
  }

  bool explain() {
    const LaneReport& report = step_->reports()[0];
    const auto equation = static_cast<std::size_t>(report.equation);
    failure_ = step_->describe(report);
    if (report.equation >= 0 && equation < equations_.size()) failure_ = equations_[equation] + ": " + failure_;
    return false;
  }

  std::optional<Step> step_;
  std::optional<Step> node_map_;
  bool node_is_state_ = false;
  std::vector<std::string> equations_;
  double step_size_;
  std::vector<double> data_;
  std::vector<double> before_;
  std::vector<double> outputs_;
  std::vector<double> node_outputs_;
  State node_;
  NewtonCount newton_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Stepper> make_one_step(const Method& method, const Problem& problem) {
  return std::make_unique<OneStep>(method, problem);
}

}  // namespace rattleback
