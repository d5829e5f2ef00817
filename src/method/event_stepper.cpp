// Trajectories with events. Nodes are at t₀ + k h; what happens between them is found by an EventTracker.

#include "event_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partial_step.hpp"
#include "rattleback/method/flow.hpp"

namespace rattleback {
namespace {

/// A trajectory that can be asked between its nodes, and begun anew between them.
class Course : public PartialMotion {
 public:
  virtual const State& node() const = 0;
  /// Another step; `at` is then about the way from the node before.
  virtual bool step() = 0;
  /// The step ends at this node instead, after impacts, or with one.
  virtual bool settle(const State& node, bool with_impact) = 0;
  /// The step is done.
  virtual void go_on() {}
  virtual const Stepper* stepper() const { return nullptr; }
  virtual std::vector<double> save() const = 0;
  virtual void restore(std::span<const double> saved) = 0;
};

class MapCourse final : public Course {
 public:
  MapCourse(const Method& method, const Problem& problem)
      : problem_(problem), maps_(maps_of(method, problem)), stepper_(make_one_step(method, maps_, problem)),
        partial_(method, maps_, problem) {}

  const State& node() const override { return stepper_->node(); }
  const Stepper* stepper() const override { return stepper_.get(); }
  std::string failure() const override { return failure_; }

  bool step() override {
    before_ = stepper_->node();
    before_.t = time(steps_);
    kept_.assign(stepper_->kept().begin(), stepper_->kept().end());
    begun_ = false;
    if (!stepper_->advance()) {
      failure_ = stepper_->failure();
      return false;
    }
    ++steps_;
    return true;
  }

  bool at(double fraction, State& node) override {
    if (!begun_) partial_.begin(before_, kept_, problem_.step);
    begun_ = true;
    return noted(partial_.at(fraction, node));
  }
  bool restart(const State& node, double rest) override {
    begun_ = true;
    return noted(partial_.restart(node, rest));
  }
  bool settle(const State& node, bool with_impact) override {
    if (!noted(partial_.settle(node, with_impact, problem_.step, steps_, kept_))) return false;
    stepper_->go_from(node, kept_, problem_.start.t, problem_.step);
    return true;
  }

  std::vector<double> save() const override {
    std::vector<double> saved = stepper_->save();
    saved.push_back(static_cast<double>(steps_));
    return saved;
  }
  void restore(std::span<const double> saved) override {
    stepper_->restore(saved.first(saved.size() - 1));
    steps_ = static_cast<std::int64_t>(saved.back());
  }

 private:
  double time(std::int64_t steps) const {
    return std::fma(static_cast<double>(steps), problem_.step, problem_.start.t);
  }
  bool noted(bool done) {
    if (!done) failure_ = partial_.failure();
    return done;
  }

  Problem problem_;
  MethodMaps maps_;
  std::unique_ptr<OneStepper> stepper_;
  PartialStep partial_;
  State before_;
  std::vector<double> kept_;
  bool begun_ = false;
  std::int64_t steps_ = 0;
  std::string failure_;
};

class FlowCourse final : public Course {
 public:
  FlowCourse(MethodSpec method, const Problem& problem)
      : method_(std::move(method)), problem_(problem), begin_(problem.start), flow_(method_.flow(problem)),
        node_(flow_->at(0.0)) {}

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }

  bool step() override {
    first_ = since_begin(steps_);
    length_ = problem_.step;
    last_ = since_begin(steps_ + 1);
    if (!at(1.0, node_)) return false;
    ++steps_;
    return true;
  }

  bool at(double fraction, State& node) override {
    try {
      node = flow_->at(fraction == 1.0 ? last_ : first_ + fraction * length_);
    } catch (const FlowError& error) {
      failure_ = error.what();
      return false;
    }
    return true;
  }

  bool restart(const State& node, double rest) override {
    Problem here = problem_;
    here.start = begin_ = node;
    restarted_ = true;
    flow_ = method_.flow(here);
    first_ = 0.0;
    length_ = last_ = rest;
    return true;
  }

