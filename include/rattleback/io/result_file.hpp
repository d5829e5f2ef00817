#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/base/error.hpp"
#include "rattleback/flow/run.hpp"
#include "rattleback/model/model.hpp"

namespace rattleback {

/// Everything that decides about the numbers of a run.
struct RunDescription {
  std::string version;
  std::string model;  ///< its name
  std::string title;
  std::string model_text;
  std::vector<Parameter> parameters;
  std::string method;
  double step = 0.0;
  std::int64_t every = 1;
  State start;
  std::vector<double> second_position = {};  ///< q₁ if it was given
  std::vector<ObservedQuantity> observed = {};
  std::vector<std::pair<std::string, std::string>> inputs = {};  ///< their names, and what they are
  std::string stop_when = {};                                    ///< what a request has added to the events
  Space space = {};                                              ///< of the system
};

/// A request that does not fit to the files that are there: nothing to resume, a checkpoint of another run.
class ResumeError : public RequestError {
 public:
  using RequestError::RequestError;
};

/// The samples of a run in a file, HDF5 (.h5, .hdf5) or CSV (.csv).
///
/// Rows are appended to a plain file, FILE.rows, and made safe at each checkpoint, before FILE.checkpoint is replaced
/// as a whole. A run that is killed at any moment, or loses its power, thus loses at most what came after its last
/// checkpoint, and can be resumed; FILE is the old one until the new one is complete. It is made from the rows when the
/// run ends, in whichever way; an HDF5 file holds everything needed to repeat the run. A run that ends leaves only its
/// result. The checkpoint has a checksum of the rows: what was changed in between is not continued.
class ResultFile final : public Recorder {
 public:
  enum class Start : std::uint8_t {
    fresh,   ///< replaces a finished result; refuses if an unfinished run or another file is there
    forced,  ///< replaces whatever is there
    resume,
  };

  ResultFile(std::string path, const System& system, RunDescription description, Start start);
  ~ResultFile() override;

  /// Where to go on, if resumed.
  const Checkpoint* resumed() const;
  void record(const Sample& sample) override;
  void checkpoint(const Checkpoint& checkpoint) override;
  /// Writes the result. Keeps what is needed to resume if the run was interrupted, unless nobody can.
  void finish(const RunResult& result, bool resumable = true);

  /// Whether the ending of a path is one of a known format.
  static bool knows(const std::string& path);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace rattleback
