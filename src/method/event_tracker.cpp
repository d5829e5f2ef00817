#include "event_tracker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../base/not_a_number.hpp"
#include "crossing.hpp"
#include "rattleback/base/error.hpp"

namespace rattleback {
namespace {

/// So many events in one step are a motion that comes to rest, or a step that is far too long.
constexpr int most_events = 1000;
/// Halvings of a step in search of the way that a function makes between two of its zeros.
constexpr int most_halvings = 60;
constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();

int sign_of(double value) { return value > 0.0 ? 1 : value < 0.0 ? -1 : 0; }

}  // namespace

std::vector<double> EventMemory::save() const {
  std::vector<double> saved;
  for (std::size_t k = 0; k < signs.size(); ++k) saved.push_back(resting[k] ? 2.0 : signs[k]);
  return saved;
}

void EventMemory::restore(std::span<const double> saved) {
  for (std::size_t k = 0; k < signs.size(); ++k) {
    resting[k] = saved[k] == 2.0;
    signs[k] = resting[k] ? 0 : sign_of(saved[k]);
  }
}

void EventTracker::begin(EventMemory& memory, const EventValues& values) const {
  memory.signs.assign(functions_.size(), 0);
  memory.resting.assign(functions_.size(), false);
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    memory.signs[k] = sign_of(values.values[k]);
    if (values.values[k] == 0.0) memory.signs[k] = sign_of(values.rates[k]);
  }
}

bool EventTracker::is_wanted(std::size_t k, int before) const {
  using Direction = Event::Direction;
  const Direction direction = functions_.events()[k].direction;
  return direction == Direction::either || (before > 0) == (direction == Direction::falling);
}

/// A function that approaches zero at the beginning and departs at the end may have passed it twice: the cubic through
/// values and rates tells where it is nearest.
bool EventTracker::dips(std::size_t k, int sign, const EventValues& first, const EventValues& last, double length,
                        double& at) const {
  if (!functions_.has_rate(k) || sign == 0) return false;
  const double a = sign * first.values[k];
  const double b = sign * last.values[k];
  const double slope = sign * first.rates[k] * length;
  const double end_slope = sign * last.rates[k] * length;
  if (!(slope < 0.0) || !(end_slope > 0.0)) return false;
  // c(s) = a + slope s + (3(b−a) − 2 slope − end_slope) s² + (2(a−b) + slope + end_slope) s³
  const double c2 = 3.0 * (b - a) - 2.0 * slope - end_slope;
  const double c3 = 2.0 * (a - b) + slope + end_slope;
  const double root = c2 * c2 - 3.0 * c3 * slope;
  if (!(root >= 0.0)) return false;
  at = -slope / (c2 + std::sqrt(root));  // where c' vanishes and c'' > 0
  if (!(at > 0.0) || !(at < 1.0)) return false;
  const double least = a + at * (slope + at * (c2 + at * c3));
  return least < 0.1 * std::max(a, b);
}

bool EventTracker::may_have_event(EventMemory& memory, const EventValues& first, const EventValues& last,
                                  double h) const {
  double at = 0.0;
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const int sign = sign_of(last.values[k]);
    const bool defined = std::isfinite(last.values[k]);
    if (!defined && k < strict_) return true;
    if (defined && memory.signs[k] != 0 && sign != 0 && sign != memory.signs[k]) return true;
    if (memory.resting[k] && sign != 0) return true;
    if (defined && std::isfinite(first.values[k]) && dips(k, memory.signs[k], first, last, h, at)) return true;
  }
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const int sign = sign_of(last.values[k]);
    if (!std::isfinite(last.values[k])) {
      memory.signs[k] = 0;  // what comes after it is a new beginning
    } else if (sign != 0) {
      memory.signs[k] = sign;
    }
  }
  return false;
}

double EventTracker::value(std::size_t k, double fraction) {
  if (!motion_->at(fraction, probe_)) return not_a_number;
  probe_.t = piece_ + fraction * length_;
  functions_.at(probe_, between_);
  return between_.values[k];
}