  bool settle(const State& node, bool with_impact) override {
    if (with_impact) restart(node, 0.0);
    node_ = node;
    return true;
  }
  void go_on() override { flow_->forget_the_past(); }

  // where the flow began, what it saves, steps
  std::vector<double> save() const override {
    std::vector<double> saved = flow_->save();
    saved.insert(saved.begin(), {restarted_ ? 1.0 : 0.0, begin_.t, static_cast<double>(steps_)});
    saved.insert(saved.begin() + 3, begin_.v.begin(), begin_.v.end());
    saved.insert(saved.begin() + 3, begin_.q.begin(), begin_.q.end());
    return saved;
  }
  void restore(std::span<const double> saved) override {
    const std::size_t positions = begin_.q.size();
    const std::size_t n = begin_.v.size();
    const std::size_t head = 3 + positions + n;
    if (saved.size() < head) throw std::invalid_argument("the saved state belongs to another system");
    if (saved[0] != 0.0) {
      const auto q = saved.subspan(3, positions);
      const auto v = saved.subspan(3 + positions, n);
      restart({{q.begin(), q.end()}, {v.begin(), v.end()}, saved[1]}, 0.0);
    } else if (restarted_) {
      begin_ = problem_.start;
      flow_ = method_.flow(problem_);
      restarted_ = false;
    }
    steps_ = static_cast<std::int64_t>(saved[2]);
    flow_->restore(saved.subspan(head));
    node_ = flow_->at(since_begin(steps_));
  }

 private:
  /// The time of a node, counted from where the flow began.
  double since_begin(std::int64_t steps) const {
    const auto count = static_cast<double>(steps);
    return restarted_ ? std::fma(count, problem_.step, problem_.start.t) - begin_.t : count * problem_.step;
  }

  MethodSpec method_;
  Problem problem_;
  State begin_;  ///< of the flow
  bool restarted_ = false;
  std::unique_ptr<Flow> flow_;
  State node_;
  double first_ = 0.0;  ///< of the piece of the step, in the time of the flow
  double last_ = 0.0;
  double length_ = 0.0;
  std::int64_t steps_ = 0;
  std::string failure_;
};

class EventStepper final : public Stepper {
 public:
  EventStepper(std::unique_ptr<Course> course, const Problem& problem, std::vector<Event> events)
      : course_(std::move(course)), problem_(problem), functions_(problem.system, std::move(events)),
        tracker_(functions_, problem.system.events().size()), node_(course_->node()), counts_(functions_.size()) {
    functions_.set_parameters(problem.parameters);
    node_.t = problem.start.t;
    functions_.at(node_, values_);
    tracker_.begin(memory_, values_);
  }

  const State& node() const override { return node_; }
  std::string failure() const override { return failure_; }
  std::span<const EventRecord> events() const override { return records_; }
  std::span<const double> event_counts() const override {
    return std::span(counts_).first(problem_.system.events().size());
  }
  std::optional<std::size_t> stopped_by() const override { return stopped_by_; }
  std::optional<double> time() const override {
    return stopped_by_ ? std::optional(node_.t - problem_.start.t) : std::nullopt;
  }

  NewtonCount newton() const override { return course_->stepper() ? course_->stepper()->newton() : NewtonCount{}; }
  std::span<const double> state() const override {
    return course_->stepper() ? course_->stepper()->state() : std::span<const double>{};
  }
  const IntervalValues* interval() const override {
    return course_->stepper() && !disturbed_ ? course_->stepper()->interval() : nullptr;
  }
  bool keeps_constraints_between_nodes() const override {
    return course_->stepper() && course_->stepper()->keeps_constraints_between_nodes();
  }
  std::vector<Remark> remarks() const override {
    return course_->stepper() ? course_->stepper()->remarks() : std::vector<Remark>{};
  }

