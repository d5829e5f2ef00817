#pragma once

#include <memory>
#include <vector>

#include "rattleback/kernel/kernel.hpp"
#include "rattleback/kernel/layout.hpp"
#include "rattleback/mech/problem.hpp"

namespace rattleback {

/// The functions of events at a node.
struct EventValues {
  std::vector<double> values;
  std::vector<double> rates;  ///< d/dt of those that are functions of (q, t); of others 0
};

/// The functions of some events, compiled, and what impacts do to velocities.
class EventFunctions {
 public:
  /// Beside the events of a system there may be others, which record.
  EventFunctions(const System& system, std::vector<Event> events);

  const std::vector<Event>& events() const { return events_; }
  std::size_t size() const { return events_.size(); }
  /// Whether the function is one of (q, t): its rate is known at a node, and no impact changes it.
  bool has_rate(std::size_t k) const { return has_rate_[k]; }

  void set_parameters(std::span<const double> parameters);
  void at(const State& node, EventValues& values);
  /// The velocities after an impact at a node. Throws RequestError, which names the constraints that object.
  std::vector<double> after(std::size_t k, const State& node);

  /// What `at` computes, values and then rates, in the data of state_and_parameters.
  static std::vector<Expression> formulas(const System& system, const std::vector<Event>& events);

 private:
  struct Impact {
    std::unique_ptr<Kernel> velocities;
    std::vector<std::size_t> which;
    bool alone = false;  ///< neither inertia nor constraints tie the others to those that are set
  };
  Impact impact_of(const Event& event) const;
  void place(const State& node);

  System system_;
  std::vector<Event> events_;
  std::vector<bool> has_rate_;
  Kernel functions_;
  std::vector<Impact> impacts_;
  Layout layout_;
  std::vector<double> data_;
  std::vector<double> values_;
};

}  // namespace rattleback
