// Trajectories in the lanes of a compiled step. Each lane has a trajectory of its own, with its own parameters, step
// and number of steps; a lane whose trajectory has ended gets the next one at once.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "../base/signed_size.hpp"
#include "../flow/step_failure.hpp"
#include "engine.hpp"
#include "lane_data.hpp"
#include "lane_events.hpp"
#include "rattleback/mech/dynamics.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/method/whole_step.hpp"
#include "trouble.hpp"

namespace rattleback {
namespace {

/// Between two looks at whether to stop: so many steps, and about so many seconds.
constexpr std::int64_t most_steps_at_once = 10000;
constexpr double seconds_at_once = 0.05;

/// Step and node cannot be one (ChainStep::make).
struct NoChain {};

class LaneEngine final : public Engine {
 public:
  LaneEngine(const Ensemble& ensemble, const Members& members, const MethodPlan& plan, int lanes)
      : ensemble_(ensemble), members_(members), plan_(plan),
        n_(ensemble.system.coordinates().size() + ensemble.system.dimension()), width_(static_cast<std::size_t>(lanes)),
        looks_back_(!ensemble.sections.empty() || !ensemble.system.events().empty()),
        watches_(!ensemble.statistics.empty() || looks_back_), start_check_(ensemble, plan.nominal), reader_(ensemble),
        formulas_(watched_program(ensemble), lanes), start_(method(), *plan.maps, plan.nominal),
        whole_(method(), *plan.maps, {watches_, {}, 0}), step_(make_step(lanes)), lanes_(width_),
        data_(whole_, method().state, width_), before_(data_), outputs_(step_.outputs_size() * width_),
        points_(state_and_parameters(ensemble.system).size() * width_), values_(reader_.watched_count() * width_) {
    if (looks_back_) events_.emplace(ensemble, plan);
    if (plan.maps->node) node_.emplace(*plan.maps->node, plan.nominal);
  }

  void run(Workload& workload) override {
    workload_ = &workload;
    for (std::size_t l = 0; l < width_; ++l) fill(l);
    while (active_ > 0 && !workload.stopped()) advance();
    for (Lane& lane : lanes_) lane.active = false;  // after a stop
    active_ = 0;
  }

 private:
  const Method& method() const { return *plan_.method.map; }
  std::size_t times() const { return ensemble_.system.time().size(); }

  // The choice of pivots must not depend on who runs what: the nominal problem decides for all.
  ChainStep make_step(int lanes) const {
    if (auto step = ChainStep::make(whole_.chain, lanes)) return std::move(*step);
    throw NoChain();
  }

  /// The next trajectory that can start, into a lane.
  void fill(std::size_t l) {
    Lane& lane = lanes_[l];
    while (true) {
      const auto index = workload_->stopped() ? std::nullopt : workload_->next(plan_.index);
      if (!index) return park(l);
      if (!start(l, *index)) {
        workload_->count(0, lane.member.steps);
        workload_->finished(lane.result);
        continue;
      }
      if (lane.step < lane.stop || keep(l)) break;
    }
    if (!lane.active) ++active_;
    lane.active = true;
  }

  bool start(std::size_t l, std::int64_t index) {
    Lane& lane = lanes_[l];
    members_.read(index, lane.member);
    lane.planned = lane.member.steps;
    lane.step = 0;
    lane.next_time = 0;
    lane.result = empty_result(ensemble_, lane.member);
    lane.result.failure = start_check_(lane.member);
    if (!lane.result.failure.empty()) return false;
    const auto state = start_(lane.member.start, lane.member.step, lane.member.parameters);
    if (!state) {
      lane.result.failure = fmt::format("the method cannot start: {}", start_.failure());
      return false;
    }
    data_.scatter(l, data_.kept(), *state);
    data_.scatter(l, whole_.layout[Slot::time], {&lane.member.start.t, 1});
    data_.scatter(l, whole_.layout[Slot::step], {&lane.member.step, 1});
    data_.scatter(l, whole_.layout[Slot::parameters], lane.member.parameters);
    lane.v = lane.member.start.v;
    State node;
    if (!read_node(l, node)) return false;
    if (data_.keeps_velocity()) data_.scatter(l, data_.velocity(), node.v);
    for (std::size_t i = 0; i < lane.member.parameters.size(); ++i) {
      points_[(n_ + times() + i) * width_ + l] = lane.member.parameters[i];
    }
    if (watches_) {
      const auto values = reader_.watched(lane.time(), node.q, node.v, lane.member.parameters);
      const auto value = [&](std::size_t k) { return values[k]; };
      watch_all_defined(lane, value);
      lane.tallies.clear();
      for (std::size_t k = 0; k < ensemble_.statistics.size(); ++k) lane.tallies.emplace_back(values[k]);
      lane.sections.clear();
      for (std::size_t k = lane.tallies.size(); k < formulas_count(); ++k) lane.sections.emplace_back(values[k]);
      lane.stopped.reset();
      if (has_events()) events_->begin(lane, value);
    }
    choose_stop(lane);
    return true;
  }