bool EventTracker::search(std::size_t k, const Ends& ends, std::vector<Found>& found) {
  const auto zero = find_crossing([&](double s) { return value(k, s); }, ends.from, ends.to, ends.at_from, ends.at_to);
  if (!zero) {
    failure_ = fmt::format(
        "the event {} between t = {:.10g} and {:.10g} cannot be found: its function, or the step, is not defined there",
        functions_.events()[k].name, piece_ + from_ * length_, finish_);
    return false;
  }
  found.push_back({*zero, k, sign_of(ends.at_from)});
  return true;
}

/// The function has just vanished, leaves with this sign, and has the other one at the end.
bool EventTracker::find_again(std::size_t k, int sign, std::vector<Found>& found) {
  double far = 1.0;
  double at_far = last_.values[k];
  for (int halving = 0; halving < most_halvings; ++halving) {
    const double near = from_ + 0.5 * (far - from_);
    const double at_near = value(k, near);
    if (sign_of(at_near) == sign) return search(k, {near, far, at_near, at_far}, found);
    if (!(near > from_) || !std::isfinite(at_near)) break;
    far = near;
    at_far = at_near;
  }
  return chatters(k, piece_ + from_ * length_);
}

/// Always false.
bool EventTracker::chatters(std::size_t k, double time) {
  failure_ = fmt::format(
      "the event {} happens again and again near t = {:.10g}, in times that become too short to be told apart "
      "(chattering): the motion comes to rest there. Stop it before that, or let a constraint hold it",
      functions_.events()[k].name, time);
  return false;
}

/// Where event k happens next, if it does. False if that cannot be said.
bool EventTracker::find(std::size_t k, const EventMemory& memory, std::vector<Found>& found) {
  const int sign = memory.signs[k];
  const double at_first = first_.values[k];
  const double at_last = last_.values[k];
  if (!std::isfinite(at_last) || !std::isfinite(at_first)) {
    if (k >= strict_) return true;
    const double value = std::isfinite(at_last) ? at_first : at_last;
    failure_ = fmt::format("the function of the event {} is {} at t = {:.10g}", functions_.events()[k].name,
                           std::isnan(value) ? not_a_number : value, std::isfinite(at_last) ? begin_.t : finish_);
    return false;
  }
  const int last = sign_of(at_last);
  if (sign == 0) return true;
  if (last != 0 && last != sign) {
    if (!is_wanted(k, sign)) return true;
    const bool vanishes = sign_of(at_first) != sign;  // to rounding
    if (leaving_[k] || (vanishes && sign_of(first_.rates[k]) == sign)) return find_again(k, sign, found);
    if (vanishes) {
      found.push_back({from_, k, sign});
      return true;
    }
    return search(k, {from_, 1.0, at_first, at_last}, found);
  }
  double at = 0.0;
  if (!dips(k, sign, first_, last_, (1.0 - from_) * length_, at)) return true;
  const double middle = from_ + at * (1.0 - from_);
  const double at_middle = value(k, middle);
  if (sign_of(at_middle) != -sign) return true;
  if (!is_wanted(k, sign)) return search(k, {middle, 1.0, at_middle, at_last}, found);
  if (leaving_[k] || sign_of(at_first) != sign) return true;
  return search(k, {from_, middle, at_first, at_middle}, found);
}

