#pragma once

#include <optional>
#include <string>
#include <vector>

#include "event_functions.hpp"
#include "rattleback/method/event_record.hpp"

namespace rattleback {

/// What a trajectory remembers of its events.
struct EventMemory {
  std::vector<int> signs;     ///< of the functions, where they last had one; 0 if they had none
  std::vector<bool> resting;  ///< after an impact the function neither grew nor fell

  std::vector<double> save() const;
  void restore(std::span<const double> saved);
};

/// The motion within a step, by the method itself with a fraction of the step, or by a flow.
class PartialMotion {
 public:
  virtual ~PartialMotion() = default;
  /// After a fraction of what is left of the step. False if it cannot be computed.
  virtual bool at(double fraction, State& node) = 0;
  /// What is left of the step begins here, after an impact. False if the method cannot start.
  virtual bool restart(const State& node, double rest) = 0;
  virtual std::string failure() const = 0;
};

/// Finds the events of one step after the other. An event is a change of the sign of its function; where the function
/// vanishes at a node, what comes after it decides. Events at the same time happen in their order.
///
///     t_k ──────●─────────●────── t_{k+1}       after an impact (●) the rest of the step is one of its own,
///                                               so that nodes stay at t₀ + k h
class EventTracker {
 public:
  enum class Outcome : std::uint8_t {
    undisturbed,
    changed,  ///< by impacts: the motion ends the step elsewhere
    stopped,
    failed
  };

  /// Functions beyond the first `strict` may be undefined: they have no events there.
  EventTracker(EventFunctions& functions, std::size_t strict) : functions_(functions), strict_(strict) {}

  void begin(EventMemory& memory, const EventValues& values) const;
  /// Whether a step may have an event; if not, it is remembered.
  bool may_have_event(EventMemory& memory, const EventValues& first, const EventValues& last, double h) const;

  /// A step from a node to another, by the length h. What happens is appended to the records.
  Outcome pass(EventMemory& memory, PartialMotion& motion, const State& first, const State& last, double h,
               std::vector<EventRecord>& records);

  const State& node() const { return end_; }  ///< where the step ends, or the trajectory
  /// The last impact was at the node itself: no step led there.
  bool ends_with_impact() const { return length_ == 0.0; }
  const std::string& failure() const { return failure_; }

 private:
  struct Found {
    double fraction;
    std::size_t event;
    int before;  ///< the sign it had
  };
  bool is_wanted(std::size_t k, int before) const;
  bool dips(std::size_t k, int sign, const EventValues& first, const EventValues& last, double length,
            double& at) const;
  double value(std::size_t k, double fraction);
  bool find(std::size_t k, const EventMemory& memory, std::vector<Found>& found);
  struct Ends {
    double from;
    double to;
    double at_from;
    double at_to;
  };
  bool search(std::size_t k, const Ends& ends, std::vector<Found>& found);
  bool chatters(std::size_t k, double time);
  bool find_again(std::size_t k, int sign, std::vector<Found>& found);
  bool fire(EventMemory& memory, const std::vector<Found>& group, std::vector<EventRecord>& records);
  bool conclude(EventMemory& memory);

  EventFunctions& functions_;
  std::size_t strict_;
  // Of the step at hand.
  PartialMotion* motion_ = nullptr;
  State begin_;  ///< of what is left of it
  State end_;
  double length_ = 0.0;  ///< of the whole piece, from its own begin
  double piece_ = 0.0;   ///< where that begins in time
  double from_ = 0.0;    ///< fraction of the piece at which it is looked on
  double finish_ = 0.0;  ///< the time of the next node
  bool changed_ = false;
  bool stopped_ = false;
  std::vector<bool> leaving_;        ///< events that have just happened
  std::vector<double> last_impact_;  ///< of each event, in this step
  EventValues first_;
  EventValues last_;
  EventValues between_;
  State probe_;
  std::string failure_;
};

}  // namespace rattleback
