#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/answer/problem.hpp"
#include "rattleback/ensemble/ensemble.hpp"

namespace rattleback::answer {

/// Many trajectories of one problem, whose starts and parameters are arrays; everything stays in memory. Ensembles that
/// are described by files: ensemble.hpp.
struct SweepRequest {
  ProblemRequest problem = {};  ///< what is not varied
  std::string method = "dla";   ///< with options after colons
  /// What is varied: coordinates, velocities (x'), parameters, "step".
  std::vector<std::string> names = {};
  std::vector<double> points = {};           ///< one number for each name, member by member
  std::vector<double> times = {};            ///< of further nodes: those nearest to these times
  std::int64_t lanes = 8;                    ///< trajectories at once on each thread: 1, 4, 8 or 16
  std::optional<std::int64_t> threads = {};  ///< all cores this process may use if not given
};

/// Arrays with an entry, or a row, for each member. What a member did not reach is NaN.
struct SweepAnswer {
  /// Nodes: one for each member, or one for each time of each member.
  struct Nodes {
    std::vector<double> time;
    std::vector<double> q;
    std::vector<double> v;
    std::vector<double> p;
    std::vector<double> energy;
  };
  PreparedProblem prepared;
  std::string method;
  std::int64_t members = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  bool interrupted = false;
  std::vector<std::int64_t> steps = {};    ///< taken
  std::vector<std::string> failures = {};  ///< empty for members without
  Nodes last = {};
  Nodes at_times = {};
  double seconds = 0.0;
};

/// Throws errors of kind `request`.
SweepAnswer sweep(const SweepRequest& request, const Hooks& hooks = {});

std::string to_text(const SweepAnswer& answer);
std::string to_json(const SweepAnswer& answer);
/// It was interrupted, or all members have failed.
std::optional<Error> complaint(const SweepAnswer& answer);

}  // namespace rattleback::answer
