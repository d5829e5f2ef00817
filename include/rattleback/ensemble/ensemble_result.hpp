#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rattleback/ensemble/ensemble.hpp"
#include "rattleback/ensemble/ensemble_file.hpp"

namespace rattleback {

/// Values that do not exist: how many, and the first of them, in the order of the members.
struct Absence {
  std::int64_t count = 0;
  std::int64_t member = 0;
  double time = 0.0;

  void add(std::int64_t of_member, double at_time) {
    if (count++ == 0) member = of_member, time = at_time;
  }
};
struct NamedAbsence {
  std::string name;
  Absence absence;
};

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
  std::int64_t outside = 0;  ///< values beyond the first and the last edge, in no interval
  Absence undefined = {};    ///< values that are left out of all of this: not defined, or not finite
};
struct VolumeResult {
  std::string name;
  double time = 0.0;
  double volume = 0.0;     ///< NaN if there are no members
  std::int64_t count = 0;  ///< of the members in it
  Absence undefined = {};  ///< members that are left out: a coordinate is not defined, or not finite
};
struct EnsembleQuantities {
  std::vector<HistogramResult> histograms;
  std::vector<VolumeResult> volumes;
  std::vector<std::int64_t> crossings = {};  ///< of each section, then each event, in all
  /// Members that have no statistics of a quantity, or not all crossings of a section: it is not defined at a node.
  std::vector<NamedAbsence> statistics_undefined = {};
  std::vector<NamedAbsence> sections_undefined = {};
  /// Of each of the times that are kept: the members that finished before it, with the times of their ends.
  std::vector<Absence> unreached = {};
};

/// The results of an ensemble in an HDF5 file.
///
/// Each process writes what it has found into a journal of its own, in the folder FILE.parts. At the end, in whichever
/// way, the first rank makes one file of all journals, in the order of the members: it does not depend on who did what.
/// The folder stays if members are missing, and a resumed ensemble runs only those; or if there are files of others in
/// it.
class EnsembleResult {
 public:
  enum class Start : std::uint8_t {
    fresh,   ///< replaces a finished ensemble; refuses if there is an unfinished one, or something else
    forced,  ///< replaces whatever file is there
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

  /// About how many bytes finish() has to read and to write.
  double work_to_finish() const;
  /// The file, from everything that is there now. If nothing is missing, the journals go.
  EnsembleQuantities finish();
  /// Members of which there is no result, after finish().
  std::int64_t missing() const;
  /// After a request that could not be met: if nothing was computed, nothing is left behind. Whether something was.
  bool give_up();
  /// Files of others in the folder of the journals, some of them: it is left to them.
  std::vector<std::string> strangers() const;
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
