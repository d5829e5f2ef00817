// Trajectories in the lanes of a compiled step. Each lane has a trajectory of its own, with its own parameters, step
// and number of steps; a lane whose trajectory has ended gets the next one at once.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "../base/signed_size.hpp"
#include "../flow/step_failure.hpp"
#include "engine.hpp"
#include "interpolant.hpp"
#include "lane_data.hpp"
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
      : ensemble_(ensemble), members_(members), plan_(plan), n_(ensemble.system.dimension()),
        width_(static_cast<std::size_t>(lanes)), watches_(!ensemble.statistics.empty() || !ensemble.sections.empty()),
        start_check_(ensemble, plan.nominal), reader_(ensemble), formulas_(watched_program(ensemble), lanes),
        start_(method(), *plan.maps, plan.nominal), whole_(method(), *plan.maps, {watches_, {}, 0}),
        step_(make_step(lanes)), lanes_(width_), data_(whole_, method().state, width_), before_(data_),
        outputs_(step_.outputs_size() * width_), points_(state_and_parameters(ensemble.system).size() * width_),
        values_((ensemble.statistics.size() + ensemble.sections.size()) * width_) {
    if (watches_ && !ensemble.sections.empty()) single_.emplace(make_step(1));
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
    auto step = ChainStep::make(whole_.chain, lanes);
    if (!step) throw NoChain();
    return std::move(*step);
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
      points_[(2 * n_ + times() + i) * width_ + l] = lane.member.parameters[i];
    }
    if (watches_) {
      const auto values = reader_.watched(lane.time(), node.q, node.v, lane.member.parameters);
      for (std::size_t k = 0; k < values.size(); ++k) watch_defined(lane.result, k, values[k], lane.time());
      lane.tallies.clear();
      for (std::size_t k = 0; k < ensemble_.statistics.size(); ++k) lane.tallies.emplace_back(values[k]);
      lane.sections.clear();
      for (std::size_t k = lane.tallies.size(); k < values.size(); ++k) lane.sections.emplace_back(values[k]);
    }
    choose_stop(lane);
    return true;
  }

  /// Computes along with the others, and nobody looks.
  void park(std::size_t l) {
    Lane& lane = lanes_[l];
    if (lane.active) --active_;
    lane.active = false;
    const auto other = std::ranges::find_if(lanes_, &Lane::active);
    if (other == lanes_.end()) return;
    data_.copy(static_cast<std::size_t>(other - lanes_.begin()), l);
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
    if (single_) before_ = data_;
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
      for (std::size_t k = 0; lane.active && k < lane.result.undefined.size(); ++k) {
        watch_defined(lane.result, k, values_[k * width_ + l], lane.time());
      }
    }
  }

  /// value(k) is the value of formula k at the node the lane has come to.
  void look(std::size_t l, auto&& value) {
    Lane& lane = lanes_[l];
    const std::size_t statistics = ensemble_.statistics.size();
    for (std::size_t k = 0; k < statistics; ++k) lane.tallies[k].add(value(k));
    for (std::size_t k = 0; k < ensemble_.sections.size(); ++k) {
      const Section& section = ensemble_.sections[k];
      const double before = lane.sections[k].before();
      const double after = value(statistics + k);
      if (!lane.sections[k].crosses(section, after)) continue;
      locate(l, k, before, after);
      const auto found = static_cast<std::int64_t>(lane.result.crossings[k].size());
      if (section.most > 0 && found >= section.most) lane.member.steps = lane.stop = lane.step;
    }
  }

  /// The method itself, with a step of θh from the node before, is the interpolant: at the end of the step it is the
  /// next node, and between it has the method's order and structure.
  void locate(std::size_t l, std::size_t k, double before, double after) {
    Lane& lane = lanes_[l];
    const std::vector<double> from = before_.gather(l);
    std::vector<double> data;
    std::vector<double> outputs(single_->outputs_size());
    State node{std::vector<double>(n_), std::vector<double>(n_)};
    const auto step = [&](double fraction) {
      data = from;
      if (fraction != 0.0) {
        for (double& start : whole_.layout.of(data, Slot::time)) start = lane.time_before();
        std::ranges::fill(whole_.layout.of(data, Slot::clock), 0.0);
        whole_.layout.of(data, Slot::step)[0] *= fraction;
        // What the step is guessed from are increments and impulses: they shrink with it.
        for (double& remembered : whole_.layout.of(data, Slot::memory)) remembered *= fraction;
        if (single_->run(data, outputs) != 1) return false;
      }
      std::copy_n(data.begin() + signed_size(data_.position().begin), n_, node.q.begin());
      std::copy_n(data.begin() + signed_size(data_.velocity().begin), n_, node.v.begin());
      return true;
    };
    const auto section_at = [&](double fraction, const State& at) {
      reader_.watched(lane.time_before() + fraction * lane.member.step, at.q, at.v, lane.member.parameters);
      return reader_.section(k);
    };
    const auto undefined = std::numeric_limits<double>::quiet_NaN();
    std::optional<double> fraction =
        find_crossing([&](double f) { return step(f) ? section_at(f, node) : undefined; }, before, after);
    if (!fraction || !step(*fraction)) fraction = locate_between(l, section_at, before, after, node);
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

  /// Where steps of a fraction of h fail, as the whole one may have before it was rescued: by the polynomial between
  /// the nodes.
  std::optional<double> locate_between(std::size_t l, auto&& section_at, double before, double after, State& node) {
    const Lane& lane = lanes_[l];
    State first = before_.node(l);
    State second = data_.node(l);
    first.t = lane.time_before();
    second.t = lane.time();
    Interpolant interpolant({ensemble_.system, lane.member.parameters, first, lane.member.step});
    if (!interpolant.between(first, second, lane.member.step)) return std::nullopt;
    const auto fraction = find_crossing([&](double s) { return section_at(s, interpolant.at(s)); }, before, after);
    if (fraction) node = interpolant.at(*fraction);
    return fraction;
  }

  /// A lane has come to a step at which something is to be kept. False if its trajectory ends here.
  bool keep(std::size_t l) {
    Lane& lane = lanes_[l];
    State node;
    if (!read_node(l, node)) return end(l);
    const NodeRow row = reader_.row(lane.time(), node.q, node.v, lane.member.parameters);
    check_node(row, lane.result);
    while (lane.next_time < ensemble_.times.size() && step_of_time(lane, lane.next_time) <= lane.step) {
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
    if (single_) before_ = data_;
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
    data_.scatter(l, data_.kept(), rescuer_->kept());
    node = rescuer_->node();
    lane.v = node.v;
    if (data_.keeps_velocity()) data_.scatter(l, data_.velocity(), node.v);
    ++lane.step;
    workload_->count(1, 0);
    if (watches_) {
      const auto view = reader_.watched(lane.time(), node.q, node.v, lane.member.parameters);
      const std::vector<double> values(view.begin(), view.end());
      for (std::size_t k = 0; k < values.size(); ++k) watch_defined(lane.result, k, values[k], lane.time());
      look(l, [&](std::size_t k) { return values[k]; });
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
  std::size_t n_;
  std::size_t width_;
  bool watches_;  ///< something is looked at after every step
  StartCheck start_check_;
  NodeReader reader_;
  Kernel formulas_;
  WholeStart start_;
  WholeStep whole_;
  ChainStep step_;
  std::optional<ChainStep> single_;  ///< for steps of a fraction of h
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
