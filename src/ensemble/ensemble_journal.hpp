#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../base/files.hpp"
#include "rattleback/ensemble/ensemble.hpp"

namespace rattleback {

/// The results of one process: what was flushed survives the death of the process.
class EnsembleJournal final : public EnsembleSink {
 public:
  /// `identity` tells ensembles apart.
  EnsembleJournal(const std::string& path, std::uint64_t identity);
  void record(const MemberResult& result) override;
  void flush() override { file_.flush(); }
  /// Everything is on the disk when this returns.
  void close();

 private:
  AppendFile file_;
  std::string bytes_;
};

/// The journals of all processes that have worked on an ensemble, in one folder. A record that was cut by the death of
/// its process is as if it had never been begun.
class EnsembleJournals {
 public:
  /// Throws ResumeError if one of them belongs to another ensemble.
  EnsembleJournals(const std::filesystem::path& folder, std::uint64_t identity, std::int64_t members);
  EnsembleJournals(EnsembleJournals&&) noexcept;
  ~EnsembleJournals();

  bool has(std::int64_t member) const { return offsets_[static_cast<std::size_t>(member)] != 0; }
  MemberResult read(std::int64_t member) const;
  std::vector<bool> done() const;
  std::int64_t failed() const { return failed_; }
  /// The number of the next generation of processes.
  int next_generation() const { return generations_; }

 private:
  class Mapped;
  void index(const Mapped& file, std::uint64_t number);

  std::vector<std::unique_ptr<Mapped>> files_;
  std::vector<std::uint64_t> offsets_;  ///< of each member's record: file and place; 0 if there is none
  std::int64_t failed_ = 0;
  int generations_ = 0;
};

/// The name of the journal of a rank.
std::string journal_name(int generation, int rank);

}  // namespace rattleback
