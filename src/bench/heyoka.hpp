#pragma once

// heyoka (https://bluescarni.github.io/heyoka.py), where the user has it: integrators by Taylor series, compiled as
// ours are. It is never required. What competes is a program in Python (heyoka_competitor.py), which is asked in JSON.

#include <sys/types.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/mech/problem.hpp"
#include "src/bench/competitors.hpp"

namespace rattleback::bench {

/// How to get it, for those who do not have it.
inline constexpr const char* heyoka_advice =
    "heyoka is not among the others: no python3 on the path imports it (pip install heyoka, or --heyoka PYTHON)";

/// The program, running.
class Heyoka {
 public:
  /// With the Python that is named, which throws SystemFailure if it cannot import heyoka; if none is, with the first
  /// python3 on the path that can, or nothing.
  static std::shared_ptr<Heyoka> find(const std::string& python);

  Heyoka(const Heyoka&) = delete;
  Heyoka& operator=(const Heyoka&) = delete;
  ~Heyoka();

  const std::string& version() const { return version_; }

  /// What it answers: {"failed": why} if it cannot. Throws SystemFailure if it does not answer at all.
  nlohmann::json ask(const nlohmann::json& question);

 private:
  Heyoka(pid_t process, int socket) : process_(process), socket_(socket) {}
  static std::shared_ptr<Heyoka> started(const std::string& python);
  std::optional<std::string> line();

  pid_t process_;
  int socket_;
  std::string unread_;
  std::string version_;
};

/// A problem in its words: particle, sleigh, oscillators of a size, rattleback. The starts are those of the lanes.
nlohmann::json heyoka_problem(const char* name, const Problem& problem, std::span<const State> starts, int size = 0);

/// heyoka in its default mode and by fast mathematics; nobody if it is not there.
Contestants heyoka_contestants(const std::shared_ptr<Heyoka>& heyoka, const char* name, const Problem& problem,
                               int size = 0);

}  // namespace rattleback::bench
