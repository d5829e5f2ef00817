#pragma once

#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "../method/crossing.hpp"
#include "../method/event_functions.hpp"
#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/kernel/kernel.hpp"
#include "rattleback/mech/compiled_map.hpp"
#include "rattleback/method/registry.hpp"
#include "rattleback/method/whole_step.hpp"

namespace rattleback {

/// Where an engine gets its members from, and where results go.
class Workload {
 public:
  virtual ~Workload() = default;
  /// The next member with this method; none if the next one has another, or there are no more.
  virtual std::optional<std::int64_t> next(std::size_t method) = 0;
  virtual void finished(const MemberResult& result) = 0;
  /// So many steps were taken, or will not be.
  virtual void count(std::int64_t taken, std::int64_t not_needed) = 0;
  virtual bool stopped() const = 0;
};

/// Runs trajectories of one method on one thread.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void run(Workload& workload) = 0;
};

/// One of the methods of an ensemble, derived at a nominal problem: what its engines on all threads share.
struct MethodPlan {
  MethodPlan(const Ensemble& ensemble, const Members& members, std::size_t method);

  std::size_t index;  ///< among the methods
  Problem nominal;
  DerivedMethod method;
  std::optional<MethodMaps> maps;  ///< where the method and what is kept allow lanes
};

/// The plans of an ensemble, each made when it is first asked for, by whichever thread.
class MethodPlans {
 public:
  MethodPlans(const Ensemble& ensemble, const Members& members)
      : ensemble_(ensemble), members_(members), plans_(ensemble.methods.size()) {}
  const MethodPlan& operator[](std::size_t method);

 private:
  const Ensemble& ensemble_;
  const Members& members_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<MethodPlan>> plans_;
};

/// Null if what is watched cannot be computed in the lanes of one step.
std::unique_ptr<Engine> make_lane_engine(const Ensemble& ensemble, const Members& members, const MethodPlan& plan,
                                         int lanes);
std::unique_ptr<Engine> make_single_engine(const Ensemble& ensemble, const Members& members, std::size_t method);
/// Lanes where the method and what is kept allow it. The plan must live as long.
std::unique_ptr<Engine> make_engine(const Ensemble& ensemble, const Members& members, const MethodPlan& plan,
                                    int lanes);

/// Whether a trajectory can start, and where.
class StartCheck {
 public:
  explicit StartCheck(const Ensemble& ensemble, const Problem& nominal);
  /// What is wrong; empty if nothing. The start may be projected, or completed.
  std::string operator()(Member& member);

 private:
  std::string complete(Member& member) const;

  const Ensemble& ensemble_;
  std::vector<bool> given_q_;  ///< what axes and formulas give, if the rest is completed
  std::vector<bool> given_v_;
  Kernel rows_;  ///< residuals of all constraints, and their magnitudes
  Layout layout_;
  std::size_t constraints_;
  std::optional<CompiledMap> projection_;
  std::vector<double> data_;
  std::vector<double> values_;
};

/// What is read off a node.
class NodeReader {
 public:
  explicit NodeReader(const Ensemble& ensemble);

  NodeRow row(double time, std::span<const double> q, std::span<const double> v, std::span<const double> parameters);
  /// The values of watched_program.
  std::span<const double> watched(double time, std::span<const double> q, std::span<const double> v,
                                  std::span<const double> parameters);
  double section(std::size_t k) const { return watched_values_[statistics_ + k]; }
  std::size_t watched_count() const { return watched_values_.size(); }

 private:
  void place(double time, std::span<const double> q, std::span<const double> v, std::span<const double> parameters);

  std::size_t n_;
  Space space_;
  std::size_t statistics_;
  Kernel row_;
  Kernel watched_;
  Layout layout_;
  std::vector<double> data_;
  std::vector<double> row_values_;
  std::vector<double> watched_values_;
};

/// The formulas of statistics, then of sections, then those of EventFunctions, in the data of state_and_parameters.
Program watched_program(const Ensemble& ensemble);

/// A node with numbers that are not defined, or not finite, is a failure: the equations may be defined where the
/// Lagrangian is not.
void check_node(const NodeRow& row, MemberResult& result);

/// Tells in the result where quantity k (of MemberResult::undefined) is first not defined.
inline void watch_defined(MemberResult& result, std::size_t k, double value, double time) {
  if (!std::isfinite(value) && std::isnan(result.undefined[k])) result.undefined[k] = time;
}

/// Throws EnsembleError if a time that is kept lies after the end of a trajectory. The end in t of methods with a time
/// of their own is not known before.
void require_times(const Ensemble& ensemble, const Members& members, const DerivedMethod& method);

/// A section along a trajectory. Only a change of the sign is a crossing: where the function vanishes at a node, what
/// comes after it decides.
class SectionWatch {
 public:
  explicit SectionWatch(double value) : value_(value), sign_(sign_of(value)) {}

  /// The function at the node before.
  double before() const { return value_; }
  /// The next node. Whether a crossing in a direction that counts lies in the step that leads to it, or at its
  /// beginning.
  bool crosses(const Section& section, double value) {
    value_ = value;
    const int sign = sign_of(value);
    if (value != value) sign_ = 0;  // not defined: what comes after it is a new beginning
    if (sign == 0 || sign == sign_) return false;
    const bool first = sign_ == 0;
    sign_ = sign;
    if (first) return false;
    return section.direction == Section::Direction::both || (sign > 0) == (section.direction == Section::Direction::up);
  }
  bool is_up() const { return sign_ > 0; }

 private:
  static int sign_of(double value) { return value > 0.0 ? 1 : value < 0.0 ? -1 : 0; }
  double value_;
  int sign_;
};

/// What happens along trajectories of a system with events: these, then the crossings of sections.
std::vector<Event> watched_events(const Ensemble& ensemble);

/// Where the crossings of an event stand in a result: those of the sections come first.
inline std::size_t place_of_crossings(const Ensemble& ensemble, std::size_t event) {
  const std::size_t own = ensemble.system.events().size();
  return event < own ? ensemble.sections.size() + event : event - own;
}

/// Least, largest and mean value of a sequence.
struct Tally {
  double least;
  double largest;
  double total;

  explicit Tally(double first) : least(first), largest(first), total(first) {}
  void add(double value) {
    least = value < least ? value : least;
    largest = value > largest ? value : largest;
    total += value;
  }
  Extremes over(std::int64_t steps) const { return {least, largest, total / static_cast<double>(steps + 1)}; }
};

}  // namespace rattleback
