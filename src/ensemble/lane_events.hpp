#pragma once

#include <optional>

#include "../base/not_a_number.hpp"
#include "../method/crossing.hpp"
#include "../method/partial_step.hpp"
#include "engine.hpp"
#include "interpolant.hpp"
#include "lane_data.hpp"

namespace rattleback {

/// The last step of a lane.
struct LaneStep {
  State first;
  State last;
  std::vector<double> kept;  ///< at the first

  LaneStep(const Lane& lane, const LaneData& before, const LaneData& after, std::size_t l)
      : first(before.node(l)), last(after.node(l)), kept(before.gather(l, after.kept())) {
    first.t = lane.time_before();
    last.t = lane.time();
  }
};

/// The events of trajectories in lanes, and where sections are crossed. Steps in which something happens are taken one
/// trajectory at a time.
class LaneEvents {
 public:
  LaneEvents(const Ensemble& ensemble, const MethodPlan& plan)
      : ensemble_(ensemble), functions_(ensemble.system, watched_events(ensemble)),
        tracker_(functions_, ensemble.system.events().size()), partial_(*plan.method.map, *plan.maps, plan.nominal) {}

  std::size_t size() const { return functions_.size(); }
  /// Out of those of watched_program at a node.
  EventValues values(auto&& value) const {
    const std::size_t first = ensemble_.statistics.size() + ensemble_.sections.size();
    EventValues list;
    for (std::size_t k = 0; k < size(); ++k) list.values.push_back(value(first + k));
    for (std::size_t k = 0; k < size(); ++k) list.rates.push_back(value(first + size() + k));
    return list;
  }
  void begin(Lane& lane, auto&& value) const {
    lane.event_values = values(value);
    tracker_.begin(lane.events, lane.event_values);
  }
  /// Whether something may happen in the step to a node with these values.
  bool may_happen(Lane& lane, auto&& value) const {
    EventValues next = values(value);
    const bool may = tracker_.may_have_event(lane.events, lane.event_values, next, lane.member.step);
    lane.event_values = std::move(next);
    return may;
  }
  EventTracker::Outcome pass(Lane& lane, const LaneStep& step) {
    records_.clear();
    failure_.clear();
    functions_.set_parameters(lane.member.parameters);
    begin_within(lane, step);
    const auto outcome = tracker_.pass(lane.events, partial_, step.first, step.last, lane.member.step, records_);
    if (outcome != EventTracker::Outcome::changed) return outcome;
    const bool settled = partial_.settle(node(), tracker_.ends_with_impact(), lane.member.step, lane.step, kept_);
    if (settled) return outcome;
    failure_ = partial_.failure();
    return EventTracker::Outcome::failed;
  }

  /// At which fraction of a step a function of the node vanishes, and the node there.
  std::optional<double> locate(const Lane& lane, const LaneStep& step, auto&& function, double before, double after,
                               State& node) {
    begin_within(lane, step);
    auto fraction =
        find_crossing([&](double f) { return partial_.at(f, node) ? function(node) : not_a_number; }, before, after);
    if (fraction && partial_.at(*fraction, node)) return fraction;
    // Where steps of a fraction of h fail, as the whole one may have before it was rescued: by the polynomial between
    // the nodes.
    Interpolant interpolant({ensemble_.system, lane.member.parameters, step.first, lane.member.step});
    if (!interpolant.between(step.first, step.last, lane.member.step)) return std::nullopt;
    fraction = find_crossing([&](double s) { return function(interpolant.at(s)); }, before, after);
    if (fraction) node = interpolant.at(*fraction);
    return fraction;
  }

  /// What has happened goes into the result.
  void keep(Lane& lane, NodeReader& reader) const {
    for (const EventRecord& record : records_) {
      const std::size_t k = place_of_crossings(ensemble_, record.event);
      lane.result.crossings[k].push_back(
          {record.rising, reader.row(record.time, record.node.q, record.node.v, lane.member.parameters)});
      if (k < ensemble_.sections.size()) end_after_most(lane, ensemble_, k);
    }
  }
  /// After the last crossing of a section that is wanted.
  static void end_after_most(Lane& lane, const Ensemble& ensemble, std::size_t k) {
    const std::int64_t most = ensemble.sections[k].most;
    const auto found = static_cast<std::int64_t>(lane.result.crossings[k].size());
    if (most > 0 && found >= most) lane.member.steps = lane.stop = lane.step;
  }

  const State& node() const { return tracker_.node(); }
  const std::vector<double>& kept() const { return kept_; }
  std::string failure() const { return failure_.empty() ? tracker_.failure() : failure_; }

 private:
  void begin_within(const Lane& lane, const LaneStep& step) {
    partial_.take_over({ensemble_.system, lane.member.parameters, step.first, lane.member.step});
    partial_.begin(step.first, step.kept, lane.member.step);
  }

  const Ensemble& ensemble_;
  EventFunctions functions_;
  EventTracker tracker_;
  PartialStep partial_;
  std::vector<EventRecord> records_;
  std::vector<double> kept_;
  std::string failure_;
};

}  // namespace rattleback