/// Events at one time. False if what they set cannot be.
bool EventTracker::fire(EventMemory& memory, const std::vector<Found>& group, std::vector<EventRecord>& records) {
  const double fraction = group.front().fraction;
  State node;
  if (!motion_->at(fraction, node)) {
    failure_ = motion_->failure();
    return false;
  }
  const double time = fraction == 1.0 ? finish_ : piece_ + fraction * length_;
  node.t = time;
  functions_.at(node, between_);
  State after = node;
  bool impact = false;
  for (const Found& one : group) {
    const Event& event = functions_.events()[one.event];
    EventRecord record{one.event, time, one.before < 0, after, {}};
    if (event.action == Event::Action::set) {
      // An impact right after another, or of what moves away, is made of rounding errors.
      if (time == last_impact_[one.event] || between_.rates[one.event] * one.before > 0.0)
        return chatters(one.event, time);
      last_impact_[one.event] = time;
      try {
        record.after = functions_.after(one.event, after);
      } catch (const RequestError& error) {
        failure_ = fmt::format("the event {} at t = {:.10g}: {}", event.name, time, error.what());
        return false;
      }
      after.v = record.after;
      impact = true;
    }
    stopped_ = stopped_ || event.action == Event::Action::stop;
    records.push_back(std::move(record));
  }
  begin_ = after;
  leaving_.assign(functions_.size(), false);
  if (impact) {
    changed_ = true;
    piece_ = time;
    length_ = std::max(0.0, finish_ - time);
    from_ = 0.0;
  } else {
    from_ = fraction;
  }
  functions_.at(begin_, first_);
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    if (impact && !functions_.has_rate(k)) memory.signs[k] = sign_of(first_.values[k]);  // it jumps, and passes nothing
  }
  for (const Found& one : group) {
    const std::size_t k = one.event;
    leaving_[k] = true;
    if (!impact || !functions_.has_rate(k)) {
      if (!impact) memory.signs[k] = -one.before;
      continue;
    }
    memory.signs[k] = sign_of(first_.rates[k]);
    memory.resting[k] = memory.signs[k] == 0;
  }
  if (stopped_ || !impact || length_ == 0.0) return true;
  if (motion_->restart(begin_, length_) && motion_->at(1.0, end_)) {
    end_.t = finish_;
    functions_.at(end_, last_);
    return true;
  }
  failure_ = fmt::format("after the event {} at t = {:.10g}: {}", functions_.events()[group.back().event].name, time,
                         motion_->failure());
  return false;
}

/// Nothing happens any more before the next node.
bool EventTracker::conclude(EventMemory& memory) {
  for (std::size_t k = 0; k < functions_.size(); ++k) {
    const int sign = sign_of(last_.values[k]);
    if (memory.resting[k] && sign != 0) {
      memory.resting[k] = false;
      if (is_wanted(k, -sign)) {
        failure_ = fmt::format(
            "after the event {} the motion stays in contact: its velocities lead neither away from it nor through it. "
            "Such a motion needs a constraint; stop there instead",
            functions_.events()[k].name);
        return false;
      }
    }
    if (!std::isfinite(last_.values[k])) {
      memory.signs[k] = 0;
    } else if (sign != 0) {
      memory.signs[k] = sign;
    }
  }
  return true;
}

EventTracker::Outcome EventTracker::pass(EventMemory& memory, PartialMotion& motion, const State& first,
                                         const State& last, double h, std::vector<EventRecord>& records) {
  motion_ = &motion;
  begin_ = first;
  end_ = last;
  probe_ = last;
  piece_ = first.t;
  length_ = h;
  finish_ = last.t;
  from_ = 0.0;
  changed_ = stopped_ = false;
  leaving_.assign(functions_.size(), false);
  last_impact_.assign(functions_.size(), not_a_number);
  functions_.at(begin_, first_);
  functions_.at(end_, last_);
  std::vector<Found> found;
  for (int count = 0; count < most_events; ++count) {
    found.clear();
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      if (!find(k, memory, found)) return Outcome::failed;
    }
    if (found.empty()) {
      if (!conclude(memory)) return Outcome::failed;
      return changed_ ? Outcome::changed : Outcome::undisturbed;
    }
    const double next = std::ranges::min_element(found, {}, &Found::fraction)->fraction;
    const double same = rounding * std::max(std::abs(finish_), length_);
    std::erase_if(found, [&](const Found& f) { return (f.fraction - next) * length_ > same; });
    for (Found& f : found) f.fraction = next;
    if (!fire(memory, found, records)) return Outcome::failed;
    if (stopped_) {
      end_ = begin_;
      return Outcome::stopped;
    }
    if (length_ == 0.0) {  // an impact at the node itself
      end_ = begin_;
      return Outcome::changed;
    }
  }
  failure_ = fmt::format(
      "the event {} happens more than {} times in one step, at t = {:.10g} (chattering): the motion comes to rest "
      "there, or the step is far too long. Stop it before that, or take a smaller step",
      functions_.events()[records.back().event].name, most_events, piece_ + from_ * length_);
  return Outcome::failed;
}

}  // namespace rattleback