  bool advance() override {
    records_.clear();
    disturbed_ = false;
    if (stopped_by_) {
      failure_ = "the trajectory has ended";
      return false;
    }
    if (!course_->step()) {
      failure_ = course_->failure();
      return false;
    }
    before_ = node_;
    node_ = course_->node();
    node_.t = std::fma(static_cast<double>(steps_ + 1), problem_.step, problem_.start.t);
    functions_.at(node_, next_);
    if (tracker_.may_have_event(memory_, values_, next_, problem_.step) && !pass()) {
      node_ = before_;
      return false;
    }
    std::swap(values_, next_);
    ++steps_;
    course_->go_on();
    return true;
  }

  // steps, what has stopped it, the node, signs, counts, the course
  std::vector<double> save() const override {
    std::vector<double> saved{static_cast<double>(steps_), stopped_by_ ? static_cast<double>(*stopped_by_) : -1.0,
                              node_.t};
    const auto append = [&](const std::vector<double>& more) { saved.insert(saved.end(), more.begin(), more.end()); };
    append(node_.q);
    append(node_.v);
    append(memory_.save());
    append(counts_);
    append(course_->save());
    return saved;
  }
  void restore(std::span<const double> saved) override {
    const std::size_t positions = node_.q.size();
    const std::size_t of_node = positions + node_.v.size();
    const std::size_t head = 3 + of_node + 2 * functions_.size();
    if (saved.size() < head) throw std::invalid_argument("the saved state belongs to another system or method");
    steps_ = static_cast<std::int64_t>(saved[0]);
    stopped_by_.reset();
    if (saved[1] >= 0.0) stopped_by_ = static_cast<std::size_t>(saved[1]);
    memory_.restore(saved.subspan(3 + of_node, functions_.size()));
    const auto counts = saved.subspan(head - functions_.size(), functions_.size());
    counts_.assign(counts.begin(), counts.end());
    course_->restore(saved.subspan(head));
    node_ = course_->node();
    if (stopped_by_) {
      std::ranges::copy(saved.subspan(3, positions), node_.q.begin());
      std::ranges::copy(saved.subspan(3 + positions, node_.v.size()), node_.v.begin());
    }
    node_.t = saved[2];
    functions_.at(node_, values_);
    records_.clear();
  }

 private:
  /// What happens in the step that was taken.
  bool pass() {
    using Outcome = EventTracker::Outcome;
    const Outcome outcome = tracker_.pass(memory_, *course_, before_, node_, problem_.step, records_);
    for (const EventRecord& record : records_) ++counts_[record.event];
    if (outcome == Outcome::failed) {
      failure_ = tracker_.failure();
      return false;
    }
    if (outcome == Outcome::undisturbed) return true;
    disturbed_ = true;
    node_ = tracker_.node();
    functions_.at(node_, next_);
    if (outcome == Outcome::stopped) {
      for (const EventRecord& record : records_) {
        if (functions_.events()[record.event].action == Event::Action::stop) stopped_by_ = record.event;
      }
      return true;
    }
    if (course_->settle(node_, tracker_.ends_with_impact())) return true;
    failure_ = course_->failure();
    return false;
  }

  std::unique_ptr<Course> course_;
  Problem problem_;
  EventFunctions functions_;
  EventTracker tracker_;
  EventMemory memory_;
  EventValues values_;  ///< at the node
  EventValues next_;
  std::vector<EventRecord> records_;
  std::optional<std::size_t> stopped_by_;
  bool disturbed_ = false;  ///< the last step
  State node_;
  std::vector<double> counts_;
  State before_;
  std::int64_t steps_ = 0;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Stepper> make_event_stepper(const DerivedMethod& method, const Problem& problem,
                                            const std::vector<Event>& further) {
  std::vector<Event> events = problem.system.events();
  events.insert(events.end(), further.begin(), further.end());
  std::unique_ptr<Course> course;
  if (!method.map) {
    course = std::make_unique<FlowCourse>(method.spec, problem);
  } else {
    require_events(method, problem);
    course = std::make_unique<MapCourse>(*method.map, problem);
  }
  return std::make_unique<EventStepper>(std::move(course), problem, std::move(events));
}

}  // namespace rattleback