  std::size_t formulas_count() const { return ensemble_.statistics.size() + ensemble_.sections.size(); }
  bool has_events() const { return !ensemble_.system.events().empty(); }
  void watch_all_defined(Lane& lane, auto&& value) const {
    for (std::size_t k = 0; k < formulas_count(); ++k) watch_defined(lane.result, k, value(k), lane.time());
  }
  /// Computes along with the others, and nobody looks.
  void park(std::size_t l) {
    Lane& lane = lanes_[l];
    if (lane.active) --active_;
    lane.active = false;
    const auto other = std::ranges::find_if(lanes_, &Lane::active);
    if (other != lanes_.end()) data_.copy(static_cast<std::size_t>(other - lanes_.begin()), l);
  }

  std::int64_t step_of_time(const Lane& lane, std::size_t k) const {
    return static_cast<std::int64_t>(std::min(std::round(ensemble_.times[k] / lane.member.step), 9e18));
  }

  void choose_stop(Lane& lane) const {
    lane.stop = lane.member.steps;
    if (lane.next_time < ensemble_.times.size()) lane.stop = std::min(lane.stop, step_of_time(lane, lane.next_time));
  }

  /// The node where a lane is. False if it cannot be computed: the result has the reason.
  bool read_node(std::size_t l, State& node) {
    Lane& lane = lanes_[l];
    if (!node_ || (data_.keeps_velocity() && lane.step > 0)) {
      node = data_.node(l);
    } else {
      node_->set(Slot::state, data_.gather(l, whole_.layout[Slot::state]));
      node_->set(Slot::velocity, lane.v);
      node_->set_time(lane.time());
      node_->surround(lane.member.step, lane.member.parameters);
      if (!node_->run()) {
        lane.result.failure = fmt::format("the velocity at the node: {}", node_->failure());
        return false;
      }
      const auto q = (*node_)(Slot::position);
      const auto v = (*node_)(Slot::velocity);
      node = {{q.begin(), q.end()}, {v.begin(), v.end()}};
    }
    lane.v = node.v;
    return true;
  }

  void advance() {
    std::int64_t steps = watches_ ? 1 : steps_at_once_;
    for (const Lane& lane : lanes_) {
      if (lane.active) steps = std::min(steps, lane.stop - lane.step);
    }
    if (looks_back_) before_ = data_;
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t taken = step_.run(data_.numbers(), outputs_, steps);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (seconds.count() > seconds_at_once && steps == steps_at_once_)
      steps_at_once_ = std::max<std::int64_t>(1, steps / 2);
    workload_->count(taken * static_cast<std::int64_t>(active_), 0);
    if (taken > 0) {
      for (Lane& lane : lanes_) lane.step += lane.active ? taken : 0;
      if (watches_) watch();
      for (std::size_t l = 0; l < width_; ++l) {
        if (lanes_[l].active && lanes_[l].step == lanes_[l].stop && !keep(l)) fill(l);
      }
    }
    if (taken == steps) return;
    // The step after the last one failed in some lanes, and none has taken it.
    std::vector<bool> failed(width_);
    for (std::size_t l = 0; l < width_; ++l) failed[l] = step_.has_failed(static_cast<int>(l));
    for (std::size_t l = 0; l < width_; ++l) {
      if (!failed[l]) continue;
      if (!lanes_[l].active) {
        park(l);
      } else if (!rescue(l)) {
        fill(l);
      }
    }
  }

