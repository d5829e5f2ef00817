#pragma once

// What may be replaced by a result: an older result of the same kind, and nothing else.

#include <string>
#include <vector>

namespace rattleback {

/// Files of a kind, and how one is known.
struct ResultKind {
  const char* name;  ///< "a result of a run"
  bool (*recognises)(const std::string& path);
};

/// The rule for every file that a request names, to be asked before time is spent: throws RequestError if there is a
/// file that is not recognised, unless `force` says that it may go; FileError if there is a folder.
void require_older_result(const std::string& path, const ResultKind& kind, bool force);
/// Throws FileError too, if the place cannot be written to.
void require_replaceable(const std::string& path, const ResultKind& kind, bool force);

/// HDF5 files of all kinds: they name the program.
extern const ResultKind hdf5_result;
/// The samples of a run.
extern const ResultKind run_hdf5;
/// The samples of a run as CSV: time, positions, velocities and momenta of the same names, energy.
extern const ResultKind run_table;

/// The first bytes of a file, up to `most`; empty if it cannot be read.
std::string beginning_of(const std::string& path, std::size_t most);
/// What stands between the commas of the first line.
std::vector<std::string> header_of(const std::string& path);

}  // namespace rattleback
