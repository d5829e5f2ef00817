// A one-step method on its way along a trajectory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/signed_size.hpp"
#include "guard.hpp"
#include "leap.hpp"
#include "rattleback/kernel/step.hpp"
#include "rattleback/mech/diagnosis.hpp"
#include "rattleback/method/method.hpp"

namespace rattleback {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Energy and constraints between two positions.
class IntervalWatch {
 public:
  IntervalWatch(const IntervalFunctions& functions, std::size_t n)
      : n_(n), program_(make_program(functions.data, joined({std::span(&functions.energy, 1), functions.constraints}))),
        kernel_(program_), data_(functions.data.size()), values_(1 + functions.constraints.size()) {}

  void set_parameters(std::span<const double> parameters) {
    std::copy(parameters.begin(), parameters.end(), data_.end() - signed_size(parameters.size()));
  }
  void operator()(std::span<const double> from, std::span<const double> increments, double h) {
    std::copy_n(from.begin(), n_, data_.begin());
    std::copy_n(increments.begin(), n_, data_.begin() + signed_size(n_));
    data_[2 * n_] = h;
    kernel_(data_.data(), values_.data());
  }
  double energy() const { return values_[0]; }
  std::span<const double> constraints() const { return std::span(values_).subspan(1); }
  const Program& program() const { return program_; }

 private:
  std::size_t n_;
  Program program_;
  Kernel kernel_;
  std::vector<double> data_;
  std::vector<double> values_;
};

class OneStep final : public Stepper {
 public:
  OneStep(const Method& method, const MethodMaps& maps, const Problem& problem)
      : method_(method), problem_(problem), maps_(maps), equations_(method.equations), remarks_(method.remarks),
        structure_(method.structure), stages_(method.stages), memory_size_(method.memory),
        state_size_(method.state_size()), n_(problem.system.dimension()), start_(maps_.start, 1, Backend::interpreted),
        data_(first_data()), step_(maps_.step), node_(problem.start), outputs_(method.step.outputs.size()),
        node_outputs_(2 * n_) {
    if (maps_.node) prepare_node_map(*maps_.node);
    if (method.interval) {
      watch_.emplace(*method.interval, n_);
      watch_->set_parameters(problem.parameters);
      interval_.constraints.resize(method.interval->constraints.size());
    }
    interval_.multipliers.resize(method.multipliers);
    if (problem.second_position) prepare_second_position(method);
    if (method.adjust) {
      adjust_ = method.adjust;
      if (!adjust_state()) throw MethodError(failure_);
      if (!method.adjusts_every_step) adjust_ = {};
    }
    before_ = data_;
    memory_before_ = memory_;
    if (!read_node()) throw MethodError(failure_);
    for (const Guard& guard : method.guards) guards_.push_back(std::make_unique<GuardWatch>(guard, problem));
    if (!guards_.empty()) energies_.emplace(problem);
  }

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  NewtonCount newton() const override { return newton_; }
  std::span<const double> state() const override { return std::span(data_).first(state_size_); }
  const IntervalValues* interval() const override { return watch_ && has_interval_ ? &interval_ : nullptr; }

  bool keeps_constraints_between_nodes() const override {
    return structure_.constraint == Structure::Constraint::between_nodes;
  }

  std::vector<Remark> remarks() const override {
    std::vector<Remark> list = remarks_;
    for (const auto& guard : guards_) {
      if (guard->crossings() == 0) continue;
      list.push_back({"crossings", static_cast<double>(guard->crossings()),
                      fmt::format("how often {} changed its sign: the reduced equations are singular there, those of "
                                  "dla are not",
                                  guard->name())});
    }
    return list;
  }

  bool advance() override {
    std::copy(data_.begin(), data_.end(), before_.begin());
    std::copy(memory_.begin(), memory_.end(), memory_before_.begin());
    has_interval_ = false;
    for (const auto& guard : guards_) {
      failure_ = guard->before_step(node_);
      if (!failure_.empty()) return false;
    }
    if (!guards_.empty()) node_before_ = node_;
    if ((!adjust_ || adjust_state()) && take_step() && read_node() && passes_guards(node_before_)) {
      second_is_next_ = false;
      has_interval_ = true;
      return true;
    }
    std::copy(before_.begin(), before_.end(), data_.begin());
    std::copy(memory_before_.begin(), memory_before_.end(), memory_.begin());
    return false;
  }

  bool watch(const Program& functions) override {
    if (!guards_.empty() || adjust_) return false;
    if (leap_ && watched_ == functions) return true;
    leap_ = Leap::make(method_, maps_, problem_, watch_ ? std::optional(watch_->program()) : std::nullopt, functions);
    watched_ = functions;
    return leap_.has_value();
  }

