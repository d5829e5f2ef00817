// A one-step method on its way along a trajectory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rattleback/kernel/step.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::ptrdiff_t signed_size(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

/// The map with numbers that its data typically have, for the choice of pivots.
ImplicitSystem with_typical(ImplicitSystem map, std::span<const double> state, const Problem& problem) {
  map.typical.assign(state.begin(), state.end());
  map.typical.push_back(problem.step);
  map.typical.insert(map.typical.end(), problem.parameters.begin(), problem.parameters.end());
  return map;
}

/// Energy and constraints between two positions.
class IntervalWatch {
 public:
  IntervalWatch(const IntervalFunctions& functions, std::size_t n)
      : n_(n), kernel_(make_program(functions.data, joined({std::span(&functions.energy, 1), functions.constraints}))),
        data_(functions.data.size()), values_(1 + functions.constraints.size()) {}

  void set_parameters(std::span<const double> parameters) {
    std::copy(parameters.begin(), parameters.end(), data_.end() - signed_size(parameters.size()));
  }
  void operator()(std::span<const double> from, std::span<const double> to, double h) {
    for (std::size_t i = 0; i < n_; ++i) {
      data_[i] = from[i];
      data_[n_ + i] = to[i] - from[i];
    }
    data_[2 * n_] = h;
    kernel_(data_.data(), values_.data());
  }
  double energy() const { return values_[0]; }
  std::span<const double> constraints() const { return std::span(values_).subspan(1); }

 private:
  std::size_t n_;
  Kernel kernel_;
  std::vector<double> data_;
  std::vector<double> values_;
};