  /// After a step of all lanes: statistics and sections.
  void watch() {
    const auto next = std::ranges::copy(data_.all(data_.velocity()),
                                        std::ranges::copy(data_.all(data_.position()), points_.begin()).out)
                          .out;
    for (std::size_t l = 0; times() > 0 && l < width_; ++l) next[signed_size(l)] = lanes_[l].time();
    formulas_(points_.data(), values_.data());
    look_for_undefined();
    for (std::size_t l = 0; l < width_; ++l) {
      if (lanes_[l].active) look(l, [&](std::size_t k) { return values_[k * width_ + l]; });
    }
  }

  /// In most steps everything is defined: all lanes are looked at together first.
  void look_for_undefined() {
    bool defined = true;
    for (const double value : values_) defined &= std::isfinite(value);
    if (defined) return;
    for (std::size_t l = 0; l < width_; ++l) {
      Lane& lane = lanes_[l];
      if (lane.active) watch_all_defined(lane, [&](std::size_t k) { return values_[k * width_ + l]; });
    }
  }

  /// value(k) is the value of formula k at the node the lane has come to.
  void look(std::size_t l, auto&& value) {
    Lane& lane = lanes_[l];
    if (has_events() && events_->may_happen(lane, value) && pass_events(l)) {
      const State node = lane.stopped ? *lane.stopped : data_.node(l);
      const auto view = reader_.watched(lane.stopped ? node.t : lane.time(), node.q, node.v, lane.member.parameters);
      const std::vector<double> values(view.begin(), view.end());
      lane.event_values = events_->values([&](std::size_t k) { return values[k]; });
      for (std::size_t k = 0; k < ensemble_.statistics.size(); ++k) lane.tallies[k].add(values[k]);
      return;
    }
    const std::size_t statistics = ensemble_.statistics.size();
    for (std::size_t k = 0; k < statistics; ++k) lane.tallies[k].add(value(k));
    for (std::size_t k = 0; k < ensemble_.sections.size() && !has_events(); ++k) {
      const double before = lane.sections[k].before();
      const double after = value(statistics + k);
      if (!lane.sections[k].crosses(ensemble_.sections[k], after)) continue;
      locate(l, k, before, after);
      LaneEvents::end_after_most(lane, ensemble_, k);
    }
  }

  LaneStep last_step(std::size_t l) const { return {lanes_[l], before_, data_, l}; }

  void continue_from(std::size_t l, const State& node, std::span<const double> kept) {
    data_.scatter(l, data_.kept(), kept);
    lanes_[l].v = node.v;
    if (data_.keeps_velocity()) data_.scatter(l, data_.velocity(), node.v);
  }

  /// What happens in the last step of a lane. Whether that has led it to another node.
  bool pass_events(std::size_t l) {
    using Outcome = EventTracker::Outcome;
    Lane& lane = lanes_[l];
    const Outcome outcome = events_->pass(lane, last_step(l));
    events_->keep(lane, reader_);
    if (outcome == Outcome::undisturbed) return false;
    if (outcome == Outcome::changed) continue_from(l, events_->node(), events_->kept());
    if (outcome == Outcome::changed) return true;
    if (outcome == Outcome::stopped) lane.stopped = events_->node();
    if (outcome == Outcome::failed) {
      data_.scatter(l, {0, whole_.layout.size()}, before_.gather(l));
      --lane.step;
      lane.result.failure = step_failure(lane.step, lane.planned, lane.time(), lane.member.step, events_->failure());
    }
    lane.member.steps = lane.stop = lane.step;
    return true;
  }

  void locate(std::size_t l, std::size_t k, double before, double after) {
    Lane& lane = lanes_[l];
    const auto section_at = [&](const State& at) {
      reader_.watched(at.t, at.q, at.v, lane.member.parameters);
      return reader_.section(k);
    };
    State node;
    const std::optional<double> fraction = events_->locate(lane, last_step(l), section_at, before, after, node);
    if (!fraction) {
      lane.result.failure = fmt::format(
          "the crossing of the section {} between t = {:.10g} and {:.10g} cannot be found: its function, or the "
          "step, is not defined there",
          ensemble_.sections[k].name, lane.time_before(), lane.time());
      lane.member.steps = lane.stop = lane.step;
      return;
    }
    const double time = std::fma(static_cast<double>(lane.step - 1) + *fraction, lane.member.step, lane.member.start.t);
    lane.result.crossings[k].push_back(
        {lane.sections[k].is_up(), reader_.row(time, node.q, node.v, lane.member.parameters)});
  }

