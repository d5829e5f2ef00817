#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../base/files.hpp"
#include "journal_folder.hpp"
#include "rattleback/ensemble/ensemble.hpp"

namespace rattleback {

/// The results of one process: what was flushed survives the death of the process.
class EnsembleJournal final : public EnsembleSink {
 public:
  /// Bytes of a journal without results, at most.
  static const std::size_t empty_size;
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

/// The journals of all processes that have worked on an ensemble, in one folder. From a damaged record on (its process
/// died, or the disk did), a journal is as if it had ended there.
class EnsembleJournals {
 public:
  /// `shape` is any result of the ensemble: all have lists of the same lengths. Throws ResumeError if one of the
  /// journals belongs to another ensemble.
  EnsembleJournals(const JournalFolder& folder, std::uint64_t identity, std::int64_t members, MemberResult shape);
  EnsembleJournals(EnsembleJournals&&) noexcept;
  ~EnsembleJournals();

  bool has(std::int64_t member) const { return offsets_[static_cast<std::size_t>(member)] != 0; }
  MemberResult read(std::int64_t member) const;
  std::vector<bool> done() const;
  std::int64_t failed() const { return failed_; }

 private:
  class Mapped;
  void index(const Mapped& file, std::uint64_t number);

  MemberResult shape_;
  std::vector<std::unique_ptr<Mapped>> files_;
  std::vector<std::uint64_t> offsets_;  ///< of each member's record: file and place; 0 if there is none
  std::int64_t failed_ = 0;
};

}  // namespace rattleback