  std::int64_t leap(Watched& watched, std::int64_t steps) override {
    if (!leap_ || second_is_next_ || (watch_ && !has_interval_)) return 0;
    return leap_->run({std::span(data_).first(state_size_), memories(), node_, interval_, newton_}, watched, steps);
  }

  bool restart(const Problem& problem) override {
    if (!guards_.empty() || method_.adjust || problem_.second_position || problem.second_position) return false;
    problem_ = problem;
    data_ = first_data();
    node_ = problem_.start;
    newton_ = {};
    has_interval_ = false;
    if (node_map_) {
      auto rest = node_data_.end() - signed_size(1 + problem_.parameters.size());
      *rest++ = problem_.step;
      std::ranges::copy(problem_.parameters, rest);
    }
    if (watch_) watch_->set_parameters(problem_.parameters);
    leap_.reset();
    if (!read_node()) throw MethodError(failure_);
    return true;
  }

  // state, memories of the stages, velocity of the node, whether the second position is next, counters
  std::vector<double> save() const override {
    std::vector<double> saved(data_.begin(), data_.begin() + signed_size(state_size_));
    const auto kept = memories();
    saved.insert(saved.end(), kept.begin(), kept.end());
    saved.insert(saved.end(), node_.v.begin(), node_.v.end());
    saved.push_back(second_is_next_ ? 1.0 : 0.0);
    saved.push_back(static_cast<double>(newton_.iterations));
    saved.push_back(newton_.max);
    saved.push_back(static_cast<double>(newton_.solutions));
    for (const auto& guard : guards_) saved.push_back(guard->crossings());
    return saved;
  }

  void restore(std::span<const double> saved) override {
    if (saved.size() != state_size_ + memories().size() + n_ + 4 + guards_.size())
      throw std::invalid_argument("the saved state belongs to another system or method");
    auto next = saved.begin();
    const auto take = [&](auto to, std::size_t count) {
      std::copy_n(next, count, to);
      next += signed_size(count);
    };
    take(data_.begin(), state_size_);
    take(memories().begin(), memories().size());
    take(node_.v.begin(), n_);
    const auto rest = saved.last(4 + guards_.size());
    second_is_next_ = rest[0] != 0.0;
    has_interval_ = false;
    newton_ = {static_cast<std::int64_t>(rest[1]), static_cast<int>(rest[2]), static_cast<std::int64_t>(rest[3])};
    if (!read_node()) throw std::invalid_argument(failure_);
    for (std::size_t k = 0; k < guards_.size(); ++k) guards_[k]->set_crossings(static_cast<int>(rest[4 + k]), node_);
  }

 private:
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

  std::vector<double> first_data() {
    std::vector<double> data = whole_start(method_, maps_, problem_);
    if (stages_.size() > 1) {
      const auto memories = data.begin() + signed_size(state_size_);
      memory_.assign(memories, memories + signed_size(stages_.size() * memory_size_));
      data.erase(memories + signed_size(memory_size_), memories + signed_size(memory_.size()));
    }
    return data;
  }

  /// The node map's data: state, velocity of the node before, h, parameters.
  void prepare_node_map(const ImplicitSystem& node) {
    node_data_.assign(data_.begin(), data_.begin() + signed_size(state_size_));
    node_data_.insert(node_data_.end(), node_.v.begin(), node_.v.end());
    node_data_.push_back(problem_.step);
    node_data_.insert(node_data_.end(), problem_.parameters.begin(), problem_.parameters.end());
    node_map_.emplace(node);
  }

  void check_second_position() const {
    const std::vector<double>& q = *problem_.second_position;
    if (q.size() != n_) throw MethodError(fmt::format("the second position has {} entries, expected {}", q.size(), n_));
    const State there{q, std::vector<double>(n_, 0.0)};
    const PointReport report = examine(problem_.system, problem_.parameters, there);
    for (std::size_t k = 0; k < report.holonomic_violated.size(); ++k) {
      if (!report.holonomic_violated[k]) continue;
      throw MethodError(fmt::format("the second position (--q1) violates {}: it gives {:.3g}",
                                    problem_.system.row_name_with_text(problem_.system.constraints().size() + k),
                                    report.holonomic_residuals[k]));
    }
  }

  void prepare_second_position(const Method& method) {
    if (!method.from_two_positions) throw MethodError("this method cannot start from two positions");
    check_second_position();
    second_is_next_ = true;
    std::vector<double> data = problem_.start.q;
    for (std::size_t i = 0; i < n_; ++i) data.push_back((*problem_.second_position)[i] - problem_.start.q[i]);
    second_increment_.assign(data.end() - signed_size(n_), data.end());
    data.insert(data.end(), problem_.start.v.begin(), problem_.start.v.end());
    data.push_back(problem_.step);
    data.insert(data.end(), problem_.parameters.begin(), problem_.parameters.end());
    Step map(*method.from_two_positions, 1, Backend::interpreted);
    second_state_.resize(map.system().outputs.size());
    if (map.run(data, second_state_) != 1) {
      throw MethodError(
          fmt::format("the method cannot start from these positions: {}", map.describe(map.reports()[0])));
    }
  }