  /// A lane has come to a step at which something is to be kept. False if its trajectory ends here.
  bool keep(std::size_t l) {
    Lane& lane = lanes_[l];
    State node;
    if (!read_node(l, node)) return end(l);
    if (lane.stopped) node = *lane.stopped;
    const double time = lane.stopped ? node.t : lane.time();
    const NodeRow row = reader_.row(time, node.q, node.v, lane.member.parameters);
    check_node(row, lane.result);
    while (lane.next_time < ensemble_.times.size() && step_of_time(lane, lane.next_time) <= lane.step) {
      if (lane.stopped && ensemble_.times[lane.next_time] > time - lane.member.start.t) break;
      lane.result.nodes[lane.next_time++] = row;
    }
    if (lane.step < lane.member.steps && lane.result.failure.empty()) {
      choose_stop(lane);
      return true;
    }
    lane.result.last = row;
    return end(l);
  }

  /// Always false: there is nothing left to do.
  bool end(std::size_t l) {
    Lane& lane = lanes_[l];
    lane.result.steps = lane.step;
    for (std::size_t k = 0; k < lane.tallies.size(); ++k) {
      if (std::isnan(lane.result.undefined[k])) lane.result.statistics[k] = lane.tallies[k].over(lane.step);
    }
    workload_->count(0, lane.planned - lane.step);
    workload_->finished(lane.result);
    return false;
  }

  /// One step of a lane that failed, by the stepper of single trajectories, which has more means; then the lane goes
  /// on, or its trajectory has failed: then false.
  bool rescue(std::size_t l) {
    Lane& lane = lanes_[l];
    if (looks_back_) before_ = data_;
    State node;
    if (!read_node(l, node)) return end(l);
    bool taken = false;
    const std::string trouble = trouble_of([&] {
      Problem here{ensemble_.system, lane.member.parameters, node, lane.member.step};
      here.start.t = lane.member.start.t;
      if (!rescuer_) rescuer_ = make_one_step(method(), *plan_.maps, plan_.nominal);
      taken = rescuer_->take_over(here, data_.gather(l, data_.kept())) && rescuer_->advance();
    });
    if (!taken) return fail(l, node, trouble.empty() ? rescuer_->failure() : trouble);
    node = rescuer_->node();
    continue_from(l, node, rescuer_->kept());
    ++lane.step;
    workload_->count(1, 0);
    if (watches_) {
      const auto view = reader_.watched(lane.time(), node.q, node.v, lane.member.parameters);
      const std::vector<double> values(view.begin(), view.end());
      const auto value = [&](std::size_t k) { return values[k]; };
      watch_all_defined(lane, value);
      look(l, value);
    }
    return lane.step < lane.stop || keep(l);
  }

  bool fail(std::size_t l, const State& node, const std::string& why) {
    Lane& lane = lanes_[l];
    lane.result.failure = step_failure(lane.step, lane.member.steps, lane.time(), lane.member.step, why);
    lane.result.last = reader_.row(lane.time(), node.q, node.v, lane.member.parameters);
    return end(l);
  }

  const Ensemble& ensemble_;
  const Members& members_;
  const MethodPlan& plan_;
  std::size_t n_;  ///< numbers of a node
  std::size_t width_;
  bool looks_back_;  ///< something may have happened within a step
  bool watches_;     ///< something is looked at after every step
  StartCheck start_check_;
  NodeReader reader_;
  Kernel formulas_;
  WholeStart start_;
  WholeStep whole_;
  ChainStep step_;
  std::optional<LaneEvents> events_;
  std::optional<CompiledMap> node_;
  std::unique_ptr<OneStepper> rescuer_;
  std::vector<Lane> lanes_;
  LaneData data_;
  LaneData before_;  ///< the last step
  std::vector<double> outputs_;
  std::vector<double> points_;  ///< q, v, parameters
  std::vector<double> values_;  ///< of the formulas
  std::size_t active_ = 0;
  std::int64_t steps_at_once_ = most_steps_at_once;
  Workload* workload_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> make_lane_engine(const Ensemble& ensemble, const Members& members, const MethodPlan& plan,
                                         int lanes) {
  try {
    return std::make_unique<LaneEngine>(ensemble, members, plan, lanes);
  } catch (const NoChain&) {
    return nullptr;
  }
}

}  // namespace rattleback
