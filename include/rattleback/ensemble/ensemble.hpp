#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/ensemble/axis.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/model/system.hpp"

namespace rattleback {

/// An ensemble that cannot be: names that do not exist, no members. what() says which.
class EnsembleError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// Which zeros of a function of the node are events.
struct Section {
  enum class Direction : std::uint8_t { both, up, down };
  std::string name;
  Expression function;  ///< g, in the names of `quantity_names`
  Direction direction = Direction::both;
  std::int64_t most = 0;  ///< crossings of a trajectory that are kept; it ends after the last one. 0: all
};
template <>
inline constexpr auto words<Section::Direction> = std::to_array<Word<Section::Direction>>(
    {{Section::Direction::up, "up"}, {Section::Direction::down, "down"}, {Section::Direction::both, "both"}});

/// Many trajectories of one system: every combination of the points of the axes, the last axis running fastest.
///
/// Axes and formulas give values to coordinates, velocities (x'), parameters, the step, or to names of their own that
/// the formulas use.
struct Ensemble {
  System system;
  std::vector<MethodSpec> methods;
  State start;  ///< what is not varied
  double step = 0.0;
  std::optional<std::int64_t> steps = {};  ///< one of both
  std::optional<double> time = {};
  std::vector<Axis> axes = {};
  std::vector<NamedExpression> formulas = {};  ///< of the start
  bool project = false;                        ///< starts against the constraints are moved onto them
  bool complete = false;  ///< what of a start neither axes nor formulas give follows from the constraints

  // What is kept besides the last node.
  std::vector<double> times = {};                ///< of further nodes: those nearest to these times
  std::vector<NamedExpression> statistics = {};  ///< their least, largest and mean value at the nodes
  std::vector<std::string> observers = {};       ///< the same of what these observe; one trajectory at a time
  std::vector<Section> sections = {};
};

/// The names that formulas about a node may use, with what they mean: coordinates, velocities, momenta p_x, "energy",
/// conserved quantities, parameters.
std::vector<NamedExpression> node_quantities(const System& system);

/// What is kept of a node.
struct NodeRow {
  double time = 0.0;
  std::vector<double> q;
  std::vector<double> v;
  std::vector<double> p;  ///< L_v(q, v)
  double energy = 0.0;
};

struct Extremes {
  double least = 0.0;
  double largest = 0.0;
  double mean = 0.0;
};

struct Crossing {
  bool up = false;
  NodeRow node;
};

/// What became of one trajectory.
struct MemberResult {
  std::int64_t member = 0;
  std::vector<double> varied;  ///< the values of the axes
  std::int64_t steps = 0;      ///< taken
  NodeRow last;
  std::vector<NodeRow> nodes;        ///< at the times; NaN at those that were not reached
  std::vector<Extremes> statistics;  ///< of the formulas, then of what observers observe; NaN: see undefined
  std::vector<std::vector<Crossing>> crossings;  ///< of each section, then each event of the system
  /// The time of the first node where each of the statistics, then the function of each section, is not defined, or not
  /// finite: from there on it has no extremes, and its crossings are not seen. NaN if there is no such node.
  std::vector<double> undefined;
  std::string failure;  ///< empty if there was none
};

/// One member before it runs.
struct Member {
  std::int64_t index = 0;
  std::size_t method = 0;
  State start;
  std::vector<double> parameters;
  double step = 0.0;
  std::int64_t steps = 0;
  std::vector<double> varied;
};

/// The members of an ensemble, each found by its number.
class Members {
 public:
  /// Throws EnsembleError.
  explicit Members(const Ensemble& ensemble);
  Members(Members&&) noexcept;
  ~Members();

  std::int64_t count() const;
  /// Of all members, for progress.
  double total_steps() const;
  /// The names of the axes' values.
  const std::vector<std::string>& varied() const;
  Member at(std::int64_t index) const;
  void read(std::int64_t index, Member& member) const;
  /// Where a trajectory ends, by its steps, before the last of the kept times, if one does.
  std::optional<double> early_end() const;
  /// One of the first members with finite numbers.
  Problem nominal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One of the first members that a method can start from, or else one of the first: equations are derived there, and
/// their pivots chosen, for all members.
Problem nominal_problem(const Ensemble& ensemble, const Members& members, const MethodSpec& method);

/// The labels of what the observers of an ensemble observe. Throws MethodError.
std::vector<std::string> observed_labels(const Ensemble& ensemble, const Members& members);

/// The result of a member that has not run: NaN. `observed` is how many numbers the observers have.
MemberResult empty_result(const Ensemble& ensemble, const Member& member, std::size_t observed = 0);

/// Where results go, in any order, by one thread at a time.
class EnsembleSink {
 public:
  EnsembleSink() = default;
  EnsembleSink(const EnsembleSink&) = delete;
  EnsembleSink& operator=(const EnsembleSink&) = delete;
  virtual ~EnsembleSink() = default;
  virtual void record(const MemberResult& result) = 0;
  /// Called every twentieth of a second: what was recorded should not wait for the next result.
  virtual void flush() {}
};

struct EnsembleProgress {
  std::int64_t members = 0;  ///< that are done, those of before a resumption included
  std::int64_t failed = 0;
  double taken = 0.0;  ///< steps of this run, on all ranks
  double steps = 0.0;  ///< taken at any time, or not needed any more
  double total_steps = 0.0;
  double seconds = 0.0;  ///< of this process
  double first_steps = 0.0;
};

struct EnsembleOptions {
  int lanes = 8;    ///< 1, 4, 8 or 16 trajectories at once on each thread
  int threads = 0;  ///< 0: available_threads()
  /// Members that need not run: they are known already. Only the first of several ranks needs to know.
  std::vector<bool> done = {};
  std::int64_t failed_before = 0;  ///< of those
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const EnsembleProgress&)> progress = {};
};

/// How many the machine offers to this process.
int available_threads();

struct EnsembleSummary {
  EnsembleProgress progress;  ///< of all ranks, on the first of them
  bool interrupted = false;
  double seconds = 0.0;
};

/// Runs all members that are not done; on the ranks of an MPI job together, if there are several. A member's result
/// does not depend on lanes, threads and ranks.
EnsembleSummary run(const Ensemble& ensemble, const EnsembleOptions& options, EnsembleSink& sink);

/// The short way: everything in memory, in the order of the members.
std::vector<MemberResult> run_in_memory(const Ensemble& ensemble, const EnsembleOptions& options = {});

}  // namespace rattleback