  /// Equations that are singular somewhere have solutions far from the motion: a step that leads further than its
  /// velocities do, or that changes the energy by half of the kinetic energies before and after, has found one.
  bool passes_guards(const State& before) {
    if (guards_.empty()) return true;
    failure_.clear();
    for (const auto& guard : guards_) {
      if (failure_.empty()) failure_ = guard->after_step(node_);
    }
    if (failure_.empty()) {
      double square = 0.0;
      for (std::size_t i = 0; i < n_; ++i) square += std::pow(node_.q[i] - before.q[i], 2);
      const double reach = 2.0 * (guards_[0]->stride(before) + guards_[0]->stride(node_));
      if (!(std::sqrt(square) <= reach)) {
        failure_ = fmt::format(
            "the step leads {:.3g} away, and its velocities only {:.3g}: the equations were solved far from the "
            "motion; a "
            "smaller step than {} may help",
            std::sqrt(square), reach / 4.0, problem_.step);
      }
    }
    if (failure_.empty()) {
      const auto [energy_before, kinetic_before] = energies_->at(before);
      const auto [energy, kinetic] = energies_->at(node_);
      if (!(std::abs(energy - energy_before) <= 0.5 * (std::abs(kinetic) + std::abs(kinetic_before)))) {
        failure_ = fmt::format(
            "the energy jumps from {:.4g} to {:.4g}: the equations were solved far from the motion; a smaller step "
            "than "
            "{} may help",
            energy_before, energy, problem_.step);
      }
    }
    if (!failure_.empty()) node_ = before;
    return failure_.empty();
  }

  bool adjust_state() {
    if (adjust_(std::span(data_).first(state_size_), node_.v, problem_.step)) return true;
    failure_ =
        "the modified energy cannot be computed here: there are no steps around this state; a smaller step may help";
    return false;
  }

  /// Of all stages. A composition copies that of a stage to where the step reads it.
  std::span<double> memories() {
    return stages_.size() > 1 ? std::span(memory_) : std::span(data_).subspan(state_size_, memory_size_);
  }
  std::span<const double> memories() const {
    return stages_.size() > 1 ? std::span(memory_) : std::span(data_).subspan(state_size_, memory_size_);
  }
  double& step_size() { return data_[state_size_ + memory_size_]; }

  bool take_step() {
    std::fill(interval_.constraints.begin(), interval_.constraints.end(), 0.0);
    std::fill(interval_.multipliers.begin(), interval_.multipliers.end(), not_a_number);
    if (second_is_next_) {  // the first step is given
      std::copy(second_state_.begin(), second_state_.end(), data_.begin());
      watch_interval(before_, second_increment_, problem_.step);
      return true;
    }
    if (stages_.size() > 1) return compose();
    if (!solve()) return false;
    std::copy_n(outputs_.begin() + signed_size(state_size_ + memory_size_), interval_.multipliers.size(),
                interval_.multipliers.begin());
    watch_interval(before_, increments(), problem_.step);
    return true;
  }