class OneStep final : public Stepper {
 public:
  OneStep(const Method& method, const Problem& problem)
      : problem_(problem), equations_(method.equations), structure_(method.structure), stages_(method.stages),
        memory_size_(method.memory), state_size_(method.state_size()), n_(problem.system.dimension()),
        start_(with_typical(method.start, joined_start(problem), problem), 1, Backend::interpreted),
        data_(first_data(method)), step_(with_typical(method.step, std::span(data_).first(method.step.state), problem)),
        node_{std::vector<double>(n_), std::vector<double>(n_)}, outputs_(method.step.outputs.size()),
        node_outputs_(2 * n_) {
    const auto& node = method.node;
    node_is_state_ = std::equal(node.outputs.begin(), node.outputs.end(), node.data.begin());
    if (!node_is_state_) node_map_.emplace(with_typical(node, std::span(data_).first(method.step.state), problem));
    if (method.interval) {
      watch_.emplace(*method.interval, n_);
      watch_->set_parameters(problem.parameters);
      interval_.constraints.resize(method.interval->constraints.size());
    }
    interval_.multipliers.resize(outputs_.size() - method.step.state);
    if (problem.second_position) prepare_second_position(method);
    before_ = data_;
    memory_before_ = memory_;
    if (!read_node()) throw MethodError(failure_);
  }

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return newton_; }
  std::span<const double> state() const override { return std::span(data_).first(state_size_); }
  const IntervalValues* interval() const override { return watch_ && has_interval_ ? &interval_ : nullptr; }

  bool keeps_constraints_between_nodes() const override {
    return structure_.constraint == Structure::Constraint::between_nodes;
  }

  bool advance() override {
    std::copy(data_.begin(), data_.end(), before_.begin());
    std::copy(memory_.begin(), memory_.end(), memory_before_.begin());
    if (take_step() && read_node()) {
      second_state_.clear();
      has_interval_ = true;
      return true;
    }
    std::copy(before_.begin(), before_.end(), data_.begin());
    std::copy(memory_before_.begin(), memory_before_.end(), memory_.begin());
    return false;
  }

  std::vector<double> save() const override {
    std::vector<double> saved(data_.begin(), data_.begin() + signed_size(state_size_ + memory_size_));
    saved.insert(saved.end(), memory_.begin(), memory_.end());
    saved.push_back(second_state_.empty() ? 0.0 : 1.0);
    saved.push_back(static_cast<double>(newton_.iterations));
    saved.push_back(newton_.max);
    saved.push_back(static_cast<double>(newton_.solutions));
    return saved;
  }

  void restore(std::span<const double> saved) override {
    const std::size_t size = state_size_ + memory_size_;
    if (saved.size() != size + memory_.size() + 4)
      throw std::invalid_argument("the saved state belongs to another system or method");
    std::copy_n(saved.begin(), size, data_.begin());
    std::copy_n(saved.begin() + signed_size(size), memory_.size(), memory_.begin());
    const auto rest = saved.last(4);
    if (rest[0] == 0.0) second_state_.clear();
    newton_ = {static_cast<std::int64_t>(rest[1]), static_cast<int>(rest[2]), static_cast<std::int64_t>(rest[3])};
    if (!read_node()) throw std::invalid_argument(failure_);
  }

 private:
  static std::vector<double> joined_start(const Problem& problem) {
    std::vector<double> start = problem.start.q;
    start.insert(start.end(), problem.start.v.begin(), problem.start.v.end());
    return start;
  }

  /// What the method keeps at a node, with what a step of size h from there may be guessed to be.
  std::vector<double> state_at(const State& node, double h) {
    std::vector<double> data = node.q;
    data.insert(data.end(), node.v.begin(), node.v.end());
    data.push_back(h);
    data.insert(data.end(), problem_.parameters.begin(), problem_.parameters.end());
    std::vector<double> state(start_.system().outputs.size());
    if (start_.run(data, state) != 1) {
      throw MethodError(fmt::format("the method cannot start: {}", start_.describe(start_.reports()[0])));
    }
    return state;
  }

  std::vector<double> first_data(const Method& method) {
    std::vector<double> data = state_at(problem_.start, stages_[0] * problem_.step);
    if (stages_.size() > 1) {
      for (const double fraction : stages_) {
        const auto state = state_at(problem_.start, fraction * problem_.step);
        memory_.insert(memory_.end(), state.begin() + signed_size(method.state_size()), state.end());
      }
    }
    data.push_back(problem_.step);
    data.insert(data.end(), problem_.parameters.begin(), problem_.parameters.end());
    return data;
  }

  void prepare_second_position(const Method& method) {
    if (!method.from_two_positions) {
      throw MethodError("this method cannot start from two positions; plain del and dla can");
    }
    std::vector<double> data = problem_.start.q;
    for (std::size_t i = 0; i < n_; ++i) data.push_back((*problem_.second_position)[i] - problem_.start.q[i]);
    data.push_back(problem_.step);
    data.insert(data.end(), problem_.parameters.begin(), problem_.parameters.end());
    Step map(*method.from_two_positions, 1, Backend::interpreted);
    second_state_.resize(map.system().outputs.size());
    if (map.run(data, second_state_) != 1) {
      throw MethodError(
          fmt::format("the method cannot start from these positions: {}", map.describe(map.reports()[0])));
    }
  }

  double& step_size() { return data_[state_size_ + memory_size_]; }

  bool take_step() {
    std::fill(interval_.constraints.begin(), interval_.constraints.end(), 0.0);
    if (!second_state_.empty()) {  // the first step is given
      std::copy(second_state_.begin(), second_state_.end(), data_.begin());
      std::fill(interval_.multipliers.begin(), interval_.multipliers.end(), not_a_number);
      watch_interval(before_, problem_.step);
      return true;
    }
    if (stages_.size() == 1) {
      if (!solve()) return false;
      std::copy(outputs_.end() - signed_size(interval_.multipliers.size()), outputs_.end(),
                interval_.multipliers.begin());
      watch_interval(before_, problem_.step);
      return true;
    }
    return compose();
  }

  /// The stages one after the other, each with its own memory: from step to step a stage changes smoothly.
  bool compose() {
    const auto memory = data_.begin() + signed_size(state_size_);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const auto own = memory_.begin() + signed_size(i * memory_size_);
      std::copy_n(own, memory_size_, memory);
      step_size() = stages_[i] * problem_.step;
      stage_before_.assign(data_.begin(), data_.begin() + signed_size(n_));
      if (!solve()) {
        failure_ = fmt::format("stage {} of {}: {}", i + 1, stages_.size(), failure_);
        return false;
      }
      std::copy_n(memory, memory_size_, own);
      watch_interval(stage_before_, stages_[i] * problem_.step);
    }
    interval_.energy = not_a_number;
    std::fill(interval_.multipliers.begin(), interval_.multipliers.end(), not_a_number);
    return true;
  }

  void watch_interval(std::span<const double> from, double h) {
    if (!watch_) return;
    (*watch_)(from, data_, h);
    interval_.energy = watch_->energy();
    for (std::size_t k = 0; k < interval_.constraints.size(); ++k) {
      const double residual = watch_->constraints()[k] * (h / problem_.step);  // slip, relative to the whole step
      if (!(std::abs(residual) <= std::abs(interval_.constraints[k]))) interval_.constraints[k] = residual;
    }
  }

  bool solve() {
    if (step_.run(data_, outputs_) == 1) {
      count_iterations();
      return true;
    }
    explain();
    return continue_in_step_size();
  }

  void count_iterations() {
    const LaneReport& report = step_.reports()[0];
    newton_.iterations += report.iterations;
    newton_.max = std::max(newton_.max, report.max_iterations);
    ++newton_.solutions;
  }

  /// The last resort: follows the solution from small steps, whose solution is near, to the step that was asked for.
  bool continue_in_step_size() {
    if (memory_size_ == 0) return false;
    constexpr int parts = 16;
    const std::size_t unknowns = memory_size_ / 3;
    const double h = step_size();
    std::vector<double> trial = data_;
    std::vector<double> guess(unknowns);
    std::vector<double> last(unknowns);
    const State here{{data_.begin(), data_.begin() + signed_size(n_)}, node_.v};
    for (int part = 1; part <= parts; ++part) {
      const double fraction = h * part / parts;
      if (part == 1) {
        try {
          const auto state = state_at(here, fraction);
          std::copy_n(state.begin() + signed_size(state_size_), unknowns, guess.begin());
        } catch (const MethodError&) {
          return false;
        }
        const auto at_rest = state_at(here, 0.0);
        std::copy_n(at_rest.begin() + signed_size(state_size_), unknowns, last.begin());
      }
      trial = data_;
      for (std::size_t age = 0; age < 3; ++age) {
        std::copy(guess.begin(), guess.end(), trial.begin() + signed_size(state_size_ + age * unknowns));
      }
      trial[state_size_ + memory_size_] = fraction;
      if (step_.run(trial, outputs_) != 1) return false;
      for (std::size_t k = 0; k < unknowns; ++k) {
        const double solution = outputs_[state_size_ + k];
        guess[k] = 2.0 * solution - last[k];
        last[k] = solution;
      }
    }
    data_ = trial;
    count_iterations();
    return true;
  }

  /// False if the numbers are not finite any more.
  bool read_node() {
    const double* from = data_.data();
    if (!node_is_state_) {
      if (node_map_->run(data_, node_outputs_) != 1) {
        const LaneReport& report = node_map_->reports()[0];
        failure_ = fmt::format("the velocity at the node: {}{}", node_map_->describe(report), advice(report));
        return false;
      }
      from = node_outputs_.data();
    }
    double total = 0.0;
    for (std::size_t i = 0; i < 2 * n_; ++i) total += from[i] * 0.0;
    if (total != 0.0) {  // NaN: some number was not finite
      failure_ = fmt::format("the state is not finite any more; a smaller step than {} may help", problem_.step);
      return false;
    }
    std::copy_n(from, n_, node_.q.begin());
    std::copy_n(from + n_, n_, node_.v.begin());
    return true;
  }

  void explain() {
    const LaneReport& report = step_.reports()[0];
    const auto equation = static_cast<std::size_t>(report.equation);
    failure_ = step_.describe(report) + advice(report);
    if (report.equation >= 0 && equation < equations_.size()) failure_ = equations_[equation] + ": " + failure_;
  }

  /// What may help; a failure to converge says so itself.
  static const char* advice(const LaneReport& report) {
    switch (report.outcome) {
      case Outcome::singular:
        return "; constraints may lose their rank or a direction its inertia here ('rattleback show' searches for such "
               "places): with another step the trajectory passes beside it";
      case Outcome::not_finite:
        return "; a smaller step may help, unless the motion itself leaves the domain of the model";
      default: return "";
    }
  }

  Problem problem_;
  std::vector<std::string> equations_;
  Structure structure_;
  std::vector<double> stages_;
  std::size_t memory_size_;  ///< of one stage
  std::size_t state_size_;
  std::size_t n_;
  Step start_;
  std::vector<double> memory_;  ///< of all stages, if there are several
  std::vector<double> data_;    ///< state, memory of the stage, h, parameters
  Step step_;
  std::optional<Step> node_map_;
  bool node_is_state_ = false;
  std::optional<IntervalWatch> watch_;
  IntervalValues interval_;
  bool has_interval_ = false;
  std::vector<double> second_state_;  ///< at q₁, until the first step is taken
  std::vector<double> before_;
  std::vector<double> memory_before_;
  std::vector<double> stage_before_;
  State node_;
  std::vector<double> outputs_;
  std::vector<double> node_outputs_;
  NewtonCount newton_;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Stepper> make_one_step(const Method& method, const Problem& problem) {
  return std::make_unique<OneStep>(method, problem);
}

}  // namespace rattleback
