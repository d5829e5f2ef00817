#pragma once

#include <string>

#include "rattleback/answer/run.hpp"
#include "rattleback/io/stored_run.hpp"

namespace rattleback::answer {

/// What can be done with the answer of a run later. The answer must have kept all its samples (RunRequest::samples).

/// Writes the file that the run would have made: .h5, .hdf5 or .csv. Throws RequestError, FileError.
void save(const RunAnswer& answer, const std::string& output, bool force = false);

/// Makes the page that the run would have made, .html.
void make_report(const RunAnswer& answer, const std::string& report, bool force = false,
                 const std::string& command = {});

/// A run out of its HDF5 file.
struct OpenAnswer {
  StoredRun run;  ///< its columns are in the table
  Table samples;
};
/// Throws FileError, ModelError.
OpenAnswer open(const std::string& file);
/// What is not in the samples, with the keys of a run's document.
std::string to_json(const OpenAnswer& answer);

}  // namespace rattleback::answer
