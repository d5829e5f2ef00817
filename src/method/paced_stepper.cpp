// Trajectories in steps of τ that a reference solution paces.

#include "paced_stepper.hpp"

#include <fmt/format.h>

#include "guards.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/reference.hpp"
#include "rattleback/method/whole_step.hpp"

namespace rattleback {
namespace {

/// τ(t) along the reference solution, by Boole's rule with steps that are sixteen times smaller.
class ReferencePace {
 public:
  ReferencePace(const Expression& rate, const Problem& problem)
      : flow_(problem), speed_(CompiledMap::functions(map_of(rate, problem.system), problem)), h_(problem.step) {}

  /// The interval from kh to (k+1)h.
  struct Step {
    double tau = 0.0;    ///< τ((k+1)h) − τ(kh)
    double first = 0.0;  ///< N at its ends
    double last = 0.0;
  };
  /// Throws FlowError.
  Step step(std::int64_t k) {
    std::vector<double> speeds;
    for (int i = 0; i <= parts; ++i) {
      const double t = (static_cast<double>(k) + static_cast<double>(i) / parts) * h_;
      speeds.push_back(speed(flow_.at(t)));
    }
    flow_.forget_the_past();
    return {cumulative_integral(speeds, h_ / parts, Quadrature::boole).back(), speeds.front(), speeds.back()};
  }

  /// N at a node.
  double speed(const State& node) {
    speed_.run(node);
    return speed_.outputs()[0];
  }

  std::vector<double> save() const { return flow_.save(); }
  void restore(std::span<const double> saved) { flow_.restore(saved); }

 private:
  static constexpr int parts = 16;

  static ImplicitSystem map_of(const Expression& rate, const System& system) {
    const Expression speed = 1.0 / rate;
    ImplicitSystem map = map_of_node(system);
    map.give(Slot::others, {&speed, 1});
    return map;
  }

  ReferenceFlow flow_;
  CompiledMap speed_;
  double h_;
};

class PacedStepper final : public Stepper {
 public:
  PacedStepper(const Method& method, const Problem& problem) : pace_(method.own_time->rate, problem) {
    Guards(method, problem);                                            // says why a start is singular
    inner_ = make_one_step(method, maps_of(method, problem), problem);  // guesses and guards look ahead in steps of t
    next_ = pace_.step(0);
  }

  const State& node() const override { return inner_->node(); }
  std::string failure() const override { return failure_.empty() ? inner_->failure() : failure_; }
  NewtonCount newton() const override { return inner_->newton(); }
  std::span<const double> state() const override { return inner_->state(); }
  const IntervalValues* interval() const override { return inner_->interval(); }
  bool keeps_constraints_between_nodes() const override { return inner_->keeps_constraints_between_nodes(); }

  std::vector<Remark> remarks() const override {
    std::vector<Remark> list = inner_->remarks();
    list.push_back({"tau", tau_, "tau at the end, that of the reference solution"});
    return list;
  }

  bool advance() override {
    if (!failure_.empty()) return false;
    inner_->set_step(next_.tau);
    if (!inner_->advance()) return false;
    tau_ += next_.tau;
    ++count_;
    prepare();
    return true;
  }

  std::vector<double> save() const override {
    std::vector<double> saved{static_cast<double>(count_), tau_, next_.tau, next_.first, next_.last};
    const std::vector<double> inner = inner_->save();
    const std::vector<double> pace = pace_.save();
    saved.insert(saved.end(), inner.begin(), inner.end());
    saved.insert(saved.end(), pace.begin(), pace.end());
    return saved;
  }

  void restore(std::span<const double> saved) override {
    const std::size_t of_inner = inner_->save().size();
    if (saved.size() < 5 + of_inner) throw std::invalid_argument("the saved state belongs to another system or method");
    count_ = static_cast<std::int64_t>(saved[0]);
    tau_ = saved[1];
    next_ = {saved[2], saved[3], saved[4]};
    failure_.clear();
    inner_->restore(saved.subspan(5, of_inner));
    pace_.restore(saved.subspan(5 + of_inner));
  }

 private:
  /// The step after this one. τ turns back at zeros of N, and a trajectory that turns back with it instead of passing
  /// is another motion: an interval later it is seen on the wrong side.
  void prepare() {
    const double before = next_.first;
    try {
      next_ = pace_.step(count_);
    } catch (const FlowError& error) {
      failure_ = fmt::format("the reference solution, whose tau paces the steps: {}", error.what());
      return;
    }
    const double here = pace_.speed(node());
    if (here * before > 0.0 || here * next_.first > 0.0 || here * next_.last > 0.0) return;
    failure_ = fmt::format(
        "N is {:.3g} here and {:.3g} in the reference solution, whose tau paces the steps: the solution that was found "
        "turned back at a zero of N; another step may pass, and so may nodes=t",
        here, next_.first);
  }

  ReferencePace pace_;
  std::unique_ptr<OneStepper> inner_;
  std::int64_t count_ = 0;
  double tau_ = 0.0;
  ReferencePace::Step next_;
  std::string failure_;  ///< of what paces
};

}  // namespace

std::unique_ptr<Stepper> make_paced_stepper(const Method& method, const Problem& problem) {
  return std::make_unique<PacedStepper>(method, problem);
}

}  // namespace rattleback
