#pragma once

// Our flow beside heyoka: time at a tolerance, time at a precision that is reached, compilers, batches, growth.

#include <optional>
#include <string>
#include <vector>

#include "src/bench/tables.hpp"

namespace rattleback::bench {

/// Of those tolerances that are measured, these are printed.
inline constexpr double shown_tolerances[] = {1e-6, 1e-9, 1e-12, 1e-15};
/// Where times at equal precision are compared.
inline constexpr double compared_errors[] = {1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14};
/// That of compilers, batches and growth.
inline constexpr double usual_tolerance = 1e-12;
inline constexpr int flow_batch = 8;
/// Motions whose best ends are further than this from the solution are not the same motion, and are not compared.
inline constexpr double same_end = 1e-11;

struct FlowEntry {
  std::string name;
  Side side;
  double goal = 0.0;                   ///< for our time / its time, 0: none
  std::vector<PrecisionPoint> points;  ///< one for each tolerance: error relative to max(1, |q|), seconds per time
  std::optional<double> build;         ///< CPU seconds
  std::optional<double> batch;         ///< seconds per time and trajectory
  std::optional<double> steps;         ///< per time, at the usual tolerance
  std::string failure;

  /// The smallest error.
  double reached() const;
  const PrecisionPoint* at(double tolerance) const;
  /// Seconds per time with the setting that reaches an error; nothing if none does.
  std::optional<double> seconds_for(double error) const;
};

struct FlowTable {
  std::string problem;
  double time;
  int coordinates;
  double floor;                    ///< how well the solution is known
  bool grows;                      ///< it stands for its size
  std::vector<FlowEntry> entries;  ///< ours is the first

  bool comparable(const FlowEntry& other) const;
  /// Our time / its time.
  std::optional<double> ratio(const FlowEntry& other, double error) const;
  std::optional<double> build_ratio(const FlowEntry& other) const;
  std::optional<double> batch_ratio(const FlowEntry& other) const;
};

struct FlowTables {
  std::string heyoka;  ///< its version; empty if it is not there
  std::vector<FlowTable> problems;
  double build_goal = 0.5, batch_goal = 0.8, growth_goal = 1.5;

  /// Time of a step per coordinate, and per unit of time and coordinate, relative to that of the smallest system, where
  /// a table stands for its size. Larger systems are faster, and need more steps.
  std::optional<double> growth_of_step(const FlowTable& table, std::size_t entry) const;
  std::optional<double> growth(const FlowTable& table, std::size_t entry) const;
};

FlowTables flows(const Session& session);

void print(const FlowTables& tables);
std::vector<std::string> missed(const FlowTables& tables);
nlohmann::json to_json(const FlowTables& tables);

}  // namespace rattleback::bench