  /// Of q in the step that was solved last: the last outputs of methods that know about intervals.
  std::span<const double> increments() const { return std::span(outputs_).last(n_); }

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
      watch_interval(stage_before_, increments(), stages_[i] * problem_.step);
    }
    interval_.energy = not_a_number;
    return true;
  }

  void watch_interval(std::span<const double> from, std::span<const double> by, double h) {
    if (!watch_) return;
    (*watch_)(from, by, h);
    interval_.energy = watch_->energy();
    for (std::size_t k = 0; k < interval_.constraints.size(); ++k) {
      const double residual = watch_->constraints()[k] * (h / problem_.step);  // slip, relative to the whole step
      if (!(std::abs(residual) <= std::abs(interval_.constraints[k]))) interval_.constraints[k] = residual;
    }
  }

  bool solve() {
    if (solve_once(data_)) return true;
    const std::string why = explain();
    if (memory_size_ > 0 && look_elsewhere()) return true;
    failure_ = why;
    return false;
  }

  bool solve_once(std::vector<double>& data) {
    const bool solved = step_.run(data, outputs_) == 1;
    if (!solved) return false;
    const LaneReport& report = step_.reports()[0];
    newton_.iterations += report.iterations;
    newton_.max = std::max(newton_.max, report.max_iterations);
    ++newton_.solutions;
    return true;
  }

  /// Last resorts where the extrapolated guess was a bad one: the increment that the velocity suggests; and following
  /// the solution from small steps, where it is near that increment, to the step that was asked for. Equations that are
  /// not linear have other solutions too: one that is not near where it was looked for does not continue the motion.
  bool look_elsewhere() {
    const double h = step_size();
    const std::size_t unknowns = memory_size_ / 3;
    std::vector<double> trial;
    const auto suggested = [&](double size) {
      const auto state = state_at({{data_.begin(), data_.begin() + signed_size(n_)}, node_.v}, size);
      return std::vector<double>(state.begin() + signed_size(state_size_),
                                 state.begin() + signed_size(state_size_ + unknowns));
    };
    std::vector<double> whole;  // what is suggested for the whole step: tells how large the unknowns are
    const auto found = [&] { return std::span(outputs_).subspan(state_size_, unknowns); };
    const auto attempt = [&](double size, std::span<const double> guess) {
      trial = data_;
      for (std::size_t age = 0; age < 3; ++age) {
        std::copy(guess.begin(), guess.end(), trial.begin() + signed_size(state_size_ + age * unknowns));
      }
      trial[state_size_ + memory_size_] = size;
      if (!solve_once(trial)) return false;
      double total = 0.0;
      double change = 0.0;
      for (std::size_t k = 0; k < unknowns; ++k) {
        total += std::max(std::abs(guess[k]), std::abs(whole[k]));
        change += std::abs(found()[k] - guess[k]);
      }
      return change <= 0.5 * total;
    };
    try {
      whole = suggested(h);
      bool arrived = attempt(h, whole);
      double reached = 0.0;  // fraction of h
      std::vector<double> there = suggested(0.0);
      for (double stride = 1.0 / 16.0; !arrived && stride > 1e-3;) {
        const double next = std::min(1.0, reached + stride);
        const std::vector<double> here = suggested(reached * h);
        std::vector<double> guess = suggested(next * h);
        for (std::size_t k = 0; k < unknowns; ++k) guess[k] += there[k] - here[k];
        if (!attempt(next * h, guess)) {
          stride *= 0.5;
          continue;
        }
        there.assign(found().begin(), found().end());
        reached = next;
        arrived = reached == 1.0;
      }
      if (arrived) data_ = trial;
      return arrived;
    } catch (const MethodError&) {  // nothing can be suggested here
      return false;
    }
  }

  /// False if the numbers are not finite any more.
  bool read_node() {
    const double* from = data_.data();
    if (node_map_) {
      std::copy(node_.v.begin(), node_.v.end(), std::copy_n(data_.begin(), state_size_, node_data_.begin()));
      if (node_map_->run(node_data_, node_outputs_) != 1) {
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

  /// What was wrong with the last step.
  std::string explain() const {
    const LaneReport& report = step_.reports()[0];
    const auto equation = static_cast<std::size_t>(report.equation);
    const std::string text = step_.describe(report) + advice(report);
    return report.equation >= 0 && equation < equations_.size() ? equations_[equation] + ": " + text : text;
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

  Method method_;
  Problem problem_;
  MethodMaps maps_;
  std::vector<std::string> equations_;
  std::vector<Remark> remarks_;
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
  std::vector<double> node_data_;
  std::optional<IntervalWatch> watch_;
  std::vector<std::unique_ptr<GuardWatch>> guards_;
  std::optional<Energies> energies_;  ///< of guarded methods
  IntervalValues interval_;
  bool has_interval_ = false;
  std::vector<double> second_state_;  ///< at q₁, if that is given
  std::vector<double> second_increment_;
  bool second_is_next_ = false;
  std::vector<double> before_;
  std::vector<double> memory_before_;
  std::vector<double> stage_before_;
  State node_;
  State node_before_;                ///< of guarded methods
  decltype(Method::adjust) adjust_;  ///< before every step
  std::vector<double> outputs_;
  std::vector<double> node_outputs_;
  NewtonCount newton_;
  std::string failure_;
  Program watched_;
  std::optional<Leap> leap_;
};

}  // namespace

std::unique_ptr<Stepper> make_one_step(const Method& method, const Problem& problem) {
  if (method.needs_inertia && !direction_without_inertia(problem.system, problem.parameters, problem.start).empty()) {
    throw MethodError(
        "the method needs inertia in every direction, and this system does not have it; dla and rk4 need "
        "it only where the constraints let the system move");
  }
  for (const Guard& guard : method.guards) GuardWatch(guard, problem);  // says why a start is singular
  return make_one_step(method, maps_of(method, problem), problem);
}

std::unique_ptr<Stepper> make_one_step(const Method& method, const MethodMaps& maps, const Problem& problem) {
  return std::make_unique<OneStep>(method, maps, problem);
}

}  // namespace rattleback
