#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/ensemble/ensemble_file.hpp"

namespace rattleback {

/// What an ensemble quantity came to at one instant (or at the end, or on a section).
struct HistogramResult {
  std::string name;
  double time = 0.0;  ///< NaN if it belongs to no time
  std::int64_t count = 0;
  double mean = 0.0;
  double deviation = 0.0;  ///< of one member
  double least = 0.0;
  double largest = 0.0;
  std::vector<double> edges;
  std::vector<double> counts;
};
struct VolumeResult {
  std::string name;
  double time = 0.0;
  double volume = 0.0;  ///< NaN if there are no members
};
struct EnsembleQuantities {
  std::vector<HistogramResult> histograms;
  std::vector<VolumeResult> volumes;
  std::vector<std::int64_t> crossings = {};  ///< of each section, in all
};

/// The results of an ensemble in an HDF5 file.
///
/// Each process writes what it has found into a journal of its own, in the folder FILE.parts. At the end, in whichever
/// way, the first rank makes one file of all journals, in the order of the members: it does not depend on who did what.
/// The folder stays if members are missing, and a resumed ensemble runs only those.
class EnsembleResult {
 public:
  enum class Start : std::uint8_t {
    fresh,   ///< replaces a finished result; refuses if there is an unfinished one
    forced,  ///< replaces whatever is there
    resume,
  };

  /// On the first rank; `program` is written into the file. Throws ResumeError, FileError.
  EnsembleResult(std::string path, const EnsembleFile& file, std::string program, Start start);
  ~EnsembleResult();

  /// What is known already, for EnsembleOptions.
  std::vector<bool> done() const;
  std::int64_t failed() const;
  /// Of the processes that work now.
  int generation() const;

  /// The file, from everything that is there now. If nothing is missing, the journals go.
  EnsembleQuantities finish();
  /// Members of which there is no result, after finish().
  std::int64_t missing() const;
  /// After a request that could not be met: if nothing was computed, nothing is left behind.
  void give_up();
  /// Failures in words: the first of them, in the order of the members.
  std::vector<std::string> failures(std::size_t most) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The sink of one process, on any rank. Everything is on the disk when it is closed.
class EnsembleRecorder final : public EnsembleSink {
 public:
  EnsembleRecorder(const std::string& path, const EnsembleFile& file, const std::string& program, int generation,
                   int rank);
  ~EnsembleRecorder() override;
  void record(const MemberResult& result) override;
  void flush() override;
  void close();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace rattleback
