#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/answer/hooks.hpp"
#include "rattleback/ensemble/ensemble_result.hpp"

namespace rattleback::answer {

/// Many trajectories, described by a file (docs/ensembles.md). Without a file: run() of ensemble/ensemble.hpp.
struct EnsembleRequest {
  std::string spec;                          ///< the file, .toml
  std::optional<std::string> output = {};    ///< the result, an HDF5 file; the name of `spec` with .h5 if not given
  std::int64_t lanes = 8;                    ///< trajectories at once on each thread: 1, 4, 8 or 16
  std::optional<std::int64_t> threads = {};  ///< of each process; all cores it may use if not given
  bool resume = false;                       ///< continues an ensemble that was interrupted or killed
  bool force = false;                        ///< replaces whatever file is there, and gives up an unfinished ensemble
};

/// What would be run.
struct EnsemblePlan {
  std::string model;
  std::vector<std::string> methods;
  std::int64_t members = 0;
  double steps = 0.0;  ///< of all members
  std::vector<std::string> varied;
};

struct EnsembleAnswer {
  struct Crossings {
    std::string section;
    std::int64_t count = 0;
  };
  EnsemblePlan plan;
  std::string output;
  /// Several processes work on one ensemble; the first of them knows what follows, the others whether they were
  /// interrupted.
  bool first_rank = true;
  int ranks = 1;
  bool interrupted = false;
  bool written = true;    ///< the output; not if it was interrupted and writing would have taken long
  std::int64_t done = 0;  ///< members, those of before a resumption included
  std::int64_t failed = 0;
  std::int64_t missing = 0;                ///< members that have not run, or whose results could not be read back
  std::vector<std::string> failures = {};  ///< the first hundred of them, in words
  double steps_taken = 0.0;                ///< now, on all ranks
  double seconds = 0.0;
  std::vector<Crossings> crossings = {};
  std::vector<Crossings> events = {};  ///< how often each event of the model happened, in all
  EnsembleQuantities quantities = {};
  std::vector<std::string> notes = {};

  std::int64_t finished() const { return done - failed; }
  double nanoseconds_per_step() const { return 1e9 * seconds / steps_taken; }
};

/// This rank cannot go on, and the others wait for it: who called must end them all (Ranks::abort).
class RankError : public Error {
 public:
  using Error::Error;
};

/// Reads the file and counts. Throws ModelError, EnsembleError.
EnsemblePlan plan(const EnsembleRequest& request);

/// Runs it, on the ranks of an MPI job together. `begins` is called on the first rank before the first step. Throws
/// errors of kind `request` on all ranks alike, FileError, and RankError.
EnsembleAnswer ensemble(const EnsembleRequest& request, const Hooks& hooks = {},
                        const std::function<void(const EnsemblePlan&)>& begins = {});

std::string to_text(const EnsemblePlan& plan);
std::string to_json(const EnsemblePlan& plan);

/// Of the first rank.
std::string to_text(const EnsembleAnswer& answer);
std::string to_json(const EnsembleAnswer& answer);
/// It was interrupted, members are missing, or all have failed.
std::optional<Error> complaint(const EnsembleAnswer& answer);

}  // namespace rattleback::answer
