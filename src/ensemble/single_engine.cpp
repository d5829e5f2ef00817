// Trajectories one after the other, for methods that carry more along than a state, and for observers.

#include <fmt/format.h>

#include <algorithm>

#include "../base/signed_size.hpp"
#include "../flow/step_failure.hpp"
#include "../method/event_stepper.hpp"
#include "engine.hpp"
#include "interpolant.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/observe/observers.hpp"
#include "trouble.hpp"

namespace rattleback {
namespace {

/// One trajectory from beginning to end.
class MemberRun {
 public:
  MemberRun(const Ensemble& ensemble, const Member& member, NodeReader& reader, MemberResult& result)
      : ensemble_(ensemble), member_(member), reader_(reader), result_(result),
        problem_{ensemble.system, member.parameters, member.start, member.step},
        method_(ensemble.methods[member.method], problem_), stepper_(stepper_of(ensemble)) {
    std::size_t observed = 0;
    for (const std::string& name : ensemble.observers) {
      observers_.push_back(make_observer(name, method_, problem_));
      observed += observers_.back()->quantity().labels.size();
    }
    observed_.resize(observed);
    if (!ensemble.sections.empty() && !has_events()) interpolant_.emplace(problem_);
  }

  void run(Workload& workload) {
    look_at_first_node();
    std::int64_t reported = 0;
    while (step_ < member_.steps && !workload.stopped()) {
      last_ = stepper_->node();
      const double time_before = time_;
      const bool taken = stepper_->advance();
      const bool had_enough = keep_events();
      if (!taken) {
        result_.failure = step_failure(step_, member_.steps, time_, member_.step, stepper_->failure());
        break;
      }
      ++step_;
      time_ = time();
      const bool goes_on = look(time_before);
      keep_times();
      if (!goes_on || had_enough || !result_.failure.empty()) break;
      constexpr std::int64_t between_reports = 1000;
      if (step_ - reported >= between_reports) {
        workload.count(step_ - reported, 0);
        reported = step_;
      }
    }
    workload.count(step_ - reported, member_.steps - step_);
    const State& node = stepper_->node();
    result_.last = reader_.row(time_, node.q, node.v, member_.parameters);
    check_node(result_.last, result_);
    result_.steps = step_;
    // Observers are first asked after the first step: many of them have nothing to say before.
    for (std::size_t k = 0; k < tallies_.size(); ++k) {
      if (!std::isnan(result_.undefined[k])) continue;
      result_.statistics[k] = tallies_[k].over(k < ensemble_.statistics.size() ? step_ : step_ - 1);
    }
  }

 private:
  double time() const {
    const double start = member_.start.t;
    const auto own = stepper_->time();
    return own ? start + *own : std::fma(static_cast<double>(step_), member_.step, start);
  }

  bool has_events() const { return !ensemble_.system.events().empty(); }
  std::unique_ptr<Stepper> stepper_of(const Ensemble& ensemble) const {
    if (!has_events()) return make_stepper(method_, problem_);
    const std::vector<Event> all = watched_events(ensemble);
    return make_event_stepper(method_, problem_,
                              {all.begin() + signed_size(ensemble.system.events().size()), all.end()});
  }

  /// What has happened in the last step. Whether the trajectory ends by that.
  bool keep_events() {
    bool ends = stepper_->stopped_by().has_value();
    for (const EventRecord& record : stepper_->events()) {
      const std::size_t k = place_of_crossings(ensemble_, record.event);
      auto& list = result_.crossings[k];
      list.push_back({record.rising, reader_.row(record.time, record.node.q, record.node.v, member_.parameters)});
      const std::int64_t most = k < ensemble_.sections.size() ? ensemble_.sections[k].most : 0;
      ends = ends || (most > 0 && static_cast<std::int64_t>(list.size()) >= most);
    }
    return ends;
  }

  std::span<const double> watched() {
    const State& node = stepper_->node();
    return reader_.watched(time_, node.q, node.v, member_.parameters);
  }

  void observe() {
    std::span<double> rest = observed_;
    for (const auto& o : observers_) {
      const std::size_t size = o->quantity().labels.size();
      o->observe(*stepper_, rest.first(size));
      rest = rest.subspan(size);
    }
  }

  std::size_t formulas_count() const { return ensemble_.statistics.size() + ensemble_.sections.size(); }

  void look_at_first_node() {
    time_ = time();
    const auto values = watched();
    watch_formulas(values);
    for (std::size_t k = 0; k < ensemble_.statistics.size(); ++k) tallies_.emplace_back(values[k]);
    for (std::size_t k = tallies_.size(); k < formulas_count(); ++k) sections_.emplace_back(values[k]);
    observe();
    keep_times();
  }

  /// Of statistics and sections, between which stands what is observed.
  void watch_formulas(std::span<const double> values) {
    for (std::size_t k = 0; k < formulas_count(); ++k) {
      watch_defined(result_, k < ensemble_.statistics.size() ? k : observed_.size() + k, values[k], time_);
    }
  }

