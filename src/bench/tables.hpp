#pragma once

// The tables of the benchmark: numbers first, then what people and programs read.

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/bench/ratio.hpp"
#include "src/bench/search.hpp"

namespace rattleback::bench {

class Heyoka;

using benchmark::Comparison;

/// What all tables need to know of the one who asked for them.
struct Session {
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  std::shared_ptr<Heyoka> heyoka = {};  ///< if it is there
};

/// Whose an integrator is, and of which kind ours are.
enum class Side : std::uint8_t { our_maps, our_flows, theirs };

// --- cost: what it costs to hold the energy of the quadratic particle

struct CostOptions {
  double time = 1e6;
  double seconds = 60.0;  ///< that one search may take
};

struct CostEntry {
  std::string name;
  Side side;
  Contestant::Setting setting;
  SearchResult result;
};

struct CostColumn {
  double bound;
  double goal;  ///< for theirs / ours
  std::vector<CostEntry> entries;
  std::optional<std::size_t> best_of_maps, best_of_flows, best_of_theirs;
  std::optional<Comparison> theirs_over_maps, theirs_over_flows;  ///< the best of both, taking turns
  std::optional<Comparison> theirs_over_run;  ///< where ours is a whole run, by our best map, that watches every node

  /// By which of ours is cheaper.
  std::optional<Comparison> theirs_over_ours() const {
    if (!theirs_over_maps || !theirs_over_flows) return theirs_over_maps ? theirs_over_maps : theirs_over_flows;
    return theirs_over_maps->ratio > theirs_over_flows->ratio ? theirs_over_maps : theirs_over_flows;
  }
};

struct CostTable {
  CostOptions options;
  std::vector<CostColumn> columns;
};

CostTable cost(const CostOptions& options, const Session& session);

// --- precision: error at the end against time spent

struct PrecisionPoint {
  double setting;
  double error;    ///< largest difference in q at the end
  double seconds;  ///< of the whole run
};

struct PrecisionEntry {
  std::string name;
  Side side;
  Contestant::Setting setting;
  std::vector<PrecisionPoint> points;  ///< those that are not beaten in both by another setting of the same
};

struct PrecisionTable {
  std::string problem;
  double time;
  double floor;  ///< how well the reference is known
  std::vector<PrecisionEntry> entries;
};

std::vector<PrecisionTable> precision(const Session& session);

/// Keeps a point if none of a smaller setting beats it in both, and those that it does not beat: what is beaten is
/// noise, or rounding.
void add_unless_beaten(const PrecisionPoint& point, std::vector<PrecisionPoint>& points);

/// Seconds that an error costs, by interpolation between such points in logarithms; nothing if it is not reached.
std::optional<double> seconds_for(const std::vector<PrecisionPoint>& points, double error);

// --- flow: our flow beside heyoka (flow_table.hpp)

// --- step: nanoseconds of one step

struct StepRow {
  std::string against;
  Comparison ours_over_theirs;
  double goal;  ///< 0: none
};

struct StepGroup {
  std::string problem;  ///< and method
  double iterations;    ///< of ours, per step
  std::vector<StepRow> rows;
  std::optional<double> build = {};  ///< CPU seconds to derive and compile it
  double build_goal = 0.0;
};

std::vector<StepGroup> step(const Session& session);

/// Whether this processor has the instructions the steps by hand were compiled for (processor.hpp).
bool hand_written_steps_run_here();

// --- run: what a user's run costs

struct RunRow {
  std::string what;  ///< problem and method
  Comparison run_over_step;
  double goal;  ///< 0: none
};

/// Every node written to a file.
struct OutputRow {
  std::string format;
  double rows_per_second;
  double bytes_per_second;  ///< of the finished file
};

struct RunTable {
  std::vector<RunRow> rows;
  std::vector<OutputRow> outputs;
};

RunTable user_runs(const Session& session);

// --- throughput: many trajectories on one core

/// Something that carries `trajectories` quadratic particles through `steps` steps, and says how long it took.
struct Engine {
  std::string name;
  std::function<double(std::int64_t trajectories, std::int64_t steps)> seconds;
};

struct ThroughputRow {
  std::string name;
  bool available = true;  ///< on this machine
  double step = 0.0;      ///< seconds of one step of one trajectory, shortest
  double low = 0.0;       ///< quartiles
  double high = 0.0;
  double of_peak = 0.0;  ///< operations of the step, as counted by hand, over the peak of the core
};

struct ThroughputTable {
  std::int64_t trajectories, steps;
  double peak;             ///< operations in a second, measured: fused multiply-adds in the widest registers
  std::string peak_width;  ///< which registers
  int operations;          ///< of one step
  std::vector<ThroughputRow> rows;
};

/// `engines` come after ours and those written by hand.
ThroughputTable throughput(const Session& session, const std::vector<Engine>& engines);

/// Ensembles on one thread, from the first member to the last result.
std::vector<Engine> ensemble_engines();

/// How many times the throughput of another row a row has, both found by how their names begin; nothing if one is
/// missing.
std::optional<double> throughput_ratio(const ThroughputTable& table, const std::string& row, const std::string& other);

/// What the best ensemble must reach of code written by hand.
struct ThroughputGoal {
  const char* other;
  double goal;
};
inline constexpr ThroughputGoal throughput_goals[] = {{"by hand: AVX2", 0.7}, {"by hand: closed form", 3.0}};

// --- scaling: ensembles on several threads and ranks

struct ScalingRow {
  bool ranks;  ///< or threads
  int count;
  bool available = true;
  double step = 0.0;  ///< seconds of one step of one trajectory, shortest
  double low = 0.0;   ///< quartiles
  double high = 0.0;
  double speedup = 0.0;  ///< against one
  double goal = 0.0;     ///< 0: none
};

struct ScalingTable {
  std::int64_t trajectories, steps;
  int cores;
  std::vector<ScalingRow> rows;
};

ScalingTable scaling(const Session& session);

// --- growth: cost of a step with the size of the system

struct GrowthRow {
  int n;
  double step;            ///< seconds, shortest
  double low, high;       ///< quartiles
  double per_coordinate;  ///< of 2n + 1
  double relative;        ///< to that of n = 6
  double iterations;
  double build;  ///< seconds to derive and compile
};

struct GrowthTable {
  double goal = 1.5;  ///< for the last row
  std::vector<GrowthRow> rows;
};

GrowthTable growth(const Session& session);

// --- what is read

void print(const CostTable& table);
void print(const std::vector<PrecisionTable>& tables);
void print(const std::vector<StepGroup>& groups);
void print(const RunTable& table);
void print(const ThroughputTable& table);
void print(const ScalingTable& table);
void print(const GrowthTable& table);

/// The goals that a table misses, in words.
std::vector<std::string> missed(const CostTable& table);
std::vector<std::string> missed(const std::vector<StepGroup>& groups);
std::vector<std::string> missed(const RunTable& table);
std::vector<std::string> missed(const ThroughputTable& table);
std::vector<std::string> missed(const ScalingTable& table);
std::vector<std::string> missed(const GrowthTable& table);

nlohmann::json to_json(const CostTable& table);
nlohmann::json to_json(const std::vector<PrecisionTable>& tables);
nlohmann::json to_json(const std::vector<StepGroup>& groups);
nlohmann::json to_json(const RunTable& table);
nlohmann::json to_json(const ThroughputTable& table);
nlohmann::json to_json(const ScalingTable& table);
nlohmann::json to_json(const GrowthTable& table);

}  // namespace rattleback::bench