  /// False if the trajectory ends here.
  bool look(double time_before) {
    const auto view = watched();
    const std::vector<double> values(view.begin(), view.end());
    const std::size_t statistics = ensemble_.statistics.size();
    watch_formulas(values);
    for (std::size_t k = 0; k < statistics; ++k) tallies_[k].add(values[k]);
    observe();
    for (std::size_t k = 0; k < observed_.size(); ++k) watch_defined(result_, statistics + k, observed_[k], time_);
    if (tallies_.size() == statistics) {
      for (const double value : observed_) tallies_.emplace_back(value);
    } else {
      for (std::size_t k = 0; k < observed_.size(); ++k) tallies_[statistics + k].add(observed_[k]);
    }
    bool goes_on = true;
    for (std::size_t k = 0; k < ensemble_.sections.size() && !has_events(); ++k) {
      const double before = sections_[k].before();
      const double after = values[statistics + k];
      if (!sections_[k].crosses(ensemble_.sections[k], after)) continue;
      locate(k, before, after, time_before);
      const auto found = static_cast<std::int64_t>(result_.crossings[k].size());
      goes_on = goes_on && (ensemble_.sections[k].most == 0 || found < ensemble_.sections[k].most);
    }
    return goes_on && result_.failure.empty();
  }

  void locate(std::size_t k, double before, double after, double time_before) {
    const double h = time_ - time_before;
    if (!interpolant_->between(last_, stepper_->node(), h)) {
      result_.failure = fmt::format(
          "the crossing of the section {} between t = {:.10g} and {:.10g} cannot be found: there "
          "are no accelerations",
          ensemble_.sections[k].name, time_before, time_);
      return;
    }
    const std::optional<double> found = find_crossing(
        [&](double s) {
          const State node = interpolant_->at(s);
          reader_.watched(time_before + s * h, node.q, node.v, member_.parameters);
          return reader_.section(k);
        },
        before, after);
    if (!found) {
      result_.failure = fmt::format("the function of the section {} is not defined between t = {:.10g} and {:.10g}",
                                    ensemble_.sections[k].name, time_before, time_);
      return;
    }
    const double fraction = *found;
    const State node = interpolant_->at(fraction);
    result_.crossings[k].push_back(
        {sections_[k].is_up(), reader_.row(time_before + fraction * h, node.q, node.v, member_.parameters)});
  }

  /// Nodes that are nearest to a time; of methods with a time of their own, the first ones not before it.
  void keep_times() {
    while (next_time_ < ensemble_.times.size()) {
      const double wanted = ensemble_.times[next_time_];
      const bool reached = stepper_->time() ? *stepper_->time() >= wanted
                                            : static_cast<double>(step_) >= std::round(wanted / member_.step);
      if (!reached) return;
      const State& node = stepper_->node();
      check_node(result_.nodes[next_time_++] = reader_.row(time_, node.q, node.v, member_.parameters), result_);
    }
  }

  const Ensemble& ensemble_;
  const Member& member_;
  NodeReader& reader_;
  MemberResult& result_;
  Problem problem_;
  DerivedMethod method_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<std::unique_ptr<Observer>> observers_;
  std::optional<Interpolant> interpolant_;
  std::vector<double> observed_;
  std::vector<Tally> tallies_;
  std::vector<SectionWatch> sections_;
  State last_;
  double time_ = 0.0;
  std::int64_t step_ = 0;
  std::size_t next_time_ = 0;
};

class SingleEngine final : public Engine {
 public:
  SingleEngine(const Ensemble& ensemble, const Members& members, std::size_t method)
      : ensemble_(ensemble), members_(members), method_(method), start_check_(ensemble, members.nominal()),
        reader_(ensemble) {}

  void run(Workload& workload) override {
    while (const auto index = workload.stopped() ? std::nullopt : workload.next(method_)) {
      Member member = members_.at(*index);
      MemberResult result = empty_result(ensemble_, member, observed_count());
      result.failure = start_check_(member);
      if (result.failure.empty()) {
        const std::string trouble = trouble_of([&] { MemberRun(ensemble_, member, reader_, result).run(workload); });
        if (!trouble.empty()) {
          result.failure = trouble;
          workload.count(0, member.steps);
        }
        if (workload.stopped()) return;
      } else {
        workload.count(0, member.steps);
      }
      workload.finished(result);
    }
  }

 private:
  /// How many numbers the observers have.
  std::size_t observed_count() {
    if (observed_ || ensemble_.observers.empty()) return observed_.value_or(0);
    observed_ = observed_labels(ensemble_, members_).size();
    return *observed_;
  }

  const Ensemble& ensemble_;
  const Members& members_;
  std::size_t method_;
  StartCheck start_check_;
  NodeReader reader_;
  std::optional<std::size_t> observed_;
};

}  // namespace

std::vector<std::string> observed_labels(const Ensemble& ensemble, const Members& members) {
  std::vector<std::string> labels;
  for (const std::string& name : ensemble.observers) {
    const auto observer = make_observer(name, ensemble.methods.front(), members.nominal());
    for (const std::string& label : observer->quantity().labels) labels.push_back(label);
  }
  return labels;
}

std::unique_ptr<Engine> make_single_engine(const Ensemble& ensemble, const Members& members, std::size_t method) {
  return std::make_unique<SingleEngine>(ensemble, members, method);
}

}  // namespace rattleback
